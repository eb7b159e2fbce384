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
    """A stretch of work by an agent or person. Times are milliseconds since 1970.

    ``ended_at`` is None while it runs. ``files`` are the files viewed, newest first, at most 50.
    ``client_id`` is its id with the agent's program, ``head_start`` and ``head_end`` are commits.
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

    ``at`` is milliseconds since 1970; ``subject`` is what it is about, ``text`` says more.
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
    """When somebody last ran `gitmem orient` in a worktree, and what HEAD was then.

    ``base_at`` and ``base_head`` are the time and HEAD since which it tells what is new. If it is
    run again within thirty seconds, it starts from there again. Times are milliseconds since 1970.
    """

    worktree: str
    seen_at: int
    head: str
    branch: str
    base_at: int | None
    base_head: str
