"""Whether gitmem's lines may be put into a hook that somebody else wrote."""

from __future__ import annotations

from gitmem.githooks.shims import MARKS
from gitmem.text import marked_block

_SHELLS = frozenset({b"sh", b"bash", b"dash", b"zsh"})
_LARGEST = 1 << 20


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
    if marked_block.damaged(content, MARKS):
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
