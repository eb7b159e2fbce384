"""What waits for consent: suggested once, resolved once, and gone with its memories."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gitmem.model.frozen import replace
from gitmem.model.suggestion import ACCEPTED, PENDING, REJECTED, MergeRecord, Suggestion
from gitmem.store.db.connection import Database
from gitmem.store.memory import consolidations, jobs, memory_writes, suggestions
from gitmem.store.memory.jobs import Job
from tests.support.stores import keep, make_store, said

PAIR = Suggestion(
    "01J0000000000000000000000A", "k", "merge", "a", "b", 0.9, "They say the same.", PENDING, "", 5
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    made = make_store(tmp_path / "memory.db")
    for seed, id in enumerate((PAIR.memory, PAIR.other), 8):
        keep(made, replace(said(f"Memory {id}", seed=seed), id=id))
    yield made
    made.close()


def test_a_thing_is_suggested_once_whatever_became_of_it(database: Database) -> None:
    later = replace(PAIR, id="01J0000000000000000000000B", created_at=6)
    with database.write():
        assert suggestions.add_suggestion(database, PAIR)
        assert not suggestions.add_suggestion(database, later)
        assert suggestions.pending_suggestions(database, 9) == [PAIR]
        assert suggestions.resolve_suggestion(database, PAIR.id, REJECTED, at_ms=7, agent="codex")
        assert not suggestions.resolve_suggestion(
            database, PAIR.id, ACCEPTED, at_ms=8, agent="codex"
        )
        assert not suggestions.add_suggestion(database, later)
    found = suggestions.find_suggestion_by_key(database, "k")
    assert found == replace(PAIR, state=REJECTED, resolved_at=7, resolved_by="codex")
    assert suggestions.resolved_suggestions(database, 9) == [found]
    assert (
        suggestions.pending_suggestions(database, 9),
        suggestions.count_pending_suggestions(database),
    ) == (
        [],
        0,
    )
    with database.write():
        assert suggestions.reopen_suggestion(database, PAIR.id)
        assert not suggestions.reopen_suggestion(database, PAIR.id)
    assert suggestions.get_suggestion(database, PAIR.id) == PAIR
    assert suggestions.count_pending_suggestions(database) == 1


def test_the_oldest_is_first_and_pages_do_not_overlap(database: Database) -> None:
    some = [replace(PAIR, id=f"{n}", key=f"{n}", created_at=9 - n) for n in range(4)]
    with database.write():
        assert all(suggestions.add_suggestion(database, item) for item in some)
    assert suggestions.pending_suggestions(database, 3) == some[:0:-1]
    assert suggestions.pending_suggestions(database, 3, 3) == some[:1]


def test_a_purge_takes_what_is_suggested_of_a_memory_but_not_that_it_was_rejected(
    database: Database,
) -> None:
    result, two = (keep(database, said(f"Memory {n}", seed=n)) for n in (1, 2))
    waits = replace(PAIR, memory=result.id, other=two.id)
    refused = replace(PAIR, id="r", key="r", memory=two.id, other="", reason="Of that content.")
    merged = MergeRecord("c", result.id, two.id, "smart_merge", 0.95, 1, 2, "", 5)
    with database.write():
        assert suggestions.add_suggestion(database, waits) and suggestions.add_suggestion(
            database, refused
        )
        suggestions.resolve_suggestion(database, "r", REJECTED, at_ms=6, agent="")
        consolidations.add_merge_record(database, merged)
        memory_writes.purge_memory(database, two.id, at_ms=9)
    assert (
        suggestions.get_suggestion(database, waits.id),
        consolidations.get_merge_record(database, "c"),
    ) == (None, None)
    saved = suggestions.find_suggestion_by_key(database, "r")
    assert saved and (saved.state, saved.memory, saved.reason) == (REJECTED, "", "")


def test_a_merge_is_undone_once(database: Database) -> None:
    merges = [MergeRecord(f"{n}", "a", "b", "append", 0.8, n, n + 1, "", n) for n in range(3)]
    with database.write():
        for merge in merges:
            consolidations.add_merge_record(database, merge)
        assert consolidations.mark_memory_merge_undone(database, "2", 7)
        assert not consolidations.mark_memory_merge_undone(database, "2", 8)
    assert consolidations.latest_memory_merges(database, 2) == [
        replace(merges[2], undone_at=7),
        merges[1],
    ]


def test_a_job_is_queued_once_and_held_by_one_until_its_lease_ends(database: Database) -> None:
    job = Job("j", "scan", "auto_merge", "queued", True, 0, None, 10, "", 1)
    with database.write():
        assert jobs.enqueue_job(database, job)
        assert not jobs.enqueue_job(database, replace(job, id="other"))
        assert jobs.lease_job(database, 9, 30) is None
        held = jobs.lease_job(database, 10, 30)
        assert held == replace(job, state="running", attempts=1, lease_until=40)
        assert jobs.lease_job(database, 39, 30) is None
        again = jobs.lease_job(database, 40, 30)
        assert again and again.attempts == 2
        # Who lost the lease does not settle it.
        assert not jobs.finish_job(database, held, "succeeded", now_ms=41, result="{}")
        assert jobs.finish_job(
            database, again, "queued", now_ms=41, result="Locked.", retry_at_ms=60
        )
        last = jobs.lease_job(database, 60, 30)
        assert last and jobs.finish_job(database, last, "succeeded", now_ms=61, result="{}")
        assert jobs.lease_job(database, 999, 30) is None
    ended = jobs.get_job(database, "j")
    assert ended and (ended.state, ended.ended_at, ended.lease_until) == ("succeeded", 61, None)
    assert jobs.newest_jobs(database, 9) == [ended]
    with database.write():
        assert (jobs.prune_jobs(database, 61), jobs.prune_jobs(database, 62)) == (0, 1)
