"""The counts of a store add up."""

from __future__ import annotations

from gitmem.store.db.connection import Database
from gitmem.store.memory import memory_writes, store_counts
from tests.support.stores import START, edited, keep, said


def test_an_empty_store_counts_nothing(database: Database) -> None:
    counts = store_counts.count_store_rows(database, START)
    assert {key for key, value in counts.items() if value} == set()


def test_every_memory_is_in_one_state_one_kind_and_one_agent(database: Database) -> None:
    for seed in range(6):
        stored = keep(
            database,
            said(f"Fact {seed}", seed=seed, kind=("note", "fix")[seed % 2], pinned=seed == 0,
                 agent=("", "codex")[seed % 2], tags=("all", f"t{seed}")),
        )  # fmt: skip
        if seed > 3:
            edited(database, stored, archived_at=START)
    with database.write():
        memory_writes.increment_access_counts(database, [stored.id], START)
    counts = store_counts.count_store_rows(database, START)
    assert counts["total"] == 6
    assert counts["by_state"] == {"archived": 2, "active": 4}
    for grouped in ("by_state", "by_kind", "by_agent"):
        assert sum(counts[grouped].values()) == 6
    assert next(iter(counts["by_tag"].items())) == ("all", 6)
    assert (counts["pinned"], counts["versions"], counts["accesses"]) == (1, 2, 1)


def test_no_more_than_twenty_tags(database: Database) -> None:
    keep(database, said(tags=tuple(f"t{number:02}" for number in range(30))))
    assert len(store_counts.count_store_rows(database, START)["by_tag"]) == store_counts.MOST_TAGS
