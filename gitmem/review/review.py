"""Reviewing a diff: every check in turn, within a bound, and the risk of what they found.

A check that fails, or for which no time is left, is said in ``notes``; the others still run.
"""

from collections.abc import Callable, Sequence
from time import process_time
from typing import TypeVar

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.model.frozen import copy_fields, dataclass
from gitmem.model.review_finding import LEVELS, NOTE, ReviewFinding
from gitmem.review import cited_lines, verify
from gitmem.review.cited_lines import CitedMemory
from gitmem.review.reviewed_diff import ReviewedDiff
from gitmem.text.digest import sha256

SECONDS = 8.0  # of CPU, after which no further check is begun
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding, with the ``id`` by which it can be set aside: it changes when the code does."""

    id: str
    rule: str
    level: str
    path: str
    line: int
    message: str
    source: str
    cwe: str
    memory: str


@dataclass(frozen=True, slots=True)
class RiskPart:
    """A part of the risk: its ``name``, its points, and why."""

    name: str
    points: int
    why: str


@dataclass(frozen=True, slots=True)
class Review:
    """What is known that speaks against a diff, or that its author should know.

    ``findings`` are errors and warnings, ``context`` are notes, both by path and line. ``memories``
    cite code that the diff changes. ``risk`` is 0 to 100, the sum of ``parts``; ``verdict`` is
    approve, warn (from 30) or reject (from 70). ``notes`` say what was not read or checked.
    """

    findings: tuple[Finding, ...]
    context: tuple[Finding, ...]
    memories: tuple[CitedMemory, ...]
    risk: int
    verdict: str
    parts: tuple[RiskPart, ...]
    files: int
    lines: int
    notes: tuple[str, ...]


def review(app: App, diff: ReviewedDiff, *, seconds: float = SECONDS) -> Review:
    """Review a diff within about so many ``seconds`` of CPU."""
    run = _Checks(seconds)
    cited = run.answer("memories", lambda: cited_lines.find(app, diff)) or ()
    verified, notes = run.answer("verification", lambda: verify.verify(app, diff)) or ((), ())
    found = [_with_id(diff, finding) for finding in verified]
    found.sort(key=lambda each: (LEVELS.index(each.level), each.path, each.line, each.rule))
    return Review(
        findings=tuple(each for each in found if each.level != NOTE),
        context=tuple(each for each in found if each.level == NOTE),
        memories=cited,
        risk=0,
        verdict="approve",
        parts=(),
        files=len(diff.files),
        lines=sum(last - first + 1 for file in diff.files for first, last in file.added),
        notes=(*diff.notes, *notes, *run.notes),
    )


class _Checks:
    """Runs checks one after the other until the time is up, and notes what was left out."""

    def __init__(self, seconds: float) -> None:
        self._end = process_time() + seconds
        self.notes: list[str] = []

    def answer(self, name: str, check: Callable[[], _Answer]) -> _Answer | None:
        """The answer of a check; None if it failed or no time is left."""
        if process_time() > self._end:
            self.notes.append(f"Not checked, for lack of time: {name}.")
            return None
        try:
            return check()
        except GitmemError as error:
            self.notes.append(f"Not checked: {name}. {error.as_sentences()}")
            return None


def _with_id(diff: ReviewedDiff, finding: ReviewFinding) -> Finding:
    code = next((_code(file, finding.line) for file in diff.files if file.path == finding.path), "")
    parts = (finding.rule, finding.path, finding.memory, code)
    id = sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return copy_fields(Finding, finding, id=id)


def _code(file: object, line: int) -> str:
    lines: Sequence[str] = getattr(file, "lines", ())
    if 1 <= line <= len(lines):
        return lines[line - 1].strip()
    return "\n".join(text.strip() for _, text in getattr(file, "added_lines", ()))
