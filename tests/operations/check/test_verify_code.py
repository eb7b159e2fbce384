"""Verifying a piece of code: verdict, score and what is not judged (ML-25)."""

from __future__ import annotations

import pytest

from gitmem.errors import InvalidInput
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder


@pytest.fixture
def shop(repo: RepoBuilder, desk: Desk) -> RepoBuilder:
    repo.commit("Shop", {
        "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["flask"]\n',
        "shop/__init__.py": "", "shop/cart.py": "def total():\n    return 1\n",
    })  # fmt: skip
    return repo


def test_sound_code_passes_with_all_points(shop: RepoBuilder, desk: Desk) -> None:
    result = desk.run("verify-code", code="import flask\nfrom shop.cart import total\n")
    assert (result.verdict, result.score, result.findings) == ("pass", 100, ())


def test_points_follow_from_the_findings(shop: RepoBuilder, desk: Desk) -> None:
    once = desk.run("verify-code", code="import flsk\n", path="shop/new.py")
    assert (once.verdict, once.score) == ("pass", 85)
    twice = desk.run("verify-code", code="import flsk\nimport shop.crat\n", path="shop/new.py")
    assert (twice.verdict, twice.score) == ("fail", 70)
    unlisted = desk.run("verify-code", code="import numpy\n", path="shop/new.py")
    assert [(each.check, each.rule) for each in unlisted.findings] == [
        ("dependencies", "dependency/unlisted")
    ]
    assert unlisted.score == 90
    critical = desk.run(
        "verify-code", code='import os\nfrom flask import request\nos.system(request.args["x"])\n'
    )
    assert (critical.verdict, critical.score) == ("fail", 70)
    assert critical.findings[0].severity == "critical"
    assert critical.findings[0].cwe == "CWE-78"


def test_only_the_checks_that_are_asked_for(shop: RepoBuilder, desk: Desk) -> None:
    code = "import flsk\nimport numpy\n"
    for check in ("imports", "dependencies"):
        result = desk.run("verify-code", code=code, checks=(check,))
        assert [each.check for each in result.findings] == [check]
    assert desk.run("verify-code", code=code, checks=("security",)).findings == ()
    with pytest.raises(InvalidInput, match="no check 'taste'"):
        desk.run("verify-code", code=code, checks=("taste",))


def test_without_a_place_no_relative_import_is_judged(shop: RepoBuilder, desk: Desk) -> None:
    assert desk.run("verify-code", code="from .nowhere import x\n").findings == ()
    assert desk.run("verify-code", code="import x from './nowhere'\n").findings == ()


def test_code_of_no_known_language_is_not_called_verified(shop: RepoBuilder, desk: Desk) -> None:
    result = desk.run("verify-code", code="((( no code")
    assert result.checks == () and "language" in result.note
    assert "pass" in desk.text("verify-code", code="import os\n")


def test_the_name_of_a_file_is_not_taken_for_code(shop: RepoBuilder, desk: Desk) -> None:
    with pytest.raises(InvalidInput, match="only the name of a file") as refused:
        desk.run("verify-code", code="shop/cart.py")
    assert refused.value.hint.endswith("gitmem verify-code --path shop/cart.py - < shop/cart.py")
