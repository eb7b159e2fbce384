"""The similarity of names, to suggest known names for a mistyped one. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from gitmem.text import identifiers

ALIKE = 0.85
# Names that share this much of their parts are similar too.
SHARED = 0.5
_PREFIX = 4
_BONUS = 0.1


def closest_names(name: str, names: Iterable[str], limit: int) -> list[str]:
    """Those of ``names`` that are most similar to a name, at most ``limit``, the best first."""
    graded = [(name_similarity(name, candidate), candidate) for candidate in names]
    alike = sorted((-score, len(candidate), candidate) for score, candidate in graded if score)
    return [candidate for _, _, candidate in alike[:limit]]


def name_similarity(name: str, other: str) -> float:
    """How alike two names are, 0 to 1; 0 if they are too unlike to suggest the other name.

    Their spelling in camel or snake case does not matter.
    """
    mine, theirs = identifiers.split_identifiers(name), identifiers.split_identifiers(other)
    letters = jaro_winkler("".join(mine), "".join(theirs))
    shared = len(set(mine) & set(theirs)) / max(len(set(mine)), len(set(theirs)), 1)
    return max(letters if letters >= ALIKE else 0.0, shared if shared >= SHARED else 0.0)


def jaro_winkler(name: str, other: str) -> float:
    """The Jaro-Winkler similarity of two texts, 0 to 1.

    That is the Jaro similarity, raised for a common beginning of up to four characters: Winkler,
    "String Comparator Metrics and Enhanced Decision Rules" (1990), p = 0.1.
    """
    jaro = _jaro(name, other)
    common = 0
    for a, b in zip(name[:_PREFIX], other[:_PREFIX], strict=False):
        if a != b:
            break
        common += 1
    return jaro + common * _BONUS * (1 - jaro)


def _jaro(name: str, other: str) -> float:
    if name == other:
        return 1.0
    reach = max(len(name), len(other)) // 2 - 1
    used = [False] * len(other)
    met: list[str] = []
    for at, letter in enumerate(name):
        for near in range(max(0, at - reach), min(at + reach + 1, len(other))):
            if not used[near] and other[near] == letter:
                used[near] = True
                met.append(letter)
                break
    if not met:
        return 0.0
    back = [letter for letter, matched in zip(other, used, strict=True) if matched]
    moved = sum(a != b for a, b in zip(met, back, strict=True)) / 2
    share = len(met)
    return (share / len(name) + share / len(other) + (share - moved) / share) / 3
