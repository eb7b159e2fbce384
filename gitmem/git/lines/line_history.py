"""Finding the commits that made a file or some lines: git's blame, and its log of a path.

Also the changed lines of the newest commits, without merges, whose changes are those of the merged
commits.

Every query has a deadline and returns what git had printed by then. Renames are followed, and lines
that were moved in a file or between the files of a commit. No textconv or filter of the repository
runs, and nothing is fetched.
"""

from __future__ import annotations

import os
from itertools import chain

from gitmem.errors import Unavailable
from gitmem.git.content_filters import settings_disabling_filters
from gitmem.git.display import decode_path, encode_path
from gitmem.git.head import is_commit_id
from gitmem.git.lines.patch import LONGEST_LINE, split_truncated_lines
from gitmem.git.log_output import FORMAT, Commit, parse_commits
from gitmem.git.runner import call_git, stream_git
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import TypeVar

    from gitmem.git.layout import RepositoryLayout

    T = TypeVar("T")

SECONDS = 0.6  # of CPU for a git process; `gitmem why` starts four at most
GRACE = 5.0  # factor for the clock time, while git waits for the CPU
MOST_DESCRIBED = 200  # commits in one query
_LOG = ("log", "-z", f"--format={FORMAT}", "--no-show-signature", "--no-color", "-O/dev/null")
_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-relative")
# An ignore list in the settings that does not exist would fail every blame.
_MOVES = ("-w", "-M", "-C", "--no-textconv", "--no-ignore-revs-file")
_IGNORED = ".git-blame-ignore-revs"
LONGEST = 40_000  # bytes of changed lines read of a commit
PATCH_SECONDS = 3.0
_MOST_SIDE_BY_SIDE = 20  # replaced lines of one hunk
PATCH = (
    *("-p", "-U0", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-relative"),
    *("--no-color", "--no-show-signature", "--submodule=short", "-O/dev/null"),
)


@dataclass(frozen=True, slots=True)
class BlamedLines:
    """Consecutive lines of a file and the commit that wrote them.

    ``first`` and ``last`` count from 1, inclusive, in the present file. ``sha`` is empty for
    uncommitted lines. ``path`` is the name that the file had in the commit, empty where git had to
    quote it. ``oldest``: nothing before this commit is known, since it is a root or the edge of a
    shallow clone.
    """

    sha: str
    first: int
    last: int
    path: str
    oldest: bool = False

    @property
    def line_count(self) -> int:
        """How many lines these are."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class CommitLineChanges:
    """The lines that a commit removed and added, as one ``text``, and how many they are.

    The signs are cut off; before the lines of a hunk is the function that git's header names.
    """

    sha: str
    text: str
    count: int


def commits_of_lines(
    layout: RepositoryLayout,
    path: str,
    line_range: tuple[int, int] | None = None,
    *,
    revision: str = "",
    timeout: float = SECONDS,
) -> tuple[list[BlamedLines], bool]:
    """(BlamedLines: which commit wrote which lines of a file; whether git finished in time).

    ``line_range`` are the first and last line number, None for all. Without ``revision`` the file
    in the worktree is read, in a bare repository that in HEAD. Commits listed in
    ``.git-blame-ignore-revs`` are passed over. ``timeout`` is in seconds of CPU.
    """
    ends = [revision or "HEAD"] if revision or layout.worktree is None else []
    span = [] if line_range is None else [f"-L{line_range[0]},{line_range[1]}"]
    args = ["blame", "--incremental", *_MOVES, *span]
    place = os.fsdecode(encode_path(path))
    ignored = os.path.join(layout.worktree or "", _IGNORED)
    tries = [["--ignore-revs-file", ignored], []] if os.path.isfile(ignored) else [[]]
    config = (("core.quotePath", "false"), *settings_disabling_filters(layout))
    stretches: list[BlamedLines] = []
    for more in tries:  # an ignore list that git cannot read must not fail it
        command = [*args, *more, *ends, "--", place]
        chunks = stream_git(
            command, cwd=layout.cwd, timeout=timeout, config=config, grace_factor=GRACE
        )
        stretches, complete = read_until_deadline(parse_blame(chunks))
        if complete:
            break
    return sorted(stretches, key=lambda stretch: stretch.first), complete


def parse_blame(chunks: Iterable[bytes]) -> Iterator[BlamedLines]:
    """Yield BlamedLines (lines and their commit) from the output of ``git blame --incremental``.

    ``chunks`` is that output in the pieces in which it arrives.
    """
    head: tuple[str, int, int] | None = None
    oldest = False
    for line in _lines(chunks):
        words = line.split(b" ")
        if head is None:
            sha = words[0].decode("ascii", "replace")
            if len(words) == 4 and is_commit_id(sha) and all(map(_is_line, words[2:])):
                head, oldest = (sha, int(words[2]), int(words[3])), False
        elif words[0] == b"boundary":
            oldest = True
        elif words[0] == b"filename":
            sha, first, count = head
            name = line.removeprefix(b"filename ")
            path = "" if name.startswith(b'"') else decode_path(name)
            yield BlamedLines(sha if sha.strip("0") else "", first, first + count - 1, path, oldest)
            head = None


def _is_line(word: bytes) -> bool:
    return word.isdigit() and len(word) < 10


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole


def commits_changing_path(
    cwd: str, path: str, max_commits: int, *, timeout: float = SECONDS
) -> tuple[list[Commit], bool]:
    """(the newest Commits of HEAD that changed a file, whether git finished in time).

    Renames are followed: ``paths`` of each commit are the names of the file there. At most
    ``max_commits``; ``timeout`` is in seconds of CPU.
    """
    args = [*_LOG, "--follow", "--name-only", *_PLAIN, f"--max-count={max_commits}"]
    return _log(
        cwd,
        [*args, "--end-of-options", "HEAD", "--", os.fsdecode(encode_path(path))],
        timeout,
    )


def name_before_staged_rename(cwd: str, path: str) -> str:
    """The path in HEAD of a file that was renamed by `git mv` and not committed yet; else empty."""
    args = ["diff-index", "--cached", "-r", "-M", "--diff-filter=R", "--name-status", "-z"]
    done = call_git([*args, *_PLAIN, "--end-of-options", "HEAD", "--"], cwd=cwd)
    parts = done.out.split(b"\0") if done.status == 0 else []
    for before, now in zip(parts[1::3], parts[2::3], strict=False):
        if decode_path(now) == path:
            return decode_path(before)
    return ""


def commits_changing_lines(
    cwd: str, path: str, line_range: tuple[int, int], max_commits: int, *, timeout: float = SECONDS
) -> tuple[list[Commit], bool]:
    """(the newest Commits of HEAD that changed some lines of a file, whether git finished).

    ``line_range`` are the first and last line number in HEAD's version. At most ``max_commits``;
    ``timeout`` is in seconds of CPU.
    """
    span = f"-L{line_range[0]},{line_range[1]}:{os.fsdecode(encode_path(path))}"
    args = [*_LOG, "-s", *_PLAIN, f"--max-count={max_commits}", span]
    return _log(cwd, [*args, "--end-of-options", "HEAD", "--"], timeout)


def read_commits(
    cwd: str, commit_ids: Sequence[str], *, timeout: float = SECONDS
) -> dict[str, Commit]:
    """Full id -> Commit, for these full ids; at most 200, and fewer if git is not in time.

    ``timeout`` is in seconds of CPU.
    """
    ids = [sha for sha in commit_ids if is_commit_id(sha)][:MOST_DESCRIBED]
    if not ids:
        return {}
    args = [*_LOG, "-s", "--no-walk=unsorted", "--end-of-options", *ids, "--"]
    return {commit.sha: commit for commit in _log(cwd, args, timeout)[0]}


def blob_id_at_head(cwd: str, path: str) -> str:
    """The blob id of a file in HEAD; empty if there is none. Raises Unavailable if git fails."""
    name = f"HEAD:{os.fsdecode(encode_path(path))}"
    done = call_git(["rev-parse", "--verify", "-q", "--end-of-options", name], cwd=cwd)
    if done.status > 1:
        raise Unavailable(f"git cannot read {name[:200]}.", "Run `git status` to see why.")
    words = done.out.decode("ascii", "replace").split() if done.status == 0 else []
    return words[-1] if words else ""


def _log(cwd: str, args: Sequence[str], timeout: float) -> tuple[list[Commit], bool]:
    return read_until_deadline(
        parse_commits(stream_git(args, cwd=cwd, timeout=timeout, grace_factor=GRACE))
    )


def read_until_deadline(output: Iterator[T]) -> tuple[list[T], bool]:
    """The items of git's output until it ended, failed or ran out of time; whether it ended well.

    ``output`` is an iterator that raises Unavailable where git fails or is late.
    """
    items: list[T] = []
    try:
        for item in output:
            items.append(item)
    except Unavailable:
        return items, False
    return items, True


def line_changes_of_newest_commits(
    cwd: str, limit: int, *, timeout: float = PATCH_SECONDS
) -> tuple[list[CommitLineChanges], bool]:
    """(CommitLineChanges of each of the newest commits of HEAD, whether git finished in time).

    At most ``limit`` commits, without merges; ``timeout`` is in seconds of CPU.
    """
    args = ["log", "--no-merges", f"--max-count={limit}", "--format=%x00%H", *PATCH]
    chunks = stream_git(
        [*args, "--end-of-options", "HEAD", "--"], cwd=cwd, timeout=timeout, grace_factor=GRACE
    )
    return read_until_deadline(parse_changed_lines(chunks))


def parse_changed_lines(chunks: Iterable[bytes]) -> Iterator[CommitLineChanges]:
    """Yield the CommitLineChanges in the output of ``git log -p`` as it arrives.

    The output is that of ``line_changes_of_newest_commits``: a NUL and the id before each patch.
    """
    sha, lines, size, count = "", list[bytes](), 0, 0
    for line in split_truncated_lines(chunks):
        if line.startswith(b"\0"):
            if sha:
                yield CommitLineChanges(sha, b"\n".join(lines).decode("utf-8", "replace"), count)
            sha, lines, size, count = line[1:].decode("ascii", "replace"), [], 0, 0
            continue
        heading = line.startswith((b"+++ ", b"--- "))
        changed = line[:1] in (b"+", b"-") and not heading
        count += changed
        content = line.split(b"@@", 2)[-1].strip() if line.startswith(b"@@ ") else line[1:]
        if (changed or (line.startswith(b"@@ ") and content)) and size < LONGEST:
            lines.append(content[:LONGEST_LINE])
            size += len(lines[-1])
    if sha:
        yield CommitLineChanges(sha, b"\n".join(lines).decode("utf-8", "replace"), count)


@dataclass(frozen=True, slots=True)
class ReplacedLine:
    """A line that a commit replaced by another line.

    ``sha`` is the commit, ``at`` its time in seconds since 1970; ``path`` is empty where git quotes
    it.
    """

    sha: str
    at: int
    path: str
    old: str
    new: str


def replaced_lines_of_newest_commits(
    cwd: str, limit: int, *, timeout: float = PATCH_SECONDS
) -> tuple[list[ReplacedLine], bool]:
    """(ReplacedLines of the newest commits of HEAD, whether git finished in time).

    At most ``limit`` commits, without merges; ``timeout`` is in seconds of CPU.
    """
    args = ["log", "--no-merges", f"--max-count={limit}", "--format=%x00%H %ct", *PATCH]
    chunks = stream_git(
        [*args, "--end-of-options", "HEAD", "--"], cwd=cwd, timeout=timeout, grace_factor=GRACE
    )
    return read_until_deadline(parse_replacements(chunks))


def parse_replacements(chunks: Iterable[bytes]) -> Iterator[ReplacedLine]:
    """Yield the ReplacedLines in the output of ``git log -p`` as it arrives.

    A NUL, the id and the commit time come before each patch. Only hunks that remove as many lines
    as they add, at most 20, count.
    """
    sha, at, path = "", 0, ""
    old, new = list[str](), list[str]()
    for line in chain(split_truncated_lines(chunks), (b"\0",)):
        head = line[:1]
        if head == b"-" and not line.startswith(b"--- "):
            old.append(line[1:LONGEST_LINE].decode("utf-8", "replace"))
            continue
        if head == b"+" and not line.startswith(b"+++ "):
            new.append(line[1:LONGEST_LINE].decode("utf-8", "replace"))
            continue
        if len(old) == len(new) and len(old) <= _MOST_SIDE_BY_SIDE:
            yield from (ReplacedLine(sha, at, path, *pair) for pair in zip(old, new, strict=True))
        old, new = [], []
        if head == b"\0":
            sha, _, moment = line[1:].decode("ascii", "replace").partition(" ")
            at = int(moment) if moment.isdigit() else 0
        elif line.startswith(b"+++ b/"):
            path = decode_path(line[6:])
