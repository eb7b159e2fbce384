"""Finding the commit that removed a text, or the definition of a name, from HEAD.

Git searches for the newest commits that changed how often the text occurs, with a deadline. Merges
are skipped: their changes are those of the merged commits.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress

from gitmem.errors import Unavailable
from gitmem.git.display import decode_path, encode_path
from gitmem.git.lines import first_definition
from gitmem.git.lines.line_history import PATCH
from gitmem.git.lines.patch import LONGEST_LINE, split_truncated_lines
from gitmem.git.runner import call_git, stream_git
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Holds = Callable[[str], bool]

# Seconds for a search; 1,000 commits take git 60 to 100 ms of CPU.
SECONDS = 3.0
_GRACE = 2.0  # factor for the clock time, while git waits for the CPU


@dataclass(frozen=True, slots=True)
class RemovedLine:
    """A ``line`` that the commit ``sha`` removed, without white space around it.

    ``path`` is that of the file then, empty where git quotes it.
    """

    sha: str
    path: str
    line: str


def find_last_removed_line(cwd: str, text: str) -> tuple[RemovedLine | None, bool]:
    """(the last RemovedLine with ``text`` or None, whether git finished in time).

    Case is ignored. None where HEAD has the text, or never had it.
    """
    low = text.lower()
    return _removed(cwd, text, lambda line: low in line.lower(), ("-i", "-F", "-e", text), ("-i",))


def find_removed_definition(cwd: str, name: str) -> tuple[RemovedLine | None, bool]:
    """(the first RemovedLine of a definition of ``name`` or None, whether git was in time).

    Unindented assignments are definitions too. None where HEAD defines the name in any file, or
    never did.
    """
    starts_definition, sets = (
        first_definition.make_definition_predicate(name),
        re.compile(rf"{re.escape(name)}\s*(?::[^=]*)?="),
    )

    def defines_name(line: str) -> bool:
        return starts_definition(line) or sets.match(line) is not None

    return _removed(cwd, name, defines_name, ("-w", "-F", "-e", name), ())


def removed_and_added_lines(
    cwd: str, commit_ids: Sequence[str], paths: Sequence[str]
) -> tuple[list[RemovedLine], list[RemovedLine]]:
    """Two lists of RemovedLine: what commits removed from some files, and what they added there.

    Incomplete if git takes longer than 3 seconds; ``path`` and ``sha`` say where from.
    """
    args = [
        "log",
        "--no-walk=unsorted",
        "--format=%x00%H",
        *PATCH,
        "--end-of-options",
        *commit_ids,
        "--",
    ]
    names = [os.fsdecode(encode_path(path)) for path in paths]
    removed: list[RemovedLine] = []
    added: list[RemovedLine] = []
    sha, path, above = "", "", True
    with suppress(Unavailable):
        chunks = stream_git([*args, *names], cwd=cwd, timeout=SECONDS, grace_factor=_GRACE)
        for line in split_truncated_lines(chunks) if commit_ids else ():
            if line.startswith(b"\0"):
                sha = line[1:].decode("ascii", "replace")
            elif line.startswith((b"diff ", b"@@ ")):
                above = line.startswith(b"diff ")
            elif above and line.startswith((b"--- a/", b"+++ b/")):
                path = decode_path(line[6:])
            elif not above and line[:1] in (b"-", b"+"):
                text = line[1:LONGEST_LINE].decode("utf-8", "replace").strip()
                (removed if line[:1] == b"-" else added).append(RemovedLine(sha, path, text))
    return removed, added


def _removed(
    cwd: str,
    literal: str,
    holds: Holds,
    now: tuple[str, ...],
    options: tuple[str, ...],
) -> tuple[RemovedLine | None, bool]:
    args = ["log", "--no-merges", "--format=%x00%H", *PATCH, *options, f"-S{literal}"]
    chunks = stream_git(
        [*args, "--end-of-options", "HEAD", "--"], cwd=cwd, timeout=SECONDS, grace_factor=_GRACE
    )
    try:
        for removed_line, balance in _changes(split_truncated_lines(chunks), holds):
            # A moved line occurs as often as before.
            if removed_line and balance < 0:
                return (None if _stands(cwd, now, holds) else removed_line), True
            if balance > 0:
                break
    except Unavailable:
        return None, False
    return None, True


def _stands(cwd: str, now: tuple[str, ...], holds: Holds) -> bool:
    """Whether a line of HEAD matches (the index lacks some files). Raises Unavailable."""
    done = call_git(
        ["grep", "-h", "-I", "--no-color", *now, "HEAD", "--"], cwd=cwd, timeout=SECONDS
    )
    return any(map(holds, done.out.decode("utf-8", "replace").splitlines()))


def _changes(lines: Iterable[bytes], holds: Holds) -> Iterator[tuple[RemovedLine | None, int]]:
    """(first removed line that matches, matching lines added minus removed) of each commit."""
    sha, path, removed_line, balance, above = "", "", None, 0, True
    for line in lines:
        if line.startswith(b"\0"):
            if sha:
                yield removed_line, balance
            sha, removed_line, balance = line[1:].decode("ascii", "replace"), None, 0
        elif line.startswith((b"diff ", b"@@ ")):
            above = line.startswith(b"diff ")
        elif above:
            if line.startswith(b"--- "):
                path = decode_path(line[6:]) if line.startswith(b"--- a/") else ""
        elif holds(plain := line[1:LONGEST_LINE].decode("utf-8", "replace")):
            balance += line.startswith(b"+") - line.startswith(b"-")
            if line.startswith(b"-"):
                removed_line = removed_line or RemovedLine(sha, path, plain.strip())
    if sha:
        yield removed_line, balance
