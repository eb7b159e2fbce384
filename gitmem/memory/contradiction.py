"""Whether a text goes against a memory, as far as their words tell: the one rule for it. Pure.

``clash`` judges a statement of a plan or a prompt, ``held_against`` all that is to be done or to
hold beside a memory that shares a word with it. ``why`` judges two memories that are about the same
(that share most of their telling words, or their title), and knows some cases more, since both say
what is to hold.
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

# Of the words of two memories that are about the same so much is shared.
_ABOUT_ONE = 1 / 3
_ORDERS = (frozenset(("before", "after")), frozenset(("always", "never")))
# What only warns: it must be gone against in two words.
WARNINGS = ("fix", "problem", "error")
# A memory concerns a plan from this cosine on, with so much for the weight of each shared word.
_CONCERNS, _OF_WORDS, _ENOUGH = 0.45, 0.1, 4.0
# Without a shared word from this cosine on; without a model from this weight on.
_ALIKE, _BY_WORDS = 0.47, 2.0
# The words of a conflict are enough where they are so rare.
_RARE = 0.8


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


def held_against(
    statements: Sequence[Statement],
    memory: Memory,
    rarity: Callable[[str], float],
    alike: float | None,
) -> tuple[float, Clash | None]:
    """How much a memory concerns what is to be done, 0 for not at all, and where the two may clash.

    ``rarity`` of a word is 0 to 1, ``alike`` the cosine of the whole; None where no model compared.
    """
    words = plan.words(plan.text(memory))
    binds = memory.kind in (*RULES, *WARNINGS)
    best, against = 0.0, None
    stance = conflict.stance(plan.text(memory)) if binds else None
    for statement in statements:
        shared = statement.words.keys() & words.keys()
        weight = sum(rarity(statement.words[stem]) for stem in shared)
        # The meaning of a long plan is not that of each of its statements.
        concerns = 0 < len(words) == len(shared) or _concerns(
            weight, len(shared), alike if len(statements) == 1 else None
        )
        found = None
        if stance is not None and shared:
            found = clash(statement, memory, stance, concerns=concerns)
        if concerns or (found and weight >= _RARE):
            best = max(best, weight + (alike or 0.0), 0.01)
            against = against or found
    if not best and alike is not None and alike >= _ALIKE:
        best = alike
    return best, against


def _concerns(weight: float, shared: int, alike: float | None) -> bool:
    """Whether shared words of this weight, with this cosine, say that two texts are about one."""
    if alike is None:
        return shared > 1 and weight >= _BY_WORDS
    return shared > 0 and alike + _OF_WORDS * min(weight, _ENOUGH) >= _CONCERNS


def why(new: Memory, old: Memory) -> str:
    """Why the two seem to contradict each other, in a few words; empty where they do not."""
    if same(new, old):
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


def same(memory: Memory, other: Memory) -> bool:
    """Whether one of two memories says all that the other does."""
    return dedupe.says(_text(memory), _text(other)) or dedupe.says(_text(other), _text(memory))


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
            return of_memories(found)
    return ""


def of_memories(clash: Clash) -> str:
    """Why two memories clash, where one of them was read as a plan."""
    return clash.why.replace("the plan", "the other one")


def _quoted(word: str) -> str:
    return f'"{word}"'


def _text(memory: Memory) -> str:
    return f"{memory.title}\n{memory.content}".strip()
