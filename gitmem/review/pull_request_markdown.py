"""A pull request's summary in Markdown, for a job's summary or a comment. Pure.

Every text of the repository stands in a code span that is longer than any backticks in it, on one
line: no Markdown, HTML, mention, link or command in it means anything there. Nothing of the request
is believed, since it may come from a stranger's artifact.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from gitmem.review.finding import ReviewFindingItem
from gitmem.review.pull_request import PullRequestReport
from gitmem.review.review import ReviewResult
from gitmem.review.score import REJECT, WARN
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity

MAX_CHARACTERS = 60_000  # characters; a comment may have 65,536
_WIDTH, _SHOWN = 300, 10
_LINK = re.compile(r"https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?/[A-Za-z0-9._/-]*")
_LEVELS = {"error": "error", "warning": "warning"}
_Item = TypeVar("_Item")


def pull_request_as_markdown(request: PullRequestReport) -> str:
    """Return the summary of a pull request as Markdown, to be posted as a comment.

    Its ``link`` is left out unless it is a plain web address.
    """
    review = request.review
    lines = [
        f"### gitmem: {_verdict(review)}",
        "",
        f"{_code(request.base[:10])} to {_code(request.head[:10])}: "
        f"{quantity(review.files, 'file')}, {quantity(review.lines, 'new line')}.",
        *_section("Findings", review.findings, _finding),
        *_memories(review),
        *_section(
            "No longer as the code is, in files of this change",
            request.stale,
            lambda each: (
                f"{_code(each.kind)} {_code(each.title)}: {_code(each.cited)} {_code(each.why)} "
                f"({_code(each.handle)})"
            ),
        ),
        *_section(
            "Decisions that its commits propose",
            request.decisions,
            lambda each: (
                f"{_code(each.title)}{f': {_code(each.why)}' if each.why else ''} "
                f"({_code(each.reason, 160)})"
            ),
        ),
        *_impact(review),
        *_section("Worth knowing", review.context, _finding),
        *_section("How the risk is made up", review.parts, lambda part: (
            f"{int(part.points)} {_code(part.name)}: {_code(part.why)}"
        )),
        *_section("What was not checked", review.notes, _code),
    ]  # fmt: skip
    ends = [f"{quantity(len(review.set_aside), 'finding')} set aside."] if review.set_aside else []
    if request.stale_elsewhere > 0:
        ends.append(f"{quantity(int(request.stale_elsewhere), 'stale memory')} elsewhere.")
    if _LINK.fullmatch(request.link):
        ends.append(f"[The report and all data of this run]({request.link})")
    lines += ["", " ".join(ends)] if ends else []
    whole = "\n".join(lines) + "\n"
    if len(whole) <= MAX_CHARACTERS:
        return whole
    return whole[:MAX_CHARACTERS].rpartition("\n")[0] + "\n\nThe rest is too long to show here.\n"


def _verdict(review: ReviewResult) -> str:
    if not review.files and review.notes:
        return "nothing was reviewed"
    many = quantity(len(review.findings), "finding") if review.findings else "nothing found"
    risk = max(0, min(100, int(review.risk)))
    word = "reject" if risk >= REJECT else "warn" if risk >= WARN else "approve"
    return f"{many}, risk {risk} of 100 ({word})"


def _section(title: str, items: Sequence[_Item], line: Callable[[_Item], str]) -> list[str]:
    """A title and the first items of a list; nothing without any."""
    if not items:
        return []
    more = [f"- and {len(items) - _SHOWN} more"] if len(items) > _SHOWN else []
    return ["", f"**{title}**", "", *(f"- {line(item)}" for item in items[:_SHOWN]), *more]


def _finding(finding: ReviewFindingItem) -> str:
    place = f"{finding.path}:{finding.line}" if finding.line > 0 else finding.path
    level = f"{_LEVELS[finding.level]} " if finding.level in _LEVELS else ""
    marks = [finding.rule, finding.cwe, "" if finding.source == "gitmem" else finding.source]
    shown = ", ".join(_code(mark, 80) for mark in marks if mark)
    return f"{level}{_code(place)}: {_code(finding.message)} ({shown})"


def _memories(review: ReviewResult) -> list[str]:
    """The memories that cite the change, decisions first, each once with its citations."""
    by_id: dict[str, list[str]] = {}
    order = sorted(review.memories, key=lambda each: each.kind != "decision")
    for memory in order:
        head = f"{_code(memory.kind)} {_code(memory.title)} ({_code(memory.handle)})"
        why = f"{_code(memory.cited)} {_code(memory.why)}"
        by_id.setdefault(memory.id, [head]).append(why)
    title = "Memories and decisions that cite what changes"
    return _section(title, list(by_id.values()), lambda each: _listed(each[0], each[1:]))


def _listed(head: str, texts: Sequence[str]) -> str:
    more = f" and {len(texts) - 3} more" if len(texts) > 3 else ""
    return f"{head}: {', '.join(texts[:3])}{more}"


def _impact(review: ReviewResult) -> Iterable[str]:
    others = [dependent.path for dependent in review.dependents if not dependent.test]
    yield from _section("Depends on what changes", others, _code)
    yield from _section("Tests of what changes", review.tests.related, _code)
    if review.tests.related and review.tests.command:
        yield from ("", f"Run: {_code(review.tests.command)}")
    if review.coverage is not None and review.coverage.lines > 0:
        share = review.coverage.covered / review.coverage.lines
        yield from ("", f"Tests run {share:.0%} of the changed lines.")


def _code(text: str, width: int = _WIDTH) -> str:
    """A text as a code span, on one line; a runner takes ``##[`` for a command anywhere."""
    line = one_line(text, width).replace("##[", "## [") or "-"
    longest = max(map(len, re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{line}{pad}{fence}"
