"""What an edit makes of a memory: pure, old value and wish in, new value out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from gitmem.errors import Conflict, InvalidInput
from gitmem.memory import draft, feedback, trust
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.text import redact

TYPE_CHECKING = False  # importing typing costs 4 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

NEVER = -1
# A decision that nobody is to follow any more.
ENDED = ("superseded", "deprecated")

# What is the person's to say of a memory that the person accepts by saying the same.
_OF_WHO_ACCEPTS = (
    *("weight", "importance", "confidence", "pinned", "metadata"),
    *("valid_from", "valid_until"),
)


@dataclass(frozen=True, slots=True)
class Changes:
    """What is to be different; None means "as it is". ``tags`` and ``paths`` replace the old.

    ``ttl_ms`` may be ``NEVER``; a key of ``metadata`` with the value None is taken away.
    """

    content: str | None = None
    title: str | None = None
    kind: str | None = None
    tags: tuple[str, ...] | None = None
    paths: tuple[str, ...] | None = None
    weight: int | None = None
    importance: float | None = None
    confidence: float | None = None
    status: str | None = None
    ttl_ms: int | None = None
    metadata: Mapping[str, object] | None = None


def revised(
    old: Memory, changes: Changes, *, now: int, max_bytes: int, by_agent: bool = False
) -> Memory:
    """The memory after the changes; metadata is merged key by key. Raises InvalidInput.

    Words that an agent changed (``by_agent``) are trusted as an agent's from then on.
    """
    new = replace(old, **_checked(old, changes, max_bytes))
    new = _timed(new, changes.ttl_ms, now)
    if changes.metadata:
        if by_agent and feedback.KEY in changes.metadata:
            raise InvalidInput(
                f"The fact {feedback.KEY!r} holds what readers said of this memory.",
                "Leave it out; `gitmem feedback` adds to it.",
            )
        new = replace(new, metadata=_merged(old.metadata, changes.metadata, max_bytes))
    # One that was remembered as a decision has none, and may be edited nevertheless.
    had_none = old.kind == "decision" and not old.title
    if new.kind == "decision" and not (new.title or had_none):
        raise InvalidInput("A decision needs a title.", "Give one line that says what was decided.")
    if new.status and new.kind != "decision":
        raise InvalidInput(
            "Only a decision has a status.", "Use `gitmem forget` to archive a memory."
        )
    if (new.title, new.content) != (old.title, old.content):
        new = replace(new, trust=trust.after_edit(old, by_agent=by_agent))
    return _dated(old, new, now) if changes.status else new


def _checked(old: Memory, changes: Changes, max_bytes: int) -> dict[str, Any]:
    """The fields that were said anew, checked as if they were said now. Raises InvalidInput."""
    empty = old.kind == "decision" and bool(changes.title or old.title)
    checks: dict[str, Callable[[Any], Any]] = {
        "content": lambda text: _clean(draft.check_content(text, max_bytes, allow_empty=empty)),
        "title": lambda text: _clean(draft.check_title(text)),
        "kind": draft.check_kind,
        "tags": lambda tags: draft.check_tags(map(_clean, tags)),
        "paths": draft.check_paths,
        "weight": lambda number: int(draft.bounded("weight", number, 1, 5, old.weight)),
        "importance": lambda number: draft.bounded("importance", number, 0, 1, old.importance),
        "confidence": lambda number: draft.bounded("confidence", number, 0, 1, old.confidence),
        "status": draft.check_status,
    }
    said = {name: getattr(changes, name) for name in checks}
    return {name: checks[name](value) for name, value in said.items() if value is not None}


def _timed(memory: Memory, ttl_ms: int | None, now: int) -> Memory:
    """With the end that was said anew; None: as it is."""
    if ttl_ms is None:
        return memory
    if ttl_ms == NEVER:
        return replace(memory, ttl_ms=None, expires_at=None)
    # It stands: the uses of before would move it, or take it away at once.
    return replace(memory, ttl_ms=None, expires_at=now + ttl_ms)


def _merged(old: str, changes: Mapping[str, object], max_bytes: int) -> str:
    wanted = {**json.loads(old or "{}"), **changes}
    kept = {key: value for key, value in wanted.items() if value is not None}
    merged, _ = redact.redact_value(draft.check_metadata(kept, max_bytes))
    return json.dumps(merged, ensure_ascii=False, sort_keys=True)


def _dated(old: Memory, new: Memory, now: int) -> Memory:
    """With the end that a new status puts to a decision, or takes from it."""
    if new.status in ENDED and old.status not in ENDED:
        new = replace(new, valid_until=_sooner(old.valid_until, now))
    if new.status not in ENDED and old.status in ENDED:
        new = replace(new, valid_until=None)
    if new.status != "superseded" and old.status == "superseded":
        new = replace(new, superseded_by="")
    return new


def reinforced(old: Memory, memory: Memory) -> Memory:
    """An exact repeat strengthens what is there: tags and paths join, the larger numbers win.

    A person who says what an agent said accepts its words by that, and nothing else that bears on
    whether, when and how prominently it is shown: that is as the person says.
    """
    accepted = trust.after_repeat(old, memory)
    if accepted != old.trust:
        old = replace(old, **{name: getattr(memory, name) for name in _OF_WHO_ACCEPTS})
    elif not _holds(old, memory.created_at):
        old = replace(old, valid_from=memory.valid_from, valid_until=memory.valid_until)
    return replace(
        old,
        tags=tuple(sorted({*old.tags, *memory.tags})[: draft.MOST_TAGS]),
        paths=tuple(dict.fromkeys((*old.paths, *memory.paths)))[: draft.MOST_PATHS],
        weight=max(old.weight, memory.weight),
        importance=max(old.importance, memory.importance),
        confidence=max(old.confidence, memory.confidence),
        pinned=old.pinned or memory.pinned,
        trust=accepted,
        layer=memory.layer if old.layer else "",
        # Said again without an end, it has none.
        ttl_ms=memory.ttl_ms if old.ttl_ms is not None else None,
        expires_at=memory.expires_at if old.expires_at is not None else None,
    )


def _holds(memory: Memory, at: int) -> bool:
    begun = memory.valid_from is None or memory.valid_from <= at
    return begun and (memory.valid_until is None or memory.valid_until > at)


def archived(old: Memory, now: int) -> Memory:
    """Put away, to be brought back by ``restored``. Raises Conflict where it is already."""
    if old.archived_at is not None:
        raise Conflict(
            f"Memory {old.id} is already archived.",
            f"`gitmem restore {old.id[:12]}` brings it back.",
        )
    return replace(old, archived_at=now)


def restored(old: Memory) -> Memory:
    """Back from the archive, without an expiry. Raises Conflict where it was not archived."""
    if old.archived_at is None:
        raise Conflict(f"Memory {old.id} is not archived.", "There is nothing to restore.")
    return replace(old, archived_at=None, ttl_ms=None, expires_at=None)


def superseded(old: Memory, by: str, now: int) -> Memory:
    """Replaced by another memory, and in force until ``now``.

    Raises Conflict where another one did so before.
    """
    if old.superseded_by and old.superseded_by != by:
        raise Conflict(
            f"Memory {old.id} was already superseded by {old.superseded_by}.",
            f"Supersede {old.superseded_by} instead.",
        )
    if old.superseded_by:
        return old
    status = "superseded" if old.kind == "decision" else old.status
    until = _sooner(old.valid_until, now)
    return replace(old, superseded_by=by, status=status, valid_until=until)


def trusted(old: Memory, tier: str) -> Memory:
    """Accepted by a person, or taken for foreign. Raises Conflict where it is that already."""
    if old.tier == tier or (tier == "accepted" and old.tier == "person"):
        said = "foreign" if tier == "foreign" else "trusted"
        raise Conflict(f"Memory {old.id} is already {said}.", "There is nothing to change.")
    return replace(old, trust=tier)


def _sooner(end: int | None, now: int) -> int:
    return now if end is None else min(end, now)


def _clean(text: str) -> str:
    return redact.redact(text).text
