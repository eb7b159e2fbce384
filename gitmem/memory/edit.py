"""The new version of a memory after it was edited, repeated, archived or superseded. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from gitmem.errors import Conflict, InvalidInput
from gitmem.memory import draft, feedback, trust
from gitmem.model import kinds
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.text import redact

TYPE_CHECKING = False  # importing typing costs 4 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

NEVER = -1
# Statuses of a decision that is no longer in force.
ENDED = ("superseded", "deprecated")
# Fields that a person who repeats an agent's memory, and so accepts it, sets anew.
_SET_BY_ACCEPTING = (
    *("weight", "importance", "confidence", "pinned", "metadata"),
    *("valid_from", "valid_until"),
)


@dataclass(frozen=True, slots=True)
class MemoryChanges:
    """New values for fields of a memory; None leaves a field as it is.

    ``tags`` and ``paths`` replace the old ones. ``ttl_ms`` is the new time to live from now, or
    ``NEVER`` (-1); a key of ``metadata`` whose value is None is removed.
    """

    content: str | None = None
    title: str | None = None
    kind: str | None = None
    tags: tuple[str, ...] | None = None
    paths: tuple[str, ...] | None = None
    weight: int | None = None
    importance: float | None = None
    confidence: float | None = None
    pinned: bool | None = None
    status: str | None = None
    ttl_ms: int | None = None
    metadata: Mapping[str, object] | None = None


def revise_memory(
    old: Memory, changes: MemoryChanges, *, now_ms: int, max_bytes: int, by_agent: bool = False
) -> Memory:
    """A memory with changes made, secrets in them masked; not stored. Metadata is merged by key.

    ``max_bytes`` is the greatest length of the content. If an agent changes the text
    (``by_agent``), the memory is trusted as an agent's from then on. Raises InvalidInput.
    """
    new = replace(old, **_check_changes(old, changes, max_bytes))
    new = _set_end(new, changes.ttl_ms, now_ms)
    if changes.kind:
        alias = {kinds.GIVEN_AS: kinds.narrower_kind_name(changes.kind) or None}
        new = replace(new, metadata=_merge_metadata(new.metadata, alias, max_bytes))
    if changes.metadata:
        if by_agent and feedback.KEY in changes.metadata:
            raise InvalidInput(
                f"Only readers' feedback may be stored in the metadata under {feedback.KEY!r}.",
                "Leave the key out; `gitmem feedback` adds feedback.",
            )
        new = replace(new, metadata=_merge_metadata(new.metadata, changes.metadata, max_bytes))
    # A decision stored by `remember` may have no title, and can be edited all the same.
    had_none = old.kind == "decision" and not old.title
    if new.kind == "decision" and not (new.title or had_none):
        raise InvalidInput("A decision needs a title.", "Give one line that says what was decided.")
    if new.status and new.kind != "decision":
        raise InvalidInput(
            "Only a decision has a status.", "Use `gitmem forget` to archive a memory."
        )
    if (new.title, new.content) != (old.title, old.content):
        new = replace(new, trust=trust.trust_after_edit(old, by_agent=by_agent))
    return _set_validity(old, new, now_ms) if changes.status else new


def _check_changes(old: Memory, changes: MemoryChanges, max_bytes: int) -> dict[str, Any]:
    """The changed fields, checked as for a new memory. Raises InvalidInput."""
    empty = old.kind == "decision" and bool(changes.title or old.title)
    checks: dict[str, Callable[[Any], Any]] = {
        "content": lambda text: _clean(draft.check_content(text, max_bytes, allow_empty=empty)),
        "title": lambda text: _clean(draft.check_title(text)),
        "kind": draft.check_memory_kind,
        "tags": lambda tags: draft.check_tags(map(_clean, tags)),
        "paths": draft.check_paths,
        "weight": lambda number: int(draft.check_bounds("weight", number, 1, 5, old.weight)),
        "importance": lambda number: draft.check_bounds("importance", number, 0, 1, old.importance),
        "confidence": lambda number: draft.check_bounds("confidence", number, 0, 1, old.confidence),
        "pinned": bool,
        "status": draft.check_memory_status,
    }
    new_values = {name: getattr(changes, name) for name in checks}
    return {name: checks[name](value) for name, value in new_values.items() if value is not None}


def _set_end(memory: Memory, ttl_ms: int | None, now_ms: int) -> Memory:
    """The memory with a new time to live; None leaves it as it is."""
    if ttl_ms is None:
        return memory
    # The end is fixed: earlier uses of the memory would move it, or remove it at once.
    return replace(memory, ttl_ms=None, expires_at=None if ttl_ms == NEVER else now_ms + ttl_ms)


def _merge_metadata(old: str, changes: Mapping[str, object], max_bytes: int) -> str:
    facts = {**json.loads(old or "{}"), **changes}
    set_facts = {key: value for key, value in facts.items() if value is not None}
    merged, _ = redact.redact_value(draft.check_metadata_size(set_facts, max_bytes))
    return json.dumps(merged, ensure_ascii=False, sort_keys=True)


def _set_validity(old: Memory, new: Memory, now_ms: int) -> Memory:
    """Set or remove the end of a decision's validity, as its new status asks."""
    if new.status in ENDED and old.status not in ENDED:
        new = replace(new, valid_until=_earlier(old.valid_until, now_ms))
    if new.status not in ENDED and old.status in ENDED:
        new = replace(new, valid_until=None)
    if new.status != "superseded" and old.status == "superseded":
        new = replace(new, superseded_by="")
    return new


def merge_repeated_memory(old: Memory, repeat: Memory) -> Memory:
    """``old`` after the same text was saved once more, as ``repeat``; not stored.

    It has the tags, paths and metadata of both, and the larger of each number; of a key that both
    have the repeat's value, unless it weighs less. A person who repeats an agent's memory accepts
    its text by that: weight, pin, metadata and validity are then the person's.
    """
    accepted = trust.trust_after_repeat(old, repeat)
    if accepted != old.trust:
        old = replace(old, **{name: getattr(repeat, name) for name in _SET_BY_ACCEPTING})
    elif not _is_in_force(old, repeat.created_at):
        old = replace(old, valid_from=repeat.valid_from, valid_until=repeat.valid_until)
    return replace(
        old,
        tags=tuple(sorted({*old.tags, *repeat.tags})[: draft.MOST_TAGS]),
        paths=tuple(dict.fromkeys((*old.paths, *repeat.paths)))[: draft.MOST_PATHS],
        metadata=_join_metadata(old, repeat),
        weight=max(old.weight, repeat.weight),
        importance=max(old.importance, repeat.importance),
        confidence=max(old.confidence, repeat.confidence),
        pinned=old.pinned or repeat.pinned,
        trust=accepted,
        layer=repeat.layer if old.layer else "",
        # Repeated without an end, it has none.
        ttl_ms=repeat.ttl_ms if old.ttl_ms is not None else None,
        expires_at=repeat.expires_at if old.expires_at is not None else None,
    )


def _join_metadata(old: Memory, repeat: Memory) -> str:
    if repeat.metadata in ("", "{}", old.metadata):
        return old.metadata
    facts, more = json.loads(old.metadata or "{}"), json.loads(repeat.metadata)
    joined = {**more, **facts} if old.weight > repeat.weight else {**facts, **more}
    if joined == facts:
        return old.metadata
    return json.dumps(joined, ensure_ascii=False, sort_keys=True)


def _is_in_force(memory: Memory, at: int) -> bool:
    begun = memory.valid_from is None or memory.valid_from <= at
    return begun and (memory.valid_until is None or memory.valid_until > at)


def archive_memory(old: Memory, now_ms: int) -> Memory:
    """A copy of the memory that is archived since ``now_ms``. Raises Conflict if it already is."""
    if old.archived_at is not None:
        raise Conflict(
            f"Memory {old.id} is already archived.",
            f"`gitmem restore {old.id[:12]}` brings it back.",
        )
    return replace(old, archived_at=now_ms)


def restore_memory(old: Memory) -> Memory:
    """A copy of an archived memory, active without an end. Raises Conflict if it is active."""
    if old.archived_at is None:
        raise Conflict(f"Memory {old.id} is not archived.", "There is nothing to restore.")
    return replace(old, archived_at=None, ttl_ms=None, expires_at=None)


def mark_superseded(old: Memory, superseding_id: str, now_ms: int) -> Memory:
    """A copy of the memory that the one with the id ``superseding_id`` replaces since ``now_ms``.

    Raises Conflict if a third memory replaced it before.
    """
    if old.superseded_by and old.superseded_by != superseding_id:
        raise Conflict(
            f"Memory {old.id} was already superseded by {old.superseded_by}.",
            f"Supersede {old.superseded_by} instead.",
        )
    if old.superseded_by:
        return old
    status = "superseded" if old.kind == "decision" else old.status
    until = _earlier(old.valid_until, now_ms)
    return replace(old, superseded_by=superseding_id, status=status, valid_until=until)


def set_memory_trust_tier(old: Memory, tier: str) -> Memory:
    """A copy of the memory with ``tier``, accepted or foreign, as trust. Conflict if it has it."""
    if old.trust_tier == tier or (tier == "accepted" and old.trust_tier == "person"):
        state = "foreign" if tier == "foreign" else "trusted"
        raise Conflict(f"Memory {old.id} is already {state}.", "There is nothing to change.")
    return replace(old, trust=tier)


def _earlier(end: int | None, now_ms: int) -> int:
    return now_ms if end is None else min(end, now_ms)


def _clean(text: str) -> str:
    return redact.redact(text).text
