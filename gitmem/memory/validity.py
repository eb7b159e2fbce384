"""Finding the version of a memory that was current at a given time."""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.model.memory import Memory, Version


def version_at(memory: Memory, earlier: Sequence[Version], at: int) -> Memory:
    """The version of a memory at ``at`` (milliseconds), or the oldest one.

    ``earlier`` are its earlier versions, oldest first, each with the time when it was replaced.
    """
    return next((version.memory for version in earlier if version.at > at), memory)
