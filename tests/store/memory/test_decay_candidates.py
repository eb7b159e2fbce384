"""What decay reads of each memory."""

from __future__ import annotations

import pytest

from gitmem.memory import lifecycle
from gitmem.store.db.connection import Database
from gitmem.store.memory import decay_candidates, memory_writes
from gitmem.store.memory.filters import STATE_SQL
from tests.support.stores import START, edited, keep, said


@pytest.mark.parametrize("batch", [1, 2, 100])
def test_every_memory_that_is_not_archived_is_read_once(database: Database, batch: int) -> None:
    known = [keep(database, said(f"Fact {seed}", seed=seed)).id for seed in range(5)]
    edited(database, keep(database, said("Gone", seed=9)), archived_at=START)
    assert [
        candidate.id for candidate in decay_candidates.read_memory_decay_rows(database, batch)
    ] == known


@pytest.mark.parametrize("by", ["", "0" * 26])
@pytest.mark.parametrize("status", ["", "proposed", "accepted", "deprecated", "superseded"])
def test_a_candidate_says_what_its_memory_says(database: Database, by: str, status: str) -> None:
    memory = keep(
        database,
        said(superseded_by=by, status=status, pinned=True, importance=0.7, expires_at=START + 9),
    )
    (result,) = decay_candidates.read_memory_decay_rows(database)
    assert result.state == memory.state and result.state in STATE_SQL
    for name in ("id", "kind", "pinned", "importance", "expires_at", "created_at", "updated_at"):
        assert getattr(result, name) == getattr(memory, name)
    assert lifecycle.reason_never_archived(result) == lifecycle.reason_never_archived(memory)


def test_use_is_read_with_it(database: Database) -> None:
    used, unused = (keep(database, said(f"Fact {seed}", seed=seed)) for seed in range(2))
    with database.write():
        for at in (START, START + 7):
            memory_writes.increment_access_counts(database, [used.id], at)
    found = {
        candidate.id: (candidate.accesses, candidate.last_at)
        for candidate in decay_candidates.read_memory_decay_rows(database)
    }
    assert found == {used.id: (2, START + 7), unused.id: (0, None)}


def test_who_was_brought_back_is_known(database: Database) -> None:
    memory = keep(database, said())
    gone = edited(database, memory, "faded", archived_at=START)
    assert not decay_candidates.was_restored_from_archive(database, memory.id)
    edited(database, gone, "restored", archived_at=None)
    assert decay_candidates.was_restored_from_archive(database, memory.id)
