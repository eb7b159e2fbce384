"""Memories that match a question by words or vectors, for recall, search and check."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from gitmem.app import App
from gitmem.model.anchor import Freshness
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.retrieval import annotate
from gitmem.retrieval.keyword import score_rows_by_keywords
from gitmem.retrieval.request_filters import FiltersByStore
from gitmem.search import limits, query, rank
from gitmem.search.query import QueryTerm
from gitmem.search.rank import MemoryCandidate
from gitmem.store.db import full_text
from gitmem.store.db.connection import Database
from gitmem.store.memory import conversation, memories, memory_search
from gitmem.store.memory.filters import MemoryFilter

# The fewest letters of a part of a word, and the most parts that are searched for.
_PART, _PARTS = 4, 3
# The weight of a part beside a whole word.
_PART_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class MemoryCosines:
    """Memory's row number -> cosine with the question, and the same ``smoothed``.

    In ``smoothed`` the turns around a turn of a conversation count as well.
    """

    cosines: Mapping[int, float]
    smoothed: Mapping[int, float]


# The similarity of these rows, and of those most similar to the question.
Similar = Callable[[Database, list[int]], MemoryCosines]


@dataclass(frozen=True, slots=True)
class MemoryMatches:
    """The memories of a store that match a question, by words, by meaning or both.

    By row number: ``scores`` (matches of words, 0 to 1), ``labels`` of the matching terms,
    ``cosines``, and ``smoothed`` cosines, in which neighbours in a conversation count as well.
    """

    memories: list[Memory]
    scores: Mapping[int, float]
    labels: Mapping[int, list[str]]
    cosines: Mapping[int, float]
    smoothed: Mapping[int, float] = {}


def match_memories(
    database: Database,
    terms: Sequence[QueryTerm],
    filter: MemoryFilter,
    limit: int,
    find_similar: Similar | None = None,
    required_fts_expression: str = "",
) -> MemoryMatches:
    """The memories of a store that pass a filter and match a question by words, or by meaning.

    At most ``limit`` match by words. ``find_similar(database, row numbers)`` gives the cosines of
    these rows and of the nearest ones; None: meaning does not count. Every match also has to match
    the FTS5 expression ``required_fts_expression``, if given.
    """
    scores, labels = score_rows_by_keywords(
        terms,
        partial(full_text.count_matching_rows, database, "memory_text"),
        lambda expression: memory_search.best_matching_memories(
            database,
            f"({required_fts_expression}) AND ({expression})"
            if required_fts_expression
            else expression,
            filter,
            limit,
        ),
        partial(memory_search.matching_expression_labels_by_memory, database),
    )
    alike = find_similar(database, list(scores)) if find_similar else MemoryCosines({}, {})
    cosines = alike.cosines
    if required_fts_expression:
        cosines = {number: cosine for number, cosine in cosines.items() if number in scores}
    numbers = [*{**scores, **cosines}]
    found = memories.memories_by_row_number(database, numbers, filter) if numbers else []
    return MemoryMatches(found, scores, labels, cosines, alike.smoothed)


def make_ranking_candidates(
    app: App,
    database: Database,
    matches: MemoryMatches,
    freshness: dict[str, Freshness] | None,
    question: str = "",
) -> list[MemoryCandidate]:
    """The matches as candidates for ranking, with factors for freshness, use, feedback and time.

    ``freshness`` is a mapping to fill: memory id -> whether its cited code is unchanged; None: it
    is not determined and counts for nothing.
    """
    if not matches.memories:
        return []
    fresh: dict[str, Freshness] = {}
    if freshness is not None:
        fresh = annotate.freshness_by_memory_id(app, database, _likeliest_first(matches))
        freshness |= fresh
    strengths = annotate.memory_rank_factors(app, database, matches.memories, fresh)
    turns = _turn_factors(question, matches.memories)
    return [
        _with_feedback(
            MemoryCandidate(
                memory,
                matches.scores.get(memory.seq, 0.0),
                tuple(matches.labels.get(memory.seq, ())),
                matches.cosines.get(memory.seq),
                *strengths[memory.id],
                turn=turns.get(memory.seq, 1.0),
                smoothed=matches.smoothed.get(memory.seq),
            )
        )
        for memory in matches.memories
    ]


def match_memories_by_substring(
    app: App, text: str, filters_by_store: FiltersByStore, freshness: dict[str, Freshness] | None
) -> list[MemoryCandidate]:
    """The memories with a word of the text inside a longer one, ``kafka`` in ``mykafkahost``.

    They are candidates for ranking. ``filters_by_store`` maps each store to its filter,
    ``freshness`` is filled as in ``make_ranking_candidates``. Reads every memory's text, so it is
    slow.
    """
    words = [term.label for term in query.parse_terms(text) if not term.phrase]
    longest = sorted(words, key=lambda word: -len(word))[:_PARTS]
    parts = [word for word in longest if len(word) >= _PART]
    found: list[MemoryCandidate] = []
    for database, filter in filters_by_store.items():
        held: dict[int, list[str]] = {}
        for part in parts:
            for number in memory_search.row_numbers_containing(
                database, part, filter, limits.FIRST
            ):
                held.setdefault(number, []).append(f"*{part}*")
        if held:
            scores = {number: _PART_SHARE * len(some) / len(words) for number, some in held.items()}
            memory = memories.memories_by_row_number(database, list(held), filter)
            found += make_ranking_candidates(
                app, database, MemoryMatches(memory, scores, held, {}), freshness, text
            )
    return found


def _turn_factors(question: str, memories: Sequence[Memory]) -> dict[int, float]:
    """Row number -> factor of a turn of a conversation."""
    turns = [
        memory
        for memory in memories
        if conversation.is_conversation_turn(memory.kind, memory.session)
    ]
    if not turns:
        return {}
    factors = rank.rank_factors_of_turns(
        question, [(turn.content, turn.created_at) for turn in turns]
    )
    return {turn.seq: round(factor, 4) for turn, factor in zip(turns, factors, strict=True)}


def _with_feedback(found: MemoryCandidate) -> MemoryCandidate:

    if '"feedback"' not in found.memory.metadata:
        return found
    from gitmem.memory import feedback  # noqa: PLC0415 - few memories have any

    judgement = feedback.read_feedback(found.memory.metadata)
    return replace(
        found,
        notes=(*found.notes, *feedback.feedback_labels(judgement)),
        feedback=round(feedback.feedback_rank_factor(judgement), 4),
        doubted=judgement.doubted,
    )


def _likeliest_first(matches: MemoryMatches) -> list[Memory]:
    """The memories, the best first, since time for verdicts may run out."""
    scores, cosines = matches.scores, matches.cosines
    return sorted(
        matches.memories,
        key=lambda memory: -scores.get(memory.seq, 0.0) - cosines.get(memory.seq, 0.0),
    )
