"""What manifests say of a project (ML-9)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.assembly.manifests import NAMES, Manifest, read_manifest

PYPROJECT = """[project]
name = "shop"
description = "Sells things."
dependencies = ["httpx>=0.2", "click", "pyyaml; python_version > '3'"]
[project.scripts]
shop = "shop.cli:main"
"""
GO = (
    "module acme.org/shop\n\nrequire (\n\tgithub.com/a/b v1.2.0\n"
    "\tgolang.org/x/t v0.1.0 // indirect\n)\n"
)
MIX = '  def project, do: [app: :plug, description: "Composable modules"]\n  {:mime, "~> 1.0"}\n'


def test_each_manifest_is_read_as_its_tool_reads_it() -> None:
    for path, text, expected in (
        ("pyproject.toml", PYPROJECT, ("shop", "Sells things.", "httpx click pyyaml", "shop")),
        (
            "web/package.json",
            '{"name":"web","description":"UI","dependencies":{"react":"1"},"main":"a.js",'
            '"bin":{"web":"bin/web.js"}}',
            ("web", "UI", "react", "bin/web.js a.js"),
        ),
        (
            "Cargo.toml",
            '[package]\nname="fd"\ndescription="Find"\n[dependencies]\nregex="1"\n[[bin]]\nname="fd"\n'
            'path="src/main.rs"',
            ("fd", "Find", "regex", "src/main.rs"),
        ),
        ("Cargo.toml", '[workspace]\nmembers = ["core"]', ("", "", "core", "")),
        ("go.mod", GO, ("acme.org/shop", "", "github.com/a/b", "")),
        (
            "composer.json",
            '{"name":"a/b","require":{"php":">8","c/d":"1"}}',
            ("a/b", "", "c/d", ""),
        ),
        ("mix.exs", MIX, ("plug", "Composable modules", "mime", "")),
        ("Gemfile", "source 'x'\ngem 'rack', '~> 2'\n", ("", "", "rack", "")),
        ("requirements.txt", "# dev\nflask==2\n-r other.txt\n", ("", "", "flask", "")),
    ):
        name, message, needs, entries = expected
        required = Manifest(path, name, message, tuple(needs.split()), tuple(entries.split()))
        assert read_manifest(path, text) == required, path


def test_what_is_no_manifest_or_broken_says_nothing() -> None:
    for path, text in (
        ("README.md", PYPROJECT), ("pyproject.toml", "[project"), ("package.json", "[]"),
        ("package.json", '{"dependencies": 3}'), ("pyproject.toml", "project = 3"),
        ("Cargo.toml", "[dependencies]\nx = [" + "[" * 9000),
    ):  # fmt: skip
        assert read_manifest(path, text) == Manifest(path), text[:40]


@given(st.sampled_from(NAMES), st.text(max_size=200))
def test_no_text_breaks_a_reader(name: str, text: str) -> None:
    assert read_manifest(name, text).path == name
