"""Sessions: a stretch of work by one agent or person, and what happened in it."""

from __future__ import annotations

from gitmem.model.frozen import dataclass

# Types of events that are nothing that happened: where a session's host keeps the transcript, how
# full it was found, what was asked of gitmem in it, what a worktree is used for, and how much less
# gitmem tells a session since it was compacted.
TRANSCRIPT, HEALTH, QUERY, FEATURE = "transcript", "health", "query", "feature"
COMPACTED = "compacted"
ASIDE = (TRANSCRIPT, HEALTH, QUERY, FEATURE, COMPACTED)


@dataclass(frozen=True, slots=True)
class Session:
    """A session. Times are milliseconds since the epoch; ``ended_at`` is None while it runs.

    ``files`` are the files viewed, newest first, at most 50 (ML-2).
    """

    id: str
    agent: str
    client_id: str
    worktree: str
    branch: str
    head_start: str
    head_end: str
    goal: str
    summary: str
    active_file: str
    started_at: int
    last_at: int
    ended_at: int | None
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the timeline that has no other home: a session note, a purge, an import."""

    id: str
    at: int
    type: str
    session: str
    agent: str
    branch: str
    commit: str
    subject: str
    text: str


@dataclass(frozen=True, slots=True)
class Presence:
    """When somebody last oriented in a worktree, and what they had seen up to then.

    ``base_at`` and ``base_head`` are where the present stretch of work began: an orientation
    within thirty seconds of the last one tells of the same stretch again.
    """

    worktree: str
    seen_at: int
    head: str
    branch: str
    base_at: int | None
    base_head: str
