"""Searching the repository: code, notes, commits and memories, by words and by meaning."""

from collections.abc import Mapping
from typing import Annotated

from gitmem.app import App
from gitmem.memory.draft import one_of
from gitmem.model.value import dataclass
from gitmem.operations import gather, hits, index_state, narrow
from gitmem.operations.gather import OVERFETCH, Found, Question, Within
from gitmem.operations.hits import HitItem
from gitmem.operations.registry import READ, Arg, Operation
from gitmem.search import hybrid, query
from gitmem.store import sources

SOURCES = ("code", "notes", "commits", "memories")


@dataclass(frozen=True, slots=True)
class Search:
    """A question to the whole repository."""

    query: Annotated[
        str, Arg('What to look for; "..." finds a phrase.', positional=True, words=True)
    ]
    sources: Annotated[
        tuple[str, ...],
        Arg("Where: code, notes, commits, memories (all if not given).", flag="--in"),
    ] = ()
    mode: Annotated[
        str, Arg("By words, by meaning, or both.", choices=("hybrid", "keyword", "semantic"))
    ] = "hybrid"
    path: Annotated[str, Arg("Only files that match this pattern, such as src/**/*.py.")] = ""
    lang: Annotated[tuple[str, ...], Arg("Only files in this language; may be repeated.")] = ()
    since: Annotated[str, Arg("Only commits not older than this: 7d, v1.2.")] = ""
    author: Annotated[str, Arg("Only commits whose author's name holds this.")] = ""
    fusion: Annotated[str, Arg("How both are joined.", choices=("score", "rrf"), mcp=False)] = (
        "score"
    )
    limit: Annotated[
        int | None, Arg("At most this many (10 if not given).", short="-n", least=1, most=100)
    ] = None


@dataclass(frozen=True, slots=True)
class IndexState:
    """The commit up to which this work tree is indexed, and current, stale or unknown."""

    commit: str
    state: str


@dataclass(frozen=True, slots=True)
class Searched:
    """The hits, the best first; none of them is a possible answer."""

    hits: tuple[HitItem, ...]
    index: IndexState


def search(app: App, request: Search) -> Searched:
    """Search code, notes, commits and memories.

    By words and by meaning; each hit says why it is there. --in narrows to some sources, --path and
    --lang to some files, --since and --author to some commits.
    """
    limit = request.limit or app.settings.number("recall.limit")
    terms = query.parse(request.query)
    found = _gather(app, request, terms, limit)
    shown = {candidate.key: item for candidate, item in found}
    best = hybrid.rank(
        [candidate for candidate, _ in found],
        len(terms),
        limit,
        mode=request.mode,
        fusion=request.fusion,
    )
    labels = [term.label for term in terms]
    return Searched(
        tuple(hits.ranked(shown[hit.candidate.key], hit, labels) for hit in best),
        _index_state(app),
    )


def _gather(app: App, request: Search, terms: tuple[query.Term, ...], limit: int) -> Found:
    wanted = _sources(request)
    question = _question(app, request, terms, limit, with_memories="memories" in wanted)
    found: Found = []
    if {"code", "notes"} & set(wanted):
        found += gather.files(
            app, question, kinds=wanted, path=request.path, languages=request.lang
        )
    if "commits" in wanted:
        since = narrow.moment(app, request.since)
        found += gather.history(app, question, since=since, author=request.author)
    if "memories" in wanted:
        found += gather.kept(app, question)
    return found


def _question(
    app: App, request: Search, terms: tuple[query.Term, ...], limit: int, *, with_memories: bool
) -> Question:
    if request.mode == "keyword":
        return Question(terms, lambda _source, _keys, _within: {}, limit)
    # Imported here: the model and its arithmetic are not for those who ask by words only.
    from gitmem.operations import meaning  # noqa: PLC0415

    store, embedder = app.store, meaning.model(app)
    if with_memories:
        meaning.catch_up(store, embedder)
    asked = embedder.embed([request.query], query=True)[0]

    def similar(source: str, keys: list[int], within: Within) -> Mapping[int, float]:
        wide = limit * OVERFETCH
        near = meaning.alike(store, embedder, asked, source, app.worktree, wide, within)
        rest = [key for key in keys if key not in near]
        return {**near, **meaning.similarity(store, embedder, asked, source, rest)}

    return Question(terms if request.mode == "hybrid" else (), similar, limit)


def _index_state(app: App) -> IndexState:
    """How far the index of this work tree is."""
    known = sources.state(app.store, app.worktree)
    return IndexState(known.head if known else "", index_state.state(app))


def _sources(request: Search) -> tuple[str, ...]:
    asked = [part.strip() for one in request.sources for part in one.split(",") if part.strip()]
    if request.path or request.lang:
        asked = asked or ["code", "notes"]
    if request.author or request.since:
        asked = asked or ["commits"]
    return tuple(one_of("--in", one, SOURCES) for one in asked) or SOURCES


def view(result: Searched) -> str:
    """A line for each hit, and its snippet below it."""
    lines = [hits.paragraph(hit) for hit in result.hits] or ["Nothing relevant was found."]
    if result.index.state != "current":
        lines.append(f"(the index is {result.index.state}: run `gitmem index`)")
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
