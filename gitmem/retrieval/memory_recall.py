"""Answering a question from memories: candidates of every store in one order."""

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.model.anchor import Freshness
from gitmem.model.frozen import replace
from gitmem.retrieval.memory_candidates import Similar, match, weigh
from gitmem.retrieval.request_filters import Views
from gitmem.search import query, rank

# How many are fetched for each one shown, since weight can move a hit up (CF-9).
OVERFETCH = 4


def ranked(
    app: App,
    text: str,
    views: Views,
    limit: int,
    *,
    mode: str,
    freshness: dict[str, Freshness] | None = None,
) -> list[rank.Hit]:
    """The memories that answer, the best first; ``mode`` is keyword, semantic or hybrid.

    ``freshness`` takes in by id whether they are fresh; None: nobody will see them.
    """
    terms = query.parse(text)
    wide = limit * OVERFETCH
    similar = _similar(app, text, views, wide, mode)
    words = () if mode == "semantic" else terms
    candidates = [
        candidate
        for database, wanted in views.items()
        for candidate in weigh(
            app, database, match(database, words, wanted, wide, similar), freshness
        )
    ]
    if similar is None:
        return rank.order(candidates, limit)
    return _fused(app, candidates, limit, mode)


def count_archived(app: App, text: str, views: Views, limit: int) -> int:
    """How many archived memories answer by words: what has faded is not lost."""
    archived = {
        database: replace(wanted, states=("archived",), now=None)
        for database, wanted in views.items()
    }
    return len(ranked(app, text, archived, limit, mode="keyword"))


def _similar(app: App, text: str, views: Views, limit: int, mode: str) -> Similar | None:
    """How alike memories are to the question; None where only words count.

    A model that is not there is no reason to answer nothing: then words alone count, unless only
    the meaning was asked for.
    """
    if mode == "keyword":
        return None
    # Imported here: the model and its arithmetic are not for those who ask by words only.
    from gitmem.retrieval import vectors  # noqa: PLC0415

    try:
        question = vectors.embed(app, text, views)
    except GitmemError:
        if mode == "semantic":
            raise
        return None
    return vectors.similar_memories(question, views, limit)


def _fused(app: App, candidates: list[rank.Candidate], limit: int, mode: str) -> list[rank.Hit]:
    """The best by words and meaning first; of equals the newer."""
    from gitmem.search import fusion  # noqa: PLC0415 - not for those who ask by words only

    candidates.sort(key=lambda one: (-one.memory.updated_at, one.memory.id))
    best = fusion.rank(
        [
            fusion.Candidate(
                key=("memory", number),
                lexical=one.lexical,
                similarity=one.similarity,
                boost=one.boost,
                notes=tuple(rank.reasons(one)),
            )
            for number, one in enumerate(candidates)
        ],
        limit,
        mode=mode,
        meaning=app.settings.real("search.meaning"),
    )
    return [_hit(candidates[found.candidate.key[1]], found.score, found.why) for found in best]


def _hit(candidate: rank.Candidate, score: float, why: tuple[str, ...]) -> rank.Hit:
    memory, similarity = candidate.memory, candidate.similarity
    if memory.weight != 3:
        why = (*why, f"weight {memory.weight}")
    return rank.Hit(memory, score, why, None if similarity is None else round(similarity, 4))
