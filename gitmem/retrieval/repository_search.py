"""Searching code, notes, commits, memories and sessions, and ranking their hits together."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache, partial
from time import perf_counter

from gitmem.app import App
from gitmem.errors import Unavailable
from gitmem.model.frozen import dataclass, replace
from gitmem.retrieval import commit_candidates, hit_view, keyword, request_filters
from gitmem.retrieval.hit_view import HitItem, make_memory_hit
from gitmem.retrieval.memory_candidates import (
    MemoryCosines,
    make_ranking_candidates,
    match_memories,
)
from gitmem.retrieval.question import Candidates, FileScope, Question, Similar, Within
from gitmem.search import answered, best_piece, copies, first_places, fusion, pages, query, rank
from gitmem.search.matched_words import words_in_text
from gitmem.search.profiles import age_rank_factor
from gitmem.search.question import parse_question
from gitmem.store.code import chunks, code_search, commits
from gitmem.store.memory.filters import MemoryFilter

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from gitmem.store.session.exchange_search import ExchangeFilter

# Similar rows fetched for each hit shown.
OVERFETCH = 4
# From this certainty on a question asks for configuration.
SURELY = 0.8
Answer = tuple[fusion.RankedHit, HitItem]
# The rarity of each word, and that of an unknown word.
Rarity = tuple[dict[str, float], float]


@dataclass(frozen=True, slots=True)
class SearchSources:
    """What to search: ``files`` in a scope (None: no files), commits, memories, sessions.

    Commits count from ``since`` to ``until`` (milliseconds since 1970; None: any), of authors whose
    name contains ``author``, that changed a file of ``paths``; of sessions the exchanges (prompts
    and answers) that pass the filter ``sessions`` (None: none).
    """

    files: FileScope | None
    commits: bool
    memories: bool
    since: int | None = None
    author: str = ""
    paths: FileScope = FileScope(frozenset())
    until: int | None = None
    sessions: "ExchangeFilter | None" = None

    @property
    def includes_all_commits(self) -> bool:
        """Whether files are searched, and commits without a filter by time, author or path."""
        timed = not (self.since is self.until is None)
        narrowed = timed or self.author or self.paths.path
        return self.files is not None and self.commits and not narrowed


def prepare_question(
    app: App,
    text: str,
    limit: int,
    *,
    mode: str,
    near_path: str = "",
    profile_name: str = "default",
    embed_new_memories: bool = True,
    max_hits_per_path: int = 1,
    requires_cosines: bool = False,
    allow_no_common_word: bool = False,
) -> Question:
    """A question prepared for all sources; ``mode`` is keyword, semantic or hybrid.

    ``limit`` is the number of hits, ``max_hits_per_path`` the most of one file, ``near_path`` the
    file the user is in, ``profile_name`` a name in ``search.profiles``. ``embed_new_memories``: new
    memories get their vectors first. With ``allow_no_common_word`` texts without a common word
    count too. Without a model only words count, and ``lacks`` says why; if the mode is semantic, or
    ``requires_cosines``, Unavailable is raised.
    """
    # First, since it refuses questions that are too long.
    terms = query.parse_terms(text)
    plain = Question(
        parsed=parse_question(text),
        terms=terms,
        similar=lambda _source, _keys, _within: {},
        limit=limit,
        lexical=mode != "semantic",
        meaning=mode != "keyword",
        near=near_path,
        profile=profile_name,
        per_path=max_hits_per_path,
        distant=allow_no_common_word,
        without=frozenset(map(str.strip, app.settings.text("search.without").split(","))) - {""},
    )
    if not plain.meaning:
        return plain
    return _embed(app, plain, text, memories=embed_new_memories, required=requires_cosines)


def _embed(app: App, plain: Question, text: str, *, memories: bool, required: bool) -> Question:
    """The question with its vectors; without a model, unless they are ``required``, with why."""
    # The model and its arithmetic are not for those who ask by words only.
    from gitmem.retrieval import vectors  # noqa: PLC0415

    store, began = app.store, perf_counter()
    try:
        plainly = vectors.embed_question(app, text, semantic_only=not plain.lexical)
        embedded = (
            {"memory": vectors.embed_question_for_memories(app, text, [store], plainly)}
            if memories
            else {}
        )
    except Unavailable as error:
        if required or not plain.lexical:
            raise
        return replace(plain, meaning=False, lacks=error.as_sentences(), model_ms=_ms_since(began))

    def reaching(limit: int) -> Similar:
        def similar(source: str, keys: list[int], within: Within) -> Mapping[int, float]:
            wide, vector = limit * OVERFETCH, embedded.get(source, plainly)
            near = vector.nearest_rows(
                store, source, wide, worktree=app.worktree, row_numbers=within
            )
            return {**near, **vector.similarities_of_rows(store, source, keys, near)}

        return similar

    shares = {
        source: vectors.semantic_similarity_weight(app, vector)
        for source, vector in embedded.items()
    }
    took = _ms_since(began)
    made = replace(plain, reaching=reaching, shares=shares, model=plainly.cache_key, model_ms=took)
    return made.with_limit(plain.limit)


def _ms_since(began: float) -> float:
    return (perf_counter() - began) * 1000


def rank_hits(
    app: App,
    question: Question,
    sources: SearchSources,
    *,
    mode: str,
    fusion_method: str,
    mix_kinds: bool = True,
) -> list[Answer]:
    """The hits of all sources as (ranked hit, hit to show), the best first, all that were found.

    The first ``question.limit`` are the best there are. ``mode`` is keyword, semantic or hybrid;
    ``fusion_method`` (score, rrf or weighted) joins words and meaning. Without ``mix_kinds`` the
    first places are not shared among kinds of file.
    """
    found = _candidates(app, question, sources)
    items = {candidate.key: item for candidate, item in found}
    best = fusion.rank_hits(
        [replace(candidate, distant=question.distant) for candidate, _ in found],
        len(found),
        mode=mode,
        fusion=fusion_method,
        cosine_weight=app.settings.float_number("search.meaning"),
        rrf_k=app.settings.number("search.rrf_k"),
    )
    hits = pages.move_doubted_hits_last(
        [(hit, items[hit.candidate.key]) for hit in best], lambda pair: pair[0].candidate.doubted
    )
    compared = sources.files is not None and sources.files.has_several_kinds
    if not mix_kinds or not compared or question.per_path > 1:
        return hits
    hits = _without_copies(hits, english=question.parsed.text.isascii())
    return _best_of_each_kind(app, question, hits, mode)


def _without_copies(hits: list[Answer], *, english: bool) -> list[Answer]:
    """The hits, one for each group of translations and near copies, unless a file is named."""
    if any(hit.candidate.explicit for hit, _ in hits):
        return hits
    passages = [
        copies.CopyCandidate(
            item.path if item.start_line else "", item.snippet, item.kind == "note"
        )
        for _, item in hits
    ]
    notes = copies.group_copies(passages, is_english_question=english)
    if len(notes) == len(hits):
        return hits
    return [
        (replace(hits[at][0], why=(*hits[at][0].why, note)) if note else hits[at][0], hits[at][1])
        for at, note in notes.items()
    ]


def _best_of_each_kind(app: App, question: Question, hits: list[Answer], mode: str) -> list[Answer]:
    """The hits with the first page shared among the best of each kind."""
    parsed = question.parsed
    others = parsed.requested_kinds.keys() - first_places.LESS.keys() - {"history"}
    if others or parsed.task or any(_named(question, hit) for hit, _ in hits):
        return hits
    meaning = app.settings.float_number("search.meaning")
    known = [
        first_places.KindScoredHit(
            # What somebody marked as wrong takes no first place.
            "" if hit.candidate.doubted else hit_view.kind_of_hit(item),
            fusion.score_within_kind(hit.candidate, mode, meaning),
        )
        for hit, item in hits
    ]
    rare, _ = idf_of_words(app, parsed.words)
    first = first_places.order_first_page(
        known,
        cache(lambda at: _holds(*hits[at], rare)),
        parsed.requested_kinds,
        asks_for_place=parsed.asks_where,
        page_size=pages.FIRST,
    )
    rest = [hit for at, hit in enumerate(hits) if at not in first]
    # Whatever stands before another has no lower score.
    least = rest[0][0].score if rest else 0.0
    placed: list[Answer] = []
    for hit, item in (hits[at] for at in reversed(first)):
        least = max(least, hit.score)
        placed.append((replace(hit, score=least), item))
    return [*reversed(placed), *rest]


def _named(question: Question, hit: fusion.RankedHit) -> bool:
    """Whether a question names a hit: by path, phrase, or as a single name."""
    defines = {"defines_only", "defines_loosely"}.intersection(dict(hit.candidate.parts))
    return hit.candidate.explicit or (question.parsed.is_single_name and bool(defines))


def _holds(hit: fusion.RankedHit, item: HitItem, rare: Mapping[str, float]) -> float:
    """The value of a hit by words, heading and similarity."""
    heading = item.title or best_piece.chunk_heading(
        item.symbol, item.context, is_prose=item.kind == "note"
    )
    alike = hit.candidate.similarity or 0.0
    value = best_piece.chunk_score(
        item.snippet, heading, rare, cosine=alike, bm25=0.0, related_idf={}
    )
    if (
        value > alike
        or hit_view.kind_of_hit(item) != "code"
        or words_in_text(list(rare), _text(item))
    ):
        return value
    # Code without a word of the question gets no bonus.
    return value - first_places.FIRST


def list_ranked_hits(
    app: App,
    question: Question,
    sources: SearchSources,
    *,
    mode: str,
    fusion_method: str,
    last_hit_number: int,
) -> list[Answer]:
    """The hits for all pages as (ranked hit, hit to show), the best first.

    None is missing up to hit ``last_hit_number``; the caller cuts the list into pages. ``mode`` is
    keyword, semantic or hybrid; ``fusion_method`` (score, rrf or weighted) joins words and meaning.
    """
    if question.per_path == 1:
        first = rank_hits(
            app, question.with_limit(pages.FIRST), sources, mode=mode, fusion_method=fusion_method
        )
        if last_hit_number <= pages.FIRST or len(first) <= pages.FIRST:
            return first
    deep = rank_hits(
        app, question.with_limit(pages.DEEP), sources, mode=mode, fusion_method=fusion_method
    )
    return (
        deep
        if question.per_path > 1
        else pages.append_new_hits(first[: pages.FIRST], deep, hit_key)
    )


def hit_key(answer: Answer) -> Hashable:
    """A value equal for two hits in the same file, commit or memory."""
    item = answer[1]
    return item.kind in ("code", "note"), item.id or item.commit or item.path


def passage_key(answer: Answer) -> Hashable:
    """A value equal for two hits in the same passage."""
    return hit_key(answer), answer[1].start_line


def relevance_of_best_hits(
    app: App,
    question: Question,
    sources: SearchSources,
    best_answers: Sequence[Answer],
    *,
    mode: str,
    known_idf: Rarity | None = None,
) -> str:
    """``good`` if one of the ``best_answers`` hits likely answers the question, else ``weak``.

    It is ``none`` without hits. ``mode`` is keyword, semantic or hybrid. ``known_idf`` is the
    result of ``idf_of_words`` for the question's words, if known.
    """
    if not best_answers:
        return "none"
    if any(hit.candidate.explicit for hit, _ in best_answers[: answered.TOP]):
        return "good"
    rare, most = known_idf or idf_of_words(app, question.parsed.words, _judged_by(sources))
    rare = answered.idf_without_embedded_numbers(rare, question.parsed.text)
    meaning = app.settings.float_number("search.meaning")
    texts = [_text(item) for _, item in best_answers[: answered.TOP]]
    found = [
        answered.measure_hit_relevance(
            text, candidate.similarity, fusion.answer_score(candidate, mode, meaning), rare
        )
        for text, candidate in zip(texts, (hit.candidate for hit, _ in best_answers), strict=False)
    ]
    named = answered.names_in_question(question.parsed.text)
    parts = answered.unmatched_names(question.parsed.text, texts)
    usual = question.parsed.requested_kinds.get("config", 0.0) >= SURELY and any(
        "usual" in dict(hit.candidate.parts) for hit, _ in best_answers[: answered.TOP]
    )
    place = best_piece.asks_for_place(question.parsed)
    sure = answered.has_likely_answer(
        rare,
        most,
        found,
        mode,
        named,
        unmatched=parts,
        is_at_usual_place=usual,
        asks_for_place=place,
    )
    return "good" if sure else "weak"


def _judged_by(sources: SearchSources) -> str:
    """The source in which words are rare or common."""
    if sources.files is not None:
        return "chunk"
    return "exchange" if sources.sessions is not None and not sources.commits else "message"


def idf_of_words(app: App, words: Iterable[str], text_source: str = "chunk") -> Rarity:
    """(word -> its inverse document frequency in the index, that of a word which no text has).

    ``text_source`` is ``chunk`` (pieces of files), ``exchange`` or ``message`` (of commits).
    """
    count_all = chunks.approximate_chunk_count if text_source == "chunk" else commits.count_commits
    total = count_all(app.store)
    if text_source == "exchange":
        from gitmem.store.session import exchange_search  # noqa: PLC0415 - few ask for them

        total = exchange_search.count_all_exchanges(app.store)
    count = partial(code_search.count_full_text_matches, app.store, text_source)
    rare = {
        word: query.inverse_document_frequency(held, total)
        for word, held in keyword.count_rows_per_word(words, count).items()
    }
    return rare, query.inverse_document_frequency(0, total)


def _text(item: HitItem) -> str:
    return f"{item.path} {item.symbol} {item.context} {item.title} {item.snippet}"


def _candidates(app: App, question: Question, sources: SearchSources) -> Candidates:
    found: Candidates = []
    if sources.files is not None:
        from gitmem.retrieval import file_candidates  # noqa: PLC0415 - not for commits alone

        found += file_candidates.find_file_candidates(app, question, sources.files)
    if sources.commits:
        found += commit_candidates.find_commit_candidates(
            app,
            question,
            since=sources.since,
            until=sources.until,
            author=sources.author,
            scope=sources.paths,
        )
    if sources.memories:
        found += _memories(app, question)
    if sources.sessions is not None:
        from gitmem.retrieval import exchange_candidates  # noqa: PLC0415 - few ask for them

        found += exchange_candidates.find_exchange_candidates(app, question, sources.sessions)
    return found


def _memories(app: App, question: Question) -> Candidates:
    """Memories and decisions in force."""
    store = app.store
    matches = match_memories(
        store,
        question.terms if question.lexical else (),
        request_filters.memory_filter_for_store(app, store, MemoryFilter(now=app.now)),
        question.limit,
        lambda _, numbers: MemoryCosines(question.similar("memory", numbers, None), {}),
    )
    weighed = make_ranking_candidates(app, store, matches, {}, question.parsed.text)
    return [
        (
            _memory(app, question, found),
            make_memory_hit(found.memory, found.memory.content, found.notes),
        )
        for found in weighed
    ]


def _memory(app: App, question: Question, found: rank.MemoryCandidate) -> fusion.FusionCandidate:
    memory, profile = found.memory, question.ranking_profile
    factors = {
        "weight": memory.weight / 3,
        "profile": profile.memories,
        "age": age_rank_factor(memory.created_at, app.now, profile),
        "standing": round(found.strength, 3),
    }
    if found.turn != 1:
        factors["turn"] = found.turn
    if found.feedback != 1:
        factors["feedback"] = found.feedback
    key = ("memory", memory.seq)
    made = question.make_candidate(key, found.lexical, found.similarity, found.matched, factors)
    return replace(made, doubted=True) if found.doubted else made
