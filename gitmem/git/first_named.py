"""The commit that brought a definition's name: pickaxe in its file, and in those it came from.

The log of lines follows the lines of a definition; it ends where they were moved from another file,
and goes on below the name where something was renamed.
"""

from __future__ import annotations

import os
import re

from gitmem.git.display import decode_path, encode_path
from gitmem.git.line_history import GRACE, SECONDS, until_late
from gitmem.git.runner import call_git, stream_git

# Files that a definition was moved through.
MOST_FILES = 6
_BEFORE = re.compile(r"[A-Za-z]\w*[ \t*&(]+$")


def needle(line: str, name: str) -> str:
    """What is looked for: a name with the word before it, as in ``def load``; else "".

    A name alone also stands where it is used.
    """
    before, found, _ = line.partition(name)
    word = _BEFORE.search(before)
    return f"{word[0]}{name}" if found and word else ""


def commit(cwd: str, path: str, text: str, *, seconds: float = SECONDS) -> str:
    """The id of the oldest commit of HEAD that brought ``text`` into a file; "" if git was late.

    Where that commit took it out of another file, the history of that file is gone through too.
    """
    first, end = "", "HEAD"
    for _ in range(MOST_FILES):
        place = os.fsdecode(encode_path(path))
        args = ["log", "--format=%H %P", "--no-show-signature", "--no-color", f"-S{text}"]
        asked = [*args, "--no-ext-diff", "--no-textconv", "--end-of-options", end, "--", place]
        said, whole = until_late(stream_git(asked, cwd=cwd, timeout=seconds, grace=GRACE))
        if not whole:
            return ""
        lines = b"".join(said).decode("ascii", "replace").split("\n")
        found = [line.split() for line in lines if line]
        if not found:
            return first
        first, *parents = found[-1]
        came_from = _came_from(cwd, text, parents[0], first) if parents else ""
        if not came_from:
            return first
        path, end = came_from, parents[0]
    return first


def _came_from(cwd: str, text: str, before: str, after: str) -> str:
    """A file that held the text before a commit and does not hold it after; else ""."""
    asked = ["grep", "-l", "-z", "-w", "-F", "-I", "--no-textconv", "-e", text]
    held = []
    for revision in (before, after):
        done = call_git([*asked, "--full-name", revision, "--"], cwd=cwd, timeout=GRACE)
        names = done.out.split(b"\0") if done.status == 0 else []
        held.append({decode_path(name.partition(b":")[2]) for name in names if name})
    return min(held[0] - held[1], default="")
