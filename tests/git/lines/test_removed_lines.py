"""Which commit took away a text, or the definition of a name."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.git.lines import removed_lines
from gitmem.git.runner import configure_git_environment
from tests.support.repos import RepoBuilder, slow_git

TEXT = "The pool was closed twice"
OLD = f'import os\n\n\ndef shut(pool):\n    raise ValueError("{TEXT}")\n\n\nLIMIT: int = 3\n'


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> RepoBuilder:
    """Lines that were moved, then removed, and a file that goes on; tests read it."""
    repo = RepoBuilder(tmp_path_factory.mktemp("removed") / "repo")
    repo.commit("Bring it", {"old.py": OLD, "stays.py": "def pay():\n    return 1\n"})
    repo.git("mv", "old.py", "src.py")
    repo.commit("Move it")
    repo.commit("Say it otherwise", {"src.py": OLD.replace(TEXT, "Closed already")})
    repo.commit("Shut no more", {"src.py": "import os\n"})
    repo.commit("Go on", {"stays.py": "def pay():\n    return 2\n", "a é.py": "def odd():\n  0\n"})
    repo.commit("Mind the name", {"a é.py": "even()\n"})
    return repo


def subject(repo: RepoBuilder, found: removed_lines.RemovedLine | None) -> str:
    return repo.git("log", "-1", "--format=%s", found.sha) if found else ""


@pytest.mark.parametrize("text", [TEXT, TEXT.upper()])
def test_a_text_is_reported_with_the_commit_that_took_it_away_and_its_line(
    repo: RepoBuilder, text: str
) -> None:
    found, complete = removed_lines.find_last_removed_line(str(repo.path), text)
    assert complete and found and subject(repo, found) == "Say it otherwise"
    assert (found.path, found.line) == ("src.py", f'raise ValueError("{TEXT}")')


@pytest.mark.parametrize("text", ["def pay", "never was there", "-e", "--- a/stays.py"])
def test_what_stands_or_never_stood_was_not_removed(repo: RepoBuilder, text: str) -> None:
    assert removed_lines.find_last_removed_line(str(repo.path), text) == (None, True)


@pytest.mark.parametrize(
    ("name", "line"), [("shut", "def shut(pool):"), ("LIMIT", "LIMIT: int = 3")]
)
def test_a_definition_is_reported_with_its_head(repo: RepoBuilder, name: str, line: str) -> None:
    found, _ = removed_lines.find_removed_definition(str(repo.path), name)
    assert found and subject(repo, found) == "Shut no more"
    assert (found.path, found.line) == ("src.py", line)


@pytest.mark.parametrize("name", ["pay", "os", "ValueError", "shu", "Closed"])
def test_what_is_only_used_or_stands_is_no_removed_definition(repo: RepoBuilder, name: str) -> None:
    assert removed_lines.find_removed_definition(str(repo.path), name) == (None, True)


def test_a_path_that_git_quotes_is_not_that_of_another_file(repo: RepoBuilder) -> None:
    found, _ = removed_lines.find_removed_definition(str(repo.path), "odd")
    assert found and (found.path, subject(repo, found)) == ("", "Mind the name")


def test_what_was_brought_back_is_not_removed(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    for text in (TEXT, "", TEXT):
        repo.commit(f"Say {text!r}", {"a.py": f"# {text}\n"})
    assert removed_lines.find_last_removed_line(str(repo.path), TEXT) == (None, True)


def test_a_text_that_another_file_holds_still_is_not_removed(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Say it twice", {"a.py": f"# {TEXT}\n", "b.py": f"# {TEXT}\n"})
    repo.commit("Say it once", {"a.py": "# nothing\n"})
    assert removed_lines.find_last_removed_line(str(repo.path), TEXT) == (None, True)


def test_where_git_is_late_nothing_is_known(
    repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(removed_lines, "SECONDS", 0.2)
    configure_git_environment(repo.env | {"PATH": slow_git(tmp_path, "*log*")})
    assert removed_lines.find_last_removed_line(str(repo.path), TEXT) == (None, False)
    assert removed_lines.find_removed_definition(str(repo.path), "shut") == (None, False)
