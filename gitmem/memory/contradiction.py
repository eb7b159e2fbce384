"""Whether a text goes against a memory, as far as their words tell: the one rule for it. Pure.

``clash`` judges a statement of a plan or a prompt. ``why`` judges two memories that are about the
same (that share most of their telling words, or their title), and knows some cases more, since both
say what is to hold.
"""

from __future__ import annotations

import re

from gitmem.memory import conflict, dedupe, plan, rewording, settled
from gitmem.memory.conflict import RULES, Clash, Stance
from gitmem.memory.plan import Statement
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.text.negation_words import OBSERVING

# Of the words of two memories that are about the same so much is shared.
_ABOUT_ONE = 1 / 3
_ORDERS = (frozenset(("before", "after")), frozenset(("always", "never")))


# "feat(api):" before what is to be done.
_PREFIX = re.compile(r"^\s*[\w/.-]+(?:\([^)]*\))?!?: ")


def clash(
    statement: Statement, memory: Memory, stance: Stance, *, concerns: bool, of_plan: bool = True
) -> Clash | None:
    """Where a statement may conflict with a memory, that has this ``stance``; None: it does not.

    ``concerns``: the two are about the same, by more than the words of the clash. ``of_plan``: the
    statement is to be done, so half of the words in which a rule turns something down are enough
    then, and nothing is where it only looks at something.
    """
    if of_plan and OBSERVING & {*_PREFIX.sub("", statement.text).lower().split(maxsplit=1)[:1]}:
        return None
    rules = memory.kind in RULES
    against = conflict.between(
        statement.stance, stance, least=1 if rules else 2, settles=rules and concerns and of_plan
    )
    if against is None and rules and concerns:
        return settled.otherwise(statement.text, plan.text(memory))
    return against


def why(new: Memory, old: Memory) -> str:
    """Why the two seem to contradict each other, in a few words; empty where they do not."""
    if dedupe.says(_text(new), _text(old)) or dedupe.says(_text(old), _text(new)):
        return ""
    if new.kind == old.kind == "decision" and same_title(new.title, old.title):
        # One that gives no reasons decides nothing else.
        return "two decisions of one title" if new.content and old.content else ""
    one, other = dedupe.read(_text(new)), dedupe.read(_text(old))
    named = one.names - set(other.words) or other.names - set(one.words)
    if not named and (pair := _only_apart(one.words, other.words)):
        return f"they differ in {' and '.join(map(_quoted, pair))} alone"
    if named and not (new.kind in RULES and old.kind in RULES):
        # Another number, name or path: it may be about something else.
        return ""
    if dedupe.shared(new.title, old.title) >= _ABOUT_ONE:
        # Each has its own reasons, which say nothing of what was decided.
        new, old = replace(new, content=""), replace(old, content="")
    elif dedupe.shared(_text(new), _text(old)) < _ABOUT_ONE:
        return ""
    return _against(new, old) or _against(old, new)


def same_title(one: str, other: str) -> bool:
    """Whether two titles are the same words; empty ones are not."""
    return bool(one.strip()) and dedupe.read(one).words == dedupe.read(other).words


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


def _against(new: Memory, old: Memory) -> str:
    """Where what one memory says goes against another one; both say what holds in full."""
    stance = conflict.stance(plan.text(old))
    for statement in plan.statements(_text(new)):
        if found := clash(statement, old, stance, concerns=True, of_plan=False):
            return found.why.replace("the plan", "the other one")
    return ""


def _quoted(word: str) -> str:
    return f'"{word}"'


def _text(memory: Memory) -> str:
    return f"{memory.title}\n{memory.content}".strip()
