"""What waits for somebody's consent, and what was merged into what."""

from __future__ import annotations

from gitmem.model.frozen import dataclass

# A memory that capture proposes; two that could be merged, say the same, or contradict each other;
# one that the code has made untrue.
KINDS = ("memory", "merge", "duplicate", "contradiction", "stale")
# In place of another memory: the one is to hold in every project.
EVERYWHERE = "global"
PENDING, ACCEPTED, REJECTED = "pending", "accepted", "rejected"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Something to accept or to reject. Times are milliseconds since the epoch.

    ``key`` says what it is about, whatever the ids of the moment: what was rejected is never
    suggested again. ``memory`` and ``other`` are ids of memories (``other`` may be empty, or
    ``EVERYWHERE``),
    ``similarity`` is between 0 and 1, ``agent`` is who suggested it, empty for gitmem itself.
    One for which the inbox had no room is rejected without a moment at which somebody did so.
    """

    id: str
    key: str
    kind: str
    memory: str
    other: str
    similarity: float
    reason: str
    state: str
    agent: str
    created_at: int
    resolved_at: int | None = None
    resolved_by: str = ""

    @property
    def queued(self) -> bool:
        """Whether it waits behind a full inbox: nobody has decided about it."""
        return self.state == REJECTED and self.resolved_at is None

    @property
    def everywhere(self) -> bool:
        """Whether it asks to keep a memory, which is in use already, for every project."""
        return self.other == EVERYWHERE

    @property
    def open(self) -> bool:
        """Whether it is still to be decided."""
        return self.state == PENDING or self.queued


@dataclass(frozen=True, slots=True)
class Consolidation:
    """One memory taken into another: the target's versions before and after tell what changed."""

    id: str
    target: str
    source: str
    strategy: str
    similarity: float
    before_version: int
    after_version: int
    agent: str
    at: int
    undone_at: int | None = None
