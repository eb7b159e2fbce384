"""Globs against a table, and against git's own reading of the same patterns."""

from __future__ import annotations

import re
import time
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from gitmem.text.globs import is_malformed_glob, path_matches_glob
from tests.support.amounts import examples
from tests.support.repos import RepoBuilder

PATHS = (
    *("a", "b", "x.py", "a.py", "c.py", "-", "a b", ".a"),
    *("src/a.py", "src/a/b.py", "src/a/x.py", "src/x.py/b", "docs/a", "docs/a/b.md", "b/docs/a"),
    *("web/app.min.js", "app.min.js", "app.js", "app/[ab].py", "app/[a", "app/!a", "a/b/c/a/b"),
)


@pytest.mark.parametrize(
    ("pattern", "selected", "others"),
    [
        ("src/*.py", ["src/a.py", "src/x.py/b"], ["src/a/b.py", "a.py", "lib/src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/a/b.py", "src/a/b/c.py"], ["a.py", "lib/src/a.py"]),
        ("src/**", ["src/a.py", "src/a/b"], ["src", "lib/src/a.py"]),
        ("**/x.py", ["x.py", "src/x.py", "src/a/x.py"], ["ax.py", "x.pyc"]),
        ("a/**/b/**/c", ["a/b/c", "a/x/b/y/z/c", "a/b/b/c/d"], ["a/c", "a/b", "x/a/b/c"]),
        ("docs/", ["docs/a.md", "docs/b/c.md", "lib/docs/a.md"], ["docs", "docs.md", "mydocs/a"]),
        ("docs", ["docs", "docs/a.md", "lib/docs/a.md"], ["docs.md", "mydocs"]),
        ("/docs", ["docs/a.md", "docs"], ["lib/docs/a.md"]),
        ("src/docs", ["src/docs/a.md"], ["lib/src/docs/a.md"]),
        ("*.min.js", ["app.min.js", "web/app.min.js"], ["app.js", "app.min.jsx"]),
        ("*", ["a", "a/b.py", ".env"], []),
        ("**", ["a", "a/b.py"], []),
        ("[ab].py", ["a.py", "src/b.py"], ["c.py", "ab.py", "[ab].py"]),
        ("[!ab].py", ["c.py"], ["a.py", "src/b.py"]),
        ("[^a-c].py", ["d.py", "-.py"], ["b.py"]),
        ("[]a].py", ["].py", "a.py"], ["b.py"]),
        ("a[!b]c", ["axc"], ["a/c", "abc"]),
        (r"\[ab\].py", ["[ab].py", "src/[ab].py"], ["a.py"]),
        (r"a\*.py", ["a*.py"], ["ab.py"]),
        ("?.py", ["a.py", "src/b.py"], ["ab.py", ".py"]),
        ("src?a", [], ["src/a"]),
        ("!a", ["!a"], ["a", "b"]),
        ("#a", ["#a"], ["a"]),
        ("a.c", ["a.c"], ["abc"]),
        ("two*", ["two\nlines.py", "two\n/a"], ["one"]),
        ("SRC/*", [], ["src/a"]),
        ("[", [], ["[", "a"]),
        ("[z-a]", [], ["z", "a", "m"]),
        ("a\\", [], ["a", "a\\"]),
        ("/", [], ["a", "a/b"]),
    ],
)
def test_a_pattern_selects(pattern: str, selected: list[str], others: list[str]) -> None:
    assert [path for path in selected if not path_matches_glob(path, pattern)] == []
    assert [path for path in others if path_matches_glob(path, pattern)] == []


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> RepoBuilder:
    repo = RepoBuilder(tmp_path_factory.mktemp("globs") / "repo")
    # A file and a folder cannot share a name.
    repo.write({path: "" for path in PATHS if not any(o.startswith(path + "/") for o in PATHS)})
    return repo


pieces = st.sampled_from(
    (
        *("a", "b", "x.py", ".py", "src", "docs", "app", "*", "**", "?", "/", "/**/", "**/"),
        *("[ab]", "[!a]", "[^b-z]", "\\[", "\\a", "[", "]", ".", "-"),
    )
)


@settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(pieces, min_size=1, max_size=6).map("".join))
def test_git_reads_a_pattern_the_same(tree: RepoBuilder, pattern: str) -> None:
    # Git knows no path with two slashes; here one is as good as two. And it cuts off what comes
    # before the first wildcard, so that it reads a**/b as if ** stood alone, against its manual.
    # A slash in brackets divides names here.
    assume(not re.search(r"//|[^/]\*\*|\[[^]]*/", pattern))
    message = tree.git("ls-files", "-z", "--others", "--ignored", "--exclude=" + pattern)
    every = [str(file.relative_to(tree.path).as_posix()) for file in files(tree.path)]
    assert {path for path in every if path_matches_glob(path, pattern)} == set(
        filter(None, message.split("\0"))
    )


def files(folder: Path) -> list[Path]:
    found = [item for item in folder.rglob("*") if item.is_file()]
    return [item for item in found if ".git" not in item.relative_to(folder).parts]


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("a" * 4000, "*a" * 500 + "b"),
        ("a/" * 2000 + "a", "**/a/" * 400 + "b"),
        ("a/" * 2000 + "a", "**/*a*/" * 300 + "b"),
        ("a" * 4000, "**" * 500 + "b"),
    ],
)
def test_no_pattern_takes_long(path: str, pattern: str) -> None:
    begin = time.process_time()
    assert not path_matches_glob(path, pattern)
    assert time.process_time() - begin < 1


def test_a_bracket_that_is_not_closed_breaks_a_pattern() -> None:
    for pattern in ("[", "[[", "src/[a", "a\\", "**/[!"):
        assert is_malformed_glob(pattern), pattern
    for pattern in ("", "*", "[a]", "[]]", "[[]", "\\[", "src/**/[!a-c]?.py"):
        assert not is_malformed_glob(pattern), pattern


def test_no_pattern_makes_python_warn_beside_the_answer() -> None:
    """Found by random patterns (S-14): the line stood on standard error, with a path of ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for pattern in ("[a--]x", "[+--]x", "[--]x", "[a&&b]x", "[a||b]x", "[a~~b]x", "[[a]x"):
            path_matches_glob("-x", pattern)
        assert path_matches_glob(",x", "[+--]x") and not path_matches_glob("/x", "[+--]x")
