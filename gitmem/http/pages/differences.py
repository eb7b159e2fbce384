"""Differences of texts and of code, as plain data: parts that are the same, gone or new."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

# Longer texts are shown whole, without marks: comparing them would take seconds.
_MOST_WORDS, _MOST_LINES = 4_000, 1_500
# Lines of which less is alike are shown as replaced, without marks inside.
_ALIKE = 0.4
# Unchanged lines around a change; characters of a line.
_AROUND, _WIDTH = 3, 300
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")

Part = tuple[str, str]


def diff_words(old_text: str, new_text: str) -> list[Part]:
    """Compare two texts; returns parts (mark, text): ``same``, ``gone`` (only old) or ``new``."""
    old, new = _WORDS.findall(old_text), _WORDS.findall(new_text)
    if len(old) + len(new) > _MOST_WORDS:
        return [("gone", old_text), ("new", new_text)]
    parts: list[Part] = []
    for what, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what == "equal":
            parts.append(("same", "".join(old[a:b])))
            continue
        parts += [("gone", "".join(old[a:b]))] if b > a else []
        parts += [("new", "".join(new[c:d]))] if d > c else []
    return parts


def diff_lines(
    old_lines: Sequence[str],
    new_lines: Sequence[str],
    old_start: int,
    new_start: int,
    max_lines: int,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Compare two versions of some lines; returns the old and the new lines to show.

    Each line is a dict: ``number``, ``mark`` (same, gone, new, gap) and ``parts`` (mark, text).
    ``old_start`` and ``new_start`` are the numbers of the first lines. Of unchanged lines only
    those near a change are shown, and at most ``max_lines`` on each side.
    """
    before: list[dict[str, Any]] = []
    after: list[dict[str, Any]] = []
    old_lines, new_lines = old_lines[:_MOST_LINES], new_lines[:_MOST_LINES]
    steps = SequenceMatcher(None, old_lines, new_lines, autojunk=False).get_opcodes()
    for place, (what, a, b, c, d) in enumerate(steps):
        if what == "equal":
            for at in _near(b - a, head=place > 0, tail=place < len(steps) - 1):
                if at is None:
                    before.append(GAP)
                    after.append(GAP)
                    continue
                before.append(code_line(old_start + a + at, old_lines[a + at]))
                after.append(code_line(new_start + c + at, new_lines[c + at]))
            continue
        left = [code_line(old_start + at, old_lines[at], "gone") for at in range(a, b)]
        right = [code_line(new_start + at, new_lines[at], "new") for at in range(c, d)]
        for gone, came in zip(left, right, strict=False):
            _mark_inside(gone, came)
        before += left
        after += right
    return before[:max_lines], after[:max_lines]


def replacing_line_range(
    old_lines: Sequence[str], new_lines: Sequence[str], first_old_line: int, last_old_line: int
) -> tuple[int, int]:
    """The numbers of the first and last of ``new_lines`` that replaced some of ``old_lines``.

    Those are ``first_old_line`` to ``last_old_line``. Numbers count from 1, both ends included; if
    the last is less than the first, none did.
    """
    start = end = 0
    for _, a, b, c, d in SequenceMatcher(None, old_lines, new_lines).get_opcodes():
        if a <= first_old_line - 1 < b:
            start = c + min(first_old_line - 1 - a, d - c) + 1
        if a < last_old_line <= b:
            end = d - min(b - last_old_line, d - c)
    return start, end


GAP: dict[str, Any] = {"number": None, "mark": "gap", "parts": [("same", "⋯")]}


def code_line(number: int, text: str, line_state: str = "same") -> dict[str, Any]:
    """A line to show, as a dict: number, mark (``line_state``), parts; cut to 300 characters."""
    shown = text if len(text) <= _WIDTH else text[:_WIDTH] + "…"
    return {"number": number, "mark": line_state, "parts": [("same", shown)]}


def _mark_inside(gone: dict[str, Any], came: dict[str, Any]) -> None:
    """Mark what differs between a line and the one in its place."""
    old, new = gone["parts"][0][1], came["parts"][0][1]
    if SequenceMatcher(None, old, new, autojunk=False).quick_ratio() < _ALIKE:
        return
    merged = diff_words(old, new)
    gone["parts"] = [part for part in merged if part[0] != "new"]
    came["parts"] = [part for part in merged if part[0] != "gone"]


def _near(count: int, *, head: bool, tail: bool) -> list[int | None]:
    """Which of some unchanged lines are shown; None for those left out between."""
    room = _AROUND * (head + tail)
    if count <= room + 1:
        return list(range(count))
    first = list(range(_AROUND)) if head else []
    last = list(range(count - _AROUND, count)) if tail else []
    return [*first, None, *last]
