"""An edit is a new version; the one before is kept; what is purged is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.model.memory import Link
from gitmem.store.db.connection import Database
from gitmem.store.memory import derived_rows, memories, memory_rows, memory_writes
from tests.support import children
from tests.support.stores import START, edited, keep, said

MARKER = "zqx7marker"


def test_a_new_version_follows_the_old_and_keeps_its_row(database: Database) -> None:
    first = keep(database, said("One"))
    second = edited(database, first, content="Two")
    assert (second.id, second.seq, second.version) == (first.id, first.seq, 2)
    assert memories.get_memory(database, first.id) == second


def test_the_version_that_is_replaced_is_kept_whole(database: Database) -> None:
    first = keep(database, said("One", tags=("a",)))
    edited(database, first, content="Two", tags=())
    (before,) = memories.earlier_versions(database, first.id)
    assert before.memory == memory_rows.memory_from_json_line(
        memory_rows.memory_to_json_line(first)
    )


def test_a_larger_version_is_taken_over(database: Database) -> None:
    """As an import brings it: a second import must not find it newer again."""
    first = keep(database, said())
    assert edited(database, first, content="Two", version=5).version == 5


@pytest.mark.parametrize("at", [START - 10_000, START + 10_000])
def test_a_clock_that_went_back_takes_no_edit_into_the_past(database: Database, at: int) -> None:
    first = keep(database, said())
    with database.write():
        second = memory_writes.revise_memory(
            database, first, first, at_ms=at, action="revised", agent=""
        )
    assert second.updated_at == max(at, first.updated_at)


def test_each_write_has_a_higher_counter(database: Database) -> None:
    for seed in range(3):
        keep(database, said(f"Fact {seed}", seed=seed))
    counters = [row[0] for row in database.rows("SELECT counter FROM memories ORDER BY seq")]
    assert counters == sorted(set(counters))


def test_linking_twice_renews(database: Database) -> None:
    result, other = keep(database, said(seed=1)), keep(database, said("Other", seed=2))
    with database.write():
        link = Link("A" * 26, result.id, other.id, "SOLVES", 0.5, "first", START)
        assert memory_writes.add_link(database, link)
        assert not memory_writes.add_link(
            database, Link("B" * 26, result.id, other.id, "SOLVES", 0.9, "second", START)
        )
    (saved,) = memories.links_of_memory(database, result.id)
    assert (saved.id, saved.strength, saved.context) == ("A" * 26, 0.9, "second")


def test_counting_an_access(database: Database) -> None:
    stored = keep(database, said())
    for now in (1, 2):
        with database.write():
            memory_writes.increment_access_counts(database, [stored.id], now)
    assert database.rows("SELECT count, last_at FROM usage") == [(2, 2)]


def test_purging_removes_everything_but_a_tombstone(database: Database) -> None:
    result, other = keep(database, said(seed=1)), keep(database, said("Other", seed=2))
    edited(database, result, content="Edited")
    with database.write():
        memory_writes.add_link(
            database, Link("A" * 26, other.id, result.id, "SOLVES", 0.5, MARKER, START)
        )
        memory_writes.increment_access_counts(database, [result.id], START)
        memory_writes.purge_memory(database, result.id, at_ms=START)
    assert memories.get_memory(database, result.id) is None
    for table in ("versions", "links", "usage"):
        assert database.value(f"SELECT count(*) FROM {table}") == 0
    assert memory_writes.is_memory_purged(database, result.id)
    assert not memory_writes.is_memory_purged(database, other.id)
    assert derived_rows.derived_row_problems(database) == []


def test_purging_twice_is_harmless(database: Database) -> None:
    result = keep(database, said())
    for _ in range(2):
        with database.write():
            memory_writes.purge_memory(database, result.id, at_ms=START)
    assert derived_rows.derived_row_problems(database) == []


@children.needs_fork
def test_compacting_says_whether_another_process_keeps_the_log(database: Database) -> None:
    log = Path(database.path + "-wal")
    result = keep(database, said(f"Contains {MARKER}"))
    with children.holding(database.path, "BEGIN; SELECT count(*) FROM memories"):
        with database.write():
            memory_writes.purge_memory(database, result.id, at_ms=START)
        with database.lock_timeout(50):
            assert not memory_writes.erase_deleted_text_from_file(database)
        assert MARKER.encode() in log.read_bytes()
    assert memory_writes.erase_deleted_text_from_file(database)
    assert log.stat().st_size == 0
    assert MARKER.encode() not in Path(database.path).read_bytes()


def test_counting_an_access_to_what_was_purged_meanwhile_is_no_error(database: Database) -> None:
    result, other = keep(database, said(seed=1)), keep(database, said("Other", seed=2))
    with database.write():
        memory_writes.purge_memory(database, result.id, at_ms=START)
        memory_writes.increment_access_counts(database, [result.id, other.id], START)
    assert database.rows("SELECT memory FROM usage") == [(other.id,)]


def test_a_batch_is_written_into_the_full_text_index_once(database: Database) -> None:
    """What opens a savepoint (RETURNING does) makes SQLite write that index out for each row."""
    pages = "SELECT count(*) FROM memory_text_data"
    before = database.value(pages)
    with database.write():
        for seed in range(40):
            memory_writes.insert_memory(database, said(f"Fact {seed} of many", seed=seed))
        assert database.value(pages) - before < 4
