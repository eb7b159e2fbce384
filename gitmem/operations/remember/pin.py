"""Pinning: a pinned memory stays on top and never fades."""

from gitmem.app import App
from gitmem.capture.edit_each import MemoryEditOutcomes, edit_memories_by_prefix
from gitmem.model.frozen import replace
from gitmem.operations.outcomes import MemoryIdsRequest, view
from gitmem.operations.registry import WRITE, Operation


def pin(app: App, request: MemoryIdsRequest) -> MemoryEditOutcomes:
    """Pin memories: they stay on top and never fade.

    The result says what was done with each memory, and how many failed (unknown ids, for instance).
    """
    return edit_memories_by_prefix(
        app, request.id, "pinned", lambda memory: replace(memory, pinned=True)
    )


def unpin(app: App, request: MemoryIdsRequest) -> MemoryEditOutcomes:
    """Unpin memories.

    They fade (are archived if unused) as others do. The result says what was done with each memory,
    and how many failed.
    """
    return edit_memories_by_prefix(
        app, request.id, "unpinned", lambda memory: replace(memory, pinned=False)
    )


PIN = Operation("pin", pin, view, WRITE, "01M6ZK3P", tool="pin")

UNPIN = Operation("unpin", unpin, view, WRITE, "01M6ZK3P", tool="unpin")
