"""Which lines and names of a block of code tell it from others, none of them part of a secret."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_PROBE = 160
MOST_PROBES = 3
MOST_NAMES = 12
_WEIGHED = 100  # lines


def probes(lines: Sequence[str]) -> tuple[str, ...]:
    """The most telling lines: those with the most names that are not short."""
    long = sorted({line: None for line in map(_cut, lines) if line}, key=len, reverse=True)
    ranked = {line: _weight(line) for line in long[:_WEIGHED]}
    best = sorted((line for line in ranked if ranked[line]), key=lambda line: -ranked[line])
    return tuple([line for line in best[: 2 * MOST_PROBES] if harmless(line)][:MOST_PROBES])


def _cut(line: str) -> str:
    """A line without its margins, and without a word that would not be whole."""
    bare = line.strip()
    if len(bare) <= LONGEST_PROBE:
        return bare
    end = LONGEST_PROBE
    while end and (bare[end - 1].isalnum() or bare[end - 1] == "_"):
        end -= 1
    return bare[:end].rstrip()


def _weight(line: str) -> int:
    return sum(min(len(word), 20) for word in set(_identifiers(line)) if len(word) > 1)


def names(lines: Sequence[str]) -> tuple[str, ...]:
    """Names in a block, the longest first."""
    found = {word for line in lines for word in _identifiers(line[:1_000]) if len(word) > 3}
    ranked = sorted(found, key=lambda name: (-len(name), name))[: 2 * MOST_NAMES]
    return tuple([name for name in ranked if len(name) <= 80 and harmless(name)][:MOST_NAMES])


def _identifiers(line: str) -> list[str]:
    import re  # noqa: PLC0415 - only where something is anchored

    return re.findall(r"[^\W\d]\w*", line)


def harmless_of(lines: Sequence[str], around: str) -> list[str]:
    """Those lines that the store would leave as they are, in the text they stand in."""
    from gitmem.text import redact  # noqa: PLC0415 - only where something is anchored

    result = redact.redact(around)
    if not result.found:
        return list(lines)
    left = set(result.text.split("\n"))
    return [line for line in lines if line in left]


def harmless(text: str) -> bool:
    """Whether the text holds nothing that the store would take out."""
    from gitmem.text import redact  # noqa: PLC0415 - only where something is anchored

    return not redact.redact(text).found
