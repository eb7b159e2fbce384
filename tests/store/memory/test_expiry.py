"""Ends that use moves, in SQL, are those of the pure rules."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.memory import lifecycle
from gitmem.model.memory import Memory
from gitmem.store.db import connection
from gitmem.store.db.connection import Database
from gitmem.store.memory import expiry, memory_writes
from tests.support.amounts import examples
from tests.support.stores import START, keep, make_store, said

HOUR = 3_600_000


def use(database: Database, memory: Memory, times: int, at: int = START) -> None:
    with database.write():
        for _ in range(times):
            memory_writes.increment_access_counts(database, [memory.id], at)


def lasting_ids(database: Database, now: int) -> set[str]:
    clause, values = expiry.unexpired_sql_condition(now)
    rows = database.rows(f"SELECT m.id FROM memories AS m WHERE {clause}", (*values,))
    return {row[0] for row in rows}


def working(seed: int = 0, **more: object) -> Memory:
    fields = {"layer": "working", "ttl_ms": HOUR, "expires_at": START + HOUR} | more
    return said(f"Thought {seed}", seed=seed, **fields)


cases = st.lists(
    st.tuples(
        st.sampled_from(["user_explicit", "ai_inferred", "system_auto"]),
        st.sampled_from(["", "working"]),
        st.none() | st.integers(1, 1000),
        st.none() | st.integers(START, START + 1000),
        st.booleans(),
        st.sampled_from([None, START]),
        st.integers(0, 7),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=examples(8))
@given(cases, st.integers(START, START + 5000), st.integers(1, 8), st.floats(0, 10))
def test_sql_and_rules_agree(
    tmp_path_factory: pytest.TempPathFactory,
    found: list[tuple[object, ...]],
    now: int,
    least: int,
    share: float,
) -> None:
    """CT-7, CT-8, CT-29: the same rules, once over values and once over rows."""
    database = make_store(tmp_path_factory.mktemp("lasting") / "own" / "memory.db")
    rule = (least, share)
    database.set_expiry_extension_by_use(*rule)
    lasts, over, earned = set[str](), set[str](), set[str]()
    for seed, (source, layer, ttl, end, pinned, archived, used) in enumerate(found):
        memory = keep(
            database,
            said(
                f"Fact {seed}", seed=seed, source=source, layer=layer, ttl_ms=ttl,
                expires_at=end, pinned=pinned, archived_at=archived,
            ),
        )  # fmt: skip
        use(database, memory, int(str(used)))
        ends = lifecycle.effective_expiry(memory, int(str(used)), *rule)
        (lasts if ends is None or ends > now else over).add(memory.id)
        if (
            lifecycle.has_enough_accesses_to_stay(memory, int(str(used)), least)
            and archived is None
        ):
            earned.add(memory.id)
    living = {row[0] for row in database.rows("SELECT id FROM memories WHERE archived_at IS NULL")}
    assert lasting_ids(database, now) == lasts
    assert set(expiry.expired_memory_ids(database, now)) == over & living
    assert expiry.has_expired_memory(database, now) == bool(over & living)
    assert set(expiry.never_expiring_memory_ids(database)) == earned
    database.close()


def test_counting_a_use_moves_the_end_and_writes_no_memory(database: Database) -> None:
    memory = keep(database, working())
    before = database.rows("SELECT * FROM memories")
    late = START + HOUR + 1
    assert expiry.expired_memory_ids(database, late) == [memory.id]
    use(database, memory, 1)
    assert expiry.expired_memory_ids(database, late) == []
    assert expiry.expired_memory_ids(database, START + HOUR + HOUR // 2) == [memory.id]
    assert database.rows("SELECT * FROM memories") == before


def test_the_longest_gone_comes_first(database: Database) -> None:
    later = keep(database, working(1, expires_at=START + 2 * HOUR))
    sooner = keep(database, working(2, expires_at=START + HOUR))
    assert expiry.expired_memory_ids(database, START + 3 * HOUR) == [sooner.id, later.id]


def test_what_is_over_is_found_by_the_index_of_ends(database: Database) -> None:
    """Asked after each command that begins a piece of work: it must not read every memory."""
    plan = database.rows(f"EXPLAIN QUERY PLAN {expiry._OVER} LIMIT 1", (START, START))
    assert any("memories_expiring" in row[3] for row in plan)


def test_whether_anything_is_old_is_a_cheap_look(database: Database) -> None:
    assert not expiry.has_memory_unedited_since(database, START + 1)
    keep(database, said())
    assert expiry.has_memory_unedited_since(database, START + 1)
    assert not expiry.has_memory_unedited_since(database, START)


def test_put_away_it_has_left_its_layer_and_has_no_end() -> None:
    gone = expiry.archived_copy_of_memory(working(), START + 5)
    assert (gone.archived_at, gone.layer, gone.ttl_ms, gone.expires_at) == (
        START + 5,
        "",
        None,
        None,
    )


def test_the_numbers_are_those_of_the_rules() -> None:
    assert connection.PROMOTED_AT == lifecycle.ACCESSES_TO_STAY
    assert connection.EXTENDED_BY == lifecycle.EXTENSION_FRACTION
