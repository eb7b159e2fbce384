"""Summarising a period of the timeline: counts, decisions, work done and work left. Pure.

Each line quotes entries and names them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitmem.model.frozen import dataclass
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity
from gitmem.timeline.entries import TimelineEntry

MOST = 5
WIDTH = 200
# Type of entry -> its name in the counts.
_TYPES = (
    *(("commit", "commit"), ("session start", "session"), ("decision", "decision")),
    *(("memory", "other memory"), ("note", "note")),
)


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """A line; ``label`` is all, decided, done, committed, noted or left, ``refs`` its entries."""

    label: str
    text: str
    refs: tuple[str, ...]


def summary(entries: Sequence[TimelineEntry]) -> list[SummaryLine]:
    """The summary of some timeline entries in order, as lines; empty without entries."""
    if not entries:
        return []
    newest = [*reversed(entries)]
    ended = {entry.ref for entry in entries if entry.type == "session end"}
    done = [entry for entry in newest if entry.type == "session end" and entry.text]
    running = [
        entry
        for entry in newest
        if entry.type == "session start" and entry.text and entry.ref not in ended
    ]
    return [
        SummaryLine("all", _counts(entries), ()),
        *_lines("decided", _of_type(newest, "decision")),
        *_lines("done", done),
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


def _lines(label: str, entries: Sequence[TimelineEntry]) -> list[SummaryLine]:
    """A line for each of the newest texts, then a line with the number of others."""
    refs_by_text: dict[str, list[str]] = {}
    for entry in entries:
        refs_by_text.setdefault(one_line(entry.text, WIDTH), []).append(entry.ref)
    lines = [SummaryLine(label, text, tuple(refs)) for text, refs in refs_by_text.items()]
    if len(lines) <= MOST:
        return lines
    rest = tuple(ref for line in lines[MOST:] for ref in line.refs)
    return [*lines[:MOST], SummaryLine(label, f"… {len(lines) - MOST} more", rest)]
