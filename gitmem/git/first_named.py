"""The commit that brought a definition's name: pickaxe in its file, and in those it came from.

The log of lines follows the lines of a definition; it ends where they were moved from another file,
and goes on below the name where something was renamed.
"""

from __future__ import annotations

import os
import re

from gitmem.errors import Unavailable
from gitmem.git.display import decode_path, encode_path
from gitmem.git.line_history import GRACE, SECONDS, until_late
from gitmem.git.runner import call_git, stream_git

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Sequence

# Files that a definition was moved through, and of one commit that are looked at for it.
MOST_FILES, _MOST_CHANGED = 6, 50
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
        told = _log(cwd, [f"-S{text}", "--format=%H %P"], [end, "--", place], seconds)
        if told is None:
            return ""
        found = [line.split() for line in told.decode("ascii", "replace").split("\n") if line]
        if not found:
            return first
        first, *parents = found[-1]
        try:
            came_from = _came_from(cwd, text, parents[0], first, seconds) if parents else ""
        except Unavailable:
            return ""
        if not came_from:
            return first
        path, end = came_from, parents[0]
    return first


def _came_from(cwd: str, text: str, before: str, after: str, seconds: float) -> str:
    """A file that held the text before a commit and does not hold it after; else ""."""
    args = ["-1", "-m", "--first-parent", "-z", "--format=", "--name-only", "--no-renames"]
    told = _log(cwd, [*args, f"-S{text}"], [after, "--"], seconds)
    names = [os.fsdecode(name) for name in (told or b"").split(b"\0") if name.strip()]
    held = []
    for revision in (before, after) if names else ():
        asked = ["grep", "-l", "-z", "-w", "-F", "-I", "--no-textconv", "--full-name", "-e", text]
        done = call_git([*asked, revision, "--", *names[:_MOST_CHANGED]], cwd=cwd)
        lines = done.out.split(b"\0") if done.status == 0 else []
        held.append({decode_path(name.partition(b":")[2]) for name in lines if name})
    return min(held[0] - held[1], default="") if held else ""


def _log(cwd: str, args: Sequence[str], ends: Sequence[str], seconds: float) -> bytes | None:
    """What git's log says; None where it was late or cannot say it."""
    plain = ("--no-show-signature", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative")
    asked = ["log", *args, *plain, "--end-of-options", *ends]
    said, whole = until_late(stream_git(asked, cwd=cwd, timeout=seconds, grace=GRACE))
    return b"".join(said) if whole else None
