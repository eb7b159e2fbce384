"""Answering a question from memories and decisions, by words and by meaning."""

from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.maintenance import usage
from gitmem.model.anchor import Freshness
from gitmem.model.frozen import dataclass, replace
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation, words
from gitmem.retrieval import annotate, memory_recall, memory_view, request_filters
from gitmem.store.memory.filters import Filter


@dataclass(frozen=True, slots=True)
class Recall:
    """A question to the memories."""

    query: Annotated[str, words('What to look for; "..." finds a phrase, * lists everything')]
    kind: shared.OfKind = ()
    tag: shared.WithTag = ()
    agent: shared.ByAgent = ""
    path: shared.About = ""
    state: shared.InState = ()
    mode: Annotated[
        str, Arg("Match words, meaning, or both", choices=("hybrid", "keyword", "semantic"))
    ] = "hybrid"
    scope: shared.FromScope = "all"
    project: shared.SubProject = ""
    since: shared.Since = ""
    until: shared.Until = ""
    as_of: shared.AsOf = ""
    all_branches: shared.AllBranches = False
    branch: Annotated[str, Arg("Only what was kept on this branch, merged or not", mcp=False)] = ""
    author: Annotated[str, Arg("Only what somebody of this name decided or wrote", mcp=False)] = ""
    glob: Annotated[str, Arg("Only about files matching src/**/*.py", place="glob", mcp=False)] = ""
    commits: Annotated[
        str, Arg("Only what was kept at these commits: v1.2..HEAD, or one", mcp=False)
    ] = ""
    weight: Annotated[
        int | None,
        Arg("Only of this weight or more", flag="--min-weight", least=1, most=5, mcp=False),
    ] = None
    match: Annotated[
        str,
        Arg(
            "all: hold every word, or most of them where none does; it says so",
            choices=("any", "all"),
            mcp=False,
        ),
    ] = "any"
    fusion: shared.Fusion = ""
    explain: shared.Explain = False
    threshold: shared.Threshold = None
    offset: shared.HitOffset = None
    limit: shared.HitLimit = None


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """What the score of a memory is made of, by ``id`` (CF-13).

    ``words`` and ``meaning`` (the cosine) are joined as --fusion says; that is multiplied by
    ``weight`` (1 for the usual 3) and by ``standing``: how fresh and how much used it is. Of a turn
    of a conversation ``beside``, the cosine together with those of the turns beside it, stands for
    ``meaning``, and ``turn`` is the factor for what it is: one that asks counts less.
    """

    id: str
    parts: dict[str, float]


@dataclass(frozen=True, slots=True)
class Recalled:
    """The memories that answer, the best first. None of them is a possible answer.

    ``archived`` counts those that would answer and were put away, where nothing else does;
    ``notes`` tell of filters that no memory passes, and of what of the question was let go.
    ``has_more``: the list goes on behind these, with --offset. ``scores`` is filled by --explain.
    """

    memories: tuple[memory_view.MemoryItem, ...]
    archived: int = 0
    notes: tuple[str, ...] = ()
    has_more: bool = False
    scores: tuple[ScoreParts, ...] = ()


def recall(app: App, request: Recall) -> Recalled:
    """Find memories and decisions by words and by meaning.

    Searches this project and the global memories. Each result says why it matched. A word
    that occurs in very many memories counts only together with others. Archived and superseded
    memories are left out unless --state asks for them, and those recorded on a branch that is not
    merged here unless --all-branches does. What no longer matches the code is listed last,
    marked "check first". A phrase in quotes leaves only memories that hold it, while there are
    any. --offset gives the memories behind the first.
    """
    if request.threshold is not None and request.mode == "keyword":
        raise InvalidInput(
            "--threshold does not go with --mode keyword: words alone have no similarity.",
            "Use --mode hybrid or semantic.",
        )
    wanted = _wanted(app, request)
    every = request.all_branches or bool(request.branch or request.commits)
    views = request_filters.views(app, request.scope, wanted, all_branches=every)
    offset, limit = request.offset or 0, request.limit or app.settings.number("recall.limit")
    if request.query.strip() == "*":
        return _newest(app, views, wanted, offset, limit)
    began = app.now
    freshness: dict[str, Freshness] = {}
    method = request.fusion or app.settings.text("search.fusion")
    asked = memory_recall.Wanted(request.mode, method, request.threshold, request.match == "all")
    found = memory_recall.listed(
        app, request.query, views, asked, upto=offset + limit, freshness=freshness
    )
    hits = found.hits[offset : offset + limit]
    usage.recalled(app, request.mode, found=bool(hits), ms=app.now - began)
    home = {database.scope: database for database in views}
    pairs = [(hit.memory, home[hit.memory.scope]) for hit in hits]
    annotate.count_shown(app, pairs)
    # Looked at once: what was found out for the order is shown too.
    items = annotate.items_of(app, pairs, as_of=wanted.as_of, standing=freshness)
    archived = 0
    notes = _told(found, offset) if found.hits else ()
    if not (found.hits or wanted.broad):
        notes = request_filters.left_nothing(views, wanted)
    if not (found.hits or request.state or request.as_of):
        archived = memory_recall.count_archived(app, request.query, views, limit)
    return Recalled(
        tuple(
            replace(item, score=hit.score, why=hit.why, similarity=hit.similarity)
            for item, hit in zip(items, hits, strict=True)
        ),
        archived,
        _lacks(found)
        + notes
        + _not_compared(app, request, len(hits) < limit)
        + _joined(request, method),
        len(found.hits) > offset + limit,
        tuple(ScoreParts(hit.memory.id, dict(hit.parts)) for hit in hits if request.explain),
    )


def _newest(
    app: App, views: request_filters.Views, wanted: Filter, offset: int, limit: int
) -> Recalled:
    """All that is kept answers ``*``, and all alike."""
    newest = request_filters.newest(views, offset + limit + 1)
    pairs = newest[offset : offset + limit]
    annotate.count_shown(app, pairs)
    items = annotate.items_of(app, pairs, as_of=wanted.as_of)
    return Recalled(
        tuple(replace(item, score=0.0) for item in items), has_more=len(newest) > offset + limit
    )


def _wanted(app: App, request: Recall) -> Filter:
    """Which memories may answer. The stores come first: settings are read where there are some."""
    wanted = request_filters.chosen(
        app,
        kind=request.kind,
        tag=request.tag,
        agent=request.agent,
        path=request.path,
        state=request.state,
        since=request.since,
        until=request.until,
        as_of=request.as_of,
    )
    by_words = request.author or request.branch or request.glob or request.commits
    if not by_words and request.weight is None:
        return wanted
    return request_filters.narrowed(
        app,
        wanted,
        scope=request.scope,
        author=request.author,
        branch=request.branch,
        glob=request.glob,
        commits=request.commits,
        weight=request.weight,
    )


def _lacks(ranked: memory_recall.Ranked) -> tuple[str, ...]:
    """Why the meaning was not compared, where it was to be."""
    if not ranked.lacks:
        return ()
    from gitmem.retrieval import search_notes  # noqa: PLC0415 - only where a model is not there

    return search_notes.by_words_alone([ranked.lacks])


def _not_compared(app: App, request: Recall, few: bool) -> tuple[str, ...]:
    """How many memories have no vector yet, for who asks by meaning alone and finds few."""
    if request.mode != "semantic" or not few:
        return ()
    from gitmem.embedding import base  # noqa: PLC0415 - only for who asks by meaning alone
    from gitmem.indexing import text_vectors  # noqa: PLC0415 - as above
    from gitmem.store.code import vectors  # noqa: PLC0415 - as above

    model = base.identity(text_vectors.model(app))
    waiting = sum(vectors.count_missing(store, model, ("memory",)) for store in app.stores())
    from gitmem.text.quantity import quantity  # noqa: PLC0415 - seldom, and asked at each prompt

    told = f"Not compared yet: {quantity(waiting, 'text')} of memories; run `gitmem index`."
    return (told,) if waiting else ()


def _joined(request: Recall, method: str) -> tuple[str, ...]:
    if not request.explain or request.mode != "hybrid":
        return ()
    from gitmem.retrieval import search_notes  # noqa: PLC0415 - only for who asks how

    return search_notes.joined_by(method)


def _told(ranked: memory_recall.Ranked, offset: int) -> tuple[str, ...]:
    """What of the question was let go, or that the list ends before what was asked for."""
    if offset >= len(ranked.hits):
        return (f"The list ends before that: {len(ranked.hits)} in all.",)
    apart = (
        f"Asked one by one, answered in turns: {' | '.join(ranked.parts)}" if ranked.parts else ""
    )
    return tuple(filter(None, (apart, ranked.relaxed)))


def view(result: Recalled, width: int = 0) -> str:
    """A paragraph for each memory; of a long one its beginning.

    On a terminal of ``width`` columns at most twelve lines of what each says.
    """
    if not result.memories:
        if not result.archived:
            return "\n".join(("No relevant memories.", *result.notes))
        many = f"{result.archived} archived memor{'y' if result.archived == 1 else 'ies'}"
        return f"No relevant memories in use; {many} may match: add --state archived"
    scores = {
        score.id: "\n  = " + ", ".join(f"{name} {value:.2f}" for name, value in score.parts.items())
        for score in result.scores
    }
    found = [
        memory_view.paragraph(memory, width) + scores.get(memory.id, "")
        for memory in result.memories
    ]
    return "\n".join((*result.notes, *found))


def highlights(result: Recalled) -> tuple[str, ...]:
    """The words and phrases that matched, without the marks of a part of a word."""
    said = (why.removeprefix("matches ") for memory in result.memories for why in memory.why
            if why.startswith("matches "))  # fmt: skip
    return tuple(dict.fromkeys(word.strip("*") for one in said for word in one.split(", ")))


RECALL = Operation(
    "recall",
    recall,
    view,
    READ,
    '"which port does redis use"',
    screen=view,
    highlights=highlights,
    tool="recall",
    shows_times=True,
    everyday=("kind", "tag", "path", "since", "until", "all_branches", "explain", "limit"),
)
