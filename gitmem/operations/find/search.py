"""Searching the repository: code, notes, commits and memories, by words and by meaning."""

from collections.abc import Iterable, Sequence

from gitmem.app import App
from gitmem.clock import format_iso
from gitmem.errors import InvalidInput
from gitmem.indexing import commit_releases, index_state
from gitmem.maintenance import index_request, usage
from gitmem.model.frozen import dataclass, replace
from gitmem.model.kinds import require_one_of
from gitmem.operations import shared_fields as shared
from gitmem.operations.find.search_view import (
    SearchedIndexState,
    SearchResult,
    StepTimer,
    highlighted_words,
    view,
)
from gitmem.operations.registry import READ, Annotated, Arg, Operation, Texts, unquoted_words_arg
from gitmem.retrieval import (
    annotate,
    answer_list,
    hit_view,
    present_text,
    repository_search,
    request_filters,
    search_notes,
)
from gitmem.retrieval.hit_view import HitItem
from gitmem.retrieval.question import FileScope
from gitmem.retrieval.symbols import hit_definitions, symbol_kinds
from gitmem.search import pages
from gitmem.search.question import parse_question
from gitmem.store.code import indexed_files

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from gitmem.store.session.exchange_search import ExchangeFilter

SOURCES = ("code", "notes", "commits", "memories", "sessions")
# What was said in sessions is not a fact of the repository: it is searched on request only.
_ON_REQUEST = {"sessions"}
# Search for the literal text: see ``retrieval.literal_text``.
TEXT = "text"
# Look up a name: see ``retrieval.symbols.symbol_lookup``.
NAMES = ("symbol", "callers", "importers", "tests", "config")
_MEANING = ("hybrid", "semantic")
MergedHits = Sequence[tuple[repository_search.Answer, tuple[int, ...]]]
# A sentence without a name is searched by words and meaning, in files of this kind.
_OF_SENTENCES = {"callers": "", "importers": "", "tests": "test", "config": "config"}
_SENTENCE = "The question names no code, so it was searched by its words."
# Pieces of a file that are looked at for a kind.
_PIECES = 20
_WITH_MEANING = "--mode hybrid or semantic"
_WITH_RANKING = "--mode hybrid, keyword or semantic"
_WITH_DEFINITIONS = "--mode symbol, text, hybrid, keyword or semantic"


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """Arguments of `gitmem search`: a question to code, notes, commits and memories, and filters.

    ``sources`` are some of code, notes, commits, memories and sessions (empty: all but sessions),
    ``mode`` says how the query is matched. An empty filter leaves out nothing; the globs ``path``
    and ``not_path`` choose files, ``since`` and ``until`` commits. None is the usual number.
    """

    query: Annotated[str, unquoted_words_arg('What to look for; "..." finds a phrase')] = ""
    queries: Annotated[Texts, Arg("Another question, at most 20", flag="--query", mcp=False)] = ()
    sources: Annotated[
        Texts,
        Arg("Only search code, notes, commits or memories; or sessions", flag="--in"),
    ] = ()
    mode: Annotated[
        str,
        Arg(
            "Match words, meaning or both; the literal text; or look up a name: its "
            "definition, callers, importers, tests, config",
            choices=("hybrid", "keyword", "semantic", TEXT, *NAMES),
        ),
    ] = "hybrid"
    path: Annotated[str, Arg("Only files matching src/**/*.py", path_kind="glob")] = ""
    not_path: Annotated[Texts, Arg("Not files matching this", path_kind="glob", mcp=False)] = ()
    ext: Annotated[Texts, Arg("Only files ending in py, d.ts, ...", mcp=False)] = ()
    lang: Annotated[Texts, Arg("Only files in this language")] = ()
    only: Annotated[
        str, Arg("Only this kind of file", choices=("source", "test", "config", "docs", "example"))
    ] = ""
    kind: Annotated[
        Texts, Arg("Only code in a class, function, const, export, import, test, ...", mcp=False)
    ] = ()
    since: Annotated[str, Arg("Only commits newer than this: 7d, yesterday, v1.2")] = ""
    until: Annotated[str, Arg("Only commits older than this", mcp=False)] = ""
    author: shared.ByAuthor = ""
    project: shared.SubProject = ""
    projects: shared.OfProjects = ()
    near: shared.WorkingFile = ""
    profile: shared.Profile = "default"
    explain: shared.Explain = False
    fusion: shared.Fusion = ""
    case: Annotated[
        bool, Arg("With --mode text or symbol: upper and lower case matter", mcp=False)
    ] = False
    threshold: shared.Threshold = None
    per_path: Annotated[
        int | None,
        Arg("At most so many hits in one file (default: 1)", minimum=1, maximum=20, mcp=False),
    ] = None
    diverse: Annotated[
        bool, Arg("Rank what repeats better hits lower, by maximal marginal relevance", mcp=False)
    ] = False
    per_source: Annotated[
        Texts, Arg("At most so many hits of each source: code=5,commits=2", mcp=False)
    ] = ()
    distant: Annotated[
        bool, Arg("Also what has no word of the query and is hardly alike", mcp=False)
    ] = False
    rerank: Annotated[
        Texts,
        Arg("With a reranker: read=50 hits, the front=12 best first; use=0 without it", mcp=False),
    ] = ()
    context_lines: Annotated[
        int | None,
        Arg("Lines to show before and after what answers", minimum=0, maximum=50, mcp=False),
    ] = None
    include_content: Annotated[
        bool, Arg("Show the whole piece, commit message or memory", mcp=False)
    ] = False
    offset: shared.HitOffset = None
    limit: shared.HitLimit = None


def search_all_sources(app: App, request: SearchRequest) -> SearchResult:
    """Search code, notes, commits and memories.

    By words and by meaning; each hit says why it matched. --in narrows to some sources; sessions,
    transcripts that were imported, are searched only with --in sessions. --path,
    --not-path, --ext, --lang and --only to some files, --path, --since, --until and --author to
    some commits. With --mode text the query is searched literally, line by line. With --mode
    symbol, callers, importers, tests or config the query names something in the code; a sentence
    without a name is searched by its words, for tests and config in such files. --offset skips the
    first hits; --query asks several questions at once. --projects asks other projects, in which
    nothing is written or indexed.
    """
    return _across_projects(app, request) if request.projects else _in_project(app, request)


def _across_projects(app: App, request: SearchRequest) -> SearchResult:
    from gitmem.retrieval import across_projects  # noqa: PLC0415 - most ask one project

    project_request = across_projects.limit_request_per_project(request)

    def search_in_project(project_app: App) -> SearchResult:
        return (
            _in_project(project_app, project_request)
            if project_app is app
            else _read_only(project_app, project_request)
        )

    results, notes = across_projects.run_in_projects(app, request.projects, search_in_project)
    hits = across_projects.merge_hits_by_score({name: item.hits for name, item in results.items()})
    good = any(result.relevance == "good" for result in results.values())
    states = (result.index for result in results.values() if result.index.commit)
    return SearchResult(
        hits,
        "good" if good else "weak" if hits else "none",
        next(states, SearchedIndexState()),
        across_projects.merge_result_notes(results) + notes,
        any(result.has_more for result in results.values()),
        projects=tuple(results),
    )


def _read_only(app: App, request: SearchRequest) -> SearchResult:
    """The answer of another project: whether its index lacks something is not checked."""
    looks_up = request.mode in (TEXT, *NAMES)
    plain = not looks_up
    questions = pages.unique_questions(request.query, request.queries, split_paired_questions=plain)
    _check_options(request)
    limit = request.limit or 1
    tree_state = indexed_files.worktree_index_state(app.store, app.worktree)
    if words := _by_words(app, request, questions) if looks_up else ():
        looks_up, request = False, words[0]
    if looks_up:
        return replace(_look_up(app, request, questions, 0, limit), index=SearchedIndexState())
    sources, options = _sources(app, request), _ranking(app, request)
    answers = answer_list.find_answers(app, questions, sources, options, last_hit_number=limit)
    kinds = symbol_kinds.parse_definition_kinds(request.kind)
    merged = _of_kinds(app, answers.merged, kinds, request) if kinds else answers.merged
    items, _, more = _page(app, request, answers, merged, tree_state, 0, limit)
    relevance = (
        answer_list.relevance_of_answers(app, answers, sources, request.mode) if items else "none"
    )
    notes = _notes_on_questions(answers, by_words=bool(words))
    if tree_state is None and (sources.files or sources.commits):
        notes += (f"{app.project_identity.key} is not indexed: only its memories were searched.",)
    items = hit_definitions.add_definitions_to_hits(app, items, kinds)
    return SearchResult(tuple(items), relevance, SearchedIndexState(), notes, more)


def _in_project(app: App, request: SearchRequest) -> SearchResult:
    steps = StepTimer()
    plain = request.mode not in (TEXT, *NAMES)
    questions = pages.unique_questions(request.query, request.queries, split_paired_questions=plain)
    _check_options(request)
    if indexed_files.worktree_index_state(app.store, app.worktree) is None:
        from gitmem.indexing import first_search  # noqa: PLC0415 - once in a worktree's life

        first_search.prepare_first_search(app)
    steps.end_step("read", len(questions))
    words = () if plain else _by_words(app, request, questions)
    if words:
        plain, request = True, words[0]
    offset, limit = request.offset or 0, request.limit or app.settings.number("recall.limit")
    if not plain:
        looked_up = _look_up(app, request, questions, offset, limit)
        late = search_notes.describe_slow_search(app, steps.durations(), 0.0, 0.0)
        looked_up = replace(looked_up, notes=looked_up.notes + late)
        return steps.add_steps(looked_up, questions[0]) if request.explain else looked_up
    sources, request_ = _sources(app, request), _ranking(app, request)
    tree_state = indexed_files.worktree_index_state(app.store, app.worktree)
    kinds = symbol_kinds.parse_definition_kinds(request.kind)
    upto = max(offset + limit, pages.DEEP) if kinds else offset + limit
    answers = answer_list.find_answers(app, questions, sources, request_, last_hit_number=upto)
    merged = _of_kinds(app, answers.merged, kinds, request) if kinds else answers.merged
    steps.end_step("ranked", len(merged))
    items, now, more = _page(app, request, answers, merged, tree_state, offset, limit)
    release = commit_releases.make_first_release_lookup(app)
    relevance = (
        answer_list.relevance_of_answers(app, answers, sources, request.mode) if items else "none"
    )
    gone, notes = _removed(app, answers, sources) if not offset else (None, ())
    if gone is not None:
        best_score = items[0].score if items else 1.0  # no other hit holds the quoted text
        rest = [item for item in items if item.commit != gone.commit]
        items, relevance = [replace(gone, score=best_score), *rest][:limit], "good"
    items = [replace(item, release=release(item.commit)) if item.commit else item for item in items]
    items = hit_definitions.add_definitions_to_hits(app, items, kinds)
    # Memories shown by a search count as used, as recalled ones do.
    if remembered := [item.id for item in items if item.kind == "memory"]:
        annotate.record_memory_access(app, app.store, remembered)
    usage.record_question_usage(app, "search", answered=bool(items))
    notes += _notes_on_questions(answers, by_words=bool(words))
    notes += search_notes.explain_empty_page(app, sources.files, len(items), offset, len(merged))
    if sources.files:
        parsed = [question.parsed for question in answers.questions]
        notes += search_notes.suggest_similar_names(app, parsed, is_answer_sure=relevance == "good")
    if sources.sessions:
        notes += search_notes.describe_missing_sessions(app)
    if request.explain and request.mode == "hybrid":
        notes += search_notes.describe_fusion_method(request_.method)
    state = _index_state(app, tree_state, now, relevance)
    model_ms = sum(question.model_ms for question in answers.questions)
    times = steps.durations(), model_ms, answers.reranker_ms
    notes += search_notes.describe_slow_search(app, *times)
    answer = SearchResult(tuple(items), relevance, state, notes, more)
    return steps.add_steps(answer, questions[0]) if request.explain else answer


def _page(
    app: App,
    request: SearchRequest,
    answers: answer_list.AnswerList,
    merged: MergedHits,
    known: indexed_files.WorktreeIndexState | None,
    offset: int,
    limit: int,
) -> tuple[list[HitItem], present_text.CurrentHits, bool]:
    """The hits of a page, what was read from the disk for them, and whether there are more."""
    best, more = pages.page_of_hits(merged, offset, limit)
    now = present_text.update_hits_from_files(app, known, [item for (_, item), _ in best])
    shown = hit_view.DisplayOptions(request.context_lines, request.include_content, request.explain)
    return answer_list.make_hit_page(app, answers, best, now.items, shown), now, more


def _notes_on_questions(answers: answer_list.AnswerList, *, by_words: bool) -> tuple[str, ...]:
    """What was said while searching; ``by_words``: a look-up became a search by its words."""
    lacks = (question.lacks for question in answers.questions)
    alone = search_notes.explain_keyword_only_search(lacks)
    return alone + answers.notes + ((_SENTENCE,) if by_words else ())


def _of_kinds(app: App, merged: MergedHits, kinds: Texts, request: SearchRequest) -> MergedHits:
    """The answers that show a definition of a requested kind, at most ``per_path`` of a file."""
    items = hit_definitions.add_definitions_to_hits(app, (item for (_, item), _ in merged), kinds)
    rows = [answer for answer, item in zip(merged, items, strict=True) if item.definition]
    return pages.limit_hits_per_group(rows, request.per_path or 1, lambda row: row[0][1].path)


def _removed(
    app: App, answer_list: answer_list.AnswerList, sources: repository_search.SearchSources
) -> tuple[HitItem | None, tuple[str, ...]]:
    """The commit that removed a quoted text which no hit holds, and a note about it."""
    text = answer_list.questions[0].parsed.quoted_text
    if not (
        text
        and sources.includes_all_commits
        and answer_list.questions[0].lexical
        and app.git_head.commit
    ):
        return None, ()
    answers = [answer for some in answer_list.answers for answer in some]
    if any(hit.candidate.explicit or text.lower() in item.snippet.lower() for hit, item in answers):
        return None, ()
    # Imported here: most questions quote nothing, or something that exists.
    from gitmem.retrieval import removed_text  # noqa: PLC0415

    return removed_text.find_removing_commit(app, text)


def _ranking(app: App, request: SearchRequest) -> answer_list.RankingOptions:
    return answer_list.RankingOptions(
        mode=request.mode,
        method=request.fusion or app.settings.text("search.fusion"),
        near=request.near,
        profile=request.profile,
        # The best piece of a file may be of another kind.
        per_path=_PIECES if request.kind else request.per_path or 1,
        threshold=request.threshold,
        per_source=pages.parse_source_limits(request.per_source, SOURCES),
        diverse=request.diverse,
        rerank=pages.parse_source_limits(request.rerank, ("read", "front", "use")),
        distant=request.distant,
    )


def _check_options(request: SearchRequest) -> None:
    """Raise InvalidInput for options that have no meaning in this mode."""
    ranked = request.mode in (*_MEANING, "keyword")
    for option, is_given, fits, goes_with in (
        ("--threshold", request.threshold is not None, request.mode in _MEANING, _WITH_MEANING),
        (
            "--kind",
            bool(request.kind),
            ranked or request.mode in (TEXT, "symbol"),
            _WITH_DEFINITIONS,
        ),
        ("--case", request.case, request.mode in (TEXT, "symbol"), "--mode text or symbol"),
        ("--per-source", bool(request.per_source), ranked, _WITH_RANKING),
        ("--diverse", request.diverse, ranked, _WITH_RANKING),
        ("--distant", request.distant, request.mode in _MEANING, _WITH_MEANING),
        ("--rerank", bool(request.rerank), request.mode in _MEANING, _WITH_MEANING),
        ("--include-content", request.include_content, ranked, _WITH_RANKING),
        (
            "--context-lines",
            request.context_lines is not None,
            request.mode not in NAMES,
            f"{_WITH_RANKING} or text",
        ),
    ):
        if is_given and not fits:
            raise InvalidInput(
                f"{option} does not go with --mode {request.mode}.", f"Use {goes_with}."
            )


def _by_words(
    app: App, request: SearchRequest, questions: Sequence[str]
) -> tuple[SearchRequest, ...]:
    """A ranked search in place of a look-up, if the questions are sentences that name no code."""
    if request.mode not in _OF_SENTENCES:
        return ()
    from gitmem.retrieval.symbols import symbol_lookup  # noqa: PLC0415 - only to look up

    parsed = [parse_question(question) for question in questions]
    if any(
        question.is_single_name or symbol_lookup.code_name_in_question(app, question)
        for question in parsed
    ):
        return ()
    only = request.only or _OF_SENTENCES[request.mode]
    sources = request.sources or ("code", "notes")
    return (replace(request, mode="hybrid", only=only, sources=sources),)


def _look_up(
    app: App, request: SearchRequest, questions: Sequence[str], offset: int, limit: int
) -> SearchResult:
    # Imported here: not needed for a search by words or meaning.
    from gitmem.retrieval import look_up  # noqa: PLC0415

    kinds = _file_kinds(request) if request.mode == TEXT else ("code", "notes")
    scope = _scope(app, request, kinds)
    tree_state = indexed_files.worktree_index_state(app.store, app.worktree)
    request_ = look_up.LookUpOptions(
        request.mode,
        scope,
        symbol_kinds.parse_definition_kinds(request.kind),
        request.case,
        request.per_path,
        request.context_lines,
    )
    answers = look_up.look_up_hits(app, tree_state, questions, request_, offset, limit)
    usage.record_question_usage(app, "search", answered=bool(answers.items))
    relevance = "good" if answers.items else "none"
    notes = search_notes.explain_empty_page(app, scope, len(answers.items), offset, answers.total)
    if request.mode != TEXT:
        sure = bool(answers.items) and request.mode != "symbol"
        notes += search_notes.suggest_similar_names(app, answers.questions, is_answer_sure=sure)
    state = _index_state(app, tree_state, answers.present, relevance)
    items = tuple(hit_definitions.add_definitions_to_hits(app, answers.items, request_.kinds))
    return SearchResult(items, relevance, state, notes, answers.more)


def _file_kinds(request: SearchRequest) -> frozenset[str]:
    sources = _requested_sources(request) or set(SOURCES)
    if not sources & {"code", "notes"}:
        raise InvalidInput(
            "--mode text looks in files, not in commits or memories.", "Use --in code or notes."
        )
    return frozenset(sources & {"code", "notes"})


def _scope(app: App, request: SearchRequest, kinds: Iterable[str]) -> FileScope:
    filters = (request.path, request.lang, request.not_path, request.ext)
    if not any(filters):
        return FileScope(frozenset(kinds), only=request.only)
    from gitmem.retrieval import file_filters  # noqa: PLC0415 - only to filter files

    return FileScope(
        frozenset(kinds),
        file_filters.validate_path_pattern(app, request.path),
        file_filters.parse_language_filter(request.lang),
        request.only,
        tuple(file_filters.validate_path_pattern(app, pattern) for pattern in request.not_path),
        file_filters.parse_file_endings(request.ext),
    )


def _requested_sources(request: SearchRequest) -> set[str]:
    names = [name.strip() for text in request.sources for name in text.split(",") if name.strip()]
    return {require_one_of("--in", name, SOURCES) for name in names}


def _sources(app: App, request: SearchRequest) -> repository_search.SearchSources:
    sources = _requested_sources(request)
    if request.path or request.lang or request.only or request.not_path or request.ext:
        sources = sources or {"code", "notes"}
    if request.author or request.since or request.until:
        sources = sources or {"commits"}
    if request.kind:
        sources = sources or {"code"}
    sources = sources or set(SOURCES) - _ON_REQUEST
    files, timed = sources & {"code", "notes"}, sources & {"commits", "sessions"}
    since = request_filters.parse_time_ms(app, request.since) if timed else None
    until = request_filters.parse_time_ms(app, request.until) if timed else None
    return repository_search.SearchSources(
        _scope(app, request, files) if files else None,
        "commits" in sources,
        "memories" in sources,
        since,
        request.author,
        _scope(app, request, set()) if request.path else FileScope(frozenset()),
        until,
        _exchange_filter(request, since, until) if "sessions" in sources else None,
    )


def _exchange_filter(
    request: SearchRequest, since: int | None, until: int | None
) -> "ExchangeFilter":
    from gitmem.store.session.exchange_search import ExchangeFilter  # noqa: PLC0415 - on request

    return ExchangeFilter(since, until, path=request.path)


def _index_state(
    app: App,
    known: indexed_files.WorktreeIndexState | None,
    now: present_text.CurrentHits,
    relevance: str,
) -> SearchedIndexState:
    """The state of this worktree's index; git is asked only if the answer is not good."""
    commit, edited, lost = known.head if known else "", now.edited, now.lost_hit_count
    state, behind = "stale" if edited else "current", ""
    if known is None or known.state != "whole":
        state = index_state.state_of_incomplete_index(known)
    elif relevance != "good" or not index_state.is_git_state_unchanged(app, known):
        # Imported here: not needed while the index is current.
        from gitmem.indexing import index_behind  # noqa: PLC0415

        lacking = index_behind.measure_lag(app)
        state, behind = lacking.state, lacking.as_text
    refreshing = index_request.is_index_refresh_coming(app, state)
    at = format_iso(known.at) if known else ""
    return SearchedIndexState(commit, state, refreshing, edited, lost, behind, at)


SEARCH = Operation(
    "search",
    search_all_sources,
    view,
    READ,
    '"where are fixtures resolved" --in code',
    highlighted_words=highlighted_words,
    tool="search",
    shows_times=True,
    everyday=("sources", "path", "lang", "only", "kind", "since", "explain", "limit"),
)
