"""Sessions, in which an agent or person works, and their events."""

from __future__ import annotations

from gitmem.model.frozen import dataclass

# Types of events that belong on no timeline: the path of a session's transcript, how full it was,
# queries to gitmem, the use of a worktree, the reduced output since a compaction, and the tokens in
# its context at its end.
TRANSCRIPT, HEALTH, QUERY, FEATURE = "transcript", "health", "query", "feature"
COMPACTED, TOKENS = "compacted", "tokens"
ASIDE = (TRANSCRIPT, HEALTH, QUERY, FEATURE, COMPACTED, TOKENS)


@dataclass(frozen=True, slots=True)
class Session:
    """A session. Times are milliseconds since the epoch; ``ended_at`` is None while it runs.

    ``files`` are the files viewed, newest first, at most 50.
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
    """Something that happened and has no table of its own: a session note, a purge, an import.

    ``at`` is in milliseconds; ``subject`` is what it is about, ``text`` says more.
    """

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
class LastWorktreeVisit:
    """When a reader last ran `gitmem orient` in a worktree, and what HEAD was then.

    ``base_at`` and ``base_head`` are the time and HEAD from which an orientation tells what is new.
    If the next orientation follows within thirty seconds, it starts from there again.
    """

    worktree: str
    seen_at: int
    head: str
    branch: str
    base_at: int | None
    base_head: str
