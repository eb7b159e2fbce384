"""What waits for somebody's consent, and what was merged into what."""

from __future__ import annotations

from gitmem.model.frozen import dataclass

# A memory that capture proposes; two that could be merged, say the same, or contradict each other;
# one that the code has made untrue.
KINDS = ("memory", "merge", "duplicate", "contradiction", "stale")
PENDING, ACCEPTED, REJECTED = "pending", "accepted", "rejected"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Something to accept or to reject. Times are milliseconds since the epoch.

    ``key`` says what it is about, whatever the ids of the moment: what was rejected is never
    suggested again. ``memory`` and ``other`` are ids of memories (``other`` may be empty),
    ``similarity`` is between 0 and 1, ``agent`` is who suggested it, empty for gitmem itself.
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
