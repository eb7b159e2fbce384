"""What is read is what was written, or it is reported as damaged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.errors import StoreDamaged
from gitmem.memory import draft
from gitmem.model.frozen import replace
from gitmem.model.memory import Link, Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_writes
from gitmem.store.memory.filters import Filter
from tests.support.stores import START, edited, keep, said

ALL = Filter(states=())


def fill(database: Database, count: int) -> list[Memory]:
    return [keep(database, said(f"Fact {seed}", seed=seed)) for seed in range(count)]


def test_a_memory_comes_back_as_it_was_stored(database: Database) -> None:
    given = said(
        "Body\nwith lines",
        title="Title",
        tags=("a", "b"),
        paths=("src/a.py:1-2",),
        importance=1,
        confidence=0,
        pinned=True,
        metadata='{"k": [1, {"deep": null}]}',
        ttl_ms=5,
        expires_at=START + 5,
    )
    stored = keep(database, given)
    assert memories.get(database, given.id) == stored
    assert replace(stored, seq=0) == given


def test_an_unknown_id_is_none(database: Database) -> None:
    assert memories.get(database, "0" * 26) is None


def test_the_newest_come_first_and_pages_meet(database: Database) -> None:
    stored = fill(database, 7)
    pages = [
        memory
        for offset in (0, 3, 6)
        for memory in memories.select(database, ALL, limit=3, offset=offset)
    ]
    assert pages == stored[::-1]
    assert memories.count(database, ALL) == 7


def test_ordered_by_the_last_edit(database: Database) -> None:
    first, second = fill(database, 2)
    edited(database, first, content="Edited")
    found = memories.select(database, ALL, limit=9, order="updated_at")
    assert [memory.id for memory in found] == [first.id, second.id]


def test_by_seq_keeps_to_the_filter(database: Database) -> None:
    one, two, three = fill(database, 3)
    edited(database, two, archived_at=START)
    found = memories.by_seq(database, [one.seq, two.seq], Filter())
    assert [memory.id for memory in found] == [one.id]
    assert three.id not in {memory.id for memory in found}


@pytest.mark.parametrize(
    "change", [{"archived_at": 1}, {"superseded_by": "0" * 26}, {"status": "deprecated"}]
)
def test_only_a_living_memory_says_the_same(database: Database, change: dict[str, object]) -> None:
    stored = keep(database, said())
    assert memories.same(database, draft.digest(stored)) == stored
    edited(database, stored, **change)
    assert memories.same(database, draft.digest(stored)) is None


def test_a_proposal_says_the_same_as_well(database: Database) -> None:
    """Repeated, it is not stored a second time."""
    proposed = keep(database, said(status="proposed"))
    assert memories.same(database, draft.digest(proposed)) == proposed


# Whole and literal: a store written by any version has to verify in every later one.
GOLDEN = Memory(
    id="01HF7YAT000000000000000001",
    scope="branch",
    project="github.com/a/b",
    kind="decision",
    title="Redis for queues",
    content="It is there already.\nPort 6380.",
    tags=("redis", "queue"),
    paths=("src/queue.py:1-9",),
    weight=3,
    importance=0.75,
    confidence=1,
    pinned=True,
    source="user_explicit",
    agent="codex",
    author="Ada <ada@example.org>",
    session="01HF7YAT000000000000000002",
    branch="main",
    commit="a" * 40,
    status="accepted",
    metadata='{"k": [1]}',
    ttl_ms=86_400_000,
    expires_at=1_700_086_400_000,
    archived_at=1_700_000_000_002,
    superseded_by="01HF7YAT000000000000000003",
    created_at=1_700_000_000_000,
    updated_at=1_700_000_000_001,
    version=2,
    seq=7,
)
YOUNGER = {"layer": "working", "trust": "accepted", "valid_from": 0, "valid_until": 1}


def test_the_hash_of_a_memory_stays_what_it_is_in_stores_already_written() -> None:
    """A change of its fields or their order would call every memory there damaged."""
    assert memories.content_hash(GOLDEN).hex() == (
        "b61c60967ef863d1da0508da766d0a28e22cf36f1e558e15e9fa16a8ceb806f3"
    )
    later = replace(GOLDEN, **YOUNGER)
    assert memories.content_hash(later).hex() == (
        "49a77cadb9add520f50c3020092caca3a3bb2f783da99e8997b05e23fd5fa49e"
    )


def test_every_field_of_a_memory_but_its_row_counts_in_its_hash() -> None:
    known = {memories.content_hash(GOLDEN)}
    for name in Memory.__slots__:
        old = getattr(GOLDEN, name)
        # A number or a text twice, a list with one item more.
        new = YOUNGER[name] if name in YOUNGER else not old if name == "pinned" else old + old
        known.add(memories.content_hash(replace(GOLDEN, **{name: new})))
    assert len(known) == len(Memory.__slots__)  # all but ``seq``, and the memory itself
    assert memories.content_hash(replace(GOLDEN, seq=8)) == memories.content_hash(GOLDEN)


def test_every_memory_once_in_order_of_id(database: Database) -> None:
    with database.write():
        for seed in range(2003):
            memory = said(f"Fact {seed}", seed=seed)
            memory_writes.insert(database, memory, draft.digest(memory))
    found = [memory.id for memory in memories.every(database)]
    assert len(found) == 2003
    assert found == sorted(set(found))


def test_history_tells_the_earlier_versions_oldest_first(database: Database) -> None:
    first = keep(database, said("One"))
    second = edited(database, first, "revised", content="Two")
    edited(database, second, "archived", archived_at=START)
    told = memories.history(database, first.id)
    assert [(one.memory.content, one.memory.version, one.action) for one in told] == [
        ("One", 1, "revised"),
        ("Two", 2, "archived"),
    ]


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(texts, st.lists(texts, max_size=3), st.floats(0, 1), st.none() | st.integers(0, 1 << 50))
def test_a_snapshot_is_read_as_it_was_written(
    text: str, words: list[str], share: float, moment: int | None
) -> None:
    memory = said(
        content=text, tags=tuple(words), paths=tuple(words), importance=share, expires_at=moment
    )
    assert memories.from_snapshot(memories.to_snapshot(memory)) == memory


DAMAGE = {
    "content": "content = 'other'",
    "title": "title = 'x'",
    "a number": "weight = 5",
    "tags that are no list": "tags = '[\"a\"'",
    "tags that are a number": "tags = '7'",
    "text that is not UTF-8": "content = CAST(x'ff41' AS TEXT)",
    "its id": "id = '01ARYZ6S410000000000000000'",
    "the hash": "hash = x'00'",
}


@pytest.mark.parametrize("how", DAMAGE)
def test_a_row_that_was_changed_behind_our_back_is_never_shown(
    database: Database, how: str
) -> None:
    stored, other = fill(database, 2)
    database.run(f"UPDATE memories SET {DAMAGE[how]} WHERE seq = ?", (stored.seq,))
    with pytest.raises(StoreDamaged):
        memories.select(database, ALL, limit=9)
    with pytest.raises(StoreDamaged):
        list(memories.every(database))
    assert memories.get(database, other.id) == other


@pytest.mark.parametrize("how", ["{", "{}", "[]", "7", '{"hash": "x"}'])
def test_an_earlier_version_that_was_changed_is_never_shown(database: Database, how: str) -> None:
    stored = keep(database, said())
    edited(database, stored, content="Two")
    database.run("UPDATE versions SET snapshot = ?", (how,))
    with pytest.raises(StoreDamaged):
        memories.history(database, stored.id)


def test_a_word_changed_in_an_earlier_version_is_noticed(database: Database) -> None:
    stored = keep(database, said("Port 6380"))
    edited(database, stored, content="Two")
    database.run("UPDATE versions SET snapshot = replace(snapshot, '6380', '6381')")
    with pytest.raises(StoreDamaged):
        memories.history(database, stored.id)


def test_links_from_and_to_a_memory(database: Database) -> None:
    one, two, three = fill(database, 3)
    made = [
        Link("A" * 26, one.id, two.id, "SOLVES", 0.5, "", START),
        Link("B" * 26, three.id, one.id, "CAUSES", 1.0, "why", START),
        Link("C" * 26, three.id, two.id, "CAUSES", 1.0, "", START),
    ]
    with database.write():
        assert all(memory_writes.add_link(database, link) for link in made)
    assert memories.links(database, one.id) == made[:2]
    assert memories.every_link(database) == made
