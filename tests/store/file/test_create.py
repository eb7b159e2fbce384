"""A new store is private, complete and alone, whoever else makes one at the same time (S-23)."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gitmem.errors import ForeignFile, GitmemError, ReadOnly
from gitmem.store.db import preflight
from gitmem.store.db.connection import Database
from gitmem.store.file import migrate
from gitmem.store.file.create import create_store
from tests.support import children
from tests.support.amounts import amount
from tests.support.stores import START, entropy, keep, keys_of, make_store, open_store, said


def new_store(path: Path, *, seed: int = 0) -> Database:
    """A store that is really made, and not written again as those of other tests are."""
    return create_store(str(path), keys_of(path), now_ms=START, random_bytes=entropy(seed))


@contextmanager
def umask(value: int) -> Iterator[None]:
    before = os.umask(value)
    try:
        yield
    finally:
        os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("value", [0o000, 0o077])
def test_nobody_else_can_read_anything_under_any_umask(tmp_path: Path, value: int) -> None:
    path = tmp_path / "data" / "gitmem" / "memory.db"
    with umask(value):
        database = new_store(path)
        keep(database, said())
    assert Path(f"{path}-wal").exists() and Path(f"{path}-shm").exists()
    for found in tmp_path.rglob("*"):
        assert mode(found) == (0o700 if found.is_dir() else 0o600), found
    database.close()


def test_git_sees_nothing_of_it(path: Path) -> None:
    new_store(path).close()
    assert (path.parent / ".gitignore").read_text() == "*\n"


def test_the_header_says_whose_it_is_and_which_schema(path: Path) -> None:
    new_store(path).close()
    header = path.read_bytes()[:100]
    assert header[68:72] == b"gmem"
    assert int.from_bytes(header[60:64], "big") == migrate.HEADER_VERSION


def test_it_writes_ahead_and_leaves_no_temporary_file(path: Path) -> None:
    database = new_store(path)
    assert database.value("PRAGMA journal_mode") == "wal"
    assert not [name for name in os.listdir(path.parent) if name.startswith(".new-")]
    database.close()


def test_the_entropy_becomes_the_name_of_the_device(path: Path) -> None:
    database = new_store(path, seed=7)
    assert len(database.device) == 32
    assert database.value("SELECT value FROM meta WHERE key = 'store'") == database.device
    database.close()


def test_making_one_where_one_is_opens_that(path: Path) -> None:
    first = new_store(path, seed=1)
    keep(first, said())
    second = new_store(path, seed=2)
    assert second.device == first.device
    assert second.value("SELECT count(*) FROM memories") == 1
    first.close()
    second.close()


@children.needs_fork
def test_many_processes_making_it_at_once_make_one(path: Path) -> None:
    """Nobody fails, and what each of them writes is there."""

    def work(seed: int) -> None:
        database = new_store(path, seed=seed)
        keep(database, said(f"From process {seed}", seed=seed))

    for _ in range(amount(2, thorough=5)):
        assert children.run_all([lambda s=seed: work(s) for seed in range(6)]) == [0] * 6
        database = open_store(str(path))
        assert database.value("SELECT count(*) FROM memories") == 6
        assert database.value("PRAGMA journal_mode") == "wal"
        database.close()
        for found in path.parent.iterdir():
            found.unlink()


@children.needs_fork
def test_in_a_folder_that_cannot_be_written_it_says_so() -> None:
    with children.open_folder() as folder:
        inner = folder / "closed"
        inner.mkdir(mode=0o555)
        children.give_away(folder)

        def work() -> None:
            with pytest.raises(ReadOnly, match="Permission denied"):
                new_store(inner / ".gitmem" / "memory.db")

        assert children.run(children.as_nobody(work)) == children.DONE
        assert list(inner.iterdir()) == []


def test_where_a_file_stands_for_the_folder_it_says_so(tmp_path: Path) -> None:
    (tmp_path / ".gitmem").write_text("mine")
    with pytest.raises(GitmemError):
        new_store(tmp_path / ".gitmem" / "memory.db")
    assert (tmp_path / ".gitmem").read_text() == "mine"


def test_a_linked_folder_is_refused_and_its_target_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.mkdir(mode=0o755)
    (tmp_path / ".gitmem").symlink_to(target)
    with pytest.raises(ForeignFile, match="symbolic link"):
        new_store(tmp_path / ".gitmem" / "memory.db")
    assert list(target.iterdir()) == []
    assert mode(target) == 0o755


def test_a_folder_of_the_user_is_used_as_it_is(tmp_path: Path) -> None:
    """`store.path` may name a folder with other things in it: it is not made private or hidden."""
    folder = tmp_path / "notes"
    folder.mkdir(mode=0o755)
    new_store(folder / "memory.db").close()
    assert mode(folder) == 0o755
    assert [found.name for found in folder.iterdir()] == ["memory.db"]


def test_a_folder_others_can_write_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(ForeignFile, match="other users"):
        new_store(folder / "memory.db")
    assert list(folder.iterdir()) == []


def test_a_loose_store_folder_is_made_private(tmp_path: Path) -> None:
    folder = tmp_path / preflight.FOLDER
    folder.mkdir()
    folder.chmod(0o777)
    new_store(folder / "memory.db").close()
    assert mode(folder) == 0o700


def test_the_users_own_ignore_file_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / preflight.FOLDER
    folder.mkdir()
    (folder / ".gitignore").write_text("memory.db*\n")
    new_store(folder / "memory.db").close()
    assert (folder / ".gitignore").read_text() == "memory.db*\n"


def test_the_stores_of_other_tests_are_what_is_made_here(path: Path, tmp_path: Path) -> None:
    made, again = path, tmp_path / "again" / ".gitmem" / "memory.db"
    for store in (new_store(made, seed=3), make_store(again, seed=3)):
        store.close()
    assert again.read_bytes() == made.read_bytes()
    assert {file.name: mode(file) for file in again.parent.iterdir()} == {
        file.name: mode(file) for file in made.parent.iterdir()
    }
