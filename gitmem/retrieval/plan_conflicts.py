"""What was decided about a plan, and whether it may go against that (ML-26).

What concerns a plan is found by the rare words that both share and by how alike the built-in model
finds them; of that it is read whether the two seem to conflict. Neither is certain.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from math import log

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.memory import conflict, contradiction
from gitmem.memory import plan as plans
from gitmem.memory.conflict import RULES, Clash
from gitmem.memory.plan import Statement
from gitmem.model.frozen import dataclass
from gitmem.model.kinds import KINDS
from gitmem.model.memory import Memory
from gitmem.retrieval import request_filters, vectors
from gitmem.retrieval.memory_candidates import Matches, Similar, match
from gitmem.retrieval.request_filters import Views
from gitmem.search import query
from gitmem.store.db import full_text
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories
from gitmem.store.memory.filters import Filter
from gitmem.text.stop_words import STOP_WORDS

WARNINGS = ("fix", "problem", "error")
# They bind nobody; they are shown where they speak of the plan.
_OTHERS = tuple(kind for kind in KINDS if kind not in (*RULES, *WARNINGS, "conversation", "code"))
CANDIDATES, _BESIDE = 40, 10
# A memory concerns a plan from this cosine on, with so much for the weight of each shared word.
_CONCERNS, _OF_WORDS, _ENOUGH = 0.45, 0.1, 4.0
# Without a shared word from this cosine on; without a model from this weight on.
_ALIKE, _BY_WORDS = 0.47, 2.0
# The words of a conflict are enough where they are so rare.
_RARE = 0.8
_COMMON = 200
# Among fewer memories than these a word is not common because each has it.
_FEW = 30
# Characters of a plan that the model reads.
_READ = 2000
_LEAST_WORDS = 5

Pair = tuple[Memory, Database]


@dataclass(frozen=True, slots=True)
class Mention:
    """A memory that concerns a plan, and where the two may clash; None where they do not."""

    clash: Clash | None
    pair: Pair


@dataclass(frozen=True, slots=True)
class Mentions:
    """What concerns a plan, what may conflict first, then the most telling.

    ``looked_at`` is the number of memories that could have been found, and ``by`` what was
    compared: "words or meaning" or "words"; ``notes`` say what limits the answer.
    """

    mentions: Sequence[Mention]
    looked_at: int
    by: str
    notes: tuple[str, ...]


def mentions(app: App, plan: str) -> Mentions:
    """The memories that concern a plan, with where they may clash."""
    statements = plans.statements(plan)
    rows: list[tuple[bool, float, Mention]] = []
    looked_at, by, notes = 0, "words or meaning", [*_limits(plan)]
    for kinds, most in (((*RULES, *WARNINGS), CANDIDATES), (_OTHERS, _BESIDE)):
        plain = Filter(states=request_filters.SHOWN, kinds=kinds, now=app.now, own=True)
        views = request_filters.views(app, "all", plain)
        similar, lacks = _meant(app, plan, views, most)
        if lacks and by != "words":
            by, notes = "words", [*notes, lacks]
        for database, visible in views.items():
            looked_at += memories.count(database, visible)
            matches = match(database, _terms(database, plan), visible, most, similar)
            rarity = cache(partial(_rarity, database, _total(database)))
            for memory in matches.memories:
                worth, clash = _judged(memory, statements, matches, rarity)
                if worth:
                    mention = Mention(clash, (memory, database))
                    rows.append((clash is None, -worth * memory.weight, mention))
    rows.sort(key=lambda row: (row[0], row[1], row[2].pair[0].id))
    return Mentions([mention for _, _, mention in rows], looked_at, by, tuple(notes))


def _judged(
    memory: Memory,
    statements: Sequence[Statement],
    matches: Matches,
    rarity: Callable[[str], float],
) -> tuple[float, Clash | None]:
    """How much a memory concerns a plan, 0 for not at all, and where the two may clash."""
    words = plans.words(plans.text(memory))
    binds = memory.kind in (*RULES, *WARNINGS)
    alike = matches.cosines.get(memory.seq)
    best, against = 0.0, None
    stance = conflict.stance(plans.text(memory)) if binds else None
    for statement in statements:
        shared = statement.words.keys() & words.keys()
        weight = sum(rarity(statement.words[stem]) for stem in shared)
        # The meaning of a long plan is not that of each of its statements.
        concerns = 0 < len(words) == len(shared) or _concerns(
            weight, len(shared), alike if len(statements) == 1 else None
        )
        clash = None
        if stance is not None and shared:
            clash = contradiction.clash(statement, memory, stance, concerns=concerns)
        if concerns or (clash and weight >= _RARE):
            best = max(best, weight + (alike or 0.0), 0.01)
            against = against or clash
    if not best and alike is not None and alike >= _ALIKE:
        best = alike
    return best, against


def _concerns(weight: float, shared: int, alike: float | None) -> bool:
    """Whether shared words of this weight, with this cosine, say that two texts are about one."""
    if alike is None:
        return shared > 1 and weight >= _BY_WORDS
    return shared > 0 and alike + _OF_WORDS * min(weight, _ENOUGH) >= _CONCERNS


def _meant(app: App, plan: str, views: Views, most: int) -> tuple[Similar | None, str]:
    """How alike memories are to a plan, and why that is not known where it is not."""
    try:
        question = vectors.embed_for_memories(app, plan[:_READ], views)
    except GitmemError as error:
        return None, f"Only words were compared: {error.told()}"
    return vectors.similar_memories(question, views, most), ""


def _limits(plan: str) -> Iterator[str]:
    """What a reader has to know of how a plan was read."""
    if len(plan) > _READ:
        yield (
            f"The plan has {len(plan):,} characters: it was looked up by its rarest words and by "
            f"the meaning of its first {_READ:,}."
        )
    words = re.findall(r"[^\W\d_]+", plan.lower())
    if len(words) >= _LEAST_WORDS and STOP_WORDS.isdisjoint(words):
        yield "It does not read like English: what it goes against could hardly be told."


def _terms(database: Database, plan: str) -> Sequence[query.Term]:
    """The words of a plan to look for; of a long one those that fewest memories hold."""
    terms = {word: query.Term(word, query.phrase(word)) for word in plans.words(plan).values()}
    if len(plan) <= _READ:
        return [*({term.label.lower(): term for term in query.parse(plan)} | terms).values()]
    counted = [
        (full_text.frequency(database, "memory_text", term.expression, _COMMON), word)
        for word, term in terms.items()
    ]
    rare = sorted(row for row in counted if 0 < row[0] < _COMMON)
    return [terms[word] for _, word in rare[: query.MOST_TERMS]]


def _total(database: Database) -> int:
    return max(int(database.value("SELECT count(*) FROM memories") or 0), _FEW)


def _rarity(database: Database, total: int, word: str) -> float:
    """1 for a word that one memory holds, less for what more hold, 0 for what very many do."""
    held = full_text.frequency(database, "memory_text", query.phrase(word), _COMMON)
    if held >= _COMMON:
        return 0.0
    return max(1 - log(max(held, 1)) / log(total + 1), 0.0)
