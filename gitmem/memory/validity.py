"""What a memory said at a moment. Whether it was in force then asks ``store.validity``."""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.model.memory import Memory, Version


def as_it_was(memory: Memory, earlier: Sequence[Version], at: int) -> Memory:
    """The version of a memory that was current at ``at``.

    ``earlier`` are the versions before it, oldest first, each with the time of the edit that
    replaced it. Before the first the oldest counts.
    """
    return next((version.memory for version in earlier if version.at > at), memory)
