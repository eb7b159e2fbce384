"""The question that all sources are asked, and candidates from commits and memories."""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from math import prod

from gitmem.app import App
from gitmem.clock import iso
from gitmem.git.display import display_path
from gitmem.indexing.languages import PROSE
from gitmem.memory import trust
from gitmem.model.frozen import dataclass
from gitmem.retrieval import annotate, request_filters
from gitmem.retrieval.hit_view import HitItem
from gitmem.retrieval.keyword import look_up
from gitmem.search import file_kinds, fusion, issue_links, query
from gitmem.search.fusion import Candidate
from gitmem.search.profiles import PROFILES, Profile, aged
from gitmem.search.question import Asked
from gitmem.store.code import code_search, commits
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, memory_search
from gitmem.store.memory.filters import Filter
from gitmem.text import issues

OVERFETCH = 4
# A commit beside code that answers as well: who does not ask when or why means the code. Set by
# judgement: no set at hand asks for both at once.
PAST = 0.7

Within = Collection[int] | None
Found = list[tuple[Candidate, HitItem]]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and by which legs: words (``lexical``), ``meaning``, or both.

    ``similar(source, keys, within)`` gives the cosine of the rows most like the question and of
    ``keys``; it is empty where only words count. ``limit`` is how many hits are wanted, ``near``
    the file somebody is in; ``without`` names parts of the ranking that are left out.
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

    @property
    def counts_more(self) -> Profile:
        """What the profile lays over the usual weights."""
        return PROFILES[self.profile]

    @property
    def factors(self) -> dict[str, float]:
        """How far down each kind of file ranks."""
        return {**file_kinds.FACTORS, **dict(self.counts_more.factors)}


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
    scores, matched = _lexical(app.store, "message", question, OVERFETCH, within)
    asked = issues.named(question.asked.text)
    members = _members(app.store, question, scores, asked, within)
    keys = dict.fromkeys([*scores, *(one for some in members.values() for one in some)])
    cosines = question.similar("commit", list(keys), within)
    share = fusion.MEANING if question.meaning else 0.0
    scores, issue = issue_links.lift(scores, members, asked, cosines, share)
    look = _Found(question, scores, matched, cosines, issue)
    past = 1.0 if "history" in question.asked.wants else PAST
    return [
        (
            look.candidate(
                "commit", number, {"past": past, "age": aged(commit.at, app.now, look.profile)}
            ),
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
    wanted = request_filters.here(app, app.store, Filter(now=app.now))
    scores: dict[int, float] = {}
    matched: dict[int, list[str]] = {}
    if question.lexical:
        scores, matched = look_up(
            question.terms,
            partial(memory_search.frequency, app.store),
            lambda expression: memory_search.match(app.store, expression, wanted, question.limit),
            partial(memory_search.matched, app.store),
        )
    cosines = question.similar("memory", list(scores), None)
    look = _Found(question, scores, matched, cosines, {})
    found = memories.by_seq(app.store, [*{**scores, **cosines}], wanted)
    strengths = annotate.strengths(app, app.store, found)
    return [
        (
            look.candidate(
                "memory",
                one.seq,
                {
                    "weight": one.weight / 3,
                    "profile": look.profile.memories,
                    "age": aged(one.created_at, app.now, look.profile),
                    "standing": round(strengths[one.id][0], 3),
                },
            ),
            HitItem(
                kind="memory",
                path=" ".join(one.paths),
                context=one.kind,
                id=one.id,
                title=one.title,
                author=one.agent,
                at=iso(one.created_at),
                snippet=one.content,
                note=", ".join(filter(None, (trust.mark(one.tier), *strengths[one.id][1]))),
            ),
        )
        for one in found
    ]


@dataclass(frozen=True, slots=True)
class _Found:
    """What the legs found, by row number: how well words answer, labels matched, cosine.

    ``issue`` is what brought a commit that names the same one as a commit that answers.
    """

    question: Question
    scores: Mapping[int, float]
    matched: Mapping[int, list[str]]
    cosines: Mapping[int, float]
    issue: Mapping[int, str]

    @property
    def profile(self) -> Profile:
        """That of the question."""
        return self.question.counts_more

    def candidate(self, source: str, number: int, factors: Mapping[str, float]) -> Candidate:
        """One row, with what raises or lowers it; each factor is told by its name."""
        words, asked = self.matched.get(number, []), self.question.asked
        linked = (
            (f"names {self.issue[number]}, like a matching memory",) if number in self.issue else ()
        )
        raised = (f"{name} x{value:.2f}" for name, value in factors.items() if value != 1)
        held = {word.lower() for word in words}
        return Candidate(
            key=(source, number),
            lexical=self.scores.get(number, 0.0),
            similarity=self.cosines.get(number),
            boost=prod(factors.values()),
            notes=(*linked, *raised),
            asked_for=bool(asked.strict and asked.phrases)
            and {one.lower() for one in asked.phrases} <= held,
        )


def _lexical(
    database: Database, source: str, question: Question, factor: int, within: Within
) -> tuple[dict[int, float], dict[int, list[str]]]:
    """Row number -> how well words answer, and -> labels matched."""
    if not question.lexical:
        return {}, {}
    limit = question.limit * factor
    return look_up(
        question.terms,
        partial(code_search.frequency, database, source),
        lambda expression: code_search.match(database, source, expression, limit, within),
        partial(code_search.matched, database, source),
    )


def _members(
    database: Database,
    question: Question,
    scores: Mapping[int, float],
    asked: Collection[str],
    within: Within,
) -> dict[str, list[int]]:
    """The commits of each issue that is asked for, or named by one of the best."""
    if not question.lexical or "issues" in question.without:
        return {}
    followed = {*asked, *commits.issues_of(database, issue_links.first(scores))}
    members = commits.naming(database, sorted(followed), issue_links.MOST)
    if within is None:
        return members
    return {issue: [one for one in some if one in within] for issue, some in members.items()}


def told(path: str) -> str:
    """The path itself where it is text; bytes that are none are written out."""
    return path if path.isascii() or path.isprintable() else display_path(path)


def _fits(path: str, pattern: str) -> bool:
    """Whether a glob selects a path. A name as it stands counts too: it may hold brackets."""
    from gitmem.text import globs  # noqa: PLC0415 - for whoever gives a pattern

    plain = pattern.rstrip("/")
    return path == plain or path.startswith(plain + "/") or globs.matches(path, pattern)


def _is(path: str, language: str, only: str) -> bool:
    found = file_kinds.kinds(path, language)
    return only in found if only != "source" else not found
