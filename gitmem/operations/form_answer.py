"""Answering questions of a known form, such as "who calls X", with the verb made for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from gitmem import operations
from gitmem.app import App
from gitmem.assembly import answer_confidence, answer_evidence, cited_answer
from gitmem.assembly.cited_answer import CitedAnswer, CitedSentence, CitedSource
from gitmem.errors import GitmemError
from gitmem.git import history
from gitmem.history import target as targets
from gitmem.model.frozen import replace
from gitmem.retrieval.hit_view import HitItem
from gitmem.search.question_forms import KnownQuestion
from gitmem.text.fence import one_line

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

# By verb the field of its result that lists the items, and the one that counts them if it has one.
_LISTED = {"graph": "items", "impact": "files", "why": "commits", "changes": "areas",
           "why-broke": "suspects", "recall": "memories", "cycles": "cycles",
           "search": "hits"}  # fmt: skip
_COUNTED = {"graph": "total", "impact": "total", "changes": "commits", "cycles": "total"}
# Verbs whose answers were not judged, so that it is unknown how often they are right.
_UNMEASURED = frozenset(("why-broke", "recall", "search"))
# Authors that are named, and commits of them that are listed.
_AUTHORS, _COMMITS = 5, 10
_EXACT = 1.0  # score of a definition with exactly this name in `search --mode symbol`
_STILL_THERE = "It is defined there now; it is unknown if another of that name was removed."
# Verbs for which "none" is an answer too; they say what they do not know.
_NONE_IS_ANSWER = frozenset(("graph", "impact", "cycles"))


def answer_known_question(app: App, question: KnownQuestion) -> CitedAnswer | str | None:
    """Return the answer to a question of a known form (such as "who calls X"), given by a command.

    A text says why the command has no answer. None if it does not know the name in the question,
    which may be no name at all, as in "who calls for help".
    """
    operation = operations.load_operation(question.verb)
    request = operation.request_class(**question.values)
    try:
        if question.part == "release":  # the changes since the previous release
            before = history.latest_release_tag(app.layout.cwd, f"{request.until}^")
            request = replace(request, since=before or "1970-01-01")
        if question.verb == "why" and not question.named and question.part != "removed":
            # Searching the history for a word that may not be a name would take seconds.
            targets.resolve_code_target(app, request.target)
        whole = operation.run(app, operation.make_request_paths_relative(app, request))
    except GitmemError as error:
        return f"{error.message} {error.hint}".strip() if question.named else None
    if question.part == "tests" and not whole.tests and not _is_complete(whole):
        by_name = {"query": question.values["target"], "mode": "tests"}
        return answer_known_question(app, replace(question, verb="search", values=by_name, part=""))
    result = _select_part(question.part, whole)
    if question.part == "defined" and not result.hits:
        return (
            f"No definition of {question.values['query']} is indexed." if question.named else None
        )
    items = getattr(result, _LISTED[question.verb])
    sources, sentences = _cite(app, items)
    if not sources and question.verb == "recall":
        return "No decision about this is recorded."
    total = getattr(result, _COUNTED.get(question.verb, ""), len(sources))
    return CitedAnswer(
        known=bool(sources) or question.verb in _NONE_IS_ANSWER,
        sentences=tuple(sentences),
        sources=tuple(sources),
        groups=cited_answer.group_sources(sources),
        related=(),
        excerpts=tuple(source.title for source in sources),
        confidence=answer_confidence.UNJUDGED
        if question.verb in _UNMEASURED and question.part != "defined"
        else answer_confidence.confidence_of_command(
            complete=_is_complete(whole) and not (question.part == "removed" and _is_defined(whole))
        ),
        words=operation.view(result),
        total=total,
        by=question.verb,
    )


def _is_complete(result: Any) -> bool:
    """Whether a verb's result names nothing as missing, unknown or possibly another definition."""
    also = {place.rpartition(":")[0] for place in getattr(result, "also", ())}
    another = also and also != {result.path}
    return not (getattr(result, "unknown", None) or getattr(result, "note", "") or another)


def _is_defined(result: Any) -> bool:
    """Whether `gitmem why` found the definition in the present code."""
    return bool(getattr(result, "first_line", 0))


def _select_part(part: str, result: Any) -> Any:
    """The part of a verb's result that was asked for: tests, first commit, authors ..."""
    if part == "tests":
        tests = tuple(file for file in result.files if file.test)
        reasons = tuple(
            reason for reason in result.risk.reasons if "test" in reason or "unknown" in reason
        )
        risk = replace(result.risk, level="", reasons=reasons)
        return replace(
            result, files=tests, total=result.total_tests, risk=risk, likely=(), together=(),
            decisions=(), memories=(),
        )  # fmt: skip
    if part == "defined":
        # A search also finds similar names; here only the exact name counts.
        return replace(result, hits=tuple(hit for hit in result.hits if hit.score == _EXACT))
    if part == "removed" and _is_defined(result):
        note = f"{_STILL_THERE} {result.note}".strip()
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
    """The result with only the commits whose lines still exist, by the author of most lines."""
    lines = Counter[str]()
    for commit in result.commits:
        lines[commit.author] += commit.lines
    wrote = [f"{name} {count}" for name, count in lines.most_common(_AUTHORS) if count]
    commits = sorted(
        (commit for commit in result.commits if commit.lines),
        key=lambda commit: (-lines[commit.author], -commit.lines),
    )
    lines_left = f"Lines by author: {one_line(', '.join(wrote), 200)}." if wrote else ""
    note = " ".join(filter(None, (lines_left, result.note)))
    return replace(result, commits=tuple(commits[:_COMMITS]), note=note) if commits else result


def _cite(app: App, listed: Sequence[Any]) -> tuple[list[CitedSource], list[CitedSentence]]:
    """The listed items as sources, and their texts as sentences."""
    sources: list[CitedSource] = []
    sentences: list[CitedSentence] = []
    for place in _flatten(listed):
        number = len(sources) + 1
        source, text = _source(app, place, number)
        sources.append(source)
        if text:
            sentences.append(CitedSentence(text, (number,), source.kind == "code"))
    return sources, sentences


def _flatten(listed: Iterable[Any]) -> Iterator[Any]:
    """The commits, memories and places in a list; those of an area or a cycle one by one."""
    for item in listed:
        if hasattr(item, "newest"):
            yield from item.newest
        elif hasattr(item, "way") and hasattr(item, "length"):
            yield from (HitItem(kind="code", path=path) for path in item.files)
        else:
            yield item


def _source(app: App, item: Any, number: int) -> tuple[CitedSource, str]:
    """An item as a source, and its text: a line of code, a commit's subject, a memory's text."""
    if hasattr(item, "subject"):
        text = one_line(item.subject, len(item.subject))
        cite = item.commit[: cited_answer.COMMIT]
        release = getattr(item, "release", "")
        return (
            CitedSource(
                number, "commit", cite, commit=item.commit, title=text, at=item.at, release=release
            ),
            text,
        )
    if hasattr(item, "created_at"):
        text = one_line(": ".join(filter(None, (item.title, item.content))), 400)
        kind = "decision" if item.kind == "decision" else "memory"
        return CitedSource(
            number, kind, item.id, id=item.id, title=item.title, at=item.created_at
        ), text
    line = getattr(item, "line", 0) or getattr(item, "start_line", 0)
    if not line:
        return CitedSource(number, "code", item.path, path=item.path), ""
    name = getattr(item, "name", "") or getattr(item, "symbol", "")
    hit = HitItem(kind="code", path=item.path, start_line=line, end_line=line, symbol=name)
    read = answer_evidence.evidence_of_hits(app, [hit])
    lines = read[0].passage.lines if read else {}
    source = CitedSource(number, "code", f"{item.path}:{line}", path=item.path, lines=str(line))
    return source, " ".join(lines.get(line, "").split())
