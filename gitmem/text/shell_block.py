"""Our lines in somebody else's shell script: put in, replaced, taken out. Bytes to bytes.

The lines go right below the ``#!`` line. There they run even where the script ends in ``exec`` or
``exit``, as those of pre-commit and git-lfs do, and the script's own exit status stays its own.
Taking them out gives back every byte of the rest.
"""

from __future__ import annotations

BEGIN = b"# >>> gitmem hook >>>"
END = b"# <<< gitmem hook <<<"

_SHELLS = frozenset({b"sh", b"bash", b"dash", b"zsh"})
_LARGEST = 1 << 20


def holds(content: bytes) -> bool:
    """Whether our lines are in the script."""
    return _span(content) is not None


def extract(content: bytes) -> bytes:
    """Our lines as they stand there, ending in a line end; empty where there are none."""
    span = _span(content)
    return content[slice(*span)].strip(b"\n") + b"\n" if span else b""


def put(content: bytes, lines: bytes) -> bytes:
    """The script with ``lines`` (marked, ending in a line end) in it once, ours of old replaced."""
    content = take_out(content)
    first, end, rest = content.partition(b"\n")
    if not end:
        # The missing line end is remembered by leaving it out after our lines as well.
        return first + b"\n" + lines.rstrip(b"\n")
    return first + end + lines + rest


def take_out(content: bytes) -> bytes:
    """The script without our lines, byte for byte as it was before ``put``."""
    while span := _span(content):
        content = content[: span[0]] + content[span[1] :]
    return content


def refusal(content: bytes) -> str:
    """Why our lines may not be put into this file; empty where they may."""
    if not content or len(content) > _LARGEST:
        return "it is empty" if not content else "it is larger than a megabyte"
    if b"\0" in content:
        return "it is a program, not a script"
    if not content.startswith(b"#!"):
        return "its first line does not name the shell that runs it"
    first = content.partition(b"\n")[0]
    if first.endswith(b"\r"):
        return "its first line ends in a carriage return"
    name = _interpreter(first)
    if name not in _SHELLS:
        return f"it is run by {name.decode('utf-8', 'replace') or 'nothing'}, not by a shell"
    if content.count(BEGIN) != content.count(END) or (BEGIN in content and not holds(content)):
        return "gitmem's lines in it were damaged"
    return _reads_itself(content)


def _reads_itself(content: bytes) -> str:
    """A script that another program reads as well, or that counts its lines, stays as it is."""
    import re  # noqa: PLC0415 - 6 ms, paid when hooks are installed

    if re.search(rb"\b(exec|eval)\b[^\n]*\$\{?0\b", content):
        return "it execs another program"
    if re.search(rb"\b(tail|head|sed|awk)\b[^\n]*\$\{?0\b", content):
        return "it reads its own source"
    return ""


def _interpreter(first: bytes) -> bytes:
    """The name of the program in a ``#!`` line: of ``#!/usr/bin/env -S bash -e``, bash."""
    words = [word.rpartition(b"/")[2] for word in first[2:].split()]
    if words[:1] == [b"env"]:
        words = [word for word in words[1:] if not word.startswith(b"-") and b"=" not in word]
    return words[0] if words else b""


def _span(content: bytes) -> tuple[int, int] | None:
    """Where our lines begin and end, with the line end that belongs to them."""
    begin = content.find(b"\n" + BEGIN) + 1
    if not begin and not content.startswith(BEGIN):
        return None
    mark = content.find(END, begin)
    if mark < 0:
        return None
    end = content.find(b"\n", mark) + 1
    return (begin, end) if end else (max(begin - 1, 0), len(content))
