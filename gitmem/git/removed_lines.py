"""Lines that HEAD has no more: which commit took away a text, or the definition of a name.

Git looks for the newest commits that changed how often the text stands anywhere, with a deadline.
Merges are not looked at: what they bring is told by the commits that they merge.
"""

from __future__ import annotations

import re

from gitmem.errors import Unavailable
from gitmem.git import first_definition
from gitmem.git.display import decode_path
from gitmem.git.line_history import LONGEST_LINE, PATCH, short_lines
from gitmem.git.runner import call_git, stream_git
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Holds = Callable[[str], bool]

# For a search; 1,000 commits take git 60 to 100 ms of CPU.
SECONDS = 3.0
_GRACE = 2.0  # times as long by the clock, while git waits for the processor


@dataclass(frozen=True, slots=True)
class Removed:
    """A line that a commit took away; ``path`` is its file's name then, empty where git quotes it.

    The line has no blanks around it.
    """

    sha: str
    path: str
    line: str


def text(cwd: str, text: str) -> tuple[Removed | None, bool]:
    """The last line of the past of HEAD that held a text, and whether git could finish in time.

    Upper and lower case are the same. None where HEAD holds it, or nothing ever did.
    """
    low = text.lower()
    return _removed(cwd, text, lambda line: low in line.lower(), ("-i", "-F", "-e", text), ("-i",))


def definition(cwd: str, name: str) -> tuple[Removed | None, bool]:
    """The head that a definition had when it was taken away, and whether git could finish in time.

    What a line sets that is not set in is defined too. None where HEAD defines the name, in any
    file, or nothing ever did.
    """
    is_head, sets = first_definition.heads(name), re.compile(rf"{re.escape(name)}\s*(?::[^=]*)?=")

    def defines(line: str) -> bool:
        return is_head(line) or sets.match(line) is not None

    return _removed(cwd, name, defines, ("-w", "-F", "-e", name), ())


def _removed(
    cwd: str,
    literal: str,
    holds: Holds,
    now: tuple[str, ...],
    options: tuple[str, ...],
) -> tuple[Removed | None, bool]:
    args = ["log", "--no-merges", "--format=%x00%H", *PATCH, *options, f"-S{literal}"]
    chunks = stream_git(
        [*args, "--end-of-options", "HEAD", "--"], cwd=cwd, timeout=SECONDS, grace=_GRACE
    )
    try:
        for gone, balance in _changes(short_lines(chunks), holds):
            # What was moved is there as often as before.
            if gone and balance < 0:
                return (None if _stands(cwd, now, holds) else gone), True
            if balance > 0:
                break
    except Unavailable:
        return None, False
    return None, True


def _stands(cwd: str, now: tuple[str, ...], holds: Holds) -> bool:
    """Whether a line of HEAD holds it: the index has not all files. Raises Unavailable."""
    done = call_git(
        ["grep", "-h", "-I", "--no-color", *now, "HEAD", "--"], cwd=cwd, timeout=SECONDS
    )
    return any(map(holds, done.out.decode("utf-8", "replace").splitlines()))


def _changes(lines: Iterable[bytes], holds: Holds) -> Iterator[tuple[Removed | None, int]]:
    """Of each commit the first line it took away that holds it, and how many more it put in."""
    sha, path, gone, balance, above = "", "", None, 0, True
    for line in lines:
        if line.startswith(b"\0"):
            if sha:
                yield gone, balance
            sha, gone, balance = line[1:].decode("ascii", "replace"), None, 0
        elif line.startswith((b"diff ", b"@@ ")):
            above = line.startswith(b"diff ")
        elif above:
            if line.startswith(b"--- "):
                path = decode_path(line[6:]) if line.startswith(b"--- a/") else ""
        elif holds(plain := line[1:LONGEST_LINE].decode("utf-8", "replace")):
            balance += line.startswith(b"+") - line.startswith(b"-")
            if line.startswith(b"-"):
                gone = gone or Removed(sha, path, plain.strip())
    if sha:
        yield gone, balance
