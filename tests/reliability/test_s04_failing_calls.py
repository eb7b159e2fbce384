"""Any call to a file of the store that fails: a clear error, nothing lost or corrupt (S-04)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from gitmem.errors import DiskFull, GitmemError, Unavailable
from gitmem.store.db.connection import Database, harden_connection
from gitmem.store.file import integrity
from gitmem.store.memory import memories, memory_writes
from tests.reliability.scoring import Score
from tests.support.file_faults import FailingFiles, failing_files
from tests.support.stores import START, edited, keep, make_store, open_store, said


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A store with 20 memories."""
    database = make_store(tmp_path / ".gitmem" / "memory.db")
    for seed in range(20):
        keep(database, said(f"Fact {seed}", seed=seed))
    database.close()
    return database.path


def contents(path: str) -> list[str]:
    """What the store holds, after a look for damage."""
    database = open_store(path)
    assert integrity.structure_problems(database) == integrity.damaged_memories(database) == []
    assert integrity.index_problems(database) == []
    found = [memory.content for memory in memories.all_memories(database)]
    database.close()
    return found


def through(path: str, files: FailingFiles) -> Database:
    """The store, opened by way of the failing files."""
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_NOMUTEX
    database = Database(path, apsw.Connection(path, flags, vfs=files.name), read_only=False)
    harden_connection(database, 100)
    own = open_store(path)
    database.key = own.key
    own.close()
    database.connection.pragma("wal_autocheckpoint", 4)
    return database


def add_three(database: Database, done: list[str]) -> None:
    for seed in (100, 101, 102):
        keep(database, said(f"New {seed} " * 200, seed=seed))
        done.append(f"New {seed}")


def edit_one(database: Database, done: list[str]) -> None:
    memory = memories.get_memory(database, said(seed=3).id)
    assert memory
    edited(database, memory, content="Edited")
    done.append("Edited")


def purge_one(database: Database, done: list[str]) -> None:
    memory = memories.get_memory(database, said(seed=4).id)
    assert memory
    with database.write():
        memory_writes.purge_memory(database, memory.id, at_ms=START)
    done.append("purged")
    memory_writes.erase_deleted_text_from_file(database)


WORKS: list[Callable[[Database, list[str]], None]] = [add_three, edit_one, purge_one]


@pytest.mark.parametrize("code", [apsw.SQLITE_FULL, apsw.SQLITE_IOERR_FSYNC])
def test_any_write_that_fails_gives_an_error_and_loses_nothing(
    path: str, code: int, score: Score
) -> None:
    """The full tier takes every call of each work, the quick one every nineteenth."""
    original, cases, fired = Path(path).read_bytes(), 0, 0
    for work in WORKS:
        for lasting in (False, True):
            for call in range(0, 600, score.size(quick=19, full=1)):
                Path(path).write_bytes(original)
                failed = one_case(path, work, call, code, lasting)
                cases, fired = cases + 1, fired + failed
                if not failed:
                    break
            else:
                pytest.fail("the work makes more calls than were tried")
    score.report("writes, syncs and truncations that fail", cases=cases, fired=fired)


def one_case(
    path: str, work: Callable[[Database, list[str]], None], call: int, code: int, lasting: bool
) -> int:
    """How many calls failed; what was acknowledged is there afterwards."""
    done: list[str] = []
    with failing_files() as files:
        database = through(path, files)
        files.fail_at(call, code, lasting=lasting)
        try:
            work(database, done)
        except GitmemError as error:
            assert isinstance(error, DiskFull if code == apsw.SQLITE_FULL else Unavailable)
        failed = files.stop()
        database.close()
    saved = contents(path)
    if "purged" in done:
        assert "Fact 4" not in saved
    assert all(any(text.startswith(item) for text in saved) for item in done if item != "purged")
    assert len(saved) >= 19
    return failed
