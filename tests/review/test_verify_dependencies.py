"""Dependencies that a diff adds: without their lock file, or used by nothing (ML-25)."""

from __future__ import annotations

from tests.review.conftest import Ask, known
from tests.support.repos import RepoBuilder

PYTHON = '[project]\nname = "shop"\ndependencies = [{}]\n'
NODE = '{{"name": "web", "dependencies": {{{}}}}}\n'


def test_a_lock_file_that_was_not_made_again(repo: RepoBuilder, ask: Ask) -> None:
    repo.commit("Shop", {
        "pyproject.toml": PYTHON.format(""), "uv.lock": '[[package]]\nname = "typing-extensions"\n',
        "package.json": NODE.format(""),
        "package-lock.json": '{"packages": {"node_modules/a": {}}}',
    })  # fmt: skip
    repo.write(
        {"pyproject.toml": PYTHON.format('"httpx"'), "package.json": NODE.format('"b": "1"')}
    )
    assert sorted((each.rule, each.path) for each in ask().findings) == [
        ("dependency/lock", "package.json"), ("dependency/lock", "pyproject.toml"),
    ]  # fmt: skip
    repo.write({"pyproject.toml": PYTHON.format('"Typing_Extensions"'),
                "package.json": NODE.format('"a": "1"')})  # fmt: skip
    assert ask().findings == ()


def test_a_dependency_that_nothing_uses_is_a_note(repo: RepoBuilder, ask: Ask) -> None:
    repo.commit("Shop", {"pyproject.toml": PYTHON.format(""), "shop/app.py": "import yaml\n"})
    repo.write({"pyproject.toml": PYTHON.format('"httpx", "PyYAML"')})
    assert ask().findings == ()
    assert known(ask(), "dependency/unused") == ["No code names httpx yet"]


def test_a_manifest_that_cannot_be_read_costs_nothing(repo: RepoBuilder, ask: Ask) -> None:
    repo.commit("Shop", {"pyproject.toml": PYTHON.format(""), "uv.lock": "x = 1\n"})
    repo.write({"pyproject.toml": "[[[", "package.json": '{"dependencies": 3}', "go.mod": "\0"})
    assert not any(each.rule.startswith("dependency/") for each in ask().findings)
