"""Whether two memories contradict each other, as far as their words tell. Pure.

Asked only of memories that are about the same: that share most of their telling words, or their
title.
"""

from __future__ import annotations

from gitmem.memory import conflict, dedupe, rewording
from gitmem.model.memory import Memory
from gitmem.text.negation_words import DENIALS
from gitmem.text.stop_words import word_set

# They may come and go with a denial: "is", "must not be".
_BESIDE = word_set("do does must should can could may will would have has been")


def why(new: Memory, old: Memory) -> str:
    """Why the two seem to contradict each other, in a few words; empty where they do not."""
    if dedupe.says(_text(new), _text(old)) or dedupe.says(_text(old), _text(new)):
        return ""
    if new.kind == old.kind == "decision" and same_title(new.title, old.title):
        # One that gives no reasons decides nothing else.
        return "two decisions of one title" if new.content and old.content else ""
    one, other = dedupe.read(_text(new)), dedupe.read(_text(old))
    if one.names - set(other.words) or other.names - set(one.words):
        # Another number, name or path: it may be about something else.
        return _of_numbers(new, old)
    if pair := _only_apart(one.words, other.words):
        return f"they differ in {' and '.join(map(_quoted, pair))} alone"
    clash = conflict.between(_stance(new), _stance(old), least=2)
    return clash.why if clash else ""


def same_title(one: str, other: str) -> bool:
    """Whether two titles are the same words; empty ones are not."""
    return bool(one.strip()) and dedupe.read(one).words == dedupe.read(other).words


def _only_apart(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The words in which two texts differ where those are opposites, or deny; else empty."""
    first, second = set(one) - set(other), set(other) - set(one)
    left, right = first - _BESIDE, second - _BESIDE
    if len(left) == len(right) == 1 and rewording.opposites(left, right):
        return tuple(sorted(left | right))
    if (left or right) and left | right <= DENIALS and bool(left) != bool(right):
        return tuple(sorted(left | right))
    return ()


def _of_numbers(_new: Memory, _old: Memory) -> str:
    return ""


def _quoted(word: str) -> str:
    return f'"{word}"'


def _text(memory: Memory) -> str:
    return f"{memory.title}\n{memory.content}".strip()


def _stance(memory: Memory) -> conflict.Stance:
    return conflict.stance(_text(memory))
