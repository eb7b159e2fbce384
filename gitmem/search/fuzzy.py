"""How alike two names are, for one that was typed wrong (CE-26)."""

from __future__ import annotations

ALIKE = 0.85
_PREFIX = 4
_BONUS = 0.1


def jaro_winkler(one: str, other: str) -> float:
    """0 to 1: the Jaro similarity, raised for a common beginning of up to four characters.

    Winkler, "String Comparator Metrics and Enhanced Decision Rules" (1990), p = 0.1.
    """
    jaro = _jaro(one, other)
    common = 0
    for a, b in zip(one[:_PREFIX], other[:_PREFIX], strict=False):
        if a != b:
            break
        common += 1
    return jaro + common * _BONUS * (1 - jaro)


def _jaro(one: str, other: str) -> float:
    if one == other:
        return 1.0
    reach = max(len(one), len(other)) // 2 - 1
    used = [False] * len(other)
    met: list[str] = []
    for at, letter in enumerate(one):
        for near in range(max(0, at - reach), min(at + reach + 1, len(other))):
            if not used[near] and other[near] == letter:
                used[near] = True
                met.append(letter)
                break
    if not met:
        return 0.0
    back = [letter for letter, seen in zip(other, used, strict=True) if seen]
    moved = sum(a != b for a, b in zip(met, back, strict=True)) / 2
    share = len(met)
    return (share / len(one) + share / len(other) + (share - moved) / share) / 3
