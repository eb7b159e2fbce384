"""Parsing patches: which lines of each file are replaced, and their text."""

from __future__ import annotations

from gitmem.git.display import decode_path
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# First and last line, from 1.
Range = tuple[int, int]

_ESCAPES = {
    ord("a"): 7,
    ord("b"): 8,
    ord("t"): 9,
    ord("n"): 10,
    ord("v"): 11,
    ord("f"): 12,
    ord("r"): 13,
    ord('"'): ord('"'),
    ord("\\"): ord("\\"),
}


@dataclass(frozen=True, slots=True)
class Hunk:
    """The lines that a patch replaces: ``old`` of the old version, ``new`` of the new one.

    Each is (first, last), counted from 1, both included. An empty range, such as (12, 11), means
    that nothing was removed or nothing added: the change is between these two lines.
    """

    old: Range
    new: Range


LONGEST_LINE = 400  # bytes read of a line

# For a file whose lines cannot be compared: binary, another type, too large for git.
WHOLE = (Hunk((1, 1 << 31), (1, 1 << 31)),)


def range_overlaps(line_range: Range, changed_range: Range) -> bool:
    """Whether two ranges of lines, (first, last) each, have a line in common.

    An empty range (12, 11), where lines were inserted, overlaps a range that holds lines 11 and 12.
    """
    return line_range[0] <= changed_range[1] and changed_range[0] <= line_range[1]


def parse_patch_hunks(chunks: Iterable[bytes]) -> Iterator[tuple[str, Hunk]]:
    """Yield (path, Hunk) for each hunk in a patch that git printed with ``-U0``.

    The path is the old one, of an added file the new one.
    """
    old = new = ""
    heading = False
    for line in _lines(chunks):
        if line.startswith(b"diff --git "):
            heading, old, new = True, "", ""
        elif line.startswith(b"@@ -"):
            heading = False
            hunk = parse_hunk_header(line)
            if hunk is not None and (old or new):
                yield old or new, hunk
        elif heading and line.startswith(b"--- "):
            old = parse_header_path(line[4:])
        elif heading and line.startswith(b"+++ "):
            new = parse_header_path(line[4:])


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a patch, with long lines of content truncated: only headers matter."""
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
        if rest[:1] in (b"+", b"-") and len(rest) > 1 << 16:
            rest = rest[:1]  # the rest of a very long line is dropped
    if rest:
        yield rest


def parse_hunk_header(line: bytes) -> Hunk | None:
    """The Hunk (line ranges) in a patch's line ``@@ -12,3 +14,0 @@``; None for other lines.

    A missing count is 1. A count of 0 gives an empty range after that line: here (15, 14).
    """
    fields = line.split(b" ", 3)
    try:
        return Hunk(_range(fields[1]), _range(fields[2]))
    except (ValueError, IndexError):
        return None


def _range(field: bytes) -> Range:
    start, _, length = field[1:].partition(b",")
    first, count = int(start), int(length or b"1")
    return (first, first + count - 1) if count else (first + 1, first)


def parse_header_path(header_field: bytes) -> str:
    """The path in a patch's header line, from ``a/src/x.py``; empty for /dev/null.

    ``header_field`` is what follows ``---`` or ``+++``, and may be quoted as in C.
    """
    # git puts a tab after a name with a space.
    header_field = (
        _unquoted(header_field)
        if header_field.startswith(b'"')
        else header_field.removesuffix(b"\t")
    )
    return decode_path(header_field[2:]) if header_field.startswith((b"a/", b"b/")) else ""


def _unquoted(field: bytes) -> bytes:
    out = bytearray()
    place, end = 1, field.rfind(b'"')
    while place < end:
        if field[place] != ord("\\"):
            out.append(field[place])
            place += 1
        elif field[place + 1] in _ESCAPES:
            out.append(_ESCAPES[field[place + 1]])
            place += 2
        else:
            digits = field[place + 1 : place + 4]
            out.append(int(digits, 8) & 255 if digits.isdigit() else 0)
            place += 4
    return bytes(out)


# --- the text itself -----------------------------------------------------------------------------


def parse_numstat(git_output: bytes) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield (path, (lines added, lines removed)) from the output of ``git diff --numstat -z``."""
    records = iter(git_output.split(b"\0"))
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


def parse_hunk_lines(chunks: Iterable[bytes]) -> Iterator[tuple[str, str]]:
    """Yield (path, line) for the lines of a patch's hunks, as the output of git arrives.

    Lines are the ``@@`` headings and those below, with their sign, cut to 400 bytes.
    """
    old = new = ""
    heading = False
    for line in split_truncated_lines(chunks):
        if line.startswith(b"diff --git "):
            heading, old, new = True, "", ""
        elif heading and line.startswith(b"--- "):
            old = parse_header_path(line[4:])
        elif heading and line.startswith(b"+++ "):
            new = parse_header_path(line[4:])
        elif line.startswith(b"@@ ") or not heading:
            heading = False
            if line and (old or new):
                yield new or old, line[:LONGEST_LINE].decode("utf-8", "replace")


def split_truncated_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of output that comes in chunks; of a huge one only the first 400 bytes."""
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
        if len(rest) > 1 << 16:
            rest = rest[:LONGEST_LINE]  # the rest of a very long line is dropped
    if rest:
        yield rest
