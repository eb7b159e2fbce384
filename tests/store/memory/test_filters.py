"""A filter as SQL keeps exactly what the same filter in words keeps."""

from __future__ import annotations

import itertools

import pytest

from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories
from gitmem.store.memory.filters import STATE_SQL, MemoryFilter
from tests.support.stores import START, keep, said

STATUSES = ("", "proposed", "accepted", "deprecated", "superseded")


@pytest.fixture
def population(database: Database) -> list[Memory]:
    """Every combination of what decides about a state."""
    sources = ("user_explicit", "system_auto")
    cases = itertools.product((None, 5), ("", "0" * 26), STATUSES, sources)
    return [
        keep(
            database,
            said(
                f"Fact {seed}",
                seed=seed,
                archived_at=at,
                superseded_by=by,
                status=status,
                source=source,
            ),
        )
        for seed, (at, by, status, source) in enumerate(cases)
    ]


def state_of(memory: Memory) -> str:
    """Its state; what capture proposes is told apart from what somebody did."""
    waits = memory.state == "proposed" and memory.is_unaccepted_proposal
    return "suggested" if waits else memory.state


def chosen(database: Database, expected: MemoryFilter) -> set[str]:
    found = memories.select_memories(database, expected, limit=100)
    assert memories.count_filtered_memories(database, expected) == len(found)
    return {memory.id for memory in found}


def test_what_may_be_reported_is_found_without_reading_what_may_not(database: Database) -> None:
    """50,000 foreign memories cost the start of a session nothing."""
    for expected, order, index in (
        (MemoryFilter(now=START, trusted_only=True), "created_at", "memories_told"),
        (MemoryFilter(now=START, trusted_only=True, since=START), "created_at", "memories_told"),
        (
            MemoryFilter(now=START, trusted_only=True, kinds=("decision",)),
            "created_at",
            "memories_told_by_kind",
        ),
        (
            MemoryFilter(now=START, trusted_only=True, kinds=("fix", "note")),
            "created_at",
            "memories_told_by_kind",
        ),
        (
            MemoryFilter(trusted_only=True, changed_since=START),
            "updated_at",
            "memories_told_by_update",
        ),
        (MemoryFilter(trusted_only=True, pinned=True), "created_at", "memories_pinned"),
        (MemoryFilter(trusted_only=True, states=("proposed",)), "created_at", "memories_proposed"),
        (MemoryFilter(trusted_only=True, states=("suggested",)), "created_at", "memories_proposed"),
        (MemoryFilter(), "created_at", "memories_by_creation"),
        (MemoryFilter(kinds=("decision",)), "created_at", "memories_by_kind"),
    ):
        clause, values = expected.sql_condition()
        sql = f"SELECT * FROM memories AS m WHERE {clause} ORDER BY m.{order} DESC LIMIT 8"
        plan = [row[3] for row in database.rows(f"EXPLAIN QUERY PLAN {sql}", (*values,))]
        assert plan[0].partition(" (")[0].endswith(f" USING INDEX {index}"), (expected, plan)


@pytest.mark.parametrize("state", STATE_SQL)
def test_states_in_sql_are_those_of_the_model(
    database: Database, population: list[Memory], state: str
) -> None:
    expected = {memory.id for memory in population if state_of(memory) == state}
    assert expected
    assert chosen(database, MemoryFilter(states=(state,))) == expected


def test_no_states_are_all_states(database: Database, population: list[Memory]) -> None:
    assert len(chosen(database, MemoryFilter(states=()))) == len(population)


def test_proposals_that_nobody_accepted_can_be_left_out(
    database: Database, population: list[Memory]
) -> None:
    """In whatever state they are: a rejected one is archived."""
    believed = {memory.id for memory in population if not memory.is_unaccepted_proposal}
    assert chosen(database, MemoryFilter(states=(), without_proposals=True)) == believed
    assert chosen(database, MemoryFilter(as_of=START)) <= believed < {m.id for m in population}


def one(database: Database, **fields: object) -> str:
    return keep(database, said(**fields)).id


@pytest.mark.parametrize(
    ("condition", "passes"),
    [
        (MemoryFilter(), True),
        (MemoryFilter(kinds=("fix", "note")), True),
        (MemoryFilter(kinds=("fix",)), False),
        (MemoryFilter(tags=("x", "cache")), True),
        (MemoryFilter(tags=("cach",)), False),
        (MemoryFilter(agent="codex"), True),
        (MemoryFilter(agent="cod"), False),
        (MemoryFilter(session="S1"), True),
        (MemoryFilter(session="S2"), False),
        (MemoryFilter(pinned=True), True),
        (MemoryFilter(since=START), True),
        (MemoryFilter(since=START + 1), False),
        (MemoryFilter(until=START), False),
        (MemoryFilter(until=START + 1), True),
        (MemoryFilter(path="src"), True),
        (MemoryFilter(path="src/"), True),
        (MemoryFilter(path="src/app.py"), True),
        (MemoryFilter(path="src/app"), False),
        (MemoryFilter(path="sr_"), False),
        (MemoryFilter(path="app.py"), False),
        (MemoryFilter(changed_since=START + 1), False),
    ],
)
def test_each_condition(database: Database, condition: MemoryFilter, passes: bool) -> None:
    id = one(
        database,
        tags=("cache",),
        agent="codex",
        session="S1",
        pinned=True,
        paths=("docs", "src/app.py:3-9"),
    )
    assert chosen(database, condition) == ({id} if passes else set())


def test_what_has_run_out_is_left_out_unless_it_is_pinned(database: Database) -> None:
    ending = one(database, seed=1, expires_at=START + 10)
    pinned = one(database, seed=2, expires_at=START + 10, pinned=True)
    assert chosen(database, MemoryFilter(now=START + 9)) == {ending, pinned}
    assert chosen(database, MemoryFilter(now=START + 10)) == {pinned}


def test_changed_since_keeps_older_ones_that_were_edited(database: Database) -> None:
    old = one(database, seed=1, version=2, updated_at=START + 50)
    one(database, seed=20, version=2, updated_at=START + 50)
    one(database, seed=2, version=1, updated_at=START + 50)
    assert chosen(database, MemoryFilter(changed_since=START + 10)) == {old}
