"""The list of hits for one question or several, of which pages are shown."""

from collections.abc import Mapping, Sequence

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.model.frozen import dataclass, replace
from gitmem.retrieval import hit_view, repository_search
from gitmem.retrieval.hit_view import HitItem
from gitmem.retrieval.question import Question
from gitmem.retrieval.repository_search import Answer, Sources
from gitmem.search import pages

# The kind of a hit -> the source that it is of.
SOURCES = {"code": "code", "note": "notes", "commit": "commits", "memory": "memories"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """How it is searched: ``mode`` is keyword, semantic or hybrid, ``method`` of search.fusion.

    ``threshold`` is the least cosine of a hit, ``per_source`` the most hits by source, ``per_path``
    the most of one file.
    """

    mode: str
    method: str
    near: str = ""
    profile: str = "default"
    per_path: int = 1
    threshold: float | None = None
    per_source: Mapping[str, int] = {}


@dataclass(frozen=True, slots=True)
class AnswerList:
    """The questions, the answers to each, and all of these in one order without repeats.

    ``merged`` names with each answer the numbers of the questions that it answers; ``notes`` say
    why a reranker did not read them, where one is set.
    """

    questions: Sequence[Question]
    answers: Sequence[Sequence[Answer]]
    merged: Sequence[tuple[Answer, tuple[int, ...]]]
    notes: tuple[str, ...] = ()


def find(
    app: App, texts: Sequence[str], sources: Sources, wanted: Wanted, *, upto: int
) -> AnswerList:
    """The list for some questions, right up to the hit ``upto``. Raises InvalidInput."""
    questions = [
        repository_search.question(
            app,
            text,
            pages.FIRST,
            mode=wanted.mode,
            near=wanted.near,
            profile=wanted.profile,
            memories=sources.memories,
            per_path=wanted.per_path,
            alike=wanted.threshold is not None,
        )
        for text in texts
    ]
    reranker = app.settings.text("search.rerank") if wanted.mode != "keyword" else ""
    narrowed = wanted.per_source or wanted.threshold is not None
    # A list that is put in another order is the same for every page.
    depth = pages.DEEP if narrowed or reranker else upto
    answers = [
        repository_search.listed(
            app, one, sources, mode=wanted.mode, method=wanted.method, upto=depth
        )
        for one in questions
    ]
    notes: tuple[str, ...] = ()
    if reranker:
        answers, notes = _reranked(app, reranker, texts, answers)
    if wanted.threshold is not None:
        answers = [_alike(some, wanted.threshold) for some in answers]
    identity = repository_search.piece if wanted.per_path > 1 else repository_search.place
    merged = pages.merged(answers, identity)
    kept = pages.at_most(merged, wanted.per_source, lambda one: SOURCES[one[0][1].kind])
    return AnswerList(questions, answers, kept, notes)


def _reranked(
    app: App, name: str, texts: Sequence[str], answers: Sequence[list[Answer]]
) -> tuple[list[list[Answer]], tuple[str, ...]]:
    """The answers with the best in the order of a cross-encoder, or as they are and why."""
    # Imported here: few have set one.
    from gitmem.embedding import reranker, reranking  # noqa: PLC0415

    found = [list(some) for some in answers]
    try:
        model = reranker.opened(name, app.settings.model_folder or None)
        for at, (text, some) in enumerate(zip(texts, found, strict=True)):
            read = [_read(item) for _, item in some[: reranking.READ]]
            scores = model.in_time(text, read) if read else []
            if scores is None:
                return found, (f"Not reranked: it took more than {reranker.LONGEST:g} s.",)
            order = reranking.order([hit.score for hit, _ in some], scores)
            found[at] = [some[place] for place in order]
    except GitmemError as error:
        return found, (f"Not reranked. {error.as_sentences()}",)
    return found, ()


def _read(item: HitItem) -> str:
    """What a reranker is given of a hit."""
    about = " ".join(one for one in (item.path, item.symbol, item.context, item.title) if one)
    return f"{about}\n{item.snippet}"


def _alike(answers: Sequence[Answer], least: float) -> list[Answer]:
    """Those whose cosine is known and not below ``least``."""
    return [
        (hit, item)
        for hit, item in answers
        if hit.candidate.similarity is not None and hit.candidate.similarity >= least
    ]


def shown(
    found: AnswerList,
    best: Sequence[tuple[Answer, tuple[int, ...]]],
    present: Sequence[HitItem | None],
    shown: hit_view.Shown,
) -> list[HitItem]:
    """The hits of a page as their files are now, with scores, reasons and what they answer."""
    items = []
    for ((hit, _), numbers), item in zip(best, present, strict=True):
        if item is None:
            continue
        asked = [found.questions[number].asked for number in numbers]
        words = tuple(dict.fromkeys(word for one in asked for word in one.words))
        text = " ".join(one.text for one in asked if not one.single)
        item = hit_view.ranked(item, hit, words, shown, text)
        several = len(found.questions) > 1
        items.append(replace(item, answers=tuple(one.text for one in asked)) if several else item)
    return items


def relevance(app: App, found: AnswerList, sources: Sources, mode: str) -> str:
    """good: one of the best hits likely answers a question; weak: they are only the nearest."""
    grades = (
        repository_search.relevance(app, one, sources, answers, mode=mode)
        for one, answers in zip(found.questions, found.answers, strict=True)
    )
    return "good" if "good" in grades else "weak"
