"""Finding memories and decisions that answer a question, by words and by meaning."""

from collections.abc import Iterable

from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.maintenance import usage
from gitmem.model.anchor import Freshness
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import READ, Annotated, Arg, Operation, Texts, unquoted_words_arg
from gitmem.retrieval import annotate, memory_recall, memory_view, request_filters
from gitmem.store.memory.filters import MemoryFilter


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """Arguments of `gitmem recall`: what to look for in the memories, and filters (empty: none).

    ``query`` is words, a phrase in quotes, or * for everything; ``mode`` is hybrid, keyword or
    semantic. Most filters are as for `gitmem list`; ``threshold`` is the least similarity in
    meaning, 0 to 1. ``projects`` are other projects to ask as well; None for ``limit`` means 10.
    """

    query: Annotated[
        str, unquoted_words_arg('What to look for; "..." finds a phrase, * lists everything')
    ]
    kind: shared.OfKind = ()
    tag: shared.WithTag = ()
    agent: shared.ByAgent = ""
    path: shared.About = ""
    state: shared.InState = ()
    mode: Annotated[
        str, Arg("Match words, meaning, or both", choices=("hybrid", "keyword", "semantic"))
    ] = "hybrid"
    scope: shared.FromScope = "all"
    layer: shared.InLayer = ()
    project: shared.SubProject = ""
    projects: shared.OfProjects = ()
    since: shared.Since = ""
    until: shared.Until = ""
    as_of: shared.AsOf = ""
    all_branches: shared.AllBranches = False
    branch: Annotated[str, Arg("Only those recorded on this branch, merged or not", mcp=False)] = ""
    author: Annotated[str, Arg("Only what somebody of this name decided or wrote", mcp=False)] = ""
    glob: Annotated[
        str, Arg("Only about files matching src/**/*.py", path_kind="glob", mcp=False)
    ] = ""
    commits: Annotated[
        str, Arg("Only what was recorded at these commits: v1.2..HEAD, or one", mcp=False)
    ] = ""
    weight: Annotated[
        int | None,
        Arg("Only of this weight or more", flag="--min-weight", minimum=1, maximum=5, mcp=False),
    ] = None
    facts: Annotated[
        Texts,
        Arg(
            "Only with this in its metadata, or as a tag: topic=auth",
            flag="--metadata",
            metavar="KEY=VALUE",
            mcp=False,
        ),
    ] = ()
    match: Annotated[
        str,
        Arg(
            "all: only memories with every word; if there are none, with most, and it says so",
            choices=("any", "all"),
            mcp=False,
        ),
    ] = "any"
    fusion: shared.Fusion = ""
    profile: shared.Profile = "default"
    explain: shared.Explain = False
    threshold: shared.Threshold = None
    offset: shared.HitOffset = None
    limit: shared.HitLimit = None


@dataclass(frozen=True, slots=True)
class MemoryScoreParts:
    """The parts of a memory's score, by ``id``.

    ``words`` (of the search by words) and ``meaning`` (the cosine) are combined as --fusion says;
    the result is multiplied by ``weight`` (1 for the usual weight of 3) and by ``standing``, for
    how fresh and how much used the memory is. For a turn of a conversation ``meaning`` is replaced
    by ``beside``, which includes the cosines of the neighbouring turns, and ``turn`` is a factor: a
    question counts less. ``profile`` is the factor of --profile. With rank fusion ``words_rank``
    and ``meaning_rank`` are the memory's ranks in the two searches, and ``rrf`` is computed from
    them. ``final`` is the score.
    """

    id: str
    parts: dict[str, float]


@dataclass(frozen=True, slots=True)
class RecallResult:
    """The memories that answer, best first; there may be none.

    If none answers, ``archived`` counts archived memories that would. ``notes`` name filters that
    no memory passes, and words of the question that were ignored. ``has_more``: there are more
    with --offset. ``scores`` is filled by --explain, ``projects`` by --projects: those that
    were searched.
    """

    memories: tuple[memory_view.MemoryItem, ...]
    archived: int = 0
    notes: tuple[str, ...] = ()
    has_more: bool = False
    scores: tuple[MemoryScoreParts, ...] = ()
    projects: tuple[str, ...] = ()


def recall_memories(app: App, request: RecallRequest) -> RecallResult:
    """Find memories and decisions by words and by meaning.

    Searches this project and the global memories. Each result says why it matched. A word
    that occurs in very many memories counts only together with others. Archived and superseded
    memories are left out unless --state asks for them, and those recorded on a branch that is not
    merged here unless --all-branches does. Memories that no longer match the code are listed last,
    marked "check first". For a phrase in quotes, only memories with that phrase are shown if there
    are any. --offset skips the first results. --projects asks other projects, in which nothing is
    written; whether the code that their memories cite is unchanged is not checked.
    """
    if request.threshold is not None and request.mode == "keyword":
        raise InvalidInput(
            "--threshold does not go with --mode keyword: words alone have no similarity.",
            "Use --mode hybrid or semantic.",
        )
    if request.projects:
        return _across_projects(app, request)
    return _in_project(app, request)


def _across_projects(app: App, request: RecallRequest) -> RecallResult:
    from gitmem.retrieval import across_projects  # noqa: PLC0415 - most ask one project

    each = across_projects.limit_request_per_project(request)
    results, notes = across_projects.run_in_projects(
        app, request.projects, lambda there: _in_project(there, each, checked=there is app)
    )
    found = across_projects.merge_hits_by_score(
        {label: made.memories for label, made in results.items()}
    )
    if request.query.strip() == "*":
        found = tuple(sorted(found, key=lambda memory: memory.created_at, reverse=True))
    return RecallResult(
        found,
        sum(made.archived for made in results.values()),
        across_projects.merge_result_notes(results) + notes,
        any(made.has_more for made in results.values()),
        tuple(score for made in results.values() for score in made.scores),
        tuple(results),
    )


def _in_project(app: App, request: RecallRequest, *, checked: bool = True) -> RecallResult:
    """The memories of one project that answer; ``checked``: compared with the code they cite."""
    filters = _filters(app, request)
    every = request.all_branches or bool(request.branch or request.commits)
    views = request_filters.memory_filters_by_store(app, request.scope, filters, all_branches=every)
    offset, limit = request.offset or 0, request.limit or app.settings.number("recall.limit")
    if request.query.strip() == "*":
        return _newest(app, views, filters, offset, limit, checked=checked)
    began = app.now
    freshness: dict[str, Freshness] = {}
    method = request.fusion or app.settings.text("search.fusion")
    query = memory_recall.RecallOptions(
        request.mode, method, request.threshold, request.match == "all", request.profile
    )
    ranked = memory_recall.list_memory_hits(
        app,
        request.query,
        views,
        query,
        last_hit_number=offset + limit,
        freshness=freshness if checked else None,
    )
    hits = ranked.hits[offset : offset + limit]
    if not offset:  # a page read on is no further question
        usage.record_recall_usage(
            app, request.mode, answered=bool(hits), duration_ms=app.now - began
        )
    home = {database.scope: database for database in views}
    pairs = [(hit.memory, home[hit.memory.scope]) for hit in hits]
    annotate.record_shown_memories(app, pairs)
    if not checked:
        freshness = _unchecked(hit.memory for hit in hits)
    # The freshness found for the order is shown as well, so that it is judged only once.
    items = annotate.make_memory_items(
        app, pairs, as_of_ms=filters.as_of, known_freshness=freshness
    )
    archived = 0
    notes = _query_notes(ranked, offset) if ranked.hits else ()
    if not (ranked.hits or filters.has_only_default_conditions):
        notes = request_filters.describe_filters_without_memories(views, filters)
    if not (ranked.hits or request.state or request.as_of):
        archived = memory_recall.count_archived_matches(app, request.query, views, limit)
    return RecallResult(
        tuple(
            replace(item, score=hit.score, why=hit.why, similarity=hit.similarity)
            for item, hit in zip(items, hits, strict=True)
        ),
        archived,
        _model_note(ranked)
        + notes
        + _waiting_note(app, request, len(hits) < limit)
        + _fusion_note(request, method),
        len(ranked.hits) > offset + limit,
        tuple(
            MemoryScoreParts(hit.memory.id, {**dict(hit.parts), "final": hit.score})
            for hit in hits
            if request.explain
        ),
    )


def _newest(
    app: App,
    views: request_filters.FiltersByStore,
    filters: MemoryFilter,
    offset: int,
    limit: int,
    *,
    checked: bool,
) -> RecallResult:
    """The answer to ``*``: all memories, newest first, without scores."""
    newest = request_filters.newest_memories(views, offset + limit + 1)
    pairs = newest[offset : offset + limit]
    annotate.record_shown_memories(app, pairs)
    standing = None if checked else _unchecked(memory for memory, _ in pairs)
    items = annotate.make_memory_items(app, pairs, as_of_ms=filters.as_of, known_freshness=standing)
    return RecallResult(
        tuple(replace(item, score=0.0) for item in items), has_more=len(newest) > offset + limit
    )


def _unchecked(memories: Iterable[Memory]) -> dict[str, Freshness]:
    return {memory.id: Freshness("unknown") for memory in memories if memory.paths}


def _filters(app: App, request: RecallRequest) -> MemoryFilter:
    """Which memories may answer."""
    filters = request_filters.build_memory_filter(
        app,
        kind=request.kind,
        tag=request.tag,
        agent=request.agent,
        path=request.path,
        state=request.state,
        since=request.since,
        until=request.until,
        as_of=request.as_of,
        layer=request.layer,
    )
    by_words = request.author or request.branch or request.glob or request.commits
    if not by_words and request.weight is None and not request.facts:
        return filters
    return request_filters.narrow_memory_filter(
        app,
        filters,
        scope=request.scope,
        author=request.author,
        branch=request.branch,
        glob=request.glob,
        commits=request.commits,
        min_weight=request.weight,
        metadata_pairs=request.facts,
    )


def _model_note(ranked: memory_recall.RankedMemories) -> tuple[str, ...]:
    """A note on why the meaning was not compared, if it should have been."""
    if not ranked.lacks:
        return ()
    from gitmem.retrieval import search_notes  # noqa: PLC0415 - only if a model is missing

    return search_notes.explain_keyword_only_search([ranked.lacks])


def _waiting_note(app: App, request: RecallRequest, few: bool) -> tuple[str, ...]:
    """A note on memories without a vector, if few were found by meaning alone."""
    if request.mode != "semantic" or not few:
        return ()
    from gitmem.embedding import base  # noqa: PLC0415 - only for a search by meaning alone
    from gitmem.indexing import text_vectors  # noqa: PLC0415 - as above
    from gitmem.store.code import vectors  # noqa: PLC0415 - as above

    model = base.model_identity(text_vectors.configured_embedder(app))
    waiting = sum(
        vectors.count_texts_without_vector(store, model, ("memory",)) for store in app.stores()
    )
    from gitmem.text.quantity import quantity  # noqa: PLC0415 - rare, and this runs at each prompt

    note = f"Not compared yet: {quantity(waiting, 'text')} of memories; run `gitmem index`."
    return (note,) if waiting else ()


def _fusion_note(request: RecallRequest, method: str) -> tuple[str, ...]:
    if not request.explain or request.mode != "hybrid":
        return ()
    from gitmem.retrieval import search_notes  # noqa: PLC0415 - only for --explain

    return search_notes.describe_fusion_method(method)


def _query_notes(ranked: memory_recall.RankedMemories, offset: int) -> tuple[str, ...]:
    """A note on words of the question that were ignored, or that the list ends before --offset."""
    if offset >= len(ranked.hits):
        return (f"The list ends before that: {len(ranked.hits)} in all.",)
    apart = f"Searched separately: {' | '.join(ranked.parts)}" if ranked.parts else ""
    return tuple(filter(None, (apart, ranked.relaxed)))


def view(result: RecallResult, width: int = 0) -> str:
    """Return the text to print: a paragraph for each memory; a long memory is cut.

    On a terminal of ``width`` columns (0: none) at most twelve lines of each.
    """
    if not result.memories:
        if not result.archived:
            return "\n".join(("No relevant memories.", *result.notes))
        many = f"{result.archived} archived memor{'y' if result.archived == 1 else 'ies'}"
        return f"No relevant memories in use; {many} may match: add --state archived"
    scores = {
        score.id: "\n  = "
        + ", ".join(
            f"{name} {value:.0f}" if name.endswith("_rank") else f"{name} {value:.2f}"
            for name, value in score.parts.items()
        )
        for score in result.scores
    }
    paragraphs = [
        memory_view.format_memory(memory, width) + scores.get(memory.id, "")
        for memory in result.memories
    ]
    return "\n".join((*result.notes, *paragraphs))


def highlighted_words(result: RecallResult) -> tuple[str, ...]:
    """Return the words and phrases of the question that matched, to be highlighted in the text."""
    matches = (why.removeprefix("matches ") for memory in result.memories for why in memory.why
            if why.startswith("matches "))  # fmt: skip
    return tuple(dict.fromkeys(word.strip("*") for match in matches for word in match.split(", ")))


RECALL = Operation(
    "recall",
    recall_memories,
    view,
    READ,
    '"which port does redis use"',
    view_for_terminal=view,
    highlighted_words=highlighted_words,
    tool="recall",
    shows_times=True,
    everyday=("kind", "tag", "path", "since", "until", "all_branches", "explain", "limit"),
)
