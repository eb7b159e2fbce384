"""Searching the repository: code, notes, commits and memories, by words and by meaning."""

import fnmatch
from collections.abc import Callable, Collection
from typing import Annotated

from gitmem.app import App
from gitmem.clock import iso
from gitmem.git.display import display_path
from gitmem.indexing.languages import PROSE
from gitmem.memory.draft import one_of
from gitmem.model.value import dataclass, replace
from gitmem.operations import narrow
from gitmem.operations.registry import READ, Arg, Operation
from gitmem.search import hybrid, query
from gitmem.search.hybrid import Candidate
from gitmem.search.snippet import snippet
from gitmem.store import commits, memories, source_index, sources, text_index
from gitmem.store.connection import Database
from gitmem.store.filters import Filter
from gitmem.text.fence import neutralise, one_line
from gitmem.text.redact import redact

SOURCES = ("code", "notes", "commits", "memories")
COMMON = 2000
OVERFETCH = 4
WIDTH = 100


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
class HitItem:
    """A hit. ``kind`` is code, note, commit or memory; lines count from 1, both ends included.

    ``similarity`` is the cosine, null where it was not computed. ``id`` names a memory, ``commit``
    a commit; ``snippet`` is data from the repository, secrets masked.
    """

    kind: str
    path: str
    start_line: int | None
    end_line: int | None
    symbol: str
    context: str
    commit: str
    id: str
    title: str
    author: str
    at: str | None
    score: float
    similarity: float | None
    snippet: str
    why: tuple[str, ...]


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
    store = app.store
    wanted = _sources(request)
    limit = request.limit or app.settings.number("recall.limit")
    terms = query.parse(request.query)
    # Imported here: the model and its arithmetic are not for those who ask by words only.
    from gitmem.operations import meaning  # noqa: PLC0415

    embedder = meaning.model(app) if request.mode != "keyword" else None
    if embedder is not None and "memories" in wanted:
        meaning.catch_up(store, embedder)
    question = embedder.embed([request.query], query=True)[0] if embedder else b""

    def similar(source: str, keys: list[int], within: Collection[int] | None) -> dict[int, float]:
        if embedder is None:
            return {}
        wide = limit * OVERFETCH
        found = meaning.alike(store, embedder, question, source, app.worktree, wide, within)
        rest = [key for key in keys if key not in found]
        return {**found, **meaning.similarity(store, embedder, question, source, rest)}

    words = terms if request.mode != "semantic" else ()
    candidates: list[Candidate] = []
    shown: dict[tuple[str, int], HitItem] = {}
    if {"code", "notes"} & set(wanted):
        _files(app, request, wanted, words, similar, limit, candidates, shown)
    if "commits" in wanted:
        _commits(app, request, words, similar, limit, candidates, shown)
    if "memories" in wanted:
        _memories(app, words, similar, limit, candidates, shown)
    ranked = hybrid.rank(candidates, len(terms), limit, mode=request.mode, fusion=request.fusion)
    labels = [term.label for term in terms]
    return Searched(
        tuple(_filled(shown[hit.candidate.key], hit, labels) for hit in ranked), index_state(app)
    )


def index_state(app: App) -> IndexState:
    """How far the index of this work tree is."""
    from gitmem.operations import index  # noqa: PLC0415 - as above

    known = sources.state(app.store, app.worktree)
    return IndexState(known.head if known else "", index.state(app))


Similar = Callable[[str, list[int], Collection[int] | None], dict[int, float]]


def _sources(request: Search) -> tuple[str, ...]:
    asked = [part.strip() for one in request.sources for part in one.split(",") if part.strip()]
    if request.path or request.lang:
        asked = asked or ["code", "notes"]
    if request.author or request.since:
        asked = asked or ["commits"]
    return tuple(one_of("--in", one, SOURCES) for one in asked) or SOURCES


def _lexical(
    database: Database,
    source: str,
    terms: tuple[query.Term, ...],
    limit: int,
    within: Collection[int] | None,
) -> tuple[dict[int, float], dict[int, list[str]]]:
    """Row number -> share of the best BM25, and -> labels matched."""
    if not terms:
        return {}, {}
    counts = {
        term.expression: source_index.frequency(database, source, term.expression, COMMON)
        for term in terms
    }
    expression = query.select(terms, counts, COMMON)
    found = source_index.match(database, source, expression, limit, within) if expression else []
    scores = dict(found)
    top = max(scores.values(), default=0.0) or 1.0
    labels = {term.label: term.expression for term in terms}
    matched = source_index.matched(database, source, labels, list(scores)) if scores else {}
    return {key: score / top for key, score in scores.items()}, matched


def _files(
    app: App,
    request: Search,
    wanted: tuple[str, ...],
    terms: tuple[query.Term, ...],
    similar: Similar,
    limit: int,
    candidates: list[Candidate],
    shown: dict[tuple[str, int], HitItem],
) -> None:
    places = _places(app, request, wanted)
    scores, matched = _lexical(app.store, "chunk", terms, limit * OVERFETCH * 4, places)
    cosines = similar("chunk", list(scores), places)
    found = sources.chunks(app.store, app.worktree, list({**scores, **cosines}))
    for number, chunk in found.items():
        path = chunk.path if places is None else places[number][0]
        key = ("chunk", number)
        candidates.append(
            Candidate(
                key,
                path,
                scores.get(number, 0.0),
                tuple(matched.get(number, ())),
                cosines.get(number),
            )
        )
        shown[key] = HitItem(
            kind="note" if chunk.cutter.startswith("note") else "code",
            path=_told(path),
            start_line=chunk.start_line,
            end_line=chunk.end_line,
            symbol=chunk.symbol,
            context=chunk.context,
            commit="",
            id="",
            title="",
            author="",
            at=None,
            score=0.0,
            similarity=None,
            snippet=chunk.text,
            why=(),
        )


def _places(
    app: App, request: Search, wanted: tuple[str, ...]
) -> dict[int, tuple[str, str]] | None:
    """The chunks that may be shown, with their paths; None where all may.

    Worked out before the search: filtering its best hits would lose those that came after.
    """
    both = {"code", "notes"} <= set(wanted)
    if both and not (request.path or request.lang) and len(sources.trees(app.store)) < 2:
        return None
    languages = {one.lower() for one in request.lang}

    def fits(path: str, language: str) -> bool:
        kind = "notes" if language in PROSE else "code"
        return (
            kind in wanted
            and (not languages or language in languages)
            and (not request.path or _fits(path, request.path))
        )

    return sources.places(app.store, app.worktree, fits)


def _told(path: str) -> str:
    """The path itself where it is text; bytes that are none are written out."""
    return path if path.isascii() or path.isprintable() else display_path(path)


def _fits(path: str, pattern: str) -> bool:
    """Whether a path matches a glob (``**`` crosses folders) or lies below a folder."""
    plain = pattern.rstrip("/")
    return (
        fnmatch.fnmatchcase(path, pattern)
        or fnmatch.fnmatchcase(path, pattern.replace("**/", ""))
        or path == plain
        or path.startswith(plain + "/")
    )


def _commits(
    app: App,
    request: Search,
    terms: tuple[query.Term, ...],
    similar: Similar,
    limit: int,
    candidates: list[Candidate],
    shown: dict[tuple[str, int], HitItem],
) -> None:
    since = narrow.moment(app, request.since)
    within = None
    if since is not None or request.author:
        within = commits.matching(app.store, since or 0, request.author)
    scores, matched = _lexical(app.store, "commit", terms, limit * OVERFETCH, within)
    cosines = similar("commit", list(scores), within)
    for number, commit in commits.by_number(app.store, list({**scores, **cosines})).items():
        key = ("commit", number)
        candidates.append(
            Candidate(
                key,
                "",
                scores.get(number, 0.0),
                tuple(matched.get(number, ())),
                cosines.get(number),
            )
        )
        shown[key] = HitItem(
            kind="commit",
            path="",
            start_line=None,
            end_line=None,
            symbol="",
            context="",
            commit=commit.sha,
            id="",
            title=commit.subject,
            author=commit.author,
            at=iso(commit.at),
            score=0.0,
            similarity=None,
            snippet=commit.body,
            why=(),
        )


def _memories(
    app: App,
    terms: tuple[query.Term, ...],
    similar: Similar,
    limit: int,
    candidates: list[Candidate],
    shown: dict[tuple[str, int], HitItem],
) -> None:
    wanted = Filter(now=app.now)
    scores: dict[int, float] = {}
    matched: dict[int, list[str]] = {}
    if terms:
        counts = {
            term.expression: text_index.frequency(app.store, term.expression, COMMON)
            for term in terms
        }
        expression = query.select(terms, counts, COMMON)
        found = dict(text_index.match(app.store, expression, wanted, limit)) if expression else {}
        top = max(found.values(), default=0.0) or 1.0
        scores = {key: score / top for key, score in found.items()}
        labels = {term.label: term.expression for term in terms}
        matched = text_index.matched(app.store, labels, list(scores)) if scores else {}
    cosines = similar("memory", list(scores), None)
    for memory in memories.by_seq(app.store, list({**scores, **cosines}), wanted):
        key = ("memory", memory.seq)
        candidates.append(
            Candidate(
                key,
                "",
                scores.get(memory.seq, 0.0),
                tuple(matched.get(memory.seq, ())),
                cosines.get(memory.seq),
                memory.weight / 3,
            )
        )
        shown[key] = HitItem(
            kind="memory",
            path=" ".join(memory.paths),
            start_line=None,
            end_line=None,
            symbol="",
            context=memory.kind,
            commit="",
            id=memory.id,
            title=memory.title,
            author=memory.agent,
            at=iso(memory.created_at),
            score=0.0,
            similarity=None,
            snippet=memory.content,
            why=(),
        )


def _filled(item: HitItem, hit: hybrid.Ranked, labels: list[str]) -> HitItem:
    similarity = hit.candidate.similarity
    return replace(
        item,
        score=hit.score,
        similarity=None if similarity is None else round(similarity, 4),
        # Indexed files keep the repository's text; what is handed out does not show its secrets.
        # Masked before it is cut: a line out of the middle of a key is not known as one.
        snippet=neutralise(snippet(redact(item.snippet).text, labels)),
        context=neutralise(redact(item.context).text),
        title=redact(item.title).text,
        why=hit.why,
    )


def view(result: Searched) -> str:
    """A line for each hit, and its snippet below it."""
    lines = []
    for hit in result.hits:
        lines.append(_headline(hit))
        lines += [
            "    " + one_line(line, WIDTH) for line in hit.snippet.split("\n") if line.strip()
        ]
    if not lines:
        lines.append("Nothing relevant was found.")
    if result.index.state != "current":
        lines.append(f"(the index is {result.index.state}: run `gitmem index`)")
    return "\n".join(lines)


def _headline(hit: HitItem) -> str:
    tail = f"  [{hit.score:.2f}: {'; '.join(hit.why)}]"
    if hit.kind == "commit":
        return (
            one_line(f"{hit.commit[:10]} {(hit.at or '')[:10]} {hit.author}: {hit.title}", WIDTH)
            + tail
        )
    if hit.kind == "memory":
        return one_line(f"{hit.id} {hit.context}: {hit.title or hit.snippet}", WIDTH) + tail
    place = f"{hit.path}:{hit.start_line}-{hit.end_line}"
    return one_line(f"{place}  {hit.context}".rstrip(), WIDTH) + tail


SEARCH = Operation(
    name="search",
    request=Search,
    run=search,
    view=view,
    effect=READ,
    example='gitmem search "where are fixtures resolved" --in code',
    tool="search",
)
