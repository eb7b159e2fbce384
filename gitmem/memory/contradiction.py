"""Whether a text contradicts a memory, by the words of both: one rule for all verbs. Pure.

``find_contradiction`` compares one statement of a plan or a prompt with a memory, ``assess_plan`` a
whole plan. ``why_contradicts`` compares two memories on one subject (most content words or the
title in common), and knows a few more cases, since both state what holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from gitmem.memory import conflict, dedupe, plan, rewording, settled
from gitmem.memory.conflict import RULES, Clash, Stance
from gitmem.memory.plan import Statement
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.text.negation_words import OBSERVING

# The share of words that two memories on one subject have in common.
_ABOUT_ONE = 1 / 3
_ORDERS = (frozenset(("before", "after")), frozenset(("always", "never")))
# Kinds that only warn: a contradiction needs two words.
WARNINGS = ("fix", "problem", "error")
# A memory concerns a plan from this cosine on, plus so much for the weight of shared words.
_CONCERNS, _OF_WORDS, _ENOUGH = 0.45, 0.1, 4.0
# The cosine needed without a shared word; the weight of words needed without a model.
_ALIKE, _BY_WORDS = 0.47, 2.0
# Words of a clash that are this rare make a memory concern a plan by themselves.
_RARE = 0.8
# "feat(api):" before what is to be done.
_PREFIX = re.compile(r"^\s*[\w/.-]+(?:\([^)]*\))?!?: ")


def find_contradiction(
    statement: Statement, memory: Memory, stance: Stance, *, same_topic: bool, is_plan: bool = True
) -> Clash | None:
    """The clash of a statement with a memory whose stance is given, or None.

    ``same_topic``: other words show, too, that both are about the same thing. ``is_plan``: the
    statement is an intention. Then half of the words that a rule rejects are enough, and a
    statement that only wants to look at something never clashes.
    """
    if is_plan and OBSERVING & {*_PREFIX.sub("", statement.text).lower().split(maxsplit=1)[:1]}:
        return None
    rules = memory.kind in RULES
    against = conflict.find_clash(
        statement.stance,
        stance,
        min_words=1 if rules else 2,
        is_decision=rules and same_topic and is_plan,
    )
    if against is None and rules and same_topic:
        return settled.find_implicit_clash(statement.text, plan.memory_text(memory))
    return against


def assess_plan(
    statements: Sequence[Statement],
    memory: Memory,
    rarity: Callable[[str], float],
    cosine: float | None,
) -> tuple[float, Clash | None]:
    """How much a memory concerns a plan (0: not at all), and their clash, or None.

    ``rarity`` gives a word's rarity, 0 to 1; ``cosine`` is the cosine of plan and memory, None
    without a model.
    """
    words = plan.content_words(plan.memory_text(memory))
    binds = memory.kind in (*RULES, *WARNINGS)
    best, against = 0.0, None
    stance = conflict.read_stance(plan.memory_text(memory)) if binds else None
    for statement in statements:
        shared = statement.words.keys() & words.keys()
        weight = sum(rarity(statement.words[stem]) for stem in shared)
        # The cosine of a long plan says nothing about each of its statements.
        concerns = 0 < len(words) == len(shared) or _concerns(
            weight, len(shared), cosine if len(statements) == 1 else None
        )
        match = None
        if stance is not None and shared:
            match = find_contradiction(statement, memory, stance, same_topic=concerns)
        if concerns or (match and weight >= _RARE):
            best = max(best, weight + (cosine or 0.0), 0.01)
            against = against or match
    if not best and cosine is not None and cosine >= _ALIKE:
        best = cosine
    return best, against


def _concerns(weight: float, shared: int, alike: float | None) -> bool:
    """Whether common words, by number and weight, and a cosine make two texts about one thing."""
    if alike is None:
        return shared > 1 and weight >= _BY_WORDS
    return shared > 0 and alike + _OF_WORDS * min(weight, _ENOUGH) >= _CONCERNS


def why_contradicts(new: Memory, old: Memory) -> str:
    """A short reason why two memories seem to contradict each other; empty if they do not."""
    if covers_memory(new, old):
        return ""
    if new.kind == old.kind == "decision" and same_title(new.title, old.title):
        # Without reasons it does not say anything different.
        return "two decisions of one title" if new.content and old.content else ""
    words_new, other = dedupe.read_words(_text(new)), dedupe.read_words(_text(old))
    named = words_new.names - set(other.words) or other.names - set(words_new.words)
    if not named and (pair := _opposing_words(words_new.words, other.words)):
        words = " and ".join(f'"{word}"' for word in pair)
        return f"they differ in {words} alone"
    if named and not (new.kind in RULES and old.kind in RULES):
        return ""  # another number, name or path: it may be about something else
    if dedupe.shared_words(new.title, old.title) >= _ABOUT_ONE:
        # The reasons differ anyway; the titles say what was decided.
        new, old = replace(new, content=""), replace(old, content="")
    elif dedupe.shared_words(_text(new), _text(old)) < _ABOUT_ONE:
        return ""
    return _find_clash(new, old) or _find_clash(old, new)


def covers_memory(memory: Memory, other: Memory) -> bool:
    """Whether one of two memories says everything that the other says."""
    return dedupe.contains_text(_text(memory), _text(other)) or dedupe.contains_text(
        _text(other), _text(memory)
    )


def same_title(left: str, other: str) -> bool:
    """Whether two titles have the same words; False for empty titles."""
    return bool(left.strip()) and dedupe.read_words(left).words == dedupe.read_words(other).words


def _opposing_words(left_words: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The words in which two texts differ, if those are opposites or denials; else empty."""
    left, right = rewording.replaced_words(left_words, other)
    denials = rewording.negations(left_words), rewording.negations(other)
    denied = len(denials[0]) % 2 != len(denials[1]) % 2
    if len(left) == len(right) == 1 and rewording.opposites(left, right):
        # "Without activity" means "of inactivity".
        return () if denied else tuple(sorted(left | right))
    if denied and not (left or right):
        return tuple(sorted({*denials[0]} ^ {*denials[1]}))
    moved = frozenset(left_words) ^ frozenset(other)
    return tuple(sorted(moved)) if moved in _ORDERS else ()


def _find_clash(new: Memory, old: Memory) -> str:
    """Why a statement of one memory clashes with the other, read whole; empty where none does."""
    stance = conflict.read_stance(plan.memory_text(old))
    for statement in plan.split_statements(_text(new)):
        if match := find_contradiction(statement, old, stance, same_topic=True, is_plan=False):
            return describe_clash(match)
    return ""


def describe_clash(clash: Clash) -> str:
    """A clash's reason, reworded for two memories: "the plan" becomes "the other one"."""
    return clash.why.replace("the plan", "the other one")


def _text(memory: Memory) -> str:
    return f"{memory.title}\n{memory.content}".strip()
