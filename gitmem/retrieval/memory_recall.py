"""Ranking the memories of all stores for a question."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.model.anchor import STALE, Freshness
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.retrieval.memory_candidates import (
    Similar,
    make_ranking_candidates,
    match_memories,
    match_memories_by_substring,
)
from gitmem.retrieval.request_filters import FiltersByStore
from gitmem.search import query, rank
from gitmem.search.limits import DEEP, FIRST
from gitmem.store.memory import memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.search.fusion import RankedHit as FusedHit

_INSIDE = "No memory holds these words; some hold them inside of others."
# Rows fetched for each hit, since weight can move a hit up.
OVERFETCH = 4


@dataclass(frozen=True, slots=True)
class RecallOptions:
    """How to search memories: ``mode`` is keyword, semantic or hybrid.

    ``method`` (score, rrf or weighted) joins words and meaning, ``threshold`` is the least cosine.
    ``every``: memories with all words, if there are any, else those with most of them, else with
    some. ``profile`` is a name in ``search.profiles``.
    """

    mode: str
    method: str = "score"
    threshold: float | None = None
    every: bool = False
    profile: str = "default"


@dataclass(frozen=True, slots=True)
class RankedMemories:
    """The memories found, the best first, in ``hits``.

    ``relaxed`` is a sentence on the condition that was dropped as no memory met it (all words, a
    phrase); ``lacks`` says why similarity was not available; ``parts`` are the questions if the
    text held several.
    """

    hits: Sequence[rank.MemoryHit]
    relaxed: str = ""
    lacks: str = ""
    parts: Sequence[str] = ()


def list_memory_hits(
    app: App,
    text: str,
    filters_by_store: FiltersByStore,
    options: RecallOptions,
    *,
    last_hit_number: int,
    freshness: dict[str, Freshness] | None = None,
) -> RankedMemories:
    """The memories that answer a text, as RankedMemories.

    Up to hit ``last_hit_number`` none is missing. ``filters_by_store`` maps each store to search to
    its filter. ``freshness`` is a mapping to fill: memory id -> whether its cited code is
    unchanged; None: not needed. Several questions in one text are answered separately and merged.
    Raises Unavailable if similarity is required but missing.
    """
    questions = query.split_text_into_questions(text)
    found = [
        _listed(app, question, filters_by_store, options, last_hit_number, freshness)
        for question in questions
    ]
    if len(found) == 1:
        return found[0]
    from gitmem.search import pages  # noqa: PLC0415 - most texts ask one question

    merged = pages.merge_hit_lists([answer.hits for answer in found], lambda hit: hit.memory.id)
    relaxed = next((answer.relaxed for answer in found if answer.relaxed), "")
    return RankedMemories(
        _doubted_last([hit for hit, _ in merged]), relaxed, found[0].lacks, questions
    )


def _listed(
    app: App,
    text: str,
    views: FiltersByStore,
    options: RecallOptions,
    upto: int,
    freshness: dict[str, Freshness] | None,
) -> RankedMemories:

    first = _ranked(app, text, views, FIRST, options, freshness)
    by_words = options.mode != "semantic" and options.threshold is None
    if by_words and not _matched(first.hits):
        held = match_memories_by_substring(app, text, views, freshness)
        inside = _doubted_last(rank.rank_memories(held, len(held)))
        known = {hit.memory.id for hit in inside}
        rest = [hit for hit in first.hits if hit.memory.id not in known]
        if inside:
            return RankedMemories([*inside, *rest], _INSIDE, first.lacks)
    whole = options.threshold is None and (upto <= FIRST or len(first.hits) <= FIRST)
    if whole:
        return first
    # Imported here: mostly the first hits are enough.
    from gitmem.search import pages  # noqa: PLC0415

    deep = _ranked(app, text, views, DEEP, options, freshness)
    hits = pages.append_new_hits(first.hits[:FIRST], deep.hits, lambda hit: hit.memory.id)
    if (least := options.threshold) is not None:
        hits = [hit for hit in hits if hit.similarity is not None and hit.similarity >= least]
        hits = _doubted_last(hits)
    return RankedMemories(hits, first.relaxed, first.lacks)


def _matched(hits: Sequence[rank.MemoryHit]) -> bool:
    return any(name == "words" and value for hit in hits for name, value in hit.parts)


def rank_memories(
    app: App,
    text: str,
    filters_by_store: FiltersByStore,
    limit: int,
    *,
    mode: str,
    freshness: dict[str, Freshness] | None = None,
) -> Sequence[rank.MemoryHit]:
    """The ``limit`` best memories for a text, the best first, as MemoryHit values.

    ``mode`` is keyword, semantic or hybrid. ``filters_by_store`` maps each store to search to its
    filter; ``freshness`` is a mapping to fill: memory id -> whether its cited code is unchanged;
    None: it is not needed.
    """
    return _ranked(app, text, filters_by_store, limit, RecallOptions(mode), freshness).hits[:limit]


def _ranked(
    app: App,
    text: str,
    views: FiltersByStore,
    limit: int,
    options: RecallOptions,
    freshness: dict[str, Freshness] | None,
) -> RankedMemories:
    """All candidates for the best ``limit``, the best first."""
    terms = query.parse_terms(text)
    wide = limit * OVERFETCH
    meant = _similarity(app, text, views, wide, options)
    similar = meant.similar
    words = () if options.mode == "semantic" else terms

    def candidates(required: str) -> list[rank.MemoryCandidate]:
        return [
            candidate
            for database, filtered in views.items()
            for candidate in make_ranking_candidates(
                app,
                database,
                match_memories(database, words, filtered, wide, similar, required),
                freshness,
                text,
            )
        ]

    if options.profile != "default":
        candidates = partial(_profiled, app, candidates, options.profile)
    found, relaxed = _narrowed(candidates, words, every=options.every)
    first = _holding_both(found, words, freshness or {})
    if similar is None:
        hits = rank.rank_memories(found, len(found))
        hits.sort(key=lambda hit: hit.memory.id not in first)
        return RankedMemories(_doubted_last(hits), relaxed, meant.lacks)
    return RankedMemories(_doubted_last(_fused(app, found, options, first, meant.share)), relaxed)


def _profiled(
    app: App, candidates: Callable[[str], list[rank.MemoryCandidate]], name: str, required: str
) -> list[rank.MemoryCandidate]:
    """The candidates with the factors of a profile; without a moment neither age nor use counts."""
    from gitmem.search import profiles  # noqa: PLC0415 - few questions name one

    profile = profiles.PROFILES[name]

    def factor(memory: Memory) -> float:
        cites = bool(memory.paths)
        return profiles.memory_rank_factor(memory.kind, cites, memory.created_at, app.now, profile)

    return [
        replace(
            candidate,
            profile=factor(candidate.memory),
            strength=candidate.strength if profile.uses_context else 1.0,
        )
        for candidate in candidates(required)
    ]


def _doubted_last(hits: list[rank.MemoryHit]) -> list[rank.MemoryHit]:
    if not any(hit.doubted for hit in hits):
        return hits
    from gitmem.search import pages  # noqa: PLC0415 - few are marked as wrong

    return pages.move_doubted_hits_last(hits, lambda hit: hit.doubted)


def _narrowed(
    candidates: Callable[[str], list[rank.MemoryCandidate]],
    words: Sequence[query.QueryTerm],
    *,
    every: bool,
) -> tuple[list[rank.MemoryCandidate], str]:
    """The candidates with all words or phrases required, else fewer and a sentence about it.

    ``candidates(required)`` are those that match an FTS5 expression.
    """
    phrases = [term for term in words if term.phrase]
    if every and words and (found := candidates(query.all_terms_fts_expression(words))):
        return found, ""
    if phrases and (found := candidates(query.all_terms_fts_expression(phrases))):
        return found, "No memory holds all of the words; these hold the phrase." if every else ""
    found = candidates("")
    if every and len(words) > 1:
        most = [candidate for candidate in found if 2 * len(candidate.matched) > len(words)]
        holding = most or [candidate for candidate in found if candidate.matched]
        if holding:
            part = "most" if most else "some"
            return holding, f"No memory holds all of the words; these hold {part} of them."
    if phrases and found:
        quoted = " and ".join(f'"{term.label}"' for term in phrases)
        return found, f"No memory holds {quoted}; these are the nearest."
    return found, ""


def _holding_both(
    found: Sequence[rank.MemoryCandidate],
    words: Sequence[query.QueryTerm],
    fresh: Mapping[str, Freshness],
) -> frozenset[str]:
    """Ids of the memories with both words of two; they come first unless they are stale.

    For longer questions BM25 alone is better.
    """
    if len(words) != 2:
        return frozenset()
    both = [candidate.memory.id for candidate in found if len(candidate.matched) == 2]
    return frozenset(id for id in both if id not in fresh or fresh[id].freshness not in STALE)


def count_archived_matches(
    app: App, text: str, filters_by_store: FiltersByStore, limit: int
) -> int:
    """The number of archived memories that match a question by words, at most ``limit``.

    ``filters_by_store`` maps each store to search to its filter.
    """
    archived = {
        database: replace(filter, states=("archived",), now=None)
        for database, filter in filters_by_store.items()
        if memories.has_archived_memory(database)
    }
    if not archived:
        return 0
    found = list_memory_hits(app, text, archived, RecallOptions("keyword"), last_hit_number=limit)
    return len(found.hits[:limit])


@dataclass(frozen=True, slots=True)
class _Similarity:
    """The similarity function (None if only words count) and its share in a score.

    ``lacks`` says why it is missing although it was requested.
    """

    similar: Similar | None = None
    share: float = 0.0
    lacks: str = ""


def _similarity(
    app: App, text: str, views: FiltersByStore, limit: int, options: RecallOptions
) -> _Similarity:
    """The similarity of memories; words alone count if the model is missing and not required."""
    if options.mode == "keyword":
        return _Similarity()
    # Imported here: the model and its arithmetic are not for those who ask by words only.
    from gitmem.retrieval import vectors  # noqa: PLC0415

    try:
        question = vectors.embed_question_for_memories(app, text, views)
    except GitmemError as error:
        if options.mode == "semantic" or options.threshold is not None:
            raise
        return _Similarity(lacks=error.as_sentences())
    share = vectors.semantic_similarity_weight(app, question)
    return _Similarity(vectors.make_similar_memory_finder(question, views, limit), share)


def _fused(
    app: App,
    candidates: list[rank.MemoryCandidate],
    options: RecallOptions,
    first: Collection[str],
    share: float,
) -> list[rank.MemoryHit]:
    """The best by words and meaning, after the ids in ``first``; of equals the newer."""
    from gitmem.search import fusion  # noqa: PLC0415 - not for those who ask by words only

    candidates.sort(key=lambda candidate: (-candidate.memory.updated_at, candidate.memory.id))
    best = fusion.rank_hits(
        [
            fusion.FusionCandidate(
                key=("memory", number),
                lexical=candidate.lexical,
                similarity=candidate.similarity,
                smoothed=candidate.smoothed,
                boost=candidate.boost,
                notes=tuple(rank.reasons_of_candidate(candidate)),
                explicit=candidate.memory.id in first,
            )
            for number, candidate in enumerate(candidates)
        ],
        len(candidates),
        mode=options.mode,
        fusion=options.method,
        cosine_weight=share,
        rrf_k=app.settings.number("search.rrf_k"),
    )
    return [_hit(candidates[found.candidate.key[1]], found) for found in best]


def _hit(candidate: rank.MemoryCandidate, found: "FusedHit") -> rank.MemoryHit:
    why = found.why
    memory, similarity = candidate.memory, candidate.similarity
    if memory.weight != 3:
        why = (*why, f"weight {memory.weight}")
    alike = None if similarity is None else round(similarity, 4)
    parts = (*candidate.parts, *found.ranks)
    return rank.MemoryHit(memory, found.score, why, alike, parts, candidate.doubted)
