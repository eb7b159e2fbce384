"""Two kinds of transaction: readers never wait, writers wait as long as they were told."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import apsw
import pytest

from gitmem.errors import StoreBusy, Unavailable
from gitmem.store.db import connection
from gitmem.store.db.connection import Database, make_busy_handler
from gitmem.store.file import integrity
from gitmem.store.memory import memories
from gitmem.store.memory.filters import MemoryFilter
from tests.support import children
from tests.support.stores import keep, make_store, open_store, reopened, said

ALL = MemoryFilter(states=())


def count(database: Database) -> int:
    return memories.count_filtered_memories(database, ALL)


def test_a_block_that_ends_well_is_stored(database: Database) -> None:
    keep(database, said())
    other = reopened(database)
    assert count(other) == 1
    other.close()


def test_what_sqlite_gave_up_under_a_block_is_an_error_and_nothing_of_it_stays(
    database: Database,
) -> None:
    """A file that fails rolls a transaction back, whoever puts up with the error itself."""
    for _ in range(2):
        with pytest.raises(Unavailable, match="SQLite rolled back"), database.write():
            keep(database, said())
            database.connection.execute("ROLLBACK")  # as SQLite does it by itself
            with pytest.raises(Unavailable):
                keep(database, said("later"))
            with pytest.raises(Unavailable):
                database.run("DELETE FROM memories")
        assert count(database) == 0
    keep(database, said())
    assert count(database) == 1


def test_a_block_that_fails_leaves_nothing(database: Database) -> None:
    with pytest.raises(KeyError), database.write():
        keep(database, said())
        raise KeyError("stop")
    assert count(database) == 0
    keep(database, said())
    assert count(database) == 1


def test_a_nested_block_joins_the_outer_one(database: Database) -> None:
    with pytest.raises(KeyError), database.write():
        with database.write():
            keep(database, said(seed=1))
        raise KeyError("stop")
    assert count(database) == 0


def test_a_statement_that_fails_in_a_block_leaves_nothing(database: Database) -> None:
    keep(database, said())
    with pytest.raises(apsw.ConstraintError), database.write():
        keep(database, said("Another", seed=2))
        keep(database, said())
    assert count(database) == 1


def test_an_interrupt_leaves_nothing(database: Database) -> None:
    with pytest.raises(KeyboardInterrupt), database.write():
        keep(database, said())
        raise KeyboardInterrupt
    assert count(database) == 0


@children.needs_fork
class TestWhileAnotherProcessWrites:
    def test_a_writer_gives_up_after_its_patience(self, database: Database) -> None:
        with children.holding(database.path):
            before = time.monotonic()
            with (
                pytest.raises(StoreBusy, match="busy"),
                database.lock_timeout(150),
                database.write(),
            ):
                pass
            assert 0.1 < time.monotonic() - before < 2

    def test_without_patience_a_writer_gives_up_at_once(self, database: Database) -> None:
        with children.holding(database.path):
            before = time.monotonic()
            with (
                pytest.raises(StoreBusy),
                database.lock_timeout(0, sync_commits=False),
                database.write(),
            ):
                pass
            assert time.monotonic() - before < 2

    def test_patience_of_opening_comes_back_after_a_block(self, database: Database) -> None:
        hurried = reopened(database, lock_timeout_ms=50)
        with children.holding(database.path):
            with hurried.lock_timeout(0):
                pass
            before = time.monotonic()
            with pytest.raises(StoreBusy), hurried.write():
                pass
            assert time.monotonic() - before < 2
        hurried.close()

    def test_opening_and_reading_do_not_wait(self, database: Database) -> None:
        keep(database, said())
        with children.holding(database.path):
            before = time.monotonic()
            other = reopened(database)
            assert count(other) == 1
            assert time.monotonic() - before < 0.5
            other.close()

    def test_a_writer_goes_on_when_the_lock_is_given_back(self, database: Database) -> None:
        with children.holding(database.path):
            pass
        keep(database, said())
        assert count(database) == 1


def test_not_durable_lasts_for_the_block_only(database: Database) -> None:
    with database.lock_timeout(0, sync_commits=False):
        assert database.value("PRAGMA synchronous") == 1
    assert database.value("PRAGMA synchronous") == 2


def test_not_durable_inside_not_durable_ends_with_the_outer_block(database: Database) -> None:
    with database.lock_timeout(0, sync_commits=False):
        with database.lock_timeout(0, sync_commits=False):
            pass
        assert database.value("PRAGMA synchronous") == 1
    assert database.value("PRAGMA synchronous") == 2


def test_with_a_rollback_journal_everything_waits_for_the_disk(database: Database) -> None:
    """Without, a power cut could damage the file (CC-15)."""
    database.connection.pragma("journal_mode", "DELETE")
    with database.lock_timeout(0, sync_commits=False):
        assert database.value("PRAGMA synchronous") == 2


def test_opening_writes_nothing(path: Path) -> None:
    make_store(path).close()
    before = path.read_bytes(), path.stat().st_mtime_ns
    database = open_store(str(path))
    assert database.connection.total_changes() == 0
    database.close()
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_a_stranger_s_tricks_are_off(database: Database) -> None:
    """Reliability 3.2: defensive, no trust in the schema, no triggers or views, secure delete."""
    for setting in ("SQLITE_DBCONFIG_DEFENSIVE",):
        assert database.connection.config(getattr(apsw, setting), -1)
    for setting in ("TRUSTED_SCHEMA", "ENABLE_TRIGGER", "ENABLE_VIEW", "DQS_DML"):
        assert not database.connection.config(getattr(apsw, f"SQLITE_DBCONFIG_{setting}"), -1)
    for pragma in ("secure_delete", "foreign_keys", "cell_size_check"):
        assert database.value(f"PRAGMA {pragma}") == 1
    assert database.value("PRAGMA synchronous") == 2


@children.needs_fork
def test_after_a_fork_the_child_leaves_the_parent_s_locks_alone(database: Database) -> None:
    """And the part of its transaction that is in the log already: closing would roll it back."""
    database.connection.pragma("cache_size", 1)
    keep(database, said(seed=99))
    with database.write():
        for seed in range(60):
            keep(database, said("x" * 4000 + str(seed), seed=seed))
        assert children.run(database.close) == children.DONE
        assert len(list(memories.all_memories(database))) == 61
        keep(database, said(seed=60))
    other = reopened(database)
    assert len(list(memories.all_memories(other))) == 62
    assert integrity.structure_problems(other) == []
    other.close()


def test_an_sqlite_that_can_corrupt_a_store_opens_none(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before 3.51.3 many processes that write and checkpoint could."""
    make_store(path).close()
    monkeypatch.setattr(apsw, "SQLITE_VERSION_NUMBER", 3_051_002)
    with pytest.raises(Unavailable, match="can corrupt the store") as refused:
        open_store(str(path))
    assert "pip install -U apsw" in refused.value.hint
    monkeypatch.setattr(apsw, "SQLITE_VERSION_NUMBER", 3_051_003)
    open_store(str(path)).close()


def test_closing_the_last_connection_leaves_one_file(path: Path) -> None:
    database = make_store(path)
    keep(database, said())
    database.close()
    assert sorted(os.listdir(path.parent)) == [".gitignore", "memory.db"]


def test_waiting_for_the_lock_ends_when_its_time_is_over() -> None:
    wait = make_busy_handler(20)
    tries = 0
    begin = time.monotonic()
    while wait(tries):
        tries += 1
        assert time.monotonic() - begin < 10
    assert tries > 0
    assert time.monotonic() - begin >= 0.02
    assert not make_busy_handler(0)(0)


def test_each_wait_for_the_lock_has_the_whole_time() -> None:
    """SQLite asks the same function again at the next lock, from its first try on."""
    wait = make_busy_handler(100)
    for _ in range(2):
        assert wait(0)
        time.sleep(0.101)
        assert not wait(1)


def test_a_queue_is_waited_in_as_long_as_it_moves(tmp_path: Path) -> None:
    """A holder who does nothing is waited for once; writers who take turns, for longer."""
    store, log = tmp_path / "memory.db", tmp_path / "memory.db-wal"
    store.write_bytes(b"")
    log.write_bytes(b"")
    wait = make_busy_handler(30, path=str(store), max_queue_ms=200)
    begin = time.monotonic()
    assert wait(0)
    for number, file in enumerate((log, store, log), 1):
        time.sleep(0.031)
        file.write_bytes(b"x" * number)
        assert wait(number)
    time.sleep(0.031)
    assert not wait(4)
    assert wait(0)
    while wait(number):
        number += 1
        log.write_bytes(b"y" * (number % 7))
        assert time.monotonic() - begin < 10
    assert time.monotonic() - begin >= 0.3


def test_only_who_has_the_whole_patience_waits_in_a_queue(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hook, or what may be lost, gives up at its time however much others get done."""
    monkeypatch.setattr(connection, "BUSY_MS", 100)
    for lock_timeout_ms, waits in ((100, True), (99, False)):
        writer = reopened(database, lock_timeout_ms=lock_timeout_ms)
        with children.holding(database.path):
            log = f"{database.path}-wal"
            ticking = threading.Timer(0.05, os.utime, (log, (1, 1)))
            ticking.start()
            before = time.monotonic()
            with pytest.raises(StoreBusy), writer.write():
                pass
            assert (time.monotonic() - before >= 0.2) == waits
            ticking.join()
        writer.close()
