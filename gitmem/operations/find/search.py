"""Searching the repository: code, notes, commits and memories, by words and by meaning."""

from collections.abc import Iterable, Sequence

from gitmem.app import App
from gitmem.indexing import index_state
from gitmem.maintenance import index_request, usage
from gitmem.model.frozen import dataclass
from gitmem.model.kinds import one_of
from gitmem.operations.registry import PROJECT, READ, Annotated, Arg, Operation
from gitmem.retrieval import (
    annotate,
    hit_view,
    present_text,
    repository_search,
    request_filters,
)
from gitmem.retrieval.hit_view import HitItem
from gitmem.retrieval.question import Scope
from gitmem.search import query
from gitmem.search.profiles import PROFILES
from gitmem.search.question import read
from gitmem.store.code import indexed_files
from gitmem.store.code.indexed_files import TreeState

SOURCES = ("code", "notes", "commits", "memories")
# What stands above hits of which none likely answers.
NEAREST = "No clear answer here; the nearest:"
# Questions that are a name: see ``retrieval.symbol_lookup``.
NAMES = ("symbol", "callers", "importers", "tests", "config")


@dataclass(frozen=True, slots=True)
class Search:
    """A question to the whole repository."""

    query: Annotated[
        str, Arg('What to look for; "..." finds a phrase', positional=True, words=True)
    ]
    sources: Annotated[
        tuple[str, ...],
        Arg("Only search code, notes, commits or memories", flag="--in"),
    ] = ()
    mode: Annotated[
        str,
        Arg(
            "Match words, meaning or both; or look up a name: its definition, callers, "
            "importers, tests, "
            "config",
            choices=("hybrid", "keyword", "semantic", *NAMES),
        ),
    ] = "hybrid"
    path: Annotated[str, Arg("Only files matching src/**/*.py", place="glob")] = ""
    lang: Annotated[tuple[str, ...], Arg("Only files in this language; may be repeated")] = ()
    only: Annotated[
        str,
        Arg("Only this kind of file", choices=("source", "test", "config", "docs", "example")),
    ] = ""
    kind: Annotated[
        tuple[str, ...], Arg("With --mode symbol: only class, function, method, ...", mcp=False)
    ] = ()
    since: Annotated[str, Arg("Only commits since this time: 7d, v1.2")] = ""
    author: Annotated[str, Arg("Only commits by authors of this name")] = ""
    project: Annotated[str, Arg(PROJECT, mcp=False)] = ""
    near: Annotated[str, Arg("The file you are working on", place="path")] = ""
    profile: Annotated[str, Arg("What to rank higher", choices=tuple(PROFILES), mcp=False)] = (
        "default"
    )
    explain: Annotated[bool, Arg("Show how each score is made up", mcp=False)] = False
    fusion: Annotated[
        str, Arg("How words and meaning are combined", choices=("score", "rrf"), mcp=False)
    ] = "score"
    limit: Annotated[
        int | None, Arg("At most this many (default: 10)", short="-n", least=1, most=100)
    ] = None


@dataclass(frozen=True, slots=True)
class IndexState:
    """The commit up to which this worktree is indexed, and current, stale or unknown.

    ``refreshing``: it is behind, and a refresh in the background is under way or about to start. Of
    ``reread`` files the hits were read from the disk, since they were edited after the index;
    ``left_out`` hits are no longer there. ``behind`` says what the index lacks, as far as it was
    looked for: always where there is no good hit.
    """

    commit: str
    state: str
    refreshing: bool = False
    reread: int = 0
    left_out: int = 0
    behind: str = ""


@dataclass(frozen=True, slots=True)
class Searched:
    """The hits, the best first; none of them is a possible answer.

    ``relevance`` is good, weak (none of the best is likely an answer) or none; ``notes`` tell
    of filters and settings that leave nothing to search.
    """

    hits: tuple[HitItem, ...]
    relevance: str
    index: IndexState
    notes: tuple[str, ...] = ()


def search(app: App, request: Search) -> Searched:
    """Search code, notes, commits and memories.

    By words and by meaning; each hit says why it matched. --in narrows to some sources, --path,
    --lang and --only to some files, --since and --author to some commits. With --mode symbol,
    callers, importers, tests or config the query is the name of something in the code.
    """
    if indexed_files.state(app.store, app.worktree) is None:
        from gitmem.indexing import first_search  # noqa: PLC0415 - once in a worktree's life

        first_search.prepare(app)
    limit = request.limit or app.settings.number("recall.limit")
    if request.mode in NAMES:
        return _by_name(app, request, limit)
    sources = _sources(app, request)
    known = indexed_files.state(app.store, app.worktree)
    question = repository_search.question(
        app,
        request.query,
        limit,
        mode=request.mode,
        near=request.near,
        profile=request.profile,
        memories=sources.memories,
    )
    best = repository_search.ranked(
        app, question, sources, mode=request.mode, method=request.fusion
    )
    words = question.asked.words
    now = present_text.present(app, known, [item for _, item in best])
    items = [
        hit_view.ranked(item, hit, words, explain=request.explain)
        for (hit, _), item in zip(best, now.items, strict=True)
        if item is not None
    ]
    relevance = (
        repository_search.relevance(app, question, sources, best, mode=request.mode)
        if items
        else "none"
    )
    # CT-8: what a search shows is handed out as much as what is recalled.
    if remembered := [item.id for item in items if item.kind == "memory"]:
        annotate.count(app, app.store, remembered)
    usage.asked(app, "search", found=bool(items))
    told = _index_state(app, known, now, relevance)
    return Searched(tuple(items), relevance, told, _notes(app, sources.files, items))


def _by_name(app: App, request: Search, limit: int) -> Searched:
    # Imported here: who asks by words does not pay for it.
    from gitmem.retrieval import symbol_lookup  # noqa: PLC0415

    # The terms first: a question that is far too long is refused before anything reads it.
    query.parse(request.query)
    scope = _scope(app, request, ("code", "notes"))
    known = indexed_files.state(app.store, app.worktree)
    found = symbol_lookup.find(app, request.mode, read(request.query), scope, request.kind)[:limit]
    now = present_text.present(app, known, found)
    items = tuple(hit_view.masked(one) for one in now.items if one is not None)
    usage.asked(app, "search", found=bool(items))
    relevance = "good" if items else "none"
    told = _index_state(app, known, now, relevance)
    return Searched(items, relevance, told, _notes(app, scope, items))


def _notes(app: App, scope: Scope | None, items: Sequence[HitItem]) -> tuple[str, ...]:
    if scope is not None and not app.settings.number("index.enabled"):
        return ("No file is indexed: index.enabled is 0 (see `gitmem config index.enabled`).",)
    if items or scope is None or scope.everything:
        return ()
    from gitmem.retrieval import file_filters  # noqa: PLC0415 - for who finds nothing

    return file_filters.left_nothing(app, scope)


def _scope(app: App, request: Search, kinds: Iterable[str]) -> Scope:
    if not (request.path or request.lang):
        return Scope(frozenset(kinds), only=request.only)
    from gitmem.retrieval import file_filters  # noqa: PLC0415 - for who filters files

    languages = file_filters.checked_languages(request.lang)
    pattern = file_filters.checked_pattern(app, request.path)
    return Scope(frozenset(kinds), pattern, languages, request.only)


def _sources(app: App, request: Search) -> repository_search.Sources:
    asked = [part.strip() for one in request.sources for part in one.split(",") if part.strip()]
    if request.path or request.lang or request.only:
        asked = asked or ["code", "notes"]
    if request.author or request.since:
        asked = asked or ["commits"]
    wanted = {one_of("--in", one, SOURCES) for one in asked} or set(SOURCES)
    files = wanted & {"code", "notes"}
    return repository_search.Sources(
        _scope(app, request, files) if files else None,
        "commits" in wanted,
        "memories" in wanted,
        request_filters.moment(app, request.since) if "commits" in wanted else None,
        request.author,
    )


def _index_state(
    app: App, known: TreeState | None, now: present_text.Present, relevance: str
) -> IndexState:
    """How far the index of this worktree is; nobody waits for git while the answer is good."""
    commit, edited, lost = known.head if known else "", now.edited, now.lost
    if known is None or known.state != "whole":
        return IndexState(commit, "unknown", index_request.under_way(app), edited, lost)
    if relevance == "good" and index_state.same(app, known):
        state = "stale" if edited else "current"
        return IndexState(
            commit, state, bool(edited) and index_request.under_way(app), edited, lost
        )
    # Imported here: who has an index that is current does not pay for what makes one.
    from gitmem.indexing import index_behind  # noqa: PLC0415

    found = index_behind.behind(app)
    refreshing = found.state != "current" and index_request.under_way(app)
    return IndexState(commit, found.state, refreshing, edited, lost, found.told)


def view(result: Searched) -> str:
    """A line for each hit, and its snippet below it."""
    lines = [hit_view.paragraph(hit) for hit in result.hits] or ["No relevant results."]
    lines += result.notes
    if result.relevance == "weak":
        lines.insert(0, NEAREST)
    if said := index_told(result.index):
        lines.append(said)
    return "\n".join(lines)


def index_told(index: IndexState) -> str:
    """In a sentence, what the index lacks and what was read from the disk; empty if it is right."""
    parts = []
    if index.reread:
        files = "1 edited file was" if index.reread == 1 else f"{index.reread} edited files were"
        parts.append(f"{files} read from the disk")
    if index.left_out:
        hits = "1 hit is" if index.left_out == 1 else f"{index.left_out} hits are"
        parts.append(f"{hits} left out: changed since the index")
    if index.state != "current":
        told = index_state.sentence(index.state, index.behind)
        parts.append(f"{told}: {'indexing now' if index.refreshing else 'run `gitmem index`'}")
    return f"({'; '.join(parts)})" if parts else ""


SEARCH = Operation(
    name="search",
    request=Search,
    run=search,
    view=view,
    effect=READ,
    example='gitmem search "where are fixtures resolved" --in code',
    tool="search",
)
