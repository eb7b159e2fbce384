"""The timeline: sessions, notes, memories, decisions and commits in one ordered list. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from gitmem.git.log_output import Commit
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.model.session import Event, Session
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """An event of the timeline ``at`` a time (ms since 1970); ``ref`` is the id it is about.

    ``type`` is commit, decision, memory, note, session start ..., ``who`` the author or agent.
    """

    at: int
    type: str
    ref: str
    who: str
    text: str


def entries_of_commits(commits: Iterable[Commit]) -> list[TimelineEntry]:
    """A TimelineEntry for each commit, at its commit date."""
    return [
        TimelineEntry(
            commit.committed_time * 1000, "commit", commit.sha, commit.author, commit.subject
        )
        for commit in commits
    ]


def entries_of_sessions(sessions: Iterable[Session]) -> list[TimelineEntry]:
    """A TimelineEntry for the start of each session, and one for its end if it ended."""
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
    """A TimelineEntry for each note or other event of sessions."""
    return [
        TimelineEntry(
            event.at, event.type, event.session or event.commit or event.id, event.agent, event.text
        )
        for event in events
    ]


def entries_of_memories(
    memories: Iterable[Memory], mark_headline: Callable[[str, str, str], str]
) -> list[TimelineEntry]:
    """A TimelineEntry for each memory and decision, at its creation.

    ``mark_headline`` (``memory.trust.headline_with_marks``) adds to its headline what its state and
    trust call for.
    """
    return [
        TimelineEntry(
            memory.created_at,
            "decision" if memory.kind == "decision" else "memory",
            memory.id,
            memory.agent,
            mark_headline(memory.headline, memory.state, memory.trust_tier),
        )
        for memory in memories
    ]


def newest_entries(
    entries: Iterable[TimelineEntry], since_ms: int, until_ms: int, limit: int
) -> list[TimelineEntry]:
    """The newest ``limit`` entries between two times (ms since 1970), the oldest first."""
    inside = [entry for entry in entries if since_ms <= entry.at <= until_ms]
    inside.sort(key=lambda entry: (entry.at, entry.type, entry.ref))
    return inside[-limit:]


MAX_SUMMARY_ITEMS = 5
WIDTH = 200
# Type of entry -> its name in the counts.
_TYPES = (
    *(("commit", "commit"), ("session start", "session"), ("decision", "decision")),
    *(("memory", "other memory"), ("note", "note")),
)


@dataclass(frozen=True, slots=True)
class TimelineSummaryLine:
    """A line of a summary of the timeline, and ``refs``, the ids of the entries it is about.

    ``label`` is all (counts), decided, done, committed, noted or left (sessions that go on).
    """

    label: str
    text: str
    refs: tuple[str, ...]


def summarise_timeline_entries(entries: Sequence[TimelineEntry]) -> list[TimelineSummaryLine]:
    """TimelineSummaryLines on some entries, which are the oldest first; empty without entries."""
    if not entries:
        return []
    newest = [*reversed(entries)]
    ended = {entry.ref for entry in entries if entry.type == "session end"}
    ended_with_summary = [entry for entry in newest if entry.type == "session end" and entry.text]
    running = [
        entry
        for entry in newest
        if entry.type == "session start" and entry.text and entry.ref not in ended
    ]
    return [
        TimelineSummaryLine("all", _counts(entries), ()),
        *_lines("decided", _of_type(newest, "decision")),
        *_lines("done", ended_with_summary),
        *_lines("committed", _of_type(newest, "commit")),
        *_lines("noted", _of_type(newest, "note")),
        *_lines("left", running),
    ]


def _counts(entries: Sequence[TimelineEntry]) -> str:
    """``12 commits by 2 people, 1 session``."""
    parts = []
    for type, name in _TYPES:
        many = sum(entry.type == type for entry in entries)
        if many:
            who = {entry.who for entry in entries if entry.type == type and type == "commit"}
            parts.append(quantity(many, name) + (f" by {len(who)} people" if len(who) > 1 else ""))
    return ", ".join(parts)


def _of_type(entries: Iterable[TimelineEntry], type: str) -> list[TimelineEntry]:
    return [entry for entry in entries if entry.type == type and entry.text]


def _lines(label: str, entries: Sequence[TimelineEntry]) -> list[TimelineSummaryLine]:
    """A line for each of the newest texts, then a line with the number of others."""
    refs_by_text: dict[str, list[str]] = {}
    for entry in entries:
        refs_by_text.setdefault(one_line(entry.text, WIDTH), []).append(entry.ref)
    lines = [TimelineSummaryLine(label, text, tuple(refs)) for text, refs in refs_by_text.items()]
    if len(lines) <= MAX_SUMMARY_ITEMS:
        return lines
    rest = tuple(ref for line in lines[MAX_SUMMARY_ITEMS:] for ref in line.refs)
    return [
        *lines[:MAX_SUMMARY_ITEMS],
        TimelineSummaryLine(label, f"… {len(lines) - MAX_SUMMARY_ITEMS} more", rest),
    ]
