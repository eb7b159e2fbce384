"""Suggestions that wait for consent, and the log of merged memories."""

from __future__ import annotations

from gitmem.model.frozen import dataclass

# A memory that capture proposes; two that could be merged, are equal, or contradict each other; one
# that the code has made untrue; two versions of one memory, from different devices.
KINDS = ("memory", "merge", "duplicate", "contradiction", "stale", "version")
# As ``other``: the memory is to be kept for every project.
EVERYWHERE = "global"
PENDING, ACCEPTED, REJECTED = "pending", "accepted", "rejected"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A suggested change to memories, to be accepted or rejected.

    ``key`` identifies what it is about independently of ids, so that what was rejected is not
    suggested again. ``memory`` and ``other`` are ids of memories (``other`` may be empty, or
    "global" for every project), ``similarity`` is 0 to 1, ``agent`` is who suggested it, empty for
    gitmem itself. Times are milliseconds since 1970; one for which the inbox has no room is stored
    as rejected, without ``resolved_at``.
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
    def is_queued(self) -> bool:
        """Whether the suggestion is undecided, and waits until the inbox has room."""
        return self.state == REJECTED and self.resolved_at is None

    @property
    def is_for_all_projects(self) -> bool:
        """Whether the suggestion is to make a memory apply to every project."""
        return self.other == EVERYWHERE

    @property
    def is_open(self) -> bool:
        """Whether the suggestion is undecided."""
        return self.state == PENDING or self.is_queued


@dataclass(frozen=True, slots=True)
class MergeRecord:
    """A merge of the memory ``source`` into the memory ``target``, by ids.

    ``before_version`` and ``after_version`` are the numbers of the target's versions. Times are
    milliseconds since 1970; ``undone_at`` is None unless the merge was undone.
    """

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
