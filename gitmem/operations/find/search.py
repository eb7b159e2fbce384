"""Searching the repository: code, notes, commits and memories, by words and by meaning."""

from collections.abc import Mapping
from typing import Annotated

from gitmem.app import App
from gitmem.indexing import index_state
from gitmem.maintenance import usage
from gitmem.memory.draft import one_of
from gitmem.model.frozen import dataclass, replace
from gitmem.operations.registry import READ, Arg, Operation
from gitmem.retrieval import annotate, candidate_sources, hit_view, request_filters
from gitmem.retrieval.candidate_sources import OVERFETCH, Found, Question, Scope, Within
from gitmem.retrieval.hit_view import HitItem
from gitmem.search import fusion as hybrid
from gitmem.search import query
from gitmem.search.profiles import PROFILES
from gitmem.search.question import Asked, read
from gitmem.store.code import indexed_files

SOURCES = ("code", "notes", "commits", "memories")
# Questions that are a name: see ``operations.find_names``.
NAMES = ("symbol", "callers", "importers", "tests", "config")
# Below both a hit is only a weak one: under half of the question's words, and not alike.
WEAK_WORDS = 0.6
WEAK_COSINE = 0.45


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
    path: Annotated[str, Arg("Only files matching src/**/*.py")] = ""
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
    near: Annotated[str, Arg("The file you are working on")] = ""
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
    """The commit up to which this worktree is indexed, and current, stale or unknown."""

    commit: str
    state: str


@dataclass(frozen=True, slots=True)
class Searched:
    """The hits, the best first; none of them is a possible answer.

    ``relevance`` is good, weak (the best hit holds little of the question) or none.
    """

    hits: tuple[HitItem, ...]
    relevance: str
    index: IndexState


def search(app: App, request: Search) -> Searched:
    """Search code, notes, commits and memories.

    By words and by meaning; each hit says why it matched. --in narrows to some sources, --path,
    --lang and --only to some files, --since and --author to some commits. With --mode symbol,
    callers, importers, tests or config the query is the name of something in the code.
    """
    # The terms first: a question that is far too long is refused before anything reads it.
    terms = query.parse(request.query)
    asked = read(request.query)
    limit = request.limit or app.settings.number("recall.limit")
    if request.mode in NAMES:
        return _by_name(app, request, asked, limit)
    question = _question(app, request, asked, terms, limit)
    found = _gather(app, request, question)
    of_key = {candidate.key: item for candidate, item in found}
    candidates = [candidate for candidate, _ in found]
    best = hybrid.rank(candidates, limit, mode=request.mode, fusion=request.fusion)
    items = [
        hit_view.ranked(of_key[hit.candidate.key], hit, asked.words, explain=request.explain)
        for hit in best
    ]
    # CT-8: what a search shows is handed out as much as what is recalled.
    if remembered := [item.id for item in items if item.kind == "memory"]:
        annotate.count(app, app.store, remembered)
    usage.asked(app, "search", found=bool(items))
    return Searched(tuple(items), _relevance(best), _index_state(app))


def _by_name(app: App, request: Search, asked: Asked, limit: int) -> Searched:
    # Imported here, as what follows: who asks by words does not pay for it.
    from gitmem.retrieval import symbol_lookup  # noqa: PLC0415

    scope = _scope(request, frozenset(("code", "notes")))
    found = symbol_lookup.find(app, request.mode, asked, scope, request.kind)[:limit]
    usage.asked(app, "search", found=bool(found))
    relevance = "good" if found else "none"
    return Searched(tuple(hit_view.masked(one) for one in found), relevance, _index_state(app))


def _gather(app: App, request: Search, question: Question) -> Found:
    wanted = _sources(request)
    found: Found = []
    files = frozenset(("code", "notes")) & set(wanted)
    if files:
        from gitmem.retrieval import file_candidates  # noqa: PLC0415

        found += file_candidates.files(app, question, _scope(request, files))
    if "commits" in wanted:
        since = request_filters.moment(app, request.since)
        found += candidate_sources.history(app, question, since=since, author=request.author)
    if "memories" in wanted:
        found += candidate_sources.kept(app, question)
    return found


def _scope(request: Search, kinds: frozenset[str]) -> Scope:
    languages = frozenset(one.lower() for one in request.lang)
    return Scope(kinds, request.path, languages, request.only)


def _relevance(best: list[hybrid.Ranked]) -> str:
    """Whether the best hit answers: a weak one holds little of the question and is not alike."""
    if not best:
        return "none"
    top = best[0].candidate
    good = top.lexical >= WEAK_WORDS or (top.similarity or 0.0) >= WEAK_COSINE
    return "good" if good else "weak"


def _question(
    app: App, request: Search, asked: Asked, terms: tuple[query.Term, ...], limit: int
) -> Question:
    question = Question(
        asked=asked,
        terms=terms,
        similar=lambda _source, _keys, _within: {},
        limit=limit,
        lexical=request.mode != "semantic",
        meaning=request.mode != "keyword",
        near=request.near,
        profile=request.profile,
        without=frozenset(app.settings.text("search.without").split(",")) - {""},
    )
    if not question.meaning:
        return question
    # The model and its arithmetic are not for those who ask by words only.
    from gitmem.indexing import text_vectors  # noqa: PLC0415

    store, embedder = app.store, text_vectors.model(app)
    if "memories" in _sources(request):
        text_vectors.catch_up(store, embedder)
    vector = embedder.embed([request.query], query=True)[0]

    def similar(source: str, keys: list[int], within: Within) -> Mapping[int, float]:
        wide = limit * OVERFETCH
        near = text_vectors.alike(store, embedder, vector, source, app.worktree, wide, within)
        rest = [key for key in keys if key not in near]
        return {**near, **text_vectors.similarity(store, embedder, vector, source, rest)}

    return replace(question, similar=similar)


def _index_state(app: App) -> IndexState:
    """How far the index of this worktree is."""
    known = indexed_files.state(app.store, app.worktree)
    return IndexState(known.head if known else "", index_state.state(app))


def _sources(request: Search) -> tuple[str, ...]:
    asked = [part.strip() for one in request.sources for part in one.split(",") if part.strip()]
    if request.path or request.lang or request.only:
        asked = asked or ["code", "notes"]
    if request.author or request.since:
        asked = asked or ["commits"]
    return tuple(one_of("--in", one, SOURCES) for one in asked) or SOURCES


def view(result: Searched) -> str:
    """A line for each hit, and its snippet below it."""
    lines = [hit_view.paragraph(hit) for hit in result.hits] or ["No relevant results."]
    if result.relevance == "weak":
        lines.insert(0, "Only weak matches:")
    if result.index.state != "current":
        lines.append(f"({index_state.SAID[result.index.state]}: run `gitmem index`)")
    return "\n".join(lines)


SEARCH = Operation(
    name="search",
    request=Search,
    run=search,
    view=view,
    effect=READ,
    example='gitmem search "where are fixtures resolved" --in code',
    tool="search",
)
