"""Candidates for a search from each kind of source: files, commits, memories."""

import fnmatch
from collections.abc import Callable, Collection, Mapping
from functools import partial

from gitmem.app import App
from gitmem.clock import iso
from gitmem.git.display import display_path
from gitmem.indexing.languages import PROSE
from gitmem.model.value import dataclass
from gitmem.operations.by_words import look_up
from gitmem.operations.hits import HitItem
from gitmem.search import query
from gitmem.search.hybrid import Candidate
from gitmem.store import commits, memories, source_index, sources, text_index
from gitmem.store.connection import Database
from gitmem.store.filters import Filter

OVERFETCH = 4

Within = Collection[int] | None
Found = list[tuple[Candidate, HitItem]]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: the words (none where only the meaning counts), and how alike rows are.

    ``similar(source, keys, within)`` gives the cosine of the rows most like the question and of
    ``keys``; it is empty where only words count. ``limit`` is how many hits are wanted.
    """

    terms: tuple[query.Term, ...]
    similar: Callable[[str, list[int], Within], Mapping[int, float]]
    limit: int


def files(
    app: App, question: Question, *, kinds: Collection[str], path: str, languages: Collection[str]
) -> Found:
    """Pieces of files. ``kinds`` of code and notes; ``path`` a glob or folder; empty: any."""
    places = _places(app, kinds, path, {one.lower() for one in languages})
    scores, matched = _lexical(app.store, "chunk", question, OVERFETCH * 4, places)
    cosines = question.similar("chunk", list(scores), places)
    found: Found = []
    for number, chunk in sources.chunks(app.store, app.worktree, [*{**scores, **cosines}]).items():
        shown = chunk.path if places is None else places[number][0]
        found.append(
            (
                _candidate("chunk", number, shown, scores, matched, cosines),
                HitItem(
                    kind="note" if chunk.cutter.startswith("note") else "code",
                    path=_told(shown),
                    start_line=chunk.start_line,
                    end_line=chunk.end_line,
                    symbol=chunk.symbol,
                    context=chunk.context,
                    snippet=chunk.text,
                ),
            )
        )
    return found


def history(app: App, question: Question, *, since: int | None, author: str) -> Found:
    """Commits, not older than ``since`` (milliseconds), by an author whose name holds a part."""
    narrow = since is not None or bool(author)
    within = commits.matching(app.store, since or 0, author) if narrow else None
    scores, matched = _lexical(app.store, "commit", question, OVERFETCH, within)
    cosines = question.similar("commit", list(scores), within)
    return [
        (
            _candidate("commit", number, "", scores, matched, cosines),
            HitItem(
                kind="commit",
                commit=commit.sha,
                title=commit.subject,
                author=commit.author,
                at=iso(commit.at),
                snippet=commit.body,
            ),
        )
        for number, commit in commits.by_number(app.store, [*{**scores, **cosines}]).items()
    ]


def kept(app: App, question: Question) -> Found:
    """Memories and decisions in force."""
    wanted = Filter(now=app.now)
    scores, matched = look_up(
        question.terms,
        partial(text_index.frequency, app.store),
        lambda expression: text_index.match(app.store, expression, wanted, question.limit),
        partial(text_index.matched, app.store),
    )
    cosines = question.similar("memory", list(scores), None)
    return [
        (
            _candidate("memory", one.seq, "", scores, matched, cosines, one.weight / 3),
            HitItem(
                kind="memory",
                path=" ".join(one.paths),
                context=one.kind,
                id=one.id,
                title=one.title,
                author=one.agent,
                at=iso(one.created_at),
                snippet=one.content,
            ),
        )
        for one in memories.by_seq(app.store, [*{**scores, **cosines}], wanted)
    ]


def _candidate(
    source: str,
    number: int,
    place: str,
    scores: Mapping[int, float],
    matched: Mapping[int, list[str]],
    cosines: Mapping[int, float],
    boost: float = 1.0,
) -> Candidate:
    words = tuple(matched.get(number, ()))
    key = (source, number)
    return Candidate(key, place, scores.get(number, 0.0), words, cosines.get(number), boost)


def _lexical(
    database: Database, source: str, question: Question, factor: int, within: Within
) -> tuple[dict[int, float], dict[int, list[str]]]:
    """Row number -> share of the best BM25, and -> labels matched."""
    limit = question.limit * factor
    return look_up(
        question.terms,
        partial(source_index.frequency, database, source),
        lambda expression: source_index.match(database, source, expression, limit, within),
        partial(source_index.matched, database, source),
    )


def _places(
    app: App, kinds: Collection[str], path: str, languages: Collection[str]
) -> dict[int, tuple[str, str]] | None:
    """The chunks that may be shown, with their paths; None where all may.

    Worked out before the search: filtering its best hits would lose those that came after.
    """
    both = {"code", "notes"} <= set(kinds)
    if both and not (path or languages) and len(sources.trees(app.store)) < 2:
        return None

    def fits(name: str, language: str) -> bool:
        kind = "notes" if language in PROSE else "code"
        return (
            kind in kinds
            and (not languages or language in languages)
            and (not path or _fits(name, path))
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
