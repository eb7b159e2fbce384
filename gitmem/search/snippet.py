"""Choosing the few lines of a piece that answer best. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from gitmem.text.stem import stem

LINES = 4
# Characters of a line that are shown: a longer one is data, or several statements on one line.
LONGEST = 400


def choose_snippet(text: str, question_words: Sequence[str], max_lines: int = LINES) -> str:
    """At most ``max_lines`` adjacent lines of a text, where most of ``question_words`` are.

    A line over 400 characters is cut.
    """
    parts = [line.rstrip() for line in text.split("\n")]
    words = {word: stem(word) for word in map(str.lower, question_words)}
    held = [_held(words, line) for line in parts]
    if not any(held):
        start = next((index for index, line in enumerate(parts) if line.strip()), 0)
    else:
        around = [len(set().union(*held[index : index + max_lines])) for index in range(len(parts))]
        most = max(around)
        # Of those that hold as many: where the best line is the second, after what leads to it.
        start = max(
            (index for index, count in enumerate(around) if count == most),
            key=lambda index: (_best_at(held[index : index + max_lines]), -index),
        )
    start = max(0, min(start, len(parts) - max_lines))
    return _shown(parts[start : start + max_lines], words)


def best_line_with_context(text: str, question_words: Sequence[str], context_lines: int) -> str:
    """The line with most ``question_words``, and ``context_lines`` lines before and after it."""
    parts = [line.rstrip() for line in text.split("\n")]
    words = {word: stem(word) for word in map(str.lower, question_words)}
    best = max(
        range(len(parts)),
        key=lambda index: (
            len(_held(words, parts[index])),
            bool(parts[index].strip()),
            -index,
        ),
    )
    return _shown(parts[max(0, best - context_lines) : best + context_lines + 1], words)


def _held(words: Mapping[str, str], line: str) -> set[str]:
    """The words that a line holds, as they are or inflected: by their stems, which begin them."""
    low = line.lower()
    return {word for word, its in words.items() if its in low}


def _shown(lines: Sequence[str], words: Collection[str]) -> str:
    return "\n".join(_shortened(line, words) for line in lines).strip("\n")


def _shortened(line: str, words: Collection[str]) -> str:
    """A line, of a long one what stands around its first label."""
    if len(line) <= LONGEST:
        return line
    places = [place for place in map(line.lower().find, words) if place >= 0]
    start = max(0, min(min(places, default=0) - LONGEST // 4, len(line) - LONGEST))
    end = start + LONGEST
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")


def _best_at(held: Sequence[set[str]]) -> int:
    """How well the line with the most labels is placed: second, then first, then further down."""
    best = max(range(len(held)), key=lambda index: (len(held[index]), -index))
    return (1, 2, 0, -1)[best] if best < 4 else -2
