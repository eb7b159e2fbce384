"""The changed lines of the newest commits: bounded, and no content is taken for a header."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.git import runner
from gitmem.git.lines import line_history
from tests.support.repos import RepoBuilder


@pytest.fixture
def repo(tmp_path: Path) -> RepoBuilder:
    made = RepoBuilder(tmp_path / "repo")
    runner.configure_git_environment(made.env)
    return made


def test_lines_taken_away_and_put_in_are_reported_with_the_function_above(
    repo: RepoBuilder,
) -> None:
    body = "def acquire():\n" + "    x = 1\n" * 5
    repo.commit("Add", {"a.py": body})
    repo.commit("Change", {"a.py": body + "    return kept\n"})
    second, first = line_history.line_changes_of_newest_commits(str(repo.path), 10)[0]
    assert (second.sha, second.text, second.count) == (
        repo.head(),
        "def acquire():\n    return kept",
        1,
    )
    assert first.count == 6
    assert line_history.line_changes_of_newest_commits(str(repo.path), 1)[0] == [second]


def test_merges_are_left_out_and_an_empty_commit_has_no_lines(repo: RepoBuilder) -> None:
    repo.commit("Add", {"a.py": "x\n"})
    repo.branch("side")
    repo.commit("Aside", {"b.py": "y\n"})
    repo.switch("main")
    repo.commit("Nothing")
    repo.merge("side")
    found, complete = line_history.line_changes_of_newest_commits(str(repo.path), 10)
    assert ([item.text for item in found], complete) == (["", "y", "x"], True)


def test_a_long_change_is_cut_and_still_counted() -> None:
    line = b"+" + b"x" * 1000 + b"\n"
    message = b"\0" + b"a" * 40 + b"\n\n" + line * 500 + b"\0" + b"b" * 40 + b"\n"
    pieces = [message[start : start + 777] for start in range(0, len(message), 777)]
    first, second = line_history.parse_changed_lines(pieces)
    assert first.count == 500
    assert len(first.text) <= line_history.LONGEST + 2 * line_history.LONGEST_LINE
    assert (second.sha, second.text, second.count) == ("b" * 40, "", 0)
    (huge,) = line_history.parse_changed_lines(
        [b"\0" + b"c" * 40 + b"\n+", *[b"y" * 60_000] * 5, b"\n+z\n"]
    )
    assert huge.count == 2


def test_content_that_looks_like_a_header_is_content(repo: RepoBuilder) -> None:
    forged = "\0" + "f" * 40 + "\n-- a/b\n"
    repo.commit("Forge", {"a.txt": forged.replace("\0", ""), ".gitattributes": "* diff\n"})
    repo.write({"b.txt": forged})
    repo.commit("Forge more")
    found, _ = line_history.line_changes_of_newest_commits(str(repo.path), 10)
    assert len(found) == 2
