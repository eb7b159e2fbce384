"""The timeline: sessions, notes, memories, decisions and commits in one ordered list. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from gitmem.git.log_output import Commit
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.model.session import Event, Session


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """An event ``at`` a time (milliseconds); ``ref`` is the id of the memory, session or commit."""

    at: int
    type: str
    ref: str
    who: str
    text: str


def entries_of_commits(commits: Iterable[Commit]) -> list[TimelineEntry]:
    """An entry for each commit, at its commit date."""
    return [
        TimelineEntry(
            commit.committed_time * 1000, "commit", commit.sha, commit.author, commit.subject
        )
        for commit in commits
    ]


def entries_of_sessions(sessions: Iterable[Session]) -> list[TimelineEntry]:
    """An entry for the start of each session, and one for its end."""
    entries = []
    for session in sessions:
        entries.append(
            TimelineEntry(
                session.started_at, "session start", session.id, session.agent, session.goal
            )
        )
        if session.ended_at is not None:
            entries.append(
                TimelineEntry(
                    session.ended_at, "session end", session.id, session.agent, session.summary
                )
            )
    return entries


def entries_of_events(events: Iterable[Event]) -> list[TimelineEntry]:
    """An entry for each note or other event."""
    return [
        TimelineEntry(
            event.at, event.type, event.session or event.commit or event.id, event.agent, event.text
        )
        for event in events
    ]


def entries_of_memories(memories: Iterable[Memory]) -> list[TimelineEntry]:
    """An entry for each memory and decision, at its creation."""
    return [
        TimelineEntry(
            memory.created_at,
            "decision" if memory.kind == "decision" else "memory",
            memory.id,
            memory.agent,
            memory.headline,
        )
        for memory in memories
    ]


def ordered(
    entries: Iterable[TimelineEntry], since: int, until: int, limit: int
) -> list[TimelineEntry]:
    """The newest ``limit`` entries between two times, the oldest first."""
    inside = [entry for entry in entries if since <= entry.at <= until]
    inside.sort(key=lambda entry: (entry.at, entry.type, entry.ref))
    return inside[-limit:]
