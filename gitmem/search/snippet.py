"""The few lines of a piece that answer best: pure."""

from __future__ import annotations

from collections.abc import Sequence

LINES = 4


def snippet(text: str, labels: Sequence[str], lines: int = LINES) -> str:
    """At most ``lines`` lines: those from just before the line that holds the most labels."""
    parts = [line.rstrip() for line in text.split("\n")]
    words = [label.lower() for label in labels]
    counts = [sum(word in line.lower() for word in words) for line in parts]
    best = max(range(len(parts)), key=lambda index: (counts[index], -index), default=0)
    if not any(counts):
        best = next((index for index, line in enumerate(parts) if line.strip()), 0)
    start = max(0, min(best - 1, len(parts) - lines))
    return "\n".join(parts[start : start + lines]).strip("\n")
