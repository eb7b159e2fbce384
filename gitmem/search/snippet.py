"""The few lines of a piece that answer best: pure."""

from __future__ import annotations

from collections.abc import Sequence

LINES = 4


def snippet(text: str, labels: Sequence[str], lines: int = LINES) -> str:
    """At most ``lines`` lines: those that together hold the most labels, from just before the line
    that holds the most of them."""
    parts = [line.rstrip() for line in text.split("\n")]
    words = [label.lower() for label in labels]
    held = [{word for word in words if word in line} for line in map(str.lower, parts)]
    if not any(held):
        start = next((index for index, line in enumerate(parts) if line.strip()), 0)
    else:
        around = [set().union(*held[index : index + lines]) for index in range(len(parts))]
        # Of those that hold as many: where the best line is the second, after what leads to it.
        start = max(
            range(len(parts)),
            key=lambda index: (len(around[index]), _best_at(held[index : index + lines]), -index),
        )
    start = max(0, min(start, len(parts) - lines))
    return "\n".join(parts[start : start + lines]).strip("\n")


def around(text: str, labels: Sequence[str], lines: int) -> str:
    """The line that holds the most labels, with so many before and after it."""
    parts = [line.rstrip() for line in text.split("\n")]
    words = [label.lower() for label in labels]
    best = max(
        range(len(parts)),
        key=lambda index: (
            sum(word in parts[index].lower() for word in words),
            bool(parts[index].strip()),
            -index,
        ),
    )
    return "\n".join(parts[max(0, best - lines) : best + lines + 1]).strip("\n")


def _best_at(held: Sequence[set[str]]) -> int:
    """How well the line with the most labels is placed: second, then first, then further down."""
    best = max(range(len(held)), key=lambda index: (len(held[index]), -index))
    return (1, 2, 0, -1)[best] if best < 4 else -2
