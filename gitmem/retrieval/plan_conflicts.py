"""Finding the memories that concern a plan, and whether they may conflict with it.

They are found by rare words in common and by similarity; neither match nor conflict is certain.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.memory import contradiction
from gitmem.memory import plan as plans
from gitmem.memory.conflict import RULES, TextConflict
from gitmem.memory.contradiction import WARNINGS
from gitmem.model.frozen import dataclass
from gitmem.model.kinds import KINDS
from gitmem.model.memory import Memory
from gitmem.retrieval import request_filters, vectors
from gitmem.retrieval.memory_candidates import Similar, match_memories
from gitmem.retrieval.request_filters import FiltersByStore
from gitmem.search import query
from gitmem.store.db import full_text
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, near_duplicates
from gitmem.store.memory.filters import MemoryFilter
from gitmem.store.memory.near_duplicates import COMMON
from gitmem.text.stop_words import STOP_WORDS

# Kinds without rules, shown if they concern the plan.
_OTHERS = tuple(kind for kind in KINDS if kind not in (*RULES, *WARNINGS, "conversation", "code"))
CANDIDATES, _BESIDE = 40, 10
# Characters of a plan that the model reads.
_READ = 2000
_LEAST_WORDS = 5

Pair = tuple[Memory, Database]


@dataclass(frozen=True, slots=True)
class RelevantMemory:
    """A memory that concerns a plan: (memory, its store) in ``pair``, and how it conflicts.

    ``clash`` has the words in question and the reason; None: there is no conflict.
    """

    clash: TextConflict | None
    pair: Pair


@dataclass(frozen=True, slots=True)
class PlanReview:
    """The memories that concern a plan, in ``mentions``: conflicts first, then by relevance.

    ``looked_at`` is the number of memories searched, ``by`` is "words or meaning" or "words";
    ``notes`` say what limits the answer.
    """

    mentions: Sequence[RelevantMemory]
    looked_at: int
    by: str
    notes: tuple[str, ...]


def review_plan(app: App, plan_text: str) -> PlanReview:
    """The memories that concern the text of a plan, and conflicts with them, as a PlanReview."""
    statements = plans.split_plan_statements(plan_text)
    rows: list[tuple[bool, float, RelevantMemory]] = []
    looked_at, by, notes = 0, "words or meaning", [*_limits(plan_text)]
    for kinds, most in (((*RULES, *WARNINGS), CANDIDATES), (_OTHERS, _BESIDE)):
        plain = MemoryFilter(
            states=request_filters.SHOWN, kinds=kinds, now=app.now, trusted_only=True
        )
        views = request_filters.memory_filters_by_store(app, "all", plain)
        similar, lacks = _meant(app, plan_text, views, most)
        if lacks and by != "words":
            by, notes = "words", [*notes, lacks]
        for database, visible in views.items():
            looked_at += memories.count_filtered_memories(database, visible)
            matches = match_memories(database, _terms(database, plan_text), visible, most, similar)
            rarity = partial(_rarity, near_duplicates.make_idf_function(database))
            for memory in matches.memories:
                alike = matches.cosines.get(memory.seq)
                worth, clash = contradiction.relevance_to_plan_and_conflict(
                    statements, memory, rarity, alike
                )
                if worth:
                    mention = RelevantMemory(clash, (memory, database))
                    rows.append((clash is None, -worth * memory.weight, mention))
    rows.sort(key=lambda row: (row[0], row[1], row[2].pair[0].id))
    return PlanReview([mention for _, _, mention in rows], looked_at, by, tuple(notes))


def _rarity(rare: Callable[[str], float], word: str) -> float:
    return rare(query.phrase_fts_expression(word))


def _meant(app: App, plan: str, views: FiltersByStore, most: int) -> tuple[Similar | None, str]:
    """How alike memories are to a plan, and why that is not known where it is not."""
    try:
        question = vectors.embed_question_for_memories(app, plan[:_READ], views)
    except GitmemError as error:
        return None, f"Only words were compared: {error.as_sentences()}"
    return vectors.make_similar_memory_finder(question, views, most), ""


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


def _terms(database: Database, plan: str) -> Sequence[query.QueryTerm]:
    """The words of a plan to look for; of a long one those that fewest memories hold."""
    terms = {
        word: query.QueryTerm(word, query.phrase_fts_expression(word))
        for word in plans.content_words_by_stem(plan).values()
    }
    if len(plan) <= _READ:
        return [*({term.label.lower(): term for term in query.parse_terms(plan)} | terms).values()]
    counted = [
        (full_text.count_matching_rows(database, "memory_text", term.expression, COMMON), word)
        for word, term in terms.items()
    ]
    rare = sorted(row for row in counted if 0 < row[0] < COMMON)
    return [terms[word] for _, word in rare[: query.MOST_TERMS]]
