"""What past fixes say of the changed files: lines that come back, and how often they were fixed."""

from collections.abc import Iterator, Mapping, Sequence

from gitmem.app import App
from gitmem.clock import DAY
from gitmem.git import removed_lines
from gitmem.history import past_fixes
from gitmem.indexing import file_filter
from gitmem.model.frozen import dataclass
from gitmem.model.review_finding import NOTE, WARNING, ReviewFinding
from gitmem.review.companions import past_until
from gitmem.review.reviewed_diff import ReviewedDiff, ReviewedFile
from gitmem.review.time_limit import TimeLimit
from gitmem.store.code import commits
from gitmem.store.code.commits import IndexedCommit
from gitmem.text.fence import one_line

_YEAR = 365 * DAY
_COMMITS, _OF_EACH, _MOST = 100, 8, 30  # of a file; its fixes and all fixes whose lines are read
_MOST_FILES = 40
_OFTEN = 4  # fixes in a year
# A block that comes back: its lines, and their characters without white space.
_LINES, _CHARACTERS = 3, 80


@dataclass(frozen=True, slots=True)
class Repairs:
    """The findings, and the number of fixes in the last year, by path."""

    findings: tuple[ReviewFinding, ...] = ()
    counts: Mapping[str, int] | None = None


def find(app: App, diff: ReviewedDiff, limit: TimeLimit) -> Repairs:
    """The blocks of lines that a fix had removed, and the files that were fixed often."""
    files = [each for each in diff.files if each.is_source and each.change.old][:_MOST_FILES]
    if not app.has_store or not files:
        return Repairs()
    until = past_until(app, diff)
    fixes: dict[str, list[IndexedCommit]] = {}
    for file in limit.each(files, "past fixes"):
        log = commits.commits_of_path(app.store, file.change.old, _COMMITS)
        fixes[file.path] = [each for each in log if each.at < until and past_fixes.is_fix(each)]
    known = {each.sha: each for of_file in fixes.values() for each in of_file[:_OF_EACH]}
    paths = [file.change.old for file in files]
    gone: dict[tuple[str, str], str] = {}
    for line in removed_lines.of_commits(app.layout.cwd, [*known][:_MOST], paths):
        gone.setdefault((line.path, line.line), line.sha)
    findings: list[ReviewFinding] = []
    counts: dict[str, int] = {}
    for file in files:
        findings += _returned(file, gone, known)
        own = fixes.get(file.path, [])
        counts[file.path] = sum(each.at > until - _YEAR for each in own)
        if counts[file.path] >= _OFTEN and file.added:
            subject = one_line(own[0].subject, 70)
            message = (
                f"This file was fixed {counts[file.path]} times within a year, "
                f'last by {own[0].sha[:10]} "{subject}"'
            )
            findings.append(ReviewFinding("fix/often", NOTE, file.path, 0, message))
    return Repairs(tuple(findings), counts)


def _returned(
    file: ReviewedFile, gone: Mapping[tuple[str, str], str], known: Mapping[str, IndexedCommit]
) -> Iterator[ReviewFinding]:
    """The blocks of added lines that one fix had removed from the same file."""
    before = {line.strip() for line in file_filter.decode(file.old or b"").split("\n")}
    for block in _blocks(file, gone, before):
        sha = gone[(file.change.old, block[0][1])]
        text = "".join("".join(line.split()) for _, line in block)
        if len(block) >= _LINES and len(text) >= _CHARACTERS and sha in known:
            first, last = block[0][0], block[-1][0]
            subject = one_line(known[sha].subject, 70)
            message = f'Lines {first}-{last} bring back what {sha[:10]} "{subject}" removed'
            yield ReviewFinding("fix/undone", WARNING, file.path, first, message)


def _blocks(
    file: ReviewedFile, gone: Mapping[tuple[str, str], str], before: set[str]
) -> Iterator[Sequence[tuple[int, str]]]:
    block: list[tuple[int, str]] = []
    for number, text in file.added_lines:
        line = text.strip()
        if not line:
            continue
        sha = gone.get((file.change.old, line), "") if line not in before else ""
        if block and (not sha or sha != gone.get((file.change.old, block[0][1]))):
            yield block
            block = []
        if sha:
            block.append((number, line))
    if block:
        yield block
