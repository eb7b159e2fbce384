from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.errors import ForeignFile
from gitmem.git import tracked
from gitmem.git.layout import find_repository
from gitmem.git.tracked import is_tracked, refuse_tracked_store
from tests.support.repos import RepoBuilder


def tracks(repo: RepoBuilder, path: str = ".gitmem/") -> bool:
    return is_tracked(find_repository(str(repo.path)), path)


def test_no_index_yet(repo: RepoBuilder) -> None:
    assert not tracks(repo)


def test_index_of_no_bytes_as_a_loss_of_power_leaves_it(born: RepoBuilder) -> None:
    """Git answers nothing then; memories need not wait for somebody to mend it."""
    (born.path / ".git" / "index").write_bytes(b"")
    assert not tracks(born)


def test_untracked_store_and_tracked_settings_beside_it(born: RepoBuilder) -> None:
    born.commit("Settings", {".gitmem.toml": "", "docs/.gitmem/x": "", "x.gitmem/y": ""})
    born.write({".gitmem/memory.db": ""})
    assert not tracks(born)
    assert tracks(born, ".gitmem.toml")


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_tracked_store_in_every_index_version(born: RepoBuilder, version: str) -> None:
    born.git("update-index", "--index-version", version)
    assert not tracks(born)
    born.commit("Trap", {".gitmem/memory.db": "x"})
    assert tracks(born)


def test_staged_only(born: RepoBuilder) -> None:
    born.write({".gitmem/memory.db": ""})
    born.git("add", "-f", ".gitmem")
    assert tracks(born)


def test_tracked_as_a_link_or_in_another_letter_case(born: RepoBuilder) -> None:
    (born.path / ".gitmem").symlink_to("src")
    born.commit("Link")
    assert tracks(born)
    born.git("rm", "-q", "--cached", ".gitmem")
    assert not tracks(born)
    (born.path / ".gitmem").unlink()
    born.commit("Other case", {".GitMem/memory.db": ""})
    assert tracks(born)


def test_split_index(born: RepoBuilder) -> None:
    born.commit("Trap", {".gitmem/memory.db": "x"})
    born.git("update-index", "--split-index")
    assert b".gitmem/memory.db" not in (born.path / ".git/index").read_bytes()
    assert tracks(born)


def test_sparse_index(born: RepoBuilder) -> None:
    born.commit("Trap", {".gitmem/memory.db": "x", "other/deep/x": ""})
    born.git("sparse-checkout", "set", "--cone", "--sparse-index", "src")
    assert tracks(born)
    assert not tracks(born, "nosuch")


def test_main_worktrees_index_counts(born: RepoBuilder, tmp_path: Path) -> None:
    linked = born.worktree(tmp_path / "linked", "side")
    linked.commit("Trap", {".gitmem/memory.db": "x"})
    assert not tracks(linked)
    born.git("merge", "-q", "side")
    assert tracks(linked)


def test_bare(tmp_path: Path) -> None:
    assert not tracks(RepoBuilder(tmp_path / "bare.git", "--bare"))


def test_sha256(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "wide", "--object-format=sha256")
    repo.commit("Trap", {".gitmem/memory.db": "x"})
    assert tracks(repo)


def test_same_answer_from_a_subfolder(born: RepoBuilder) -> None:
    born.commit("Trap", {".gitmem/memory.db": "x"})
    assert is_tracked(find_repository(str(born.path / "src")), ".gitmem")


def test_a_refusal_names_what_is_tracked(born: RepoBuilder) -> None:
    born.write({f".gitmem/{number}\x1b[2J": "x" for number in range(7)})
    born.git("add", "--force", ".gitmem")
    with pytest.raises(ForeignFile) as refused:
        refuse_tracked_store(find_repository(str(born.path)), ".gitmem", lambda: " Way back.")
    hint = refused.value.hint
    assert "git rm -r --cached .gitmem" in hint and hint.endswith(" Way back.")
    assert [f".gitmem/{number}" in hint for number in range(7)] == [True] * 5 + [False] * 2
    assert "and more" in hint and "\x1b" not in hint


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_of_a_large_index_the_beginning_tells(born: RepoBuilder, version: str) -> None:
    """Its entries are sorted: what stands behind the name need not be read."""
    born.git("update-index", "--index-version", version)
    born.commit("Many", {f"src/a{'b' * 40}{number}.py": "" for number in range(800)})
    born.write({"later.py": ""})
    born.git("add", "-N", "later.py")  # an entry with more flags, as version 3 has them
    index = (born.path / ".git" / "index").read_bytes()
    assert len(index) > 1 << 16 or version == "4"
    assert not tracks(born)
    if version != "4":
        assert tracked._ends_before(index[: 1 << 16], ".gitmem")
        assert not tracked._ends_before(index[: 1 << 16], "src")
        assert not tracked._ends_before(index[: 1 << 16], "zebra")
    assert tracks(born, "src")
    assert tracks(born, "SRC/")
    born.commit("Trap", {".GitMem/memory.db": "x"})
    assert tracks(born)


def test_a_large_index_of_another_hash(tmp_path: Path) -> None:
    born = RepoBuilder(tmp_path / "wide", "--object-format=sha256")
    born.commit("Many", {f"src/a{'b' * 40}{number}.py": "" for number in range(800)})
    assert not tracks(born)
    born.commit("Trap", {".gitmem/memory.db": "x"})
    assert tracks(born)
