"""The laws of editing: what is not named stays, what is repeated changes nothing more."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.errors import Conflict, InvalidInput
from gitmem.memory import draft, edit
from gitmem.memory.edit import Changes
from gitmem.model.memory import Memory
from gitmem.model.value import replace
from tests.support.secrets import SECRET
from tests.support.stores import said

LARGEST = 1000
tags = st.lists(st.text("abcxyz", min_size=1, max_size=2), max_size=40, unique=True).map(
    lambda found: tuple(sorted(found)[: draft.MOST_TAGS])
)
paths = st.lists(st.text("abc/", min_size=1, max_size=4), max_size=60, unique=True).map(
    lambda found: tuple(found[: draft.MOST_PATHS])
)
shares = st.floats(0, 1)
ends = st.none() | st.integers(1, 1000)
memories = st.builds(
    lambda tags, paths, weight, importance, confidence, pinned, end: said(
        tags=tags,
        paths=paths,
        weight=weight,
        importance=importance,
        confidence=confidence,
        pinned=pinned,
        ttl_ms=end,
        expires_at=end,
    ),
    tags, paths, st.integers(1, 5), shares, shares, st.booleans(), ends,
)  # fmt: skip


@given(memories, memories)
def test_reinforcing_twice_is_reinforcing_once(old: Memory, said_again: Memory) -> None:
    once = edit.reinforced(old, said_again)
    assert edit.reinforced(once, said_again) == once


@given(memories)
def test_a_memory_does_not_reinforce_itself(memory: Memory) -> None:
    assert edit.reinforced(memory, memory) == memory


@given(memories, memories)
def test_reinforcing_weakens_nothing_and_keeps_the_bounds(old: Memory, again: Memory) -> None:
    new = edit.reinforced(old, again)
    assert new.weight >= old.weight and new.importance >= old.importance
    assert new.confidence >= old.confidence and new.pinned >= old.pinned
    assert len(new.tags) <= draft.MOST_TAGS and len(new.paths) <= draft.MOST_PATHS
    assert set(new.tags) <= {*old.tags, *again.tags}
    assert new.paths[: len(old.paths)] == old.paths


@pytest.mark.parametrize(
    ("old", "again", "end"), [(None, 9, None), (5, None, None), (5, 9, 9), (None, None, None)]
)
def test_said_again_the_later_word_on_the_end_holds(
    old: int | None, again: int | None, end: int | None
) -> None:
    """What had no end gets none by a repeat."""
    before, repeat = said(ttl_ms=old, expires_at=old), said(ttl_ms=again, expires_at=again)
    assert edit.reinforced(before, repeat).expires_at == end


@given(memories)
def test_changing_nothing_changes_nothing(memory: Memory) -> None:
    assert edit.revised(memory, Changes(), now=5, max_bytes=LARGEST) == memory


def test_only_what_is_named_changes() -> None:
    old = said(title="Old", tags=("a",))
    new = edit.revised(old, Changes(tags=("B",), weight=5), now=5, max_bytes=LARGEST)
    assert new == replace(old, tags=("b",), weight=5)


def test_a_new_end_counts_from_now() -> None:
    new = edit.revised(said(), Changes(ttl_ms=10), now=500, max_bytes=LARGEST)
    assert (new.ttl_ms, new.expires_at) == (10, 510)


def test_metadata_is_merged_key_by_key() -> None:
    old = said(metadata='{"a": 1, "b": 2}')
    new = edit.revised(old, Changes(metadata={"b": 3, "c": [4]}), now=5, max_bytes=LARGEST)
    assert json.loads(new.metadata) == {"a": 1, "b": 3, "c": [4]}


@pytest.mark.parametrize(
    "changes",
    [
        Changes(content=f"key {SECRET}"),
        Changes(title=f"key {SECRET}"),
        Changes(metadata={"deep": {"k": [SECRET]}}),
    ],
    ids=["content", "title", "metadata"],
)
def test_secrets_are_taken_out_of_edits(changes: Changes) -> None:
    """CT-27."""
    assert SECRET not in repr(edit.revised(said(), changes, now=5, max_bytes=LARGEST))


@pytest.mark.parametrize(
    "changes",
    [
        Changes(content=" "),
        Changes(content="x" * 1001),
        Changes(title="x" * 201),
        Changes(kind="nothing"),
        Changes(weight=9),
        Changes(importance=2.0),
        Changes(status="maybe"),
        Changes(paths=("../x",)),
    ],
)
def test_an_edit_is_checked_like_a_new_memory(changes: Changes) -> None:
    with pytest.raises(InvalidInput):
        edit.revised(said(), changes, now=5, max_bytes=LARGEST)


def test_an_end_is_taken_away_and_metadata_by_an_empty_value() -> None:
    old = said(ttl_ms=5, expires_at=5, metadata='{"a": 1, "b": 2}')
    changes = Changes(ttl_ms=edit.NEVER, metadata={"a": None})
    new = edit.revised(old, changes, now=500, max_bytes=LARGEST)
    assert (new.ttl_ms, new.expires_at, new.metadata) == (None, None, '{"b": 2}')


@pytest.mark.parametrize(
    ("pinned", "now", "state"), [(False, 5, "archived"), (False, 4, "active"), (True, 5, "active")]
)
def test_what_has_run_out_is_archived_unless_it_is_pinned(
    pinned: bool, now: int, state: str
) -> None:
    assert edit.expired(said(expires_at=5, pinned=pinned), now).state == state


def test_archiving_and_restoring_are_opposites() -> None:
    memory = said()
    away = edit.archived(memory, 5)
    assert away.state == "archived"
    assert edit.restored(away) == memory


def test_what_is_restored_does_not_run_out_at_once() -> None:
    away = edit.archived(said(ttl_ms=1, expires_at=1), 5)
    assert edit.restored(away).expires_at is None


def test_archiving_twice_and_restoring_what_is_there_are_refused() -> None:
    with pytest.raises(Conflict):
        edit.archived(edit.archived(said(), 5), 6)
    with pytest.raises(Conflict):
        edit.restored(said())


def test_superseding_again_by_the_same_is_fine_and_by_another_is_not() -> None:
    once = edit.superseded(said(kind="decision", title="T", status="accepted"), "A" * 26)
    assert (once.state, once.status) == ("superseded", "superseded")
    assert edit.superseded(once, "A" * 26) == once
    with pytest.raises(Conflict, match="A" * 26):
        edit.superseded(once, "B" * 26)


def test_a_superseded_decision_comes_back_when_it_is_accepted_again() -> None:
    gone = edit.superseded(said(kind="decision", title="T", status="accepted"), "A" * 26)
    back = edit.revised(gone, Changes(status="accepted"), now=5, max_bytes=LARGEST)
    assert (back.state, back.superseded_by) == ("active", "")
