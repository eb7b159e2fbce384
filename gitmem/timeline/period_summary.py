"""A stretch of the timeline in a few lines: how much, what was decided, done and left. Pure.

Each line is of entries as they stand, and names them: nothing is worded anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitmem.model.frozen import dataclass
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity
from gitmem.timeline.entries import Entry

MOST = 5
WIDTH = 200
# Type of entry -> what it is called where it is counted.
_TYPES = (
    *(("commit", "commit"), ("session start", "session"), ("decision", "decision")),
    *(("memory", "other memory"), ("note", "note")),
)


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """``label`` is all, decided, done, committed, noted or left; ``refs`` are those of entries."""

    label: str
    text: str
    refs: tuple[str, ...]


def summary(entries: Sequence[Entry]) -> list[SummaryLine]:
    """What happened in some entries, which are in order; empty where nothing did."""
    if not entries:
        return []
    newest = [*reversed(entries)]
    ended = {entry.ref for entry in entries if entry.type == "session end"}
    done = [one for one in newest if one.type == "session end" and one.text]
    running = [
        one for one in newest if one.type == "session start" and one.text and one.ref not in ended
    ]
    return [
        SummaryLine("all", _counts(entries), ()),
        *_lines("decided", _of(newest, "decision")),
        *_lines("done", done),
        *_lines("committed", _of(newest, "commit")),
        *_lines("noted", _of(newest, "note")),
        *_lines("left", running),
    ]


def _counts(entries: Sequence[Entry]) -> str:
    """``12 commits by 2 people, 1 session``."""
    told = []
    for type, name in _TYPES:
        many = sum(entry.type == type for entry in entries)
        if many:
            who = {entry.who for entry in entries if entry.type == type and type == "commit"}
            told.append(quantity(many, name) + (f" by {len(who)} people" if len(who) > 1 else ""))
    return ", ".join(told)


def _of(entries: Iterable[Entry], type: str) -> list[Entry]:
    return [entry for entry in entries if entry.type == type and entry.text]


def _lines(label: str, found: Sequence[Entry]) -> list[SummaryLine]:
    """The newest, one a line, those that say the same once; then how many more there are."""
    said: dict[str, list[str]] = {}
    for one in found:
        said.setdefault(one_line(one.text, WIDTH), []).append(one.ref)
    lines = [SummaryLine(label, text, tuple(refs)) for text, refs in said.items()]
    if len(lines) <= MOST:
        return lines
    rest = tuple(ref for line in lines[MOST:] for ref in line.refs)
    return [*lines[:MOST], SummaryLine(label, f"… {len(lines) - MOST} more", rest)]
