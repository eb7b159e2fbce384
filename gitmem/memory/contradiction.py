"""Whether a text contradicts a memory, by the words of both: one rule for all verbs. Pure.

``find_memory_conflict`` compares one statement of a plan or a prompt with a memory,
``relevance_to_plan_and_conflict`` a whole plan. ``contradiction_reason`` compares two memories on
one subject (most content words or the title in common), and knows a few more cases, since both
state what holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from gitmem.memory import conflict, dedupe, plan, rewording, settled
from gitmem.memory.conflict import RULES, TextConflict, TextStance
from gitmem.memory.plan import PlanStatement
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


def find_memory_conflict(
    statement: PlanStatement,
    memory: Memory,
    memory_stance: TextStance,
    *,
    is_known_same_topic: bool,
    is_plan_statement: bool = True,
) -> TextConflict | None:
    """The TextConflict between a part of a plan and a memory (a stored note); None if they agree.

    ``memory_stance`` is that of the memory's text, from ``conflict.read_text_stance``.
    ``is_known_same_topic``: other evidence shows that both are about one subject; then less is
    enough for a conflict. ``is_plan_statement``: the statement is an intention; one that begins
    with a verb such as "measure" never conflicts.
    """
    if is_plan_statement and OBSERVING & {
        *_PREFIX.sub("", statement.text).lower().split(maxsplit=1)[:1]
    }:
        return None
    rules = memory.kind in RULES
    against = conflict.find_text_conflict(
        statement.stance,
        memory_stance,
        min_words=1 if rules else 2,
        is_decision=rules and is_known_same_topic and is_plan_statement,
    )
    if against is None and rules and is_known_same_topic:
        return settled.find_implicit_conflict(statement.text, plan.title_and_content(memory))
    return against


def relevance_to_plan_and_conflict(
    plan_statements: Sequence[PlanStatement],
    memory: Memory,
    get_word_idf: Callable[[str], float],
    cosine: float | None,
) -> tuple[float, TextConflict | None]:
    """How much a memory (a stored note) concerns a plan, and their TextConflict or None.

    The first is 0 if it does not concern the plan; otherwise it is greater the rarer their common
    words are and the higher ``cosine`` is. ``plan_statements`` are the parts of the plan,
    ``get_word_idf`` gives the rarity of a word, 0 to 1, ``cosine`` is that of the vectors of both,
    None without a model.
    """
    words = plan.content_words_by_stem(plan.title_and_content(memory))
    binds = memory.kind in (*RULES, *WARNINGS)
    best, against = 0.0, None
    stance = conflict.read_text_stance(plan.title_and_content(memory)) if binds else None
    for statement in plan_statements:
        shared = statement.words.keys() & words.keys()
        weight = sum(get_word_idf(statement.words[stem]) for stem in shared)
        # The cosine of a long plan says nothing about each of its statements.
        concerns = 0 < len(words) == len(shared) or _concerns(
            weight, len(shared), cosine if len(plan_statements) == 1 else None
        )
        match = None
        if stance is not None and shared:
            match = find_memory_conflict(statement, memory, stance, is_known_same_topic=concerns)
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


def contradiction_reason(new: Memory, old: Memory) -> str:
    """Why two memories seem to contradict each other, in a few words; empty if they do not."""
    if says_all_of_other(new, old):
        return ""
    if new.kind == old.kind == "decision" and have_same_title_words(new.title, old.title):
        # Without reasons it does not say anything different.
        return "two decisions of one title" if new.content and old.content else ""
    words_new, other = (
        dedupe.read_content_words(_text(new)),
        dedupe.read_content_words(_text(old)),
    )
    named = words_new.names - set(other.words) or other.names - set(words_new.words)
    if not named and (pair := _opposing_words(words_new.words, other.words)):
        words = " and ".join(f'"{word}"' for word in pair)
        return f"they differ in {words} alone"
    if named and not (new.kind in RULES and old.kind in RULES):
        return ""  # another number, name or path: it may be about something else
    if dedupe.shared_word_fraction(new.title, old.title) >= _ABOUT_ONE:
        # The reasons differ anyway; the titles say what was decided.
        new, old = replace(new, content=""), replace(old, content="")
    elif dedupe.shared_word_fraction(_text(new), _text(old)) < _ABOUT_ONE:
        return ""
    return _find_clash(new, old) or _find_clash(old, new)


def says_all_of_other(memory: Memory, other_memory: Memory) -> bool:
    """Whether either of two memories says everything that the other says, by their words."""
    return dedupe.contains_text(_text(memory), _text(other_memory)) or dedupe.contains_text(
        _text(other_memory), _text(memory)
    )


def have_same_title_words(title: str, other_title: str) -> bool:
    """Whether two titles have the same content words in the same order; False for empty titles."""
    return (
        bool(title.strip())
        and dedupe.read_content_words(title).words == dedupe.read_content_words(other_title).words
    )


def _opposing_words(left_words: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The words in which two texts differ, if those are opposites or denials; else empty."""
    left, right = rewording.replaced_words(left_words, other)
    denials = rewording.negation_words(left_words), rewording.negation_words(other)
    denied = len(denials[0]) % 2 != len(denials[1]) % 2
    if len(left) == len(right) == 1 and rewording.find_opposite_words(left, right):
        # "Without activity" means "of inactivity".
        return () if denied else tuple(sorted(left | right))
    if denied and not (left or right):
        return tuple(sorted({*denials[0]} ^ {*denials[1]}))
    moved = frozenset(left_words) ^ frozenset(other)
    return tuple(sorted(moved)) if moved in _ORDERS else ()


def _find_clash(new: Memory, old: Memory) -> str:
    """Why a statement of one memory clashes with the other, read whole; empty where none does."""
    stance = conflict.read_text_stance(plan.title_and_content(old))
    for statement in plan.split_plan_statements(_text(new)):
        if match := find_memory_conflict(
            statement, old, stance, is_known_same_topic=True, is_plan_statement=False
        ):
            return describe_text_conflict(match)
    return ""


def describe_text_conflict(conflict: TextConflict) -> str:
    """The reason of a conflict between two memories, with "the other one" instead of "the plan"."""
    return conflict.why.replace("the plan", "the other one")


def _text(memory: Memory) -> str:
    return f"{memory.title}\n{memory.content}".strip()
