"""Answering a question from memories: candidates of every store in one order."""

from collections.abc import Callable, Collection, Mapping, Sequence

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.model.anchor import STALE, Freshness
from gitmem.model.frozen import dataclass, replace
from gitmem.retrieval.memory_candidates import Similar, holding_inside, match, weigh
from gitmem.retrieval.request_filters import Views
from gitmem.search import query, rank
from gitmem.search.limits import DEEP, FIRST
from gitmem.store.memory import memories

_INSIDE = "No memory holds these words; some hold them inside of others."
# How many are fetched for each one shown, since weight can move a hit up (CF-9).
OVERFETCH = 4


@dataclass(frozen=True, slots=True)
class Wanted:
    """How memories are asked: ``mode`` keyword, semantic or hybrid, ``method`` of search.fusion.

    ``threshold`` is the least cosine of a hit. ``every``: only those that hold every word, while
    there are any; else those that hold most of them, else any.
    """

    mode: str
    method: str = "score"
    threshold: float | None = None
    every: bool = False


@dataclass(frozen=True, slots=True)
class Ranked:
    """The hits in order, and what had to be let go of the question, in a sentence.

    ``lacks`` says why only words counted where the meaning was asked for too; ``parts`` are the
    questions that were asked on their own, where there were several in one.
    """

    hits: Sequence[rank.Hit]
    relaxed: str = ""
    lacks: str = ""
    parts: Sequence[str] = ()


def listed(
    app: App,
    text: str,
    views: Views,
    wanted: Wanted,
    *,
    upto: int,
    freshness: dict[str, Freshness] | None = None,
) -> Ranked:
    """The list of which pages are shown, right up to the hit ``upto``: one for all pages.

    ``freshness`` takes in by id whether they are fresh; None: nobody will see them. Two questions
    in one are asked each on its own and answered in turns. Raises Unavailable where similarity is
    asked for and cannot be had.
    """
    asked = query.parts(text)
    found = [_listed(app, one, views, wanted, upto, freshness) for one in asked]
    if len(found) == 1:
        return found[0]
    from gitmem.search import pages  # noqa: PLC0415 - most texts ask one question

    merged = pages.merged([one.hits for one in found], lambda hit: hit.memory.id)
    relaxed = next((one.relaxed for one in found if one.relaxed), "")
    return Ranked(_doubted_last([hit for hit, _ in merged]), relaxed, found[0].lacks, asked)


def _listed(
    app: App,
    text: str,
    views: Views,
    wanted: Wanted,
    upto: int,
    freshness: dict[str, Freshness] | None,
) -> Ranked:
    """The list for one question."""
    first = _ranked(app, text, views, FIRST, wanted, freshness)
    by_words = wanted.mode != "semantic" and wanted.threshold is None
    if by_words and not _matched(first.hits):
        held = holding_inside(app, text, views, freshness)
        inside = _doubted_last(rank.order(held, len(held)))
        known = {hit.memory.id for hit in inside}
        rest = [hit for hit in first.hits if hit.memory.id not in known]
        if inside:
            return Ranked([*inside, *rest], _INSIDE, first.lacks)
    whole = wanted.threshold is None and (upto <= FIRST or len(first.hits) <= FIRST)
    if whole:
        return first
    # Imported here: mostly the first hits are enough.
    from gitmem.search import pages  # noqa: PLC0415

    deep = _ranked(app, text, views, DEEP, wanted, freshness)
    hits = pages.joined(first.hits[:FIRST], deep.hits, lambda hit: hit.memory.id)
    if (least := wanted.threshold) is not None:
        hits = [one for one in hits if one.similarity is not None and one.similarity >= least]
        hits = _doubted_last(hits)
    return Ranked(hits, first.relaxed, first.lacks)


def _matched(hits: Sequence[rank.Hit]) -> bool:
    return any(name == "words" and value for hit in hits for name, value in hit.parts)


def ranked(
    app: App,
    text: str,
    views: Views,
    limit: int,
    *,
    mode: str,
    freshness: dict[str, Freshness] | None = None,
) -> Sequence[rank.Hit]:
    """The ``limit`` memories that answer best, the best first; ``freshness`` as for ``listed``."""
    return _ranked(app, text, views, limit, Wanted(mode), freshness).hits[:limit]


def _ranked(
    app: App,
    text: str,
    views: Views,
    limit: int,
    wanted: Wanted,
    freshness: dict[str, Freshness] | None,
) -> Ranked:
    """All that were looked at for the best ``limit``, the best first."""
    terms = query.parse(text)
    wide = limit * OVERFETCH
    meant = _meant(app, text, views, wide, wanted)
    similar = meant.similar
    words = () if wanted.mode == "semantic" else terms

    def candidates(required: str) -> list[rank.Candidate]:
        return [
            candidate
            for database, filtered in views.items()
            for candidate in weigh(
                app,
                database,
                match(database, words, filtered, wide, similar, required),
                freshness,
                text,
            )
        ]

    found, relaxed = _narrowed(candidates, words, every=wanted.every)
    first = _holding_both(found, words, freshness or {})
    if similar is None:
        hits = rank.order(found, len(found))
        hits.sort(key=lambda hit: hit.memory.id not in first)
        return Ranked(_doubted_last(hits), relaxed, meant.lacks)
    return Ranked(_doubted_last(_fused(app, found, wanted, first, meant.share)), relaxed)


def _doubted_last(hits: list[rank.Hit]) -> list[rank.Hit]:
    if not any(hit.doubted for hit in hits):
        return hits
    from gitmem.search import pages  # noqa: PLC0415 - few are marked as wrong

    return pages.doubted_last(hits, lambda hit: hit.doubted)


def _narrowed(
    candidates: Callable[[str], list[rank.Candidate]], words: Sequence[query.Term], *, every: bool
) -> tuple[list[rank.Candidate], str]:
    """The candidates that hold what has to be held, and what was let go of where none does.

    ``candidates(required)`` are those that match an FTS5 expression.
    """
    phrases = [term for term in words if term.phrase]
    if every and words and (found := candidates(query.all_of(words))):
        return found, ""
    if phrases and (found := candidates(query.all_of(phrases))):
        return found, "No memory holds all of the words; these hold the phrase." if every else ""
    found = candidates("")
    if every and len(words) > 1:
        most = [one for one in found if 2 * len(one.matched) > len(words)]
        kept = most or [one for one in found if one.matched]
        if kept:
            part = "most" if most else "some"
            return kept, f"No memory holds all of the words; these hold {part} of them."
    if phrases and found:
        quoted = " and ".join(f'"{term.label}"' for term in phrases)
        return found, f"No memory holds {quoted}; these are the nearest."
    return found, ""


def _holding_both(
    found: Sequence[rank.Candidate], words: Sequence[query.Term], fresh: Mapping[str, Freshness]
) -> frozenset[str]:
    """Of a question of two words the memories that hold both: they come before all that hold one.

    Not those to check first. Of longer questions BM25 orders better than the share that is held.
    """
    if len(words) != 2:
        return frozenset()
    both = [one.memory.id for one in found if len(one.matched) == 2]
    return frozenset(one for one in both if one not in fresh or fresh[one].freshness not in STALE)


def count_archived(app: App, text: str, views: Views, limit: int) -> int:
    """How many archived memories answer by words: what has faded is not lost."""
    archived = {
        database: replace(wanted, states=("archived",), now=None)
        for database, wanted in views.items()
        if memories.any_archived(database)
    }
    if not archived:  # what no memory holds would be looked for in every text, for nothing
        return 0
    found = listed(app, text, archived, Wanted("keyword"), upto=limit)
    return len(found.hits[:limit])


@dataclass(frozen=True, slots=True)
class _Meant:
    """How alike memories are to a question, and the share of that in a score.

    ``similar`` is None where only words count; ``lacks`` says why, where that was not asked for.
    """

    similar: Similar | None = None
    share: float = 0.0
    lacks: str = ""


def _meant(app: App, text: str, views: Views, limit: int, wanted: Wanted) -> _Meant:
    """What the meaning of the question tells of memories.

    A model that is not there is no reason to answer nothing: then words alone count, unless only
    the meaning was asked for, or how alike they are.
    """
    if wanted.mode == "keyword":
        return _Meant()
    # Imported here: the model and its arithmetic are not for those who ask by words only.
    from gitmem.retrieval import vectors  # noqa: PLC0415

    try:
        question = vectors.embed_for_memories(app, text, views)
    except GitmemError as error:
        if wanted.mode == "semantic" or wanted.threshold is not None:
            raise
        return _Meant(lacks=error.as_sentences())
    share = vectors.share(app, question)
    return _Meant(vectors.similar_memories(question, views, limit), share)


def _fused(
    app: App,
    candidates: list[rank.Candidate],
    wanted: Wanted,
    first: Collection[str],
    share: float,
) -> list[rank.Hit]:
    """The best by words and meaning first, before all others some ids; of equals the newer."""
    from gitmem.search import fusion  # noqa: PLC0415 - not for those who ask by words only

    candidates.sort(key=lambda one: (-one.memory.updated_at, one.memory.id))
    best = fusion.rank(
        [
            fusion.Candidate(
                key=("memory", number),
                lexical=one.lexical,
                similarity=one.similarity,
                smoothed=one.smoothed,
                boost=one.boost,
                notes=tuple(rank.reasons(one)),
                asked_for=one.memory.id in first,
            )
            for number, one in enumerate(candidates)
        ],
        len(candidates),
        mode=wanted.mode,
        fusion=wanted.method,
        meaning=share,
        rrf_k=app.settings.number("search.rrf_k"),
    )
    return [_hit(candidates[found.candidate.key[1]], found.score, found.why) for found in best]


def _hit(candidate: rank.Candidate, score: float, why: tuple[str, ...]) -> rank.Hit:
    memory, similarity = candidate.memory, candidate.similarity
    if memory.weight != 3:
        why = (*why, f"weight {memory.weight}")
    alike = None if similarity is None else round(similarity, 4)
    return rank.Hit(memory, score, why, alike, candidate.parts, candidate.doubted)
