"""Which commit brought a definition: by its head, through the files that it was moved between."""

from __future__ import annotations

import os
import re

from gitmem.errors import Unavailable
from gitmem.git.display import decode_path, encode_path
from gitmem.git.line_history import GRACE, SECONDS, until_late
from gitmem.git.runner import call_git, stream_git

_MOVES = 5
_OTHER = "[^[:alnum:]_]"


def head_pattern(line: str, name: str) -> str:
    """What git looks for: a name in a line with the word before it, an extended expression.

    The word before a name is what a definition keeps (``def``, ``void``, ``fn``) when other words
    of its head change.
    """
    before = line[: line.find(name)]
    words = before.split()
    space = "[[:space:]]+" if words and before[-1:].isspace() else ""
    start = f"{_literal(words[-1])}{space}" if words else "^[[:space:]]*"
    return f"{start}{_literal(name)}({_OTHER}|$)"


def _literal(text: str) -> str:
    return re.sub(r"([][\\.{}()*+?^$|])", r"\\\1", text)


def first(cwd: str, path: str, pattern: str, *, seconds: float = SECONDS) -> tuple[str, bool]:
    """The oldest commit of HEAD in which a definition stands, and whether git could finish.

    "" where its head stands in no commit, or more than once in the file as HEAD has it, or where
    a merge brought it. Where the commit took it out of another file, it is looked for there.
    """
    at, found = "HEAD", ""
    try:
        if _count(cwd, at, path, pattern) != 1:
            return "", True
        for _ in range(_MOVES):
            commits, complete = _holding(cwd, at, path, pattern, seconds)
            if not complete:
                return "", False
            if not commits:
                break
            found, *parents = commits[-1].split()
            if len(parents) > 1:
                return "", True
            at = f"{found}^"
            left = _files(cwd, at, path, pattern) - _files(cwd, found, path, pattern)
            if not left:
                break
            path = min(left)
    except Unavailable:
        return "", False
    return found, True


def _holding(cwd: str, at: str, path: str, pattern: str, seconds: float) -> tuple[list[str], bool]:
    """The commits, each with its parents, that changed how often a pattern stands in a file.

    The newest first. Merges are looked at as well: one may bring together what two branches did.
    """
    args = ["log", "--format=%H %P", "--full-history", "-m", "--no-renames", "-O/dev/null"]
    args += ["--no-show-signature", "--no-color"]
    args += ["--no-ext-diff", "--no-textconv", "--pickaxe-regex", f"-S{pattern}"]
    args += ["--end-of-options", at, "--", os.fsdecode(encode_path(path))]
    chunks, complete = until_late(stream_git(args, cwd=cwd, timeout=seconds, grace=GRACE))
    return b"".join(chunks).decode("ascii", "replace").splitlines(), complete


def _count(cwd: str, at: str, path: str, pattern: str) -> int:
    args = ["grep", "-E", "-h", "-e", pattern, at, "--", os.fsdecode(encode_path(path))]
    done = call_git(args, cwd=cwd)
    return len(done.out.splitlines()) if done.status == 0 else 0


def _files(cwd: str, at: str, path: str, pattern: str) -> set[str]:
    """The files of the same ending that have a pattern in a commit."""
    args = ["grep", "-z", "-l", "-I", "-E", "-e", pattern, at, "--"]
    done = call_git(args, cwd=cwd, timeout=GRACE)
    names = done.out.split(b"\0") if done.status == 0 else []
    found = {decode_path(name.partition(b":")[2]) for name in names if name}
    ending = os.path.splitext(path)[1]
    return {one for one in found if os.path.splitext(one)[1] == ending}
