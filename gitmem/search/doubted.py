"""Hits that somebody marked as wrong: behind all others, and never among the first. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")

# So many places no doubted hit takes.
TOP = 3


def last(hits: Sequence[T], doubted: Callable[[T], bool]) -> list[T]:
    """The hits in their order, doubted ones behind all others.

    Where fewer than ``TOP`` others answer they are left out: whoever asks takes the first for true.
    """
    rest = [hit for hit in hits if not doubted(hit)]
    if len(rest) == len(hits) or len(rest) < TOP:
        return rest
    return [*rest, *(hit for hit in hits if doubted(hit))]
