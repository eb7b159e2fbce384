"""Whether two memories contradict each other, as far as their words tell. Pure.

Asked only of memories that are about the same: that share most of their telling words, or their
title.
"""

from __future__ import annotations

from gitmem.memory import conflict, dedupe, rewording
from gitmem.model.memory import Memory

_ORDERS = (frozenset(("before", "after")), frozenset(("always", "never")))


def why(new: Memory, old: Memory) -> str:
    """Why the two seem to contradict each other, in a few words; empty where they do not."""
    if dedupe.says(_text(new), _text(old)) or dedupe.says(_text(old), _text(new)):
        return ""
    if new.kind == old.kind == "decision" and same_title(new.title, old.title):
        # One that gives no reasons decides nothing else.
        return "two decisions of one title" if new.content and old.content else ""
    if new.kind == old.kind == "decision" and (pair := _titles_apart(new.title, old.title)):
        # Each has its own reasons, which say nothing of what was decided.
        return f"their titles differ in {' and '.join(map(_quoted, pair))} alone"
    one, other = dedupe.read(_text(new)), dedupe.read(_text(old))
    if one.names - set(other.words) or other.names - set(one.words):
        # Another number, name or path: it may be about something else.
        return _numbers_apart(new, old)
    if pair := _only_apart(one.words, other.words):
        return f"they differ in {' and '.join(map(_quoted, pair))} alone"
    clash = conflict.between(_stance(new), _stance(old), least=2)
    return clash.why if clash else ""


def same_title(one: str, other: str) -> bool:
    """Whether two titles are the same words; empty ones are not."""
    return bool(one.strip()) and dedupe.read(one).words == dedupe.read(other).words


def _titles_apart(new: str, old: str) -> tuple[str, ...]:
    """The opposite words in which two titles with the same names differ; else empty."""
    left, right = dedupe.read(new), dedupe.read(old)
    return _only_apart(left.words, right.words) if left.names == right.names else ()


def _only_apart(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The words in which two texts differ where those are opposites, or deny; else empty."""
    left, right = rewording.replaced(one, other)
    denials = rewording.denies(one), rewording.denies(other)
    denied = len(denials[0]) % 2 != len(denials[1]) % 2
    if len(left) == len(right) == 1 and rewording.opposites(left, right):
        # "Without activity" is "of inactivity".
        return () if denied else tuple(sorted(left | right))
    if denied and not (left or right):
        return tuple(sorted({*denials[0]} ^ {*denials[1]}))
    moved = frozenset(one) ^ frozenset(other)
    return tuple(sorted(moved)) if moved in _ORDERS else ()


def _numbers_apart(new: Memory, old: Memory) -> str:
    """How two decisions settle a number otherwise; of what is no decision both may hold."""
    if not new.kind == old.kind == "decision":
        return ""
    from gitmem.memory import settled  # noqa: PLC0415 - few memories differ in a number

    return settled.another_number(_text(new), _text(old)).replace("the plan", "the other one")


def _quoted(word: str) -> str:
    return f'"{word}"'


def _text(memory: Memory) -> str:
    return f"{memory.title}\n{memory.content}".strip()


def _stance(memory: Memory) -> conflict.Stance:
    return conflict.stance(_text(memory))
