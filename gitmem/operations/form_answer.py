"""The answer to a question of known form: the verb that knows is asked, and its words are told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from gitmem import operations
from gitmem.app import App
from gitmem.assembly import answer_confidence, answer_evidence, cited_answer
from gitmem.assembly.cited_answer import CitedAnswer, CitedSentence, Source
from gitmem.errors import GitmemError
from gitmem.git import history
from gitmem.history import target as targets
from gitmem.model.frozen import replace
from gitmem.retrieval.hit_view import HitItem
from gitmem.search.question_forms import Known
from gitmem.text.fence import one_line

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

# By verb the field that lists what it found, and the one that counts it where that is another.
_LISTED = {"graph": "items", "impact": "files", "why": "commits", "changes": "areas",
           "why-broke": "suspects", "recall": "memories", "cycles": "cycles",
           "search": "hits"}  # fmt: skip
_COUNTED = {"graph": "total", "impact": "total", "changes": "commits", "cycles": "total"}
# Suspects, what was decided and names alone were not judged: how often they are right is not told.
_UNMEASURED = frozenset(("why-broke", "recall", "search"))
# Of who wrote something so many are named, and so many of their commits.
_AUTHORS, _COMMITS = 5, 10
_EXACT = 1.0  # a definition's score in `search --mode symbol` where the name is the same
_STANDS = "It stands there now; whether another of that name was removed is not known."
# Of these to find nothing is an answer too; what they cannot know they say.
_KNOW_NONE = frozenset(("graph", "impact", "cycles"))


def tell(app: App, form: Known) -> CitedAnswer | str | None:
    """The verb's answer with the places in it, or why it cannot know, in its words.

    None where it does not know the name, and that may be none: "who calls for help".
    """
    operation = operations.load(form.verb)
    request = operation.request(**form.values)
    try:
        if form.part == "release":  # since the one before it
            before = history.latest_tag(app.layout.cwd, f"{request.until}^")
            request = replace(request, since=before or "1970-01-01")
        if form.verb == "why" and not form.named and form.part != "removed":
            # Whether a word that may be no name was one long ago is not worth seconds.
            targets.find(app, request.target)
        whole = operation.run(app, operation.located(app, request))
    except GitmemError as error:
        return f"{error.message} {error.hint}".strip() if form.named else None
    if form.part == "tests" and not whole.tests and not _is_complete(whole):
        by_name = {"query": form.values["target"], "mode": "tests"}
        return tell(app, replace(form, verb="search", values=by_name, part=""))
    result = _part(form.part, whole)
    if form.part == "defined" and not result.hits:
        return f"No definition of {form.values['query']} is indexed." if form.named else None
    listed = getattr(result, _LISTED[form.verb])
    sources, sentences = _cited(app, listed)
    if not sources and form.verb == "recall":
        return "No decision about this is kept."
    total = getattr(result, _COUNTED.get(form.verb, ""), len(sources))
    return CitedAnswer(
        known=bool(sources) or form.verb in _KNOW_NONE,
        sentences=tuple(sentences),
        sources=tuple(sources),
        groups=cited_answer.group_sources(sources),
        related=(),
        excerpts=tuple(source.title for source in sources),
        confidence=answer_confidence.UNJUDGED
        if form.verb in _UNMEASURED and form.part != "defined"
        else answer_confidence.of_verb(
            complete=_is_complete(whole) and not (form.part == "removed" and _stands(whole))
        ),
        words=operation.view(result),
        total=total,
        by=form.verb,
    )


def _is_complete(result: Any) -> bool:
    """Whether a verb does not say that something is missing, not known or maybe another's."""
    also = {place.rpartition(":")[0] for place in getattr(result, "also", ())}
    another = also and also != {result.path}
    return not (getattr(result, "unknown", None) or getattr(result, "note", "") or another)


def _stands(result: Any) -> bool:
    """Whether a definition that is said to be removed is there."""
    return bool(getattr(result, "first_line", 0))


def _part(part: str, result: Any) -> Any:
    """The part of an answer that is meant, where it is there."""
    if part == "tests":
        tests = tuple(file for file in result.files if file.test)
        said = tuple(
            reason for reason in result.risk.reasons if "test" in reason or "unknown" in reason
        )
        risk = replace(result.risk, level="", reasons=said)
        return replace(
            result, files=tests, total=result.total_tests, risk=risk, likely=(), together=(),
            decisions=(), memories=(),
        )  # fmt: skip
    if part == "defined":
        # Beginnings of names and other spellings answer a search; here the name was given.
        return replace(result, hits=tuple(hit for hit in result.hits if hit.score == _EXACT))
    if part == "removed" and _stands(result):
        note = f"{_STANDS} {result.note}".strip()
        return replace(result, note=note)
    commits = getattr(result, "commits", ())
    if part == "first":
        commits = [commit for commit in commits if "first version" in commit.why] or commits
    elif part == "last":
        commits = commits[:1]
    elif part == "wrote":
        return _authors(result)
    return replace(result, commits=tuple(commits)) if part in ("first", "last") else result


def _authors(result: Any) -> Any:
    """The same with the commits whose lines stand, those of who wrote most of them first."""
    lines = Counter[str]()
    for commit in result.commits:
        lines[commit.author] += commit.lines
    wrote = [f"{name} {count}" for name, count in lines.most_common(_AUTHORS) if count]
    commits = sorted(
        (commit for commit in result.commits if commit.lines),
        key=lambda one: (-lines[one.author], -one.lines),
    )
    told = f"Lines that stand: {one_line(', '.join(wrote), 200)}." if wrote else ""
    note = " ".join(filter(None, (told, result.note)))
    return replace(result, commits=tuple(commits[:_COMMITS]), note=note) if commits else result


def _cited(app: App, listed: Sequence[Any]) -> tuple[list[Source], list[CitedSentence]]:
    """What is listed as sources, and what stands there as sentences."""
    sources: list[Source] = []
    sentences: list[CitedSentence] = []
    for place in _places(listed):
        number = len(sources) + 1
        source, text = _source(app, place, number)
        sources.append(source)
        if text:
            sentences.append(CitedSentence(text, (number,), source.kind == "code"))
    return sources, sentences


def _places(listed: Iterable[Any]) -> Iterator[Any]:
    """The commits, memories and places in a list; those of an area and of a circle one by one."""
    for one in listed:
        if hasattr(one, "newest"):
            yield from one.newest
        elif hasattr(one, "way") and hasattr(one, "length"):
            yield from (HitItem(kind="code", path=path) for path in one.files)
        else:
            yield one


def _source(app: App, one: Any, number: int) -> tuple[Source, str]:
    """A place with what stands there: its line, the subject of a commit, what a memory says."""
    if hasattr(one, "subject"):
        text = one_line(one.subject, len(one.subject))
        cite = one.commit[: cited_answer.COMMIT]
        release = getattr(one, "release", "")
        return (
            Source(
                number, "commit", cite, commit=one.commit, title=text, at=one.at, release=release
            ),
            text,
        )
    if hasattr(one, "created_at"):
        text = one_line(": ".join(filter(None, (one.title, one.content))), 400)
        kind = "decision" if one.kind == "decision" else "memory"
        return Source(number, kind, one.id, id=one.id, title=one.title, at=one.created_at), text
    line = getattr(one, "line", 0) or getattr(one, "start_line", 0)
    if not line:
        return Source(number, "code", one.path, path=one.path), ""
    name = getattr(one, "name", "") or getattr(one, "symbol", "")
    hit = HitItem(kind="code", path=one.path, start_line=line, end_line=line, symbol=name)
    read = answer_evidence.read_places(app, [hit])
    lines = read[0].passage.lines if read else {}
    source = Source(number, "code", f"{one.path}:{line}", path=one.path, lines=str(line))
    return source, " ".join(lines.get(line, "").split())
