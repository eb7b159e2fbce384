"""The text of a diff, file by file and within bounds, and how many lines each file gained and lost.

As in ``diff``: the repository's diff drivers, filters and settings do not run, nothing is fetched.
"""

from __future__ import annotations

import os

from gitmem.errors import Unavailable
from gitmem.git.content_filters import neutral
from gitmem.git.diff import PLAIN, Change, Sides
from gitmem.git.display import decode_path, encode_path
from gitmem.git.patch import heading_name
from gitmem.git.runner import run_git, stream_git

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gitmem.git.layout import Layout

SECONDS = 5.0
MOST_BYTES = 8 << 20  # of a diff that are read
LONGEST_LINE = 400  # bytes of a line that are kept
_PATHS_AT_ONCE = 400
_TEXT = ("-U3", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/")


def counts(layout: Layout, between: Sides) -> dict[str, tuple[int, int]]:
    """Path (the new one of a rename) -> lines added and removed; binary files are left out."""
    args = ["diff", "--numstat", "-z", *PLAIN, "--end-of-options", between.old, between.new, "--"]
    out = run_git(args, cwd=layout.cwd, timeout=60.0, config=neutral(layout))
    return dict(parse_counts(out))


def parse_counts(out: bytes) -> Iterator[tuple[str, tuple[int, int]]]:
    """The records of ``git diff --numstat -z``. Pure."""
    records = iter(out.split(b"\0"))
    for record in records:
        fields = record.split(b"\t", 2)
        if len(fields) < 3:
            continue
        path = fields[2]
        if not path:  # a rename: its two names follow
            next(records, b"")
            path = next(records, b"")
        if fields[0].isdigit() and fields[1].isdigit():
            yield decode_path(path), (int(fields[0]), int(fields[1]))


def texts(
    layout: Layout, between: Sides, wanted: Sequence[Change], most_lines: int
) -> tuple[dict[str, list[str]], bool]:
    """Path (the new one, of what is gone the old one) -> the lines of its hunks.

    At most so many lines of each, one more where there are more. Also whether git could finish, in
    5 seconds and 8 MB.
    """
    names = [path for one in wanted for path in one.paths][:_PATHS_AT_ONCE]
    if not names:
        return {}, True
    args = ["diff", "-p", *_TEXT, *PLAIN, "--end-of-options", between.old, between.new, "--"]
    args += [os.fsdecode(encode_path(name)) for name in dict.fromkeys(names)]
    config = (("core.quotePath", "false"), *neutral(layout))
    found: dict[str, list[str]] = {}
    chunks = _bounded(stream_git(args, cwd=layout.cwd, timeout=SECONDS, config=config))
    try:
        for path, line in parse_texts(chunks):
            kept = found.setdefault(path, [])
            if len(kept) <= most_lines:
                kept.append(line)
    except Unavailable:
        return found, False
    return found, len(wanted) <= _PATHS_AT_ONCE


def _bounded(chunks: Iterable[bytes]) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        yield chunk
        size += len(chunk)
        if size > MOST_BYTES:
            raise Unavailable("The diff is too long.", "Ask for one of its files.")


def parse_texts(chunks: Iterable[bytes]) -> Iterator[tuple[str, str]]:
    """(path, line) of a patch's hunks, as the chunks come. Pure.

    Every line of content begins with a sign, so none can be taken for a heading.
    """
    old = new = ""
    heading = False
    for line in _lines(chunks):
        if line.startswith(b"diff --git "):
            heading, old, new = True, "", ""
        elif heading and line.startswith(b"--- "):
            old = heading_name(line[4:])
        elif heading and line.startswith(b"+++ "):
            new = heading_name(line[4:])
        elif line.startswith(b"@@ ") or not heading:
            heading = False
            if line and (old or new):
                yield new or old, line[:LONGEST_LINE].decode("utf-8", "replace")


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
        if len(rest) > 1 << 16:
            rest = rest[:LONGEST_LINE]  # a very long line of content is not gathered
    if rest:
        yield rest
