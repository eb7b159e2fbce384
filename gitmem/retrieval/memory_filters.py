"""Which filter over memories leaves nothing, told to somebody who found nothing."""

from __future__ import annotations

from gitmem.retrieval.request_filters import Views
from gitmem.store.memory import memories
from gitmem.store.memory.filters import Filter
from gitmem.text.fence import one_line


def left_nothing(views: Views, wanted: Filter) -> tuple[str, ...]:
    """A sentence for each filter that no memory passes, in whatever state it is."""
    each = [(f"is of kind {kind}", Filter(states=(), kinds=(kind,))) for kind in wanted.kinds]
    each += [(f"has the tag {tag}", Filter(states=(), tags=(tag,))) for tag in wanted.tags]
    if wanted.agent:
        each.append((f"was written by {wanted.agent}", Filter(states=(), agent=wanted.agent)))
    if wanted.path:
        each.append((f"is about {wanted.path}", Filter(states=(), path=wanted.path)))
    return tuple(
        f"No memory {one_line(said, 100)}."
        for said, alone in each
        if not any(memories.count(database, alone) for database in views)
    )
