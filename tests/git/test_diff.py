"""What a diff touches, read from git."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.errors import InvalidInput, NotFound
from gitmem.git import diff
from gitmem.git.diff import DiffSides, PathChange
from gitmem.git.layout import find_repository, plain_folder_layout
from gitmem.git.lines import patch
from gitmem.git.lines.patch import WHOLE, Hunk
from tests.support.repos import RepoBuilder
from tests.support.tables import table

TEN = "".join(f"line {number}\n" for number in range(1, 11))
STRANGE = [
    "-dash",
    ":colon",
    "new\nline",
    "tab\t",
    'quo"te',
    "back\\slash",
    "b\udcff",
    " sp ace ",
    "ü",
]


def between(repo: RepoBuilder, revisions: str = "", **options: bool) -> DiffSides:
    return diff.resolve_diff_sides(find_repository(str(repo.path)), revisions, **options)


def changes(repo: RepoBuilder, revisions: str = "", **options: bool) -> list[PathChange]:
    return diff.changed_paths(find_repository(str(repo.path)), between(repo, revisions, **options))


def observed(repo: RepoBuilder, revisions: str = "", **options: Any) -> list[tuple[str, str, str]]:
    return [
        (change.status, change.old, change.new) for change in changes(repo, revisions, **options)
    ]


def hunks(repo: RepoBuilder, revisions: str = "", **options: bool) -> dict[str, tuple[Hunk, ...]]:
    found = changes(repo, revisions, **options)
    return diff.changed_hunks(
        find_repository(str(repo.path)), between(repo, revisions, **options), found
    )


def test_nothing_changed(born: RepoBuilder) -> None:
    assert changes(born) == []
    assert hunks(born) == {}


def test_the_work_tree_is_compared_with_head(born: RepoBuilder) -> None:
    born.write({"a.txt": "staged\n", "new.txt": "n\n"})
    born.git("add", "a.txt")
    (born.path / "src" / "b.txt").unlink()
    assert observed(born) == [("M", "a.txt", "a.txt"), ("D", "src/b.txt", ""), ("A", "", "new.txt")]


def test_only_the_index_when_asked(born: RepoBuilder) -> None:
    born.write({"a.txt": "staged\n"})
    born.git("add", "a.txt")
    born.write({"a.txt": "later\n", "src/b.txt": "not staged\n", "new.txt": "n\n"})
    assert observed(born, staged=True) == [("M", "a.txt", "a.txt")]


def test_a_range_looks_at_no_work_tree(born: RepoBuilder) -> None:
    first = born.head()
    born.commit("More", {"a.txt": "b\n", "c.txt": "c\n"})
    born.write({"src/b.txt": "not committed\n"})
    assert observed(born, f"{first}..HEAD") == [("M", "a.txt", "a.txt"), ("A", "", "c.txt")]
    assert observed(born, f"{first}..") == observed(born, f"{first}..HEAD")


def test_one_revision_is_compared_with_the_work_tree(born: RepoBuilder) -> None:
    first = born.head()
    born.commit("More", {"a.txt": "b\n"})
    born.write({"src/b.txt": "not committed\n"})
    assert observed(born, first) == [("M", "a.txt", "a.txt"), ("M", "src/b.txt", "src/b.txt")]


def test_three_dots_begin_at_the_fork(born: RepoBuilder) -> None:
    born.branch("side")
    born.commit("Theirs", {"theirs.txt": "t\n"})
    born.switch("main")
    born.commit("Ours", {"a.txt": "ours\n"})
    assert observed(born, "main...side") == [("A", "", "theirs.txt")]


def test_a_rename_is_one_change_with_its_lines(born: RepoBuilder) -> None:
    born.commit("Ten", {"ten.txt": TEN})
    born.git("mv", "ten.txt", "deep.txt")
    born.write({"deep.txt": TEN.replace("line 4\n", "line four\n")})
    assert observed(born) == [("R", "ten.txt", "deep.txt")]
    assert hunks(born) == {"ten.txt": (Hunk((4, 4), (4, 4)),)}


def test_a_rename_of_the_same_content_touches_no_line(born: RepoBuilder) -> None:
    born.git("mv", "a.txt", "z.txt")
    assert observed(born) == [("R", "a.txt", "z.txt")]
    assert hunks(born) == {}


def test_only_the_mode_changed(born: RepoBuilder) -> None:
    (born.path / "a.txt").chmod(0o755)
    assert observed(born) == [("M", "a.txt", "a.txt")]
    born.git("commit", "-qam", "Executable")
    assert hunks(born, "HEAD~1..HEAD") == {}


def test_a_touched_file_without_a_change_is_none(born: RepoBuilder) -> None:
    """git's index knows only a time stamp, and gitmem does not write it."""
    (born.path / "a.txt").touch()
    assert changes(born) == []


def test_the_index_is_not_written_and_its_lock_is_not_asked_for(born: RepoBuilder) -> None:
    """``git diff`` would write time stamps into it, under the lock that a commit needs."""
    for option in ("--no-split-index", "--split-index"):
        born.git("update-index", option)
        born.write({"a.txt": "b\n", "src/b.txt": "b\n"})
        index = born.path / ".git" / "index"
        os.utime(born.path / "src" / "b.txt", (1, 1))  # as large as before, and looks changed
        before = sorted(path.name for path in index.parent.iterdir()), index.read_bytes()
        assert observed(born) == [("M", "a.txt", "a.txt")]
        assert hunks(born) == {"a.txt": (Hunk((1, 1), (1, 1)),)}
        assert diff.changed_line_counts(find_repository(str(born.path)), between(born)) == {
            "a.txt": (1, 1)
        }
        after = sorted(path.name for path in index.parent.iterdir()), index.read_bytes()
        assert after == before, option


def test_replaced_put_in_and_taken_away_lines(born: RepoBuilder) -> None:
    born.commit("Ten", {"ten.txt": TEN})
    new = TEN.replace("line 2\n", "two\nzwei\n").replace("line 5\n", "line 5\nhere\n")
    born.write({"ten.txt": new.replace("line 9\n", "")})
    assert hunks(born)["ten.txt"] == (
        Hunk((2, 2), (2, 3)),
        Hunk((6, 5), (7, 7)),
        Hunk((9, 9), (11, 10)),
    )


@table(
    ("span", "hunk", "hit"),
    [
        ((4, 6), (4, 4), True),
        ((4, 6), (6, 9), True),
        ((4, 6), (1, 20), True),
        ((4, 6), (7, 9), False),
        ((4, 6), (1, 3), False),
        ((4, 6), (5, 4), True),  # put in between lines 4 and 5
        ((4, 6), (4, 3), False),  # put in before line 4
        ((4, 6), (7, 6), False),  # put in behind line 6
        ((4, 4), (5, 4), False),
    ],
)
def test_what_overlaps(span: tuple[int, int], hunk: tuple[int, int], hit: bool) -> None:
    assert patch.range_overlaps(span, hunk) is hit


def test_a_binary_file_is_touched_as_a_whole(born: RepoBuilder) -> None:
    (born.path / "b.bin").write_bytes(b"\0\1\2")
    born.commit("Binary")
    (born.path / "b.bin").write_bytes(b"\0\3\4")
    assert hunks(born) == {"b.bin": WHOLE}


def test_a_binary_file_that_was_added_is_touched_as_a_whole(born: RepoBuilder) -> None:
    (born.path / "b.bin").write_bytes(b"\0\1\2")
    born.git("add", "b.bin")
    assert hunks(born, staged=True) == {"b.bin": WHOLE}
    born.commit("Binary")
    assert hunks(born, "HEAD~1..HEAD") == {"b.bin": WHOLE}


def test_of_an_untracked_file_every_line_is_new(born: RepoBuilder) -> None:
    """Git compares nothing there, so nothing of an old version was touched."""
    (born.path / "b.bin").write_bytes(b"\0\1\2")
    born.write({"new.txt": "one\ntwo\n"})
    ((all_new,), (again,)) = hunks(born).values()
    assert all_new == again
    assert not any(patch.range_overlaps((line, line), all_new.old) for line in (1, 2, 9))
    assert all(patch.range_overlaps((line, line), all_new.new) for line in (1, 2, 9))


def test_a_file_replaced_by_a_link_or_a_folder(born: RepoBuilder) -> None:
    (born.path / "a.txt").unlink()
    (born.path / "a.txt").symlink_to("src/b.txt")
    (born.path / "src" / "b.txt").unlink()
    born.write({"src/b.txt/inside": "x\n"})
    found = {change.paths: change.status for change in changes(born)}
    assert found[("a.txt",)] == "T"
    assert found[("src/b.txt",)] == "D"
    assert found[("src/b.txt/inside",)] == "A"
    assert hunks(born)["src/b.txt"] == (Hunk((1, 1), (1, 0)),)


def test_a_submodule_is_not_looked_into(born: RepoBuilder, tmp_path: Path) -> None:
    parent = RepoBuilder(tmp_path / "parent")
    parent.git("submodule", "--quiet", "add", str(born.path), "one")
    parent.commit("Add a submodule")
    inside = RepoBuilder(parent.path / "one", init=False, home=parent.home)
    inside.write({"dirt": ""})
    assert changes(parent) == []
    inside.commit("Inside")
    assert observed(parent) == [("M", "one", "one")]


def test_a_conflict_has_both_states(born: RepoBuilder) -> None:
    born.branch("side")
    born.commit("Theirs", {"a.txt": "theirs\n"})
    born.switch("main")
    born.commit("Ours", {"a.txt": "ours\n"})
    born.git("merge", "side", check=False)
    assert "a.txt" in {path for change in changes(born) for path in change.paths}


def test_strange_names_come_back_whole(born: RepoBuilder) -> None:
    born.commit("Strange", dict.fromkeys(STRANGE, TEN))
    born.write(dict.fromkeys(STRANGE, TEN.replace("line 3\n", "three\n")))
    assert hunks(born) == dict.fromkeys(STRANGE, (Hunk((3, 3), (3, 3)),))


def test_a_content_that_looks_like_a_header_is_none(born: RepoBuilder) -> None:
    old = "-- a/other\n@@ -1 +1 @@\ndiff --git a/x b/x\n" + TEN
    born.commit("Trap", {"trap.sql": old})
    born.write({"trap.sql": old.replace("-- a/other\n", "++ b/other\n").replace("line 9\n", "")})
    assert hunks(born) == {"trap.sql": (Hunk((1, 1), (1, 1)), Hunk((12, 12), (12, 11)))}


def test_settings_of_the_repository_change_nothing(born: RepoBuilder, tmp_path: Path) -> None:
    born.commit("Ten", {"ten.txt": TEN, ".gitattributes": "*.txt diff=evil filter=evil\n"})
    born.write({"ten.txt": TEN.replace("line 4\n", "line four\n")})
    plain = hunks(born)
    proof = tmp_path / "ran"
    for key, value in [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.context", "9"),
        ("diff.interHunkContext", "9"),
        ("diff.external", f"touch {proof}"),
        ("diff.evil.command", f"touch {proof}"),
        ("diff.evil.textconv", f"touch {proof}; cat"),
        ("filter.evil.clean", f"touch {proof}; cat"),
        ("color.ui", "always"),
        ("core.quotePath", "true"),
    ]:
        born.git("config", key, value)
    assert hunks(born) == plain == {"ten.txt": (Hunk((4, 4), (4, 4)),)}
    assert not proof.exists()


def test_before_the_first_commit_everything_is_new(repo: RepoBuilder) -> None:
    repo.write({"a.txt": "a\n", "b.txt": "b\n"})
    repo.git("add", "a.txt")
    assert observed(repo) == [("A", "", "a.txt"), ("A", "", "b.txt")]
    assert observed(repo, staged=True) == [("A", "", "a.txt")]


def test_a_linked_work_tree_has_its_own_diff(born: RepoBuilder, tmp_path: Path) -> None:
    linked = born.worktree(tmp_path / "linked", "side")
    linked.write({"a.txt": "changed\n"})
    assert observed(linked) == [("M", "a.txt", "a.txt")]
    assert observed(born) == []


def test_a_bare_repository_has_only_ranges(born: RepoBuilder, tmp_path: Path) -> None:
    born.commit("More", {"a.txt": "b\n"})
    bare = born.clone(tmp_path / "bare.git", "--bare")
    assert observed(bare, "HEAD~1..HEAD") == observed(bare, "HEAD~1") == [("M", "a.txt", "a.txt")]
    for staged in (False, True):
        with pytest.raises(InvalidInput) as refused:
            observed(bare, staged=staged)
        assert "bare" in refused.value.message


@pytest.mark.parametrize(
    "revision", ["nope", "--output=x", "nope..HEAD", "HEAD..nope", "a b", "x" * 2000]
)
def test_an_unknown_revision_is_named(born: RepoBuilder, revision: str) -> None:
    with pytest.raises(NotFound) as refused:
        observed(born, revision)
    assert "There is no commit" in refused.value.message


def test_a_shallow_clone_says_that_it_is_one(born: RepoBuilder, tmp_path: Path) -> None:
    first = born.head()
    born.commit("More", {"a.txt": "b\n"})
    shallow = born.clone(tmp_path / "shallow", "--depth=1")
    with pytest.raises(NotFound) as refused:
        observed(shallow, f"{first}..HEAD")
    assert "shallow" in refused.value.message
    assert "unshallow" in refused.value.hint


def test_commits_without_a_common_ancestor(born: RepoBuilder) -> None:
    born.git("checkout", "-q", "--orphan", "other")
    born.commit("Apart")
    with pytest.raises(NotFound):
        observed(born, "main...other")


def test_a_range_has_no_staged_side(born: RepoBuilder) -> None:
    with pytest.raises(InvalidInput):
        observed(born, "HEAD..HEAD", staged=True)


def test_a_plain_folder_has_no_diff(tmp_path: Path) -> None:
    place = tmp_path / "plain"
    place.mkdir()
    with pytest.raises(InvalidInput) as refused:
        diff.resolve_diff_sides(plain_folder_layout(str(place)))
    assert "plain folder" in refused.value.message


def test_many_files_are_asked_in_parts(born: RepoBuilder) -> None:
    born.commit("Many", {f"many/{number}.txt": TEN for number in range(900)})
    born.write({f"many/{number}.txt": TEN + "more\n" for number in range(900)})
    assert set(hunks(born).values()) == {(Hunk((11, 10), (11, 11)),)}


@given(st.binary(max_size=300))
def test_any_bytes_give_changes(out: bytes) -> None:
    for item in diff.parse_raw_diff(out):
        assert item.status


@given(st.lists(st.binary(max_size=100), max_size=6))
def test_any_bytes_give_hunks_however_they_are_cut(chunks: list[bytes]) -> None:
    assert list(patch.parse_patch_hunks(chunks)) == list(
        patch.parse_patch_hunks([b"".join(chunks)])
    )
