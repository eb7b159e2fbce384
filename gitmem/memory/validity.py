"""The text of a memory at a moment; ``store.validity`` knows whether it was in force then."""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.model.memory import Memory, Version


def as_it_was(memory: Memory, earlier: Sequence[Version], at: int) -> Memory:
    """The version of a memory that was current at ``at`` (milliseconds), or the oldest.

    ``earlier`` are its earlier versions, oldest first, each with the time when it was replaced.
    """
    return next((version.memory for version in earlier if version.at > at), memory)
