"""A store in a folder that cannot be written can be read, and nothing is left there."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from gitmem.errors import ReadOnly
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_search
from gitmem.store.memory.filters import MemoryFilter
from tests.support import children
from tests.support.stores import keep, make_store, open_store, said

pytestmark = children.needs_fork
ALL = MemoryFilter(states=())


def closed_store(folder: Path, *, log: bool) -> Path:
    """A store with two memories, in a folder without a right to write; one is in the log."""
    path = folder / ".gitmem" / "memory.db"
    writing = folder / "made" / "memory.db"
    database = make_store(writing)
    keep(database, said("In the file", seed=1))
    database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    keep(database, said("In the log", seed=2))
    if not log:
        database.close()
    path.parent.mkdir()
    for found in writing.parent.glob("memory.db*"):
        if not found.name.endswith("-shm"):
            shutil.copy(found, path.parent)
    if log:
        database.close()
    children.give_away(folder)
    for found in path.parent.iterdir():
        found.chmod(0o400)
    path.parent.chmod(0o500)
    return path


def unprivileged(path: Path, work: Callable[[Database], None]) -> int:
    def body() -> None:
        database = open_store(str(path))
        work(database)
        database.close()

    return children.run(children.as_nobody(body))


@pytest.fixture(params=[False, True], ids=["empty log", "unmerged log"])
def closed(request: pytest.FixtureRequest) -> object:
    with children.open_folder() as folder:
        path = closed_store(folder, log=request.param)
        yield path
        path.parent.chmod(0o700)


def test_everything_is_read(closed: Path) -> None:
    def work(database: Database) -> None:
        assert database.read_only
        assert memories.count_filtered_memories(database, ALL) == 2
        assert len(memory_search.best_matching_memories(database, "log", MemoryFilter(), 9)) == 1

    assert unprivileged(closed, work) == children.DONE


def test_a_write_is_refused_with_a_sentence(closed: Path) -> None:
    def work(database: Database) -> None:
        with pytest.raises(ReadOnly, match=r"cannot be written"), database.write():
            pass

    assert unprivileged(closed, work) == children.DONE


def test_nothing_is_made_or_left(closed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {found.name: found.read_bytes() for found in closed.parent.iterdir()}
    scratch = closed.parent.parent / "scratch"
    scratch.mkdir()
    children.give_away(scratch)
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))

    def work(database: Database) -> None:
        memories.count_filtered_memories(database, ALL)
        copied = [Path(database.scratch)] if database.scratch else []
        assert list(scratch.iterdir()) == copied

    assert unprivileged(closed, work) == children.DONE
    assert {found.name: found.read_bytes() for found in closed.parent.iterdir()} == before
    assert not list(scratch.iterdir())


@pytest.mark.parametrize("name", ["a b", "a%20b", "what?mode=rw", "a#b"])
def test_names_with_signs_of_addresses_are_read(name: str) -> None:
    with children.open_folder() as folder:
        inner = folder / name
        inner.mkdir()
        path = closed_store(inner, log=False)

        def work(database: Database) -> None:
            assert memories.count_filtered_memories(database, ALL) == 2

        assert unprivileged(path, work) == children.DONE
        path.parent.chmod(0o700)


def test_a_child_that_closes_leaves_the_parents_copy_alone(closed: Path) -> None:
    def work(database: Database) -> None:
        assert children.run(database.close) == children.DONE
        assert not database.scratch or os.listdir(database.scratch)
        assert memories.count_filtered_memories(database, ALL) == 2

    assert unprivileged(closed, work) == children.DONE
