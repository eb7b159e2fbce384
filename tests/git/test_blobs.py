"""Content of blobs by their ids, in batches."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.errors import GitmemError
from gitmem.git import blobs as objects
from tests.support.repos import RepoBuilder

MISSING = "0123456789" * 4


def blobs(repo: RepoBuilder) -> dict[str, str]:
    lines = repo.git("ls-tree", "-r", "HEAD").splitlines()
    return {line.split("\t")[1]: line.split()[2] for line in lines}


def read(repo: RepoBuilder, wanted: list[str]) -> dict[str, bytes]:
    cwd = str(repo.path)
    return dict(objects.read_blobs(cwd, objects.blob_sizes(cwd, wanted)))


def test_content_comes_back_whatever_is_in_it(repo: RepoBuilder) -> None:
    files = {"a": "", "b": "\n", "c": "x\n\ny", "d": "\0\n\0", "e": "0 missing\n", "f": "\udcff"}
    repo.commit("First", files)
    known = blobs(repo)
    found = read(repo, list(known.values()))
    for name, text in files.items():
        assert found[known[name]] == text.encode("utf-8", "surrogateescape")


def test_what_is_not_here_is_left_out(born: RepoBuilder) -> None:
    blob = blobs(born)["a.txt"]
    cwd = str(born.path)
    assert objects.blob_sizes(cwd, [MISSING, blob]) == {blob: 2}
    assert dict(objects.read_blobs(cwd, {MISSING: 5, blob: 2})) == {blob: b"a\n"}


def test_nothing_is_asked_where_nothing_is_wanted(tmp_path: Path) -> None:
    """Not even in a folder that is no repository."""
    assert objects.blob_sizes(str(tmp_path), []) == {}
    assert list(objects.read_blobs(str(tmp_path), {})) == []


def test_a_folder_without_a_repository_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(GitmemError):
        objects.blob_sizes(str(tmp_path), [MISSING])


def test_many_batches_keep_the_order(repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "_BATCH_BLOBS", 3)
    monkeypatch.setattr(objects, "_BATCH_BYTES", 50)
    repo.commit("Many", {f"f{number}": f"{number}\n" * number for number in range(1, 20)})
    cwd, expected = str(repo.path), list(blobs(repo).values())
    sized = objects.blob_sizes(cwd, expected)
    assert [blob for blob, _ in objects.read_blobs(cwd, sized)] == list(sized)
    assert sorted(sized) == sorted(expected)
    assert all(len(data) == sized[blob] for blob, data in objects.read_blobs(cwd, sized))


def test_a_partial_clone_is_asked_for_what_it_has(born: RepoBuilder, tmp_path: Path) -> None:
    born.git("config", "uploadpack.allowFilter", "true")
    clone = born.clone(tmp_path / "partial", "--filter=blob:none", "--no-checkout")
    known = blobs(born)
    clone.git("cat-file", "blob", known["a.txt"])  # this one is fetched
    assert objects.blob_sizes(str(clone.path), list(known.values())) == {known["a.txt"]: 2}
    assert read(clone, list(known.values())) == {known["a.txt"]: b"a\n"}


def test_a_file_is_read_as_it_was_at_head(born: RepoBuilder, tmp_path: Path) -> None:
    cwd, path = str(born.path), "src/l\u00e4den \udcff.txt"
    assert objects.read_file_at_head(cwd, path, max_bytes=9) == b""
    born.commit("A file", {path: "as it was\n"})
    born.write({path: "as it is\n"})
    assert objects.read_file_at_head(cwd, path, max_bytes=10) == b"as it was\n"
    with pytest.raises(GitmemError):
        objects.read_file_at_head(cwd, path, max_bytes=9)
    assert objects.read_file_at_head(cwd, "src", max_bytes=9) == b""  # a folder
