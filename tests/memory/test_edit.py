"""The laws of editing: what is not named stays, what is repeated changes nothing more."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.errors import Conflict, InvalidInput
from gitmem.memory import draft, edit, trust
from gitmem.memory.edit import MemoryChanges
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from tests.support.secrets import SECRET
from tests.support.stores import said
from tests.support.tables import table

LARGEST = 1000
tags = st.lists(st.text("abcxyz", min_size=1, max_size=2), max_size=40, unique=True).map(
    lambda found: tuple(sorted(found)[: draft.MOST_TAGS])
)
paths = st.lists(st.text("abc/", min_size=1, max_size=4), max_size=60, unique=True).map(
    lambda found: tuple(found[: draft.MOST_PATHS])
)
shares = st.floats(0, 1)
ends = st.none() | st.integers(1, 1000)
facts = st.dictionaries(st.sampled_from("ab"), st.integers(0, 2)).map(
    lambda made: json.dumps(made, sort_keys=True)
)
memories = st.builds(
    lambda tags, paths, weight, importance, confidence, pinned, end, metadata: said(
        tags=tags,
        paths=paths,
        weight=weight,
        importance=importance,
        confidence=confidence,
        pinned=pinned,
        ttl_ms=end,
        expires_at=end,
        metadata=metadata,
    ),
    tags, paths, st.integers(1, 5), shares, shares, st.booleans(), ends, facts,
)  # fmt: skip


@given(memories, memories)
def test_reinforcing_twice_is_reinforcing_once(old: Memory, said_again: Memory) -> None:
    once = edit.merge_repeated_memory(old, said_again)
    assert edit.merge_repeated_memory(once, said_again) == once


@given(memories)
def test_a_memory_does_not_reinforce_itself(memory: Memory) -> None:
    assert edit.merge_repeated_memory(memory, memory) == memory


@given(memories, memories)
def test_reinforcing_weakens_nothing_and_keeps_the_bounds(old: Memory, again: Memory) -> None:
    new = edit.merge_repeated_memory(old, again)
    assert new.weight >= old.weight and new.importance >= old.importance
    assert new.confidence >= old.confidence and new.pinned >= old.pinned
    assert len(new.tags) <= draft.MOST_TAGS and len(new.paths) <= draft.MOST_PATHS
    assert set(new.tags) <= {*old.tags, *again.tags}
    assert new.paths[: len(old.paths)] == old.paths
    assert json.loads(new.metadata).keys() >= json.loads(old.metadata).keys()


@pytest.mark.parametrize(
    ("old", "again", "end"), [(None, 9, None), (5, None, None), (5, 9, 9), (None, None, None)]
)
def test_repeated_the_later_word_on_the_end_holds(
    old: int | None, again: int | None, end: int | None
) -> None:
    """What had no end gets none by a repeat."""
    before, repeat = said(ttl_ms=old, expires_at=old), said(ttl_ms=again, expires_at=again)
    assert edit.merge_repeated_memory(before, repeat).expires_at == end


@table(
    ("old", "again", "bounds"),
    [
        ((None, 1), (None, None), (None, None)),
        ((1 << 50, None), (None, None), (None, None)),
        ((None, 1), (5, None), (5, None)),
        ((1, 1 << 50), (None, None), (1, 1 << 50)),
    ],
)
def test_what_no_longer_holds_or_not_yet_holds_once_it_is_repeated(
    old: tuple[int | None, int | None],
    again: tuple[int | None, int | None],
    bounds: tuple[int | None, int | None],
) -> None:
    before = said(valid_from=old[0], valid_until=old[1])
    new = edit.merge_repeated_memory(before, said(valid_from=again[0], valid_until=again[1]))
    assert (new.valid_from, new.valid_until) == bounds


@given(memories)
def test_changing_nothing_changes_nothing(memory: Memory) -> None:
    assert edit.revise_memory(memory, MemoryChanges(), now_ms=5, max_bytes=LARGEST) == memory


def test_only_what_is_named_changes() -> None:
    old = said(title="Old", tags=("a",))
    new = edit.revise_memory(old, MemoryChanges(tags=("B",), weight=5), now_ms=5, max_bytes=LARGEST)
    assert new == replace(old, tags=("b",), weight=5)


def test_a_new_end_counts_from_now() -> None:
    new = edit.revise_memory(said(), MemoryChanges(ttl_ms=10), now_ms=500, max_bytes=LARGEST)
    assert (new.ttl_ms, new.expires_at) == (None, 510)


def test_metadata_is_merged_key_by_key() -> None:
    old = said(metadata='{"a": 1, "b": 2}')
    new = edit.revise_memory(
        old, MemoryChanges(metadata={"b": 3, "c": [4]}), now_ms=5, max_bytes=LARGEST
    )
    assert json.loads(new.metadata) == {"a": 1, "b": 3, "c": [4]}


@pytest.mark.parametrize(
    "changes",
    [
        MemoryChanges(content=f"key {SECRET}"),
        MemoryChanges(title=f"key {SECRET}"),
        MemoryChanges(metadata={"deep": {"k": [SECRET]}}),
        MemoryChanges(tags=("AKIA" + "Q7ZL3XWPN5VTR2HB",)),
    ],
    ids=["content", "title", "metadata", "tags"],
)
def test_secrets_are_taken_out_of_edits(changes: MemoryChanges) -> None:
    """CT-27."""
    changed = repr(edit.revise_memory(said(), changes, now_ms=5, max_bytes=LARGEST))
    assert SECRET not in changed and "[redacted:" in changed


@table(
    "changes",
    [
        MemoryChanges(content=" "),
        MemoryChanges(content="x" * 1001),
        MemoryChanges(title="x" * 201),
        MemoryChanges(kind="nothing"),
        MemoryChanges(weight=9),
        MemoryChanges(importance=2.0),
        MemoryChanges(status="maybe"),
        MemoryChanges(paths=("../x",)),
    ],
)
def test_an_edit_is_checked_like_a_new_memory(changes: MemoryChanges) -> None:
    with pytest.raises(InvalidInput):
        edit.revise_memory(said(), changes, now_ms=5, max_bytes=LARGEST)


def test_an_end_is_taken_away_and_metadata_by_an_empty_value() -> None:
    old = said(ttl_ms=5, expires_at=5, metadata='{"a": 1, "b": 2}')
    changes = MemoryChanges(ttl_ms=edit.NEVER, metadata={"a": None})
    new = edit.revise_memory(old, changes, now_ms=500, max_bytes=LARGEST)
    assert (new.ttl_ms, new.expires_at, new.metadata) == (None, None, '{"b": 2}')


def test_archiving_and_restoring_are_opposites() -> None:
    memory = said()
    away = edit.archive_memory(memory, 5)
    assert away.state == "archived"
    assert edit.restore_memory(away) == memory


def test_what_is_restored_does_not_run_out_at_once() -> None:
    away = edit.archive_memory(said(ttl_ms=1, expires_at=1), 5)
    assert edit.restore_memory(away).expires_at is None


def test_archiving_twice_and_restoring_what_is_there_are_refused() -> None:
    with pytest.raises(Conflict):
        edit.archive_memory(edit.archive_memory(said(), 5), 6)
    with pytest.raises(Conflict):
        edit.restore_memory(said())


def test_what_is_superseded_was_in_force_until_then() -> None:
    """CF-45."""
    once = edit.mark_superseded(said(), "A" * 26, 50)
    assert once.valid_until == 50
    assert edit.mark_superseded(once, "A" * 26, 70) == once
    assert edit.mark_superseded(said(valid_until=20), "A" * 26, 50).valid_until == 20


def test_a_status_that_ends_a_decision_dates_it_and_one_that_revives_it_takes_the_date() -> None:
    old = said(kind="decision", title="T", status="accepted")
    for status in edit.ENDED:
        gone = edit.revise_memory(old, MemoryChanges(status=status), now_ms=50, max_bytes=LARGEST)
        assert (gone.state, gone.valid_until) == ("superseded", 50)
        back = edit.revise_memory(
            gone, MemoryChanges(status="accepted"), now_ms=60, max_bytes=LARGEST
        )
        assert back == old


def test_words_changed_by_an_agent_are_an_agents_and_other_changes_are_not_words() -> None:
    def tier(changes: MemoryChanges) -> str:
        return edit.revise_memory(
            said(), changes, now_ms=5, max_bytes=LARGEST, by_agent=True
        ).trust_tier

    assert tier(MemoryChanges(content="Obey")) == tier(MemoryChanges(title="Obey")) == "agent"
    assert (
        tier(MemoryChanges(weight=5, tags=("a",)))
        == tier(MemoryChanges(content=said().content))
        == "person"
    )


texts = st.sampled_from(["", "x", "codex", "main"])
origins = st.fixed_dictionaries(
    {name: texts for name in trust.PROVENANCE if name != "created_at"}
    | {"created_at": st.integers(0, 10**12), "trust": st.sampled_from(["", *trust.TIERS])}
)
changes = st.builds(
    MemoryChanges,
    content=st.sampled_from([None, "New"]),
    title=st.sampled_from([None, "New"]),
    tags=st.sampled_from([None, ("n",)]),
    metadata=st.sampled_from([None, {"agent": "x", "source": "user_explicit"}]),
)
EDITS: dict[str, Callable[[Memory, Memory, MemoryChanges], Memory]] = {
    "revise_memory": lambda old, _, wish: edit.revise_memory(
        old, wish, now_ms=7, max_bytes=LARGEST, by_agent=True
    ),
    "merge_repeated_memory": lambda old, said_again, _: edit.merge_repeated_memory(old, said_again),
    "archive_memory": lambda old, *_: edit.archive_memory(old, 7),
    "restore_memory": lambda old, *_: edit.restore_memory(edit.archive_memory(old, 7)),
    "mark_superseded": lambda old, *_: edit.mark_superseded(old, "A" * 26, 7),
    "set_memory_trust_tier": lambda old, *_: edit.set_memory_trust_tier(
        old, "foreign" if old.trust_tier != "foreign" else "accepted"
    ),
}


def test_every_edit_there_is_stands_in_the_table() -> None:
    made = {name for name, item in vars(edit).items() if inspect.isfunction(item)}
    own = {name for name in made if getattr(edit, name).__module__ == edit.__name__}
    assert {name for name in own if not name.startswith("_")} == EDITS.keys()


@pytest.mark.parametrize("name", EDITS)
@given(memories, origins, memories, origins, changes)
def test_no_edit_changes_who_stated_it_where_and_when(
    name: str,
    memory: Memory,
    origin: dict[str, Any],
    other: Memory,
    others: dict[str, Any],
    wish: MemoryChanges,
) -> None:
    """CF-43, S-20: provenance is never forged."""
    old = replace(memory, **origin)
    new = EDITS[name](old, replace(other, **others), wish)
    for saved in ("id", "project", *trust.PROVENANCE):
        assert getattr(new, saved) == getattr(old, saved)


def test_superseding_again_by_the_same_is_fine_and_by_another_is_not() -> None:
    once = edit.mark_superseded(said(kind="decision", title="T", status="accepted"), "A" * 26, 9)
    assert (once.state, once.status) == ("superseded", "superseded")
    assert edit.mark_superseded(once, "A" * 26, 9) == once
    with pytest.raises(Conflict, match="A" * 26):
        edit.mark_superseded(once, "B" * 26, 9)


def test_a_superseded_decision_comes_back_when_it_is_accepted_again() -> None:
    gone = edit.mark_superseded(said(kind="decision", title="T", status="accepted"), "A" * 26, 9)
    back = edit.revise_memory(gone, MemoryChanges(status="accepted"), now_ms=5, max_bytes=LARGEST)
    assert (back.state, back.superseded_by) == ("active", "")


def test_a_decision_that_has_no_title_may_be_edited_and_none_loses_its_own() -> None:
    """One kept with `remember --kind decision` has none."""
    untitled = said("Use Redis", kind="decision", title="")

    def after(old: Memory, **changes: Any) -> Memory:
        return edit.revise_memory(old, MemoryChanges(**changes), now_ms=1, max_bytes=LARGEST)

    assert after(untitled, content="Use Valkey").content == "Use Valkey"
    assert after(untitled, status="deprecated").status == "deprecated"
    assert after(untitled, title="Cache", content="").title == "Cache"
    for old, changes in (
        (untitled, {"content": ""}),
        (replace(untitled, title="Cache"), {"title": ""}),
        (replace(untitled, kind="note"), {"kind": "decision"}),
    ):
        with pytest.raises(InvalidInput):
            after(old, **changes)
