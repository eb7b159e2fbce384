"""The question that all sources are asked, and candidates from commits and memories."""

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
from gitmem.search import kinds_of_files, query, rank
from gitmem.search.asked import Asked
from gitmem.search.hybrid import Candidate
from gitmem.store import commits, memories, source_index, text_index
from gitmem.store.connection import Database
from gitmem.store.filters import Filter

OVERFETCH = 4

Within = Collection[int] | None
Found = list[tuple[Candidate, HitItem]]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and by which legs: words (``lexical``), ``meaning``, or both.

    ``similar(source, keys, within)`` gives the cosine of the rows most like the question and of
    ``keys``; it is empty where only words count. ``limit`` is how many hits are wanted, ``near`` the
    file somebody is in; ``without`` names parts of the ranking that are left out.
    """

    asked: Asked
    terms: tuple[query.Term, ...]
    similar: Callable[[str, list[int], Within], Mapping[int, float]]
    limit: int
    lexical: bool
    meaning: bool
    near: str = ""
    profile: str = "default"
    without: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Scope:
    """Which files may be shown: ``kinds`` of code and notes, a glob or folder, languages.

    ``only`` is source, or a kind of file such as test (``search.kinds_of_files``).
    """

    kinds: frozenset[str]
    path: str = ""
    languages: frozenset[str] = frozenset()
    only: str = ""

    @property
    def everything(self) -> bool:
        """Whether every file of the work tree may be shown."""
        return {"code", "notes"} <= self.kinds and not (self.path or self.languages or self.only)

    def holds(self, path: str, language: str) -> bool:
        """Whether a file may be shown."""
        return (
            ("notes" if language in PROSE else "code") in self.kinds
            and (not self.languages or language in self.languages)
            and (not self.path or _fits(path, self.path))
            and (not self.only or _is(path, language, self.only))
        )


def history(app: App, question: Question, *, since: int | None, author: str) -> Found:
    """Commits, not older than ``since`` (milliseconds), by an author whose name holds a part."""
    narrow = since is not None or bool(author)
    within = commits.matching(app.store, since or 0, author) if narrow else None
    scores, matched = _lexical(app.store, "commit", question, OVERFETCH, within)
    cosines = question.similar("commit", list(scores), within)
    return [
        (
            _candidate("commit", number, question, scores, matched, cosines),
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
    scores: dict[int, float] = {}
    matched: dict[int, list[str]] = {}
    if question.lexical:
        scores, matched = look_up(
            question.terms,
            partial(text_index.frequency, app.store),
            lambda expression: text_index.match(app.store, expression, wanted, question.limit),
            partial(text_index.matched, app.store),
        )
    cosines = question.similar("memory", list(scores), None)
    return [
        (
            _candidate("memory", one.seq, question, scores, matched, cosines, one.weight / 3),
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
    question: Question,
    scores: Mapping[int, float],
    matched: Mapping[int, list[str]],
    cosines: Mapping[int, float],
    boost: float = 1.0,
) -> Candidate:
    words = matched.get(number, [])
    lexical = rank.lexical(words, len(question.terms), scores.get(number, 0.0)) if words else 0.0
    return Candidate((source, number), lexical, cosines.get(number), boost)


def _lexical(
    database: Database, source: str, question: Question, factor: int, within: Within
) -> tuple[dict[int, float], dict[int, list[str]]]:
    """Row number -> share of the best BM25, and -> labels matched."""
    if not question.lexical:
        return {}, {}
    limit = question.limit * factor
    return look_up(
        question.terms,
        partial(source_index.frequency, database, source),
        lambda expression: source_index.match(database, source, expression, limit, within),
        partial(source_index.matched, database, source),
    )


def told(path: str) -> str:
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


def _is(path: str, language: str, only: str) -> bool:
    found = kinds_of_files.kinds(path, language)
    return only in found if only != "source" else not found
