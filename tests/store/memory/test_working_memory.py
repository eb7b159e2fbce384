"""A session's working memories: the least recently used make room (CF-2)."""

from __future__ import annotations

from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes, short_ids, working_memory
from tests.support.stores import START, keep, said

HOUR = 3_600_000


def thought(database: Database, seed: int, session: str = "S1", **more: object) -> Memory:
    fields = {
        "layer": "working", "session": session, "ttl_ms": HOUR, "expires_at": START + HOUR
    } | more  # fmt: skip
    return keep(database, said(f"Thought {seed}", seed=seed, **fields))


def make_room(database: Database, most: int, session: str = "S1", now: int = START) -> list[str]:
    with database.write():
        return working_memory.archive_least_used_working_memories(
            database, session, most, now_ms=now, agent="codex"
        )


def in_use(database: Database, now: int) -> int:
    question = "SELECT count(*) FROM memories WHERE layer = 'working' AND expires_at > ?"
    return int(database.value(question, (now,)))


def use(database: Database, memory: Memory, at: int, times: int = 1) -> None:
    with database.write():
        for _ in range(times):
            memory_writes.increment_access_counts(database, [memory.id], at)


def test_below_the_limit_nothing_goes(database: Database) -> None:
    thought(database, 1)
    assert make_room(database, 2) == []
    assert in_use(database, START) == 1


def test_the_oldest_goes_when_one_more_is_to_fit(database: Database) -> None:
    first, *_ = [thought(database, seed) for seed in range(3)]
    assert make_room(database, 3) == [first.id]
    assert in_use(database, START) == 2
    assert make_room(database, 3) == []


def test_what_was_used_last_stays(database: Database) -> None:
    first, second, _ = [thought(database, seed) for seed in range(3)]
    use(database, first, START + 500)
    assert make_room(database, 3) == [second.id]


def test_many_go_at_once_where_the_limit_was_lowered(database: Database) -> None:
    known = [thought(database, seed).id for seed in range(6)]
    assert make_room(database, 2) == known[:5]


def test_other_sessions_other_layers_and_pins_are_left_alone(database: Database) -> None:
    pinned = thought(database, 1, pinned=True)
    used = thought(database, 2)
    use(database, used, START, times=5)
    other = thought(database, 3, session="S2")
    keep(database, said("Kept", seed=4, session="S1"))
    goes = thought(database, 5)
    assert make_room(database, 1) == [goes.id]
    for stays in (pinned, used, other):
        assert short_ids.find_memory([database], stays.id)[1].archived_at is None


def test_what_is_over_anyway_takes_no_room(database: Database) -> None:
    thought(database, 1, expires_at=START + 5)
    thought(database, 2)
    assert make_room(database, 2, now=START + 10) == []
    assert in_use(database, START + 10) == 1


def test_what_made_room_is_in_the_archive_with_its_history(database: Database) -> None:
    gone = thought(database, 1)
    make_room(database, 1, now=START + 7)
    found = memories.get_memory(database, gone.id)
    assert found is not None
    assert (found.state, found.layer, found.expires_at) == ("archived", "", None)
    (earlier,) = memories.earlier_versions(database, gone.id)
    assert (earlier.memory.layer, earlier.action, earlier.agent) == ("working", "evicted", "codex")
