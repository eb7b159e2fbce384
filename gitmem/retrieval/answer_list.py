"""The full list of hits for one question or several, of which pages are shown."""

from collections.abc import Mapping, Sequence
from time import perf_counter

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.model.frozen import dataclass, replace
from gitmem.retrieval import hit_view, repository_search
from gitmem.retrieval.hit_view import HitItem
from gitmem.retrieval.question import Question
from gitmem.retrieval.repository_search import Answer, SearchSources
from gitmem.search import pages
from gitmem.store.code import chunks

# The kind of a hit -> the source that it is of.
SOURCES = {
    "code": "code",
    "note": "notes",
    "commit": "commits",
    "memory": "memories",
    "session": "sessions",
}


@dataclass(frozen=True, slots=True)
class RankingOptions:
    """How to search: ``mode`` is keyword, semantic or hybrid, ``method`` score, rrf or weighted.

    ``near`` is the file that the user is in, ``profile`` a name in ``search.profiles``.
    ``threshold`` is the least cosine, ``per_source`` and ``per_path`` limit the hits of a source
    and of a file. With ``diverse`` hits that repeat better hits rank lower. ``rerank`` has how many
    hits a reranker is to ``read``, how many it puts in ``front``, and 0 for ``use`` to do without.
    With ``distant`` hits need no common word, however little they are alike.
    """

    mode: str
    method: str
    near: str = ""
    profile: str = "default"
    per_path: int = 1
    threshold: float | None = None
    per_source: Mapping[str, int] = {}
    diverse: bool = False
    rerank: Mapping[str, int] = {}
    distant: bool = False


@dataclass(frozen=True, slots=True)
class AnswerList:
    """The result of ``find_answers``: the parsed ``questions`` and the hits of each (``answers``).

    ``merged`` are the hits of all as (hit, numbers of the questions it answers, from 0). ``notes``
    say why a reranker that is set was not used; it took ``reranker_ms`` milliseconds.
    """

    questions: Sequence[Question]
    answers: Sequence[Sequence[Answer]]
    merged: Sequence[tuple[Answer, tuple[int, ...]]]
    notes: tuple[str, ...] = ()
    reranker_ms: float = 0.0


def find_answers(
    app: App,
    question_texts: Sequence[str],
    sources: SearchSources,
    options: RankingOptions,
    *,
    last_hit_number: int,
) -> AnswerList:
    """The hits for some questions, as an AnswerList. Raises InvalidInput.

    ``last_hit_number`` is the last hit the caller will show: up to it no hit is missing.
    """
    questions = [
        repository_search.prepare_question(
            app,
            text,
            pages.FIRST,
            mode=options.mode,
            near_path=options.near,
            profile_name=options.profile,
            embed_new_memories=sources.memories,
            max_hits_per_path=options.per_path,
            requires_cosines=options.threshold is not None,
            allow_no_common_word=options.distant,
        )
        for text in question_texts
    ]
    reranker = app.settings.text("search.rerank") if options.mode != "keyword" else ""
    narrowed = options.per_source or options.threshold is not None or options.diverse
    # A list that is filtered or reordered has to be the same for every page.
    depth = pages.DEEP if narrowed or reranker else last_hit_number
    answers = [
        repository_search.list_ranked_hits(
            app,
            question,
            sources,
            mode=options.mode,
            fusion_method=options.method,
            last_hit_number=depth,
        )
        for question in questions
    ]
    notes: tuple[str, ...] = ()
    began = perf_counter()
    if reranker:
        answers, notes = _reranked(app, reranker, question_texts, answers, options.rerank)
    took = (perf_counter() - began) * 1000
    if options.threshold is not None:
        answers = [_alike(some, options.threshold) for some in answers]
    if options.diverse:
        answers = [_spread(some) for some in answers]
    identity = repository_search.passage_key if options.per_path > 1 else repository_search.hit_key
    merged = pages.merge_hit_lists(answers, identity)
    chosen = pages.limit_hits_per_source(
        merged, options.per_source, lambda row: SOURCES[row[0][1].kind]
    )
    return AnswerList(questions, answers, chosen, notes, took)


def _reranked(
    app: App,
    name: str,
    texts: Sequence[str],
    answers: Sequence[list[Answer]],
    limits: Mapping[str, int],
) -> tuple[list[list[Answer]], tuple[str, ...]]:
    """The answers reordered by a cross-encoder, or unchanged with the reason."""
    # Imported here: few have set one.
    from gitmem.embedding import reranker, reranking  # noqa: PLC0415

    found = [list(some) for some in answers]
    if not limits.get("use", 1):
        return found, ("Not reranked, as asked.",)
    most, front = limits.get("read", reranking.READ), limits.get("front", reranking.FRONT)
    try:
        model = reranker.open_reranker(name, app.settings.model_folder or None)
        for at, (text, some) in enumerate(zip(texts, found, strict=True)):
            read = [_read(item) for _, item in some[:most]]
            scores = model.score_texts_with_timeout(text, read) if read else []
            if scores is None:
                return found, (f"Not reranked: it took more than {reranker.LONGEST:g} s.",)
            order = reranking.reranked_order(
                [hit.score for hit, _ in some], scores, reranked_count=front
            )
            found[at] = [some[place] for place in order]
    except GitmemError as error:
        return found, (f"Not reranked. {error.as_sentences()}",)
    return found, ()


def _read(item: HitItem) -> str:

    about = " ".join(part for part in (item.path, item.symbol, item.context, item.title) if part)
    return f"{about}\n{item.snippet}"


def _spread(answers: Sequence[Answer]) -> list[Answer]:
    from gitmem.search import diversity  # noqa: PLC0415 - for who asks for it

    scores = [hit.score for hit, _ in answers]
    return [
        answers[at] for at in diversity.diverse_order(scores, [item.snippet for _, item in answers])
    ]


def _alike(answers: Sequence[Answer], least: float) -> list[Answer]:

    return [
        (hit, item)
        for hit, item in answers
        if hit.candidate.similarity is not None and hit.candidate.similarity >= least
    ]


def make_hit_page(
    app: App,
    answers: AnswerList,
    ranked_answers: Sequence[tuple[Answer, tuple[int, ...]]],
    present_items: Sequence[HitItem | None],
    display: hit_view.DisplayOptions,
) -> list[HitItem]:
    """The hits of a page as HitItem values, with scores, reasons, and the questions they answer.

    ``ranked_answers`` is a part of ``answers.merged``; ``present_items`` has each of its hits with
    its present text, or None for a passage that is gone, which is left out.
    """
    items = []
    for ((hit, stored), numbers), item in zip(ranked_answers, present_items, strict=True):
        if item is None:
            continue
        place = _position(app, stored) if display.content else None
        answered = [answers.questions[number].parsed for number in numbers]
        words = tuple(dict.fromkeys(word for question in answered for word in question.words))
        text = " ".join(question.text for question in answered if not question.is_single_name)
        item = replace(hit_view.make_displayed_hit(item, hit, words, display, text), chunk=place)
        several = len(answers.questions) > 1
        items.append(
            replace(item, answers=tuple(question.text for question in answered))
            if several
            else item
        )
    return items


def _position(app: App, stored: HitItem) -> int | None:

    if stored.start_line is None or stored.end_line is None:
        return None
    span = stored.start_line, stored.end_line
    return chunks.position_of_chunk_in_file(
        app.store, app.worktree, stored.path, *span, stored.snippet
    )


def relevance_of_answers(app: App, answers: AnswerList, sources: SearchSources, mode: str) -> str:
    """``good`` if one of the best hits likely answers one of the questions, else ``weak``."""
    grades = (
        repository_search.relevance_of_best_hits(app, question, sources, answers, mode=mode)
        for question, answers in zip(answers.questions, answers.answers, strict=True)
    )
    return "good" if "good" in grades else "weak"
