"""The rule of ``store.validity.clause`` in plain words, for tests to hold it against."""

from __future__ import annotations

from gitmem.model.memory import Memory


def in_force(memory: Memory, at: int) -> bool:
    """Whether it held at ``at`` (milliseconds): since it was said, or since then as it says.

    What was replaced, archived or ran out only later was in force at ``at``; the state of today
    does not count. What was replaced before ends were kept held until its last edit at most. That
    use can move an end (``store.lasting``) is not seen here.
    """
    ends = [end for end in (memory.archived_at, _end(memory)) if end is not None]
    if memory.expires_at is not None and not memory.pinned:
        ends.append(memory.expires_at)
    begins = memory.created_at if memory.valid_from is None else memory.valid_from
    return begins <= at and all(end > at for end in ends)


def _end(memory: Memory) -> int | None:
    replaced = bool(memory.superseded_by) or memory.status in ("superseded", "deprecated")
    return memory.updated_at if replaced and memory.valid_until is None else memory.valid_until
