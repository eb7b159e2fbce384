"""A finding with the id by which it can be set aside, and who set it aside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from gitmem.model.frozen import copy_fields, dataclass
from gitmem.model.review_finding import LEVELS, ReviewFinding
from gitmem.review.reviewed_diff import ReviewedFile
from gitmem.text.digest import sha256

# What may change in a message while the code stays: a count, and how long a short id has to be.
_VARYING = re.compile(r"\b(?:[\d,.]+|0[0-9A-Z]{7,25})\b")


@dataclass(frozen=True, slots=True)
class ReviewFindingItem:
    """A problem or note that a review found, with the memory or tool (``source``) that says so.

    ``id`` changes when the code does. ``level`` is error, warning or note; ``line`` is 0 for the
    whole file.
    """

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
class SetAsideFinding:
    """A finding that was accepted with the reason ``why``, and so is not counted.

    ``by`` says what was accepted, rule or place; ``agent`` is empty for a person.
    """

    finding: ReviewFindingItem
    by: str
    why: str
    agent: str
    at: str


def assign_finding_ids(
    files_by_path: Mapping[str, ReviewedFile], findings: Iterable[ReviewFinding]
) -> list[tuple[ReviewFindingItem, str]]:
    """Return each finding once with its id, and the id that older versions of gitmem gave it.

    Errors come first, then by path and line. ``files_by_path`` has the files of the diff, whose
    lines are a part of the ids.
    """
    items_by_id: dict[tuple[str, str], tuple[ReviewFindingItem, str]] = {}
    for finding in findings:
        parts = (finding.rule, finding.path, finding.memory, _code(files_by_path, finding))
        id, older = _hash(*parts, _VARYING.sub("", finding.message)), _hash(*parts)
        items_by_id.setdefault(
            (id, finding.message), (copy_fields(ReviewFindingItem, finding, id=id), older)
        )
    return sorted(items_by_id.values(), key=lambda pair: _order(pair[0]))


def _order(finding: ReviewFindingItem) -> tuple[int, str, int, str]:
    return LEVELS.index(finding.level), finding.path, finding.line, finding.rule


def _hash(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:10]


def _code(files: Mapping[str, ReviewedFile], finding: ReviewFinding) -> str:
    """The code that a finding is about, without white space around its lines."""
    file = files.get(finding.path)
    if file is None:
        return ""
    if 1 <= finding.line <= len(file.new_lines):
        return file.new_lines[finding.line - 1].strip()
    return "\n".join(text.strip() for _, text in file.numbered_added_lines)
