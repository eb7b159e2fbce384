"""The files of a work tree and the ids of their content, without running anything."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.git import listing, root_note
from gitmem.git.layout import find_repository, plain_folder_layout
from gitmem.git.listing import FileListing
from tests.git.test_hostile import TRAPS, Trap
from tests.support import children
from tests.support.repos import RepoBuilder, isolated_environment


def read(repo: RepoBuilder, ignore_file: str = "") -> FileListing:
    return listing.list_files(
        find_repository(str(repo.path)), lambda *_: "", ignore_file=ignore_file
    )


def test_tracked_changed_and_untracked_files_with_the_ids_git_gives(born: RepoBuilder) -> None:
    born.write({"a.txt": "changed\n", "new/c.txt": "c\n"})
    found = read(born)
    assert set(found.blobs) == {"a.txt", "src/b.txt", "new/c.txt"}
    assert {"a.txt", "new/c.txt"} <= found.read_from_disk
    for path, blob in found.blobs.items():
        assert blob == born.git("hash-object", "--no-filters", path)
    assert found.skipped == {}


def test_only_some_files_and_folders_are_looked_at(born: RepoBuilder) -> None:
    names = {"a.txt": "changed\n", "src/b.txt": "too\n", "src/new.txt": "n\n", "new/*.txt": "c\n"}
    born.write(names | {"new/d.txt": "d\n", "out/e.txt": "e\n", ".notthese": "out/\n"})
    whole = read(born, ".notthese").blobs
    for only, expected in (
        (["a.txt"], {"a.txt"}),
        (["src"], {"src/b.txt", "src/new.txt"}),
        (["new/*.txt", "gone.txt"], {"new/*.txt"}),  # a name, and no pattern
        (["out/e.txt", "new"], {"new/*.txt", "new/d.txt"}),
    ):
        found = listing.list_files(
            find_repository(str(born.path)), lambda *_: "", ignore_file=".notthese", only_paths=only
        )
        assert found.blobs == {path: whole[path] for path in expected}, only


def test_a_new_file_alone_has_the_repository_s_kind_of_id(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "long", "--object-format=sha256")
    repo.commit("One", {"a.txt": "a\n"})
    repo.write({"new.txt": "n\n"})
    found = listing.list_files(
        find_repository(str(repo.path)), lambda *_: "", only_paths=["new.txt"]
    )
    assert found.blobs == {"new.txt": repo.git("hash-object", "new.txt")}


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    root_note.save_main_worktree_location(plain_folder_layout(str(folder)))
    (folder / ".gitmem" / ".gitignore").write_text("*\n")
    return folder


def in_plain(folder: Path, ignore_file: str = "") -> FileListing:
    return listing.list_files(find_repository(str(folder)), lambda *_: "", ignore_file=ignore_file)


def write(folder: Path, files: dict[str, str]) -> None:
    RepoBuilder(folder, init=False, home=folder.parent / "home").write(files)


def test_plain_folder_shows_its_files_with_the_ids_git_gives(
    plain: Path, born: RepoBuilder
) -> None:
    write(plain, {"a.md": "a\n", "deep/grün ü.py": "b\n"})
    found = in_plain(plain)
    assert set(found.blobs) == found.read_from_disk == {"a.md", "deep/grün ü.py"}
    for path, blob in found.blobs.items():
        assert blob == born.git("hash-object", "--no-filters", str(plain / path))


def test_plain_folder_honours_ignore_files_at_every_depth(plain: Path) -> None:
    write(
        plain,
        {
            ".gitignore": "build/\n",
            "build/out.py": "",
            "deep/.gitignore": "*.tmp\n!kept.tmp\n",
            "deep/x.tmp": "",
            "deep/kept.tmp": "k",
            ".own": "secret.md\n",
            "secret.md": "s",
        },
    )
    found = in_plain(plain, ".own")
    assert set(found.blobs) == {".gitignore", "deep/.gitignore", "deep/kept.tmp", ".own"}
    assert found.skipped == {"secret.md": "ignored"}


def test_plain_folder_follows_no_link_and_enters_no_repository(
    plain: Path, born: RepoBuilder
) -> None:
    (plain / "outside").symlink_to(born.path)
    (plain / "file").symlink_to(born.path / "a.txt")
    RepoBuilder(plain / "inner", home=born.home).commit("First", {"x.py": "x\n"})
    found = in_plain(plain)
    assert found.blobs == {}
    assert found.skipped == {"outside": "link", "file": "link", "inner/": "nested repository"}


def test_the_refusal_is_asked_before_anything_is_read(born: RepoBuilder) -> None:
    born.write({"new.txt": "n\n"})
    query: dict[str, bool] = {}

    def refuse(path: str, tracked: bool) -> str:
        query[path] = tracked
        return "no"

    found = listing.list_files(find_repository(str(born.path)), refuse)
    assert query == {"a.txt": True, "src/b.txt": True, "new.txt": False}
    assert (found.blobs, set(found.skipped.values())) == ({}, {"no"})


def test_a_deleted_file_is_not_there(born: RepoBuilder) -> None:
    (born.path / "a.txt").unlink()
    found = read(born)
    assert set(found.blobs) == {"src/b.txt"}
    assert found.skipped == {}


def test_a_file_that_became_a_folder(born: RepoBuilder) -> None:
    (born.path / "a.txt").unlink()
    born.write({"a.txt/inside.txt": "i\n"})
    found = read(born)
    assert set(found.blobs) == {"a.txt/inside.txt", "src/b.txt"}
    assert found.skipped == {"a.txt": "not a regular file"}


def test_a_file_that_is_touched_keeps_its_id(born: RepoBuilder) -> None:
    before = read(born).blobs
    os.utime(born.path / "a.txt", (1, 1))
    assert read(born).blobs == before


@pytest.mark.parametrize("place", ["repo", "repo/src"])
def test_the_place_inside_the_work_tree_does_not_matter(born: RepoBuilder, place: str) -> None:
    found = listing.list_files(find_repository(str(born.path.parent / place)), lambda *_: "")
    assert set(found.blobs) == {"a.txt", "src/b.txt"}


def test_a_file_of_further_patterns_holds_for_tracked_files(born: RepoBuilder) -> None:
    born.write({".extra": "/src/\n*.tmp\n", "x.tmp": "x\n", "deep/y.tmp": "y\n"})
    found = read(born, ".extra")
    assert set(found.blobs) == {"a.txt", ".extra"}
    assert found.skipped == dict.fromkeys(["src/b.txt", "x.tmp", "deep/y.tmp"], "ignored")


def test_a_pattern_file_that_is_a_link_is_not_read(born: RepoBuilder, tmp_path: Path) -> None:
    (tmp_path / "patterns").write_text("*\n")
    (born.path / ".extra").symlink_to(tmp_path / "patterns")
    assert "a.txt" in read(born, ".extra").blobs


def test_links_and_submodules_by_their_mode(born: RepoBuilder) -> None:
    (born.path / "link").symlink_to("a.txt")
    born.git("add", "-A")
    born.git("update-index", "--add", "--cacheinfo", f"160000,{born.head()},sub")
    assert read(born).skipped == {"link": "link", "sub": "submodule"}


@children.needs_fork
def test_a_file_that_may_not_be_read_is_reported() -> None:
    with children.open_folder() as folder:
        repo = RepoBuilder(folder / "repo")
        repo.write({"closed.txt": "x\n", "open.txt": "y\n"})
        (repo.path / "closed.txt").chmod(0)
        children.give_away(folder)

        def work() -> None:
            from gitmem.git import runner

            runner.configure_git_environment(isolated_environment(folder / "home"))
            assert read(repo).skipped == {"closed.txt": "unreadable"}
            assert set(read(repo).blobs) == {"open.txt"}

        assert children.run(children.as_nobody(work)) == children.DONE


def test_a_large_file_is_read_no_further_than_the_cap(born: RepoBuilder) -> None:
    with (born.path / "huge.txt").open("wb") as file:
        file.truncate(100 << 20)
    assert read(born).skipped == {"huge.txt": "too large"}
    assert len(listing.read_worktree_file(str(born.path), "huge.txt") or b"") == listing.LARGEST + 1


def test_read_file_reads_regular_files_only(born: RepoBuilder, tmp_path: Path) -> None:
    os.mkfifo(born.path / "pipe")
    (born.path / "link").symlink_to("a.txt")
    (born.path / "folder").symlink_to("src")
    root = str(born.path)
    assert listing.read_worktree_file(root, "a.txt") == b"a\n"
    for path in ("pipe", "link", "folder/b.txt", "src", "missing", "a.txt/b", "nul\0"):
        assert listing.read_worktree_file(root, path) is None


def test_a_work_tree_reached_by_a_link_is_read(born: RepoBuilder, tmp_path: Path) -> None:
    (tmp_path / "way").symlink_to(born.path)
    assert listing.read_worktree_file(str(tmp_path / "way"), "src/b.txt") == b"b\n"


def test_blob_ids_are_those_of_git(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "long", "--object-format=sha256")
    repo.write({"x": "größe\n"})
    data = (repo.path / "x").read_bytes()
    assert listing.compute_blob_id(data, "sha256") == repo.git("hash-object", "x")
    assert listing.compute_blob_id(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


def test_line_ends_that_git_converts_do_not_make_a_file_new_again(born: RepoBuilder) -> None:
    born.git("config", "core.autocrlf", "true")
    born.commit("Dos", {"dos.txt": "one\r\ntwo\r\n"})
    assert read(born).blobs == read(born).blobs
    assert "dos.txt" in read(born).blobs


@pytest.fixture
def trap(born: RepoBuilder, tmp_path: Path) -> Trap:
    program, mark = tmp_path / "canary", tmp_path / "sang"
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o755)
    return Trap(born, program, mark)


@pytest.mark.parametrize("arm", TRAPS, ids=lambda arm: arm.__name__.removeprefix("set_"))
def test_no_program_of_the_repository_runs(trap: Trap, arm: object) -> None:
    """That each trap has its sting is shown in test_hostile."""
    trap.repo.commit("Second", {"a.txt": "a\n", "c.txt": "c\n"})
    arm(trap)  # type: ignore[operator]
    trap.stale()
    trap.sprung()
    found = read(trap.repo, ".gitattributes")
    assert "c.txt" in found.blobs
    assert not trap.sprung()
