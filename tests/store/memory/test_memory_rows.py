"""Rows of memories: hashes that stay what they are, snapshots, and what says the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.errors import MemoryDamaged
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.store.memory import memory_rows
from tests.support.stores import said

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


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
    assert memory_rows.memory_content_hash(GOLDEN).hex() == (
        "b61c60967ef863d1da0508da766d0a28e22cf36f1e558e15e9fa16a8ceb806f3"
    )
    later = replace(GOLDEN, **YOUNGER)
    assert memory_rows.memory_content_hash(later).hex() == (
        "49a77cadb9add520f50c3020092caca3a3bb2f783da99e8997b05e23fd5fa49e"
    )


def test_every_field_of_a_memory_but_its_row_counts_in_its_hash() -> None:
    known = {memory_rows.memory_content_hash(GOLDEN)}
    for name in Memory.__slots__:
        old = getattr(GOLDEN, name)
        # A number or a text twice, a list with one item more.
        new = YOUNGER[name] if name in YOUNGER else not old if name == "pinned" else old + old
        known.add(memory_rows.memory_content_hash(replace(GOLDEN, **{name: new})))
    assert len(known) == len(Memory.__slots__)  # all but ``seq``, and the memory itself
    assert memory_rows.memory_content_hash(
        replace(GOLDEN, seq=8)
    ) == memory_rows.memory_content_hash(GOLDEN)


@given(texts, st.lists(texts, max_size=3), st.floats(0, 1), st.none() | st.integers(0, 1 << 50))
def test_a_snapshot_is_read_as_it_was_written(
    text: str, words: list[str], share: float, moment: int | None
) -> None:
    memory = said(
        content=text, tags=tuple(words), paths=tuple(words), importance=share, expires_at=moment
    )
    assert memory_rows.memory_from_json_line(memory_rows.memory_to_json_line(memory)) == memory


def test_a_snapshot_that_was_changed_is_reported_as_damaged_whatever_stands_there() -> None:
    """A number beyond every float, and brackets beyond every stack, were internal errors."""
    whole = memory_rows.memory_to_json_line(said(importance=0.25))
    for damaged in (
        whole.replace("0.25", "0.26"),
        whole.replace("0.25", "1" + "0" * 400),
        whole.replace("0.25", '"x"'),
        whole.replace("0.25", "[" * 100_000),
        whole.replace('"hash"', '"hush"'),
        "[]",
        "",
    ):
        assert damaged != whole
        with pytest.raises(MemoryDamaged, match="does not match its hash"):
            memory_rows.memory_from_json_line(damaged)


@given(words, words)
def test_the_digest_does_not_see_case_and_white_space(title: str, content: str) -> None:
    memory = replace(said(), title=title, content=content)
    loose = replace(memory, title=f" {title.upper().lower()}\t", content=f"\n{content}  ")
    plain = replace(memory, title=title.upper().lower())
    assert memory_rows.duplicate_detection_hash(loose) == memory_rows.duplicate_detection_hash(
        plain
    )


@pytest.mark.parametrize(
    "change", [{"title": "x"}, {"content": "x"}, {"kind": "fix"}, {"scope": "global"}]
)
def test_the_digest_sees_what_is_stated(change: dict[str, str]) -> None:
    memory = said()
    assert memory_rows.duplicate_detection_hash(
        replace(memory, **change)
    ) != memory_rows.duplicate_detection_hash(memory)


def test_the_digest_keeps_title_and_content_apart() -> None:
    item, other = said("b", title="a"), said("a", title="b")
    assert memory_rows.duplicate_detection_hash(item) != memory_rows.duplicate_detection_hash(other)
