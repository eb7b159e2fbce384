"""The ways of cutting by name: what is cut anew when something changes (CF-9, CC-2)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gitmem.indexing import chunkers
from tests.support.tables import table


@pytest.fixture(autouse=True)
def forgetful() -> Iterator[None]:
    yield
    for answers in (chunkers._of_name, chunkers._script, chunkers._versions):
        answers.cache_clear()


def test_notes_hang_on_their_sizes() -> None:
    assert chunkers.chunker_name_of_path("docs/a.md", 500, 50) == "note/2/500/50"
    assert chunkers.chunker_name_of_path("docs/a.md", 100, 50) != chunkers.chunker_name_of_path(
        "docs/a.md", 500, 50
    )


def test_code_hangs_on_its_grammar_and_not_on_the_sizes_of_notes() -> None:
    cutter = chunkers.chunker_name_of_path("a.py", 500, 50)
    assert cutter.startswith("code/2/python/")
    assert cutter == chunkers.chunker_name_of_path("b/c.py", 100, 10)
    assert cutter != chunkers.chunker_name_of_path("a.go", 500, 50)


def test_two_grammars_of_one_language_are_two_ways() -> None:
    assert chunkers.chunker_name_of_path("a.ts", 500, 50) != chunkers.chunker_name_of_path(
        "a.tsx", 500, 50
    )


@table("path", ["a.toml", "a.pyx", "Makefile", "a.unheardof", "a."])
def test_without_a_grammar_lines_decide(path: str) -> None:
    assert chunkers.chunker_name_of_path(path, 500, 50) == chunkers.LINES


@pytest.mark.parametrize(
    ("path", "how"),
    [("a.md", "note"), ("a.toml", "lines"), ("a.py", "syntax"), ("bin/tool", "script")],
)
def test_how_a_way_works(path: str, how: str) -> None:
    assert chunkers.split_method_of_chunker(chunkers.chunker_name_of_path(path, 500, 50)) == how


def test_another_version_of_one_grammar_changes_only_its_own_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, python = (chunkers.chunker_name_of_path(path, 500, 50) for path in ("a.go", "a.py"))
    script = chunkers.chunker_name_of_path("bin/tool", 500, 50)
    (tmp_path / "tree_sitter_go-99.1.dist-info").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    for answers in (chunkers._of_name, chunkers._script, chunkers._versions):
        answers.cache_clear()
    assert chunkers.chunker_name_of_path("a.go", 500, 50) == "code/2/go/99.1" != go
    assert chunkers.chunker_name_of_path("a.py", 500, 50) == python
    assert chunkers.chunker_name_of_path("bin/tool", 500, 50) == script


def test_a_newer_grammar_of_scripts_changes_their_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = chunkers.chunker_name_of_path("bin/tool", 500, 50)
    (tmp_path / "tree_sitter_bash-99.1.dist-info").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    for answers in (chunkers._of_name, chunkers._script, chunkers._versions):
        answers.cache_clear()
    assert chunkers.chunker_name_of_path("bin/tool", 500, 50) != script


def test_a_whole_name_says_more_than_its_ending() -> None:
    assert chunkers.chunker_name_of_path("a.txt", 500, 50) == "note/2/500/50"
    assert chunkers.chunker_name_of_path("src/CMakeLists.txt", 500, 50) == chunkers.LINES
    assert chunkers.chunker_name_of_path(".py", 500, 50) == chunkers.LINES


def test_a_way_is_chosen_once_for_all_files_of_an_ending() -> None:
    for number in range(200):
        chunkers.chunker_name_of_path(f"src/part{number}/file{number}.py", 500, 50)
    assert chunkers._of_name.cache_info().misses == 1
