"""The timeline: sessions, notes, memories, decisions and commits as one ordered list. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from gitmem.git.log_output import Commit
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.model.session import Event, Session


@dataclass(frozen=True, slots=True)
class Entry:
    """What happened ``at`` (milliseconds); ``ref`` names the memory, session or commit."""

    at: int
    type: str
    ref: str
    who: str
    text: str


def of_commits(commits: Iterable[Commit]) -> list[Entry]:
    """A line for each commit, at its commit date."""
    return [
        Entry(commit.committed_time * 1000, "commit", commit.sha, commit.author, commit.subject)
        for commit in commits
    ]


def of_sessions(sessions: Iterable[Session]) -> list[Entry]:
    """A line for each start, and one for each end."""
    entries = []
    for session in sessions:
        entries.append(
            Entry(session.started_at, "session start", session.id, session.agent, session.goal)
        )
        if session.ended_at is not None:
            entries.append(
                Entry(session.ended_at, "session end", session.id, session.agent, session.summary)
            )
    return entries


def of_events(events: Iterable[Event]) -> list[Entry]:
    """Notes and other recorded lines."""
    return [
        Entry(
            event.at, event.type, event.session or event.commit or event.id, event.agent, event.text
        )
        for event in events
    ]


def of_memories(memories: Iterable[Memory]) -> list[Entry]:
    """A line for each memory and decision, when it was first kept."""
    return [
        Entry(
            memory.created_at,
            "decision" if memory.kind == "decision" else "memory",
            memory.id,
            memory.agent,
            memory.headline,
        )
        for memory in memories
    ]


def ordered(entries: Iterable[Entry], since: int, until: int, limit: int) -> list[Entry]:
    """The entries of the interval, the newest ``limit`` of them, oldest first."""
    inside = [entry for entry in entries if since <= entry.at <= until]
    inside.sort(key=lambda entry: (entry.at, entry.type, entry.ref))
    return inside[-limit:]
