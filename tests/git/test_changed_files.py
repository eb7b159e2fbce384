"""Which files differ from a commit, and what one file was in the commits before."""

from __future__ import annotations

import os
from pathlib import Path

from gitmem.git import changed_files, layout
from tests.support.repos import RepoBuilder


def since(repo: RepoBuilder, commit: str) -> list[str] | None:
    found = changed_files.files_changed_since(
        layout.find_repository(str(repo.path)), commit, repo.head()
    )
    return None if found is None else sorted(found)


def test_nothing_differs_in_a_clean_work_tree(born: RepoBuilder) -> None:
    assert since(born, born.head()) == []


def test_changed_staged_new_and_deleted_files_are_named(born: RepoBuilder) -> None:
    born.write({"a.txt": "changed\n", "new folder/x.txt": "x\n", "staged.txt": "s\n"})
    born.git("add", "staged.txt")
    os.unlink(born.path / "src/b.txt")
    assert since(born, born.head()) == ["a.txt", "new folder/x.txt", "src/b.txt", "staged.txt"]


def test_both_names_of_a_rename_are_named(born: RepoBuilder) -> None:
    born.git("mv", "a.txt", "z.txt")
    assert since(born, born.head()) == ["a.txt", "z.txt"]


def test_files_that_differ_from_an_older_commit_are_named(born: RepoBuilder) -> None:
    before = born.head()
    born.commit("More", {"c.txt": "c\n"})
    assert since(born, before) == ["c.txt"]


def test_a_commit_that_is_not_here_cannot_be_compared_with(born: RepoBuilder) -> None:
    assert since(born, "0" * 40) is None
    assert since(born, "") is None


def test_a_folder_that_is_no_repository_cannot_be_compared(tmp_path: Path) -> None:
    plain = layout.plain_folder_layout(str(tmp_path))
    assert changed_files.files_changed_since(plain, "c0", "c1") is None


def test_the_versions_of_a_path_come_newest_first(born: RepoBuilder) -> None:
    first = born.head()
    second = born.commit("Change", {"a.txt": "two\n"})
    born.commit("Other", {"src/b.txt": "two\n"})
    found = changed_files.versions_of_path(str(born.path), "a.txt")
    assert [commit for commit, _ in found] == [second, first]
    assert found[0][1] == born.git("rev-parse", f"{second}:a.txt")
    assert changed_files.versions_of_path(str(born.path), "a.txt", since=first) == found[:1]
    assert changed_files.versions_of_path(str(born.path), "a.txt", until=first) == found[1:]
    assert changed_files.versions_of_path(str(born.path), "a.txt", limit=1) == found[:1]


def test_a_deleted_file_has_a_version_without_content(born: RepoBuilder) -> None:
    os.unlink(born.path / "a.txt")
    gone = born.commit("Delete")
    assert changed_files.versions_of_path(str(born.path), "a.txt")[0] == (gone, "")


def test_a_link_is_no_version_of_a_file(born: RepoBuilder) -> None:
    os.unlink(born.path / "a.txt")
    (born.path / "a.txt").symlink_to("src/b.txt")
    linked = born.commit("Link")
    assert changed_files.versions_of_path(str(born.path), "a.txt")[0] == (linked, "")


def test_names_are_no_patterns_and_no_options(born: RepoBuilder) -> None:
    made = born.commit("Odd", {"-x [a]*.txt": "1\n", "dir/new\nline": "2\n"})
    for name in ("-x [a]*.txt", "dir/new\nline"):
        assert [commit for commit, _ in changed_files.versions_of_path(str(born.path), name)] == [
            made
        ]
    assert changed_files.versions_of_path(str(born.path), "*.txt") == []


def test_a_repository_without_commits_has_no_versions(repo: RepoBuilder) -> None:
    assert changed_files.versions_of_path(str(repo.path), "a.txt") == []


def test_a_start_that_was_collected_leaves_nothing_out(born: RepoBuilder) -> None:
    assert len(changed_files.versions_of_path(str(born.path), "a.txt", since="0" * 40)) == 1
