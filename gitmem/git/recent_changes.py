"""The lines that the newest commits changed: one streamed ``git log -p``, with bounds.

Merges are left out: what they bring is told by the commits that they merge. No diff driver of the
repository runs, and nothing is fetched.
"""

from __future__ import annotations

from gitmem.git.line_history import until_late
from gitmem.git.runner import stream_git
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LONGEST = 40_000  # bytes of changed lines that are kept of one commit
LONGEST_LINE = 400
SECONDS = 3.0
_PATCH = (
    *("-p", "-U0", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-relative"),
    *("--no-color", "--no-show-signature", "--submodule=short", "-O/dev/null"),
)


@dataclass(frozen=True, slots=True)
class Lines:
    """What a commit changed: the lines it took away and put in, as one text, and how many.

    Above them stand what git takes for the heads of the functions they are in.
    """

    sha: str
    text: str
    count: int


def newest(cwd: str, most: int, *, seconds: float = SECONDS) -> tuple[list[Lines], bool]:
    """The changed lines of the newest commits of HEAD, and whether git could finish in time."""
    args = ["log", "--no-merges", f"--max-count={most}", "--format=%x00%H", *_PATCH]
    chunks = stream_git([*args, "--end-of-options", "HEAD", "--"], cwd=cwd, timeout=seconds)
    return until_late(parse(chunks))


def parse(chunks: Iterable[bytes]) -> Iterator[Lines]:
    """The commits of such a log, as the chunks come. Pure; the last may be cut short.

    Every line of content begins with a sign, so none can be taken for the head of a commit.
    """
    sha, kept, size, count = "", list[bytes](), 0, 0
    for line in _lines(chunks):
        if line.startswith(b"\0"):
            if sha:
                yield Lines(sha, b"\n".join(kept).decode("utf-8", "replace"), count)
            sha, kept, size, count = line[1:].decode("ascii", "replace"), [], 0, 0
            continue
        heading = line.startswith((b"+++ ", b"--- "))
        changed = line[:1] in (b"+", b"-") and not heading
        count += changed
        told = line.split(b"@@", 2)[-1].strip() if line.startswith(b"@@ ") else line[1:]
        if (changed or (line.startswith(b"@@ ") and told)) and size < LONGEST:
            kept.append(told[:LONGEST_LINE])
            size += len(kept[-1])
    if sha:
        yield Lines(sha, b"\n".join(kept).decode("utf-8", "replace"), count)


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        yield from whole
        if len(rest) > 1 << 16:
            rest = rest[:LONGEST_LINE]  # a very long line of content is not gathered
    if rest:
        yield rest
