"""Blame and the history of paths and lines: followed, bounded, hardened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gitmem.errors import Unavailable
from gitmem.git import layout, runner
from gitmem.git.lines import line_history
from gitmem.git.lines.line_history import BlamedLines, ReplacedLine, parse_replacements
from gitmem.git.process import git_timeout_error
from tests.support.repos import RepoBuilder

POOL = "def acquire():\n    return 1\n\n\ndef release():\n    return 2\n"


@pytest.fixture
def repo(tmp_path: Path) -> RepoBuilder:
    """A file that was renamed, and changed before and after."""
    made = RepoBuilder(tmp_path / "repo")
    runner.configure_git_environment(made.env)
    made.commit("Add the pool", {"old.py": POOL, "other.py": "x = 1\n"})
    made.git("mv", "old.py", "new.py")
    made.commit("Rename the pool")
    made.commit("Return three", {"new.py": POOL.replace("return 2", "return 3")})
    return made


def ids(repo: RepoBuilder) -> list[str]:
    return repo.git("log", "--format=%H").split()


def test_each_stretch_of_lines_is_reported_with_its_commit_and_its_name_then(
    repo: RepoBuilder,
) -> None:
    third, _, first = ids(repo)
    found, complete = line_history.commits_of_lines(
        layout.find_repository(str(repo.path)), "new.py"
    )
    assert complete
    assert found == [
        BlamedLines(first, 1, 5, "old.py", oldest=True),
        BlamedLines(third, 6, 6, "new.py"),
    ]
    some, _ = line_history.commits_of_lines(
        layout.find_repository(str(repo.path)), "new.py", (6, 6)
    )
    assert [(item.sha, item.line_count) for item in some] == [(third, 1)]


def test_what_is_not_committed_has_no_commit(repo: RepoBuilder) -> None:
    repo.write({"new.py": "# new\n" + POOL.replace("return 2", "return 3")})
    found, _ = line_history.commits_of_lines(layout.find_repository(str(repo.path)), "new.py")
    assert next((item.sha, item.first) for item in found) == ("", 1)


def test_commits_of_a_formatter_are_passed_over_and_a_broken_list_is_no_end(
    repo: RepoBuilder,
) -> None:
    first = ids(repo)[-1]
    formatted = repo.commit("Format", {"new.py": POOL.replace("return 1", "return (1)")})
    here = layout.find_repository(str(repo.path))
    line = (2, 2)
    assert [line.sha for line in line_history.commits_of_lines(here, "new.py", line)[0]] == [
        formatted
    ]
    repo.write({".git-blame-ignore-revs": f"{formatted}\n"})
    assert [line.sha for line in line_history.commits_of_lines(here, "new.py", line)[0]] == [first]
    repo.write({".git-blame-ignore-revs": "no commit\n"})
    assert [line.sha for line in line_history.commits_of_lines(here, "new.py", line)[0]] == [
        formatted
    ]


def test_a_path_is_followed_through_its_names_even_when_it_is_gone(repo: RepoBuilder) -> None:
    found, complete = line_history.commits_changing_path(str(repo.path), "new.py", 10)
    assert [item.subject for item in found] == ["Return three", "Rename the pool", "Add the pool"]
    assert (found[-1].paths, complete) == (("old.py",), True)
    repo.git("rm", "-q", "new.py")
    repo.commit("Remove it")
    gone, _ = line_history.commits_changing_path(str(repo.path), "new.py", 1)
    assert [item.subject for item in gone] == ["Remove it"]
    assert line_history.commits_changing_path(str(repo.path), "never.py", 10) == ([], True)


def test_lines_are_followed_through_the_rename(repo: RepoBuilder) -> None:
    found, _ = line_history.commits_changing_lines(str(repo.path), "new.py", (5, 6), 10)
    assert [item.subject for item in found] == ["Return three", "Add the pool"]
    none, complete = line_history.commits_changing_lines(str(repo.path), "new.py", (90, 99), 10)
    assert (none, complete) == ([], False)


def test_an_answer_that_is_late_is_what_there_was_by_then() -> None:
    def slow() -> Iterator[int]:
        yield 1
        raise git_timeout_error("log", 0.6)

    assert line_history.read_until_deadline(slow()) == ([1], False)


def test_no_program_of_the_repository_is_run(repo: RepoBuilder) -> None:
    mark = repo.path / "ran"
    repo.write({".gitattributes": "*.py filter=evil diff=evil\n"})
    for key in ("filter.evil.clean", "diff.evil.textconv", "diff.evil.command"):
        repo.git("config", key, f"touch {mark}; cat")
    repo.git("config", "blame.ignoreRevsFile", "nowhere")
    repo.write({"new.py": POOL})
    found, complete = line_history.commits_of_lines(
        layout.find_repository(str(repo.path)), "new.py"
    )
    line_history.commits_changing_lines(str(repo.path), "new.py", (1, 2), 5)
    assert (bool(found), complete, mark.exists()) == (True, True, False)


def test_commits_are_described_in_one_question_and_strange_ids_are_left_out(
    repo: RepoBuilder,
) -> None:
    third, second, _ = ids(repo)
    found = line_history.read_commits(str(repo.path), [third, second, "--all", "HEAD"])
    assert {sha: item.subject for sha, item in found.items()} == {
        third: "Return three",
        second: "Rename the pool",
    }
    assert line_history.read_commits(str(repo.path), []) == {}


def test_names_that_look_like_options_or_patterns_are_names(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    runner.configure_git_environment(repo.env)
    names = ("-L1,2", "a*b.py", "sp ace.py", "ü.py", ":(top)x")
    repo.commit("Add", dict.fromkeys(names, "x = 1\n"))
    here = layout.find_repository(str(repo.path))
    for name in names:
        assert [line.line_count for line in line_history.commits_of_lines(here, name)[0]] == [1], (
            name
        )
        assert len(line_history.commits_changing_path(here.cwd, name, 5)[0]) == 1, name
        assert len(line_history.commits_changing_lines(here.cwd, name, (1, 1), 5)[0]) == 1, name
        assert line_history.blob_id_at_head(here.cwd, name), name
    assert line_history.blob_id_at_head(here.cwd, "nothing") == ""
    Path(here.git_dir, "objects").rename(Path(here.git_dir, "gone"))
    with pytest.raises(Unavailable, match="git cannot read HEAD:nothing"):
        line_history.blob_id_at_head(here.cwd, "nothing")


REPLACEMENTS = b"""\0aaa 1700000000
diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -1 +1 @@ def f():
-    print("x")
+    log.info("x")
@@ -5,2 +5 @@
-one()
-two()
+three()
\0bbb 1600000000
diff --git a/b.py b/b.py
--- a/b.py
+++ b/b.py
@@ -1,2 +1,2 @@
-import requests
-value = 1
+import httpx
+value = 2
"""


def test_pairs_of_lines_are_read_from_a_log() -> None:
    for size in (1, 7, 10_000):
        chunks = [REPLACEMENTS[at : at + size] for at in range(0, len(REPLACEMENTS), size)]
        assert list(parse_replacements(chunks)) == [
            ReplacedLine("aaa", 1_700_000_000, "a.py", '    print("x")', '    log.info("x")'),
            ReplacedLine("bbb", 1_600_000_000, "b.py", "import requests", "import httpx"),
            ReplacedLine("bbb", 1_600_000_000, "b.py", "value = 1", "value = 2"),
        ]


def test_a_head_of_blame_whose_lines_are_no_numbers_begins_nothing() -> None:
    """Found by a search that follows what it reaches: ValueError."""
    sha = "0123456789abcdef" * 2 + "01234567"
    whole = f"{sha} 1 2 3\nfilename a.py\n".encode()
    for lines in ("x 3", "2 \0", "2 ", "-1 3", "9" * 5000 + " 3"):
        damaged = f"{sha} 1 {lines}\nfilename b.py\n".encode()
        output = line_history.parse_blame([damaged + whole])
        assert [(item.path, item.first, item.last) for item in output] == [("a.py", 2, 4)], lines
