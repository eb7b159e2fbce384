"""Which definitions a change touched: from definitions with their lines and changed lines. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitmem.model.frozen import dataclass

MOST_LINES = 20_000  # of a file's changed lines that are looked at

# Name with the names around it, first and last line.
Span = tuple[str, int, int]
Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Touched:
    """The names of definitions that came, went, and have other lines than before."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[str, ...]


def touched(
    before: Sequence[Span],
    after: Sequence[Span],
    removed: Iterable[Range],
    added: Iterable[Range],
) -> Touched:
    """What a change did to the definitions of a file, each name once and in order of its lines.

    ``removed`` are lines of the old version, ``added`` of the new one. A line belongs to the
    innermost definition around it.
    """
    old, new = {name for name, *_ in before}, {name for name, *_ in after}
    gone = _around(before, removed)
    come = _around(after, added)
    fresh = tuple(name for name in come if name not in old)
    lost = tuple(name for name in gone if name not in new)
    kept = [name for name in come if name in old]
    kept += [name for name in gone if name in new and name not in kept]
    return Touched(fresh, lost, tuple(kept))


def _around(spans: Sequence[Span], ranges: Iterable[Range]) -> list[str]:
    """The innermost definition around each line, each once, by where they begin."""
    lines: set[int] = set()
    for first, last in ranges:
        lines.update(range(first, min(last, first + MOST_LINES) + 1))
        if len(lines) > MOST_LINES:
            break
    found: dict[str, None] = {}
    # An inner definition comes after the one it stands in, and takes the lines from it.
    owner: dict[int, str] = {}
    for name, first, last in sorted(spans, key=lambda span: (span[1], -span[2])):
        for line in range(first, min(last, first + MOST_LINES) + 1):
            if line in lines:
                owner[line] = name
    for line in sorted(owner):
        found[owner[line]] = None
    return list(found)
