"""Whether two memories contradict each other, as far as their words tell. Pure.

Asked only of memories that are about the same: that share most of their telling words, or their
title.
"""

from __future__ import annotations

from gitmem.memory import conflict, dedupe
from gitmem.model.memory import Memory
from gitmem.text.stop_words import word_set

_DENIAL = word_set("not no never none nor neither without cannot avoid forbid")
_OPPOSITE = (
    frozenset(("always", "never")),
    frozenset(("before", "after")),
    frozenset(("must", "not")),
)


def why(new: Memory, old: Memory) -> str:
    """Why the two seem to contradict each other, in a few words; empty where they do not."""
    if new.kind == old.kind == "decision" and same_title(new.title, old.title):
        return "two decisions of one title"
    one, other = (dedupe.read(f"{memory.title}\n{memory.content}") for memory in (new, old))
    if one.names - set(other.words) or other.names - set(one.words):
        # Another number, name or path: it may be about something else.
        return ""
    differs = set(one.words) ^ set(other.words)
    if differs and (differs <= _DENIAL or any(differs == pair for pair in _OPPOSITE)):
        told = " and ".join(f'"{word}"' for word in sorted(differs))
        return f"they differ in {told} alone"
    clash = conflict.between(_stance(new), _stance(old), least=2)
    return clash.why if clash else ""


def same_title(one: str, other: str) -> bool:
    """Whether two titles are the same words; empty ones are not."""
    return bool(one.strip()) and dedupe.read(one).words == dedupe.read(other).words


def _stance(memory: Memory) -> conflict.Stance:
    return conflict.stance(f"{memory.title}\n{memory.content}")
