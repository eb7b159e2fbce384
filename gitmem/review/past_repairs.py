"""What past fixes say of the changed files: lines that come back, and how often they were fixed."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, partial

from gitmem.app import App
from gitmem.clock import DAY
from gitmem.git.lines import removed_lines
from gitmem.git.lines.patch import Hunk
from gitmem.git.lines.removed_lines import RemovedLine
from gitmem.history import past_fixes
from gitmem.indexing import file_filter
from gitmem.indexing.syntax import effective_tokens, grammars
from gitmem.model.frozen import dataclass
from gitmem.model.review_finding import NOTE, WARNING, ReviewFinding
from gitmem.review.companions import diff_time_ms
from gitmem.review.reviewed_diff import ReviewedDiff, ReviewedFile
from gitmem.review.time_limit import TimeLimit
from gitmem.store.code import commits
from gitmem.store.code.commits import IndexedCommit
from gitmem.text.fence import one_line

_TokenReader = Callable[[int, int], list[bytes]]

_YEAR = 365 * DAY
_COMMITS, _OF_EACH, _MAX = 100, 8, 30  # of a file; its fixes and all fixes whose lines are read
_MAX_FILES = 40
_MIN_FIXES = 4  # fixes in a year
# A block that comes back: its lines, and their characters without white space.
_LINES, _CHARACTERS = 3, 80
_SMALL = 20  # characters of a change that is turned back


def find_reverted_fixes(app: App, diff: ReviewedDiff, limit: TimeLimit) -> list[ReviewFinding]:
    """Return findings for added lines that a bug fix once removed, and for files often fixed."""
    files = [changed for changed in diff.files if changed.is_source and changed.change.old][
        :_MAX_FILES
    ]
    if not app.has_store or not files:
        return []
    until = diff_time_ms(app, diff)
    fixes: dict[str, list[IndexedCommit]] = {}
    for file in limit.items_while_time_left(files, "past fixes"):
        log = commits.commits_of_path(app.store, file.change.old, _COMMITS)
        fixes[file.path] = [commit for commit in log if commit.at < until and _is_repair(commit)]
    known = {commit.sha: commit for of_file in fixes.values() for commit in of_file[:_OF_EACH]}
    paths = [file.change.old for file in files]
    gone, came = removed_lines.removed_and_added_lines(app.layout.cwd, [*known][:_MAX], paths)
    lines = _Lines(_by_file(gone), _by_file(came))
    findings: list[ReviewFinding] = []
    for file in files:
        findings += _returned(file, lines, known)
        own = fixes.get(file.path, [])
        many = sum(commit.at > until - _YEAR for commit in own)
        if many >= _MIN_FIXES and file.added_ranges:
            subject = one_line(own[0].subject, 70)
            message = (
                f"This file was fixed {many} times within a year, "
                f'last by {own[0].sha[:10]} "{subject}"'
            )
            findings.append(ReviewFinding("fix/often", NOTE, file.path, 0, message))
    return findings


def _is_repair(commit: IndexedCommit) -> bool:
    return past_fixes.is_fix_commit(commit) and not past_fixes.is_cosmetic(commit.subject)


@dataclass(frozen=True, slots=True)
class _Lines:
    """The lines that fixes removed and those that they added: path -> commit -> lines."""

    removed: Mapping[str, Mapping[str, Collection[str]]]
    added: Mapping[str, Mapping[str, Collection[str]]]


def _by_file(lines: Sequence[RemovedLine]) -> dict[str, dict[str, set[str]]]:
    lines_by_commit: dict[str, dict[str, set[str]]] = {}
    for line in lines:
        if line.line:
            lines_by_commit.setdefault(line.path, {}).setdefault(line.sha, set()).add(line.line)
    return lines_by_commit


def _returned(
    file: ReviewedFile, lines: _Lines, known: Mapping[str, IndexedCommit]
) -> Iterator[ReviewFinding]:
    """The hunks that undo what a fix did in the same file."""
    before = [line.strip() for line in file_filter.decode_text(file.old or b"").split("\n")]
    readers = cache(partial(_readers, file))  # most files are not parsed, none twice
    for hunk in file.hunks:
        old = [line for line in before[hunk.old[0] - 1 : hunk.old[1]] if line]
        new = [
            line.strip() for line in file.new_lines[hunk.new[0] - 1 : hunk.new[1]] if line.strip()
        ]
        for sha, commit in known.items():
            removed = lines.removed.get(file.change.old, {}).get(sha, ())
            added = lines.added.get(file.change.old, {}).get(sha, ())
            what = _undoes(old, new, removed, added)
            if what and not _runs_otherwise(readers(), hunk):
                break
            if what:
                subject = one_line(commit.subject, 70)
                message = f'It {what} what {sha[:10]} "{subject}" {_DID[what]}'
                yield ReviewFinding("fix/undone", WARNING, file.path, hunk.new[0], message)
                break


def _readers(file: ReviewedFile) -> list[_TokenReader | None]:
    """For a file before the diff and after it, what reads the tokens of some lines."""
    return [
        effective_tokens.make_runtime_token_reader(
            grammars.grammar_name(file.path, file.language, data), data
        )
        for data in (file.old or b"", file.new or b"")
    ]


def _runs_otherwise(readers: Sequence[_TokenReader | None], hunk: Hunk) -> bool:
    """Whether the code of a hunk may do something else than before."""
    sides = [
        read and read(*lines) for read, lines in zip(readers, (hunk.old, hunk.new), strict=True)
    ]
    return None in sides or sides[0] != sides[1]


_DID = {"brings back": "removed", "takes away": "added", "turns back": "changed"}


def _undoes(
    old: Sequence[str], new: Sequence[str], removed: Collection[str], added: Collection[str]
) -> str:
    """How a hunk undoes a fix, by the lines of both; empty if it does not."""
    size = sum(len("".join(line.split())) for line in (*old, *new))
    back = bool(new) and all(line in removed for line in new)
    away = bool(old) and all(line in added for line in old)
    if back and away:
        return "turns back" if size >= _SMALL else ""
    if back and not old and len(new) >= _LINES and size >= _CHARACTERS:
        return "brings back"
    # More of the fix than a part that others may have made needless.
    whole = len(old) >= 2 and size >= _SMALL and len({*old}) >= 0.9 * len(added)
    return "takes away" if away and not new and whole else ""
