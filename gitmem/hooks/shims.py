"""The shell lines that git runs, as data in the top-level folder ``hooks/git``, filled in here.

Each file is one hook of at most ten lines: a ``#!`` line, and a block between two marks that may
also stand in somebody else's shell script. The lines use shell builtins only. They find the
repository by what git gives them, so they still work when the repository was moved.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitmem.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

EVENTS = ("post-commit", "post-merge", "post-checkout", "post-rewrite")
FIRST_LINE = b"#!/bin/sh\n"
FOLDER = "hooks"  # below .gitmem: the shims that lines in other people's hooks run

_HERE = os.path.dirname(os.path.abspath(__file__))
# In a wheel the data lies beside this module, in a checkout at the top level.
_PLACES = (
    os.path.join(_HERE, "git"),
    os.path.join(os.path.dirname(os.path.dirname(_HERE)), "hooks", "git"),
)


def block(event: str, store: str, command: Sequence[str], *, own_input: bool = False) -> bytes:
    """The marked lines for one event.

    ``store`` is the way from the common git directory to ``.gitmem``; ``command`` starts gitmem,
    its first word an absolute path. With ``own_input`` the lines may read standard input, which a
    hook shared with others must leave to them. Raises Unavailable where a path has a line end.
    """
    text = _template(event).removeprefix(FIRST_LINE)
    values = {
        b"@STORE@": quoted(store),
        b"@COMMAND@": b" ".join(quoted(word) for word in command),
        b"@INPUT@": b"" if own_input else b"</dev/null ",
    }
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def script(event: str, store: str, command: Sequence[str]) -> bytes:
    """A whole hook file of our own."""
    return FIRST_LINE + block(event, store, command, own_input=True)


def line(event: str, store: str) -> str:
    """A line for a hook that we may not write to; harmless where gitmem is not set up.

    It runs the shim below ``.gitmem``, from any work tree, without starting another process.
    """
    shim = os.fsdecode(quoted(f"{store}/{FOLDER}/{event}"))
    # `git worktree add` names no directory, and .git is a file there: its second word counts.
    # Elsewhere git names a linked work tree's own directory, <common>/worktrees/<name>.
    found = 'g=${GIT_DIR:-.git}; [ ! -f "$g" ] || read -r g g <"$g" || :'
    found += '; [ ! -f "$g/commondir" ] || g=$g/../..'
    return f'{found}; [ ! -x "$g"/{shim} ] || "$g"/{shim} "$@" </dev/null'


def setting(event: str, store: str) -> str:
    """The value of ``hook.<name>.command``: the same, with standard input. git adds "$@"."""
    return line(event, store).removesuffix(' "$@" </dev/null')


def started(lines: bytes) -> list[str]:
    """The command by which marked lines start gitmem; empty where none can be read from them."""
    import shlex  # noqa: PLC0415 - only doctor asks

    told = lines.partition(b"; set -- ")[2].partition(b'; [ -x "$1" ]')[0]
    try:
        return shlex.split(os.fsdecode(told))
    except ValueError:
        return []


def quoted(text: str) -> bytes:
    """One shell word. Raises Unavailable where the text holds a line end."""
    if any(char in text for char in "\n\r\0"):
        raise Unavailable(
            f"A path with a line end cannot stand in a hook: {text!r}.",
            "Give the folder another name.",
        )
    return b"'" + os.fsencode(text).replace(b"'", b"'\\''") + b"'"


def _template(event: str) -> bytes:
    for folder in _PLACES:
        try:
            with open(os.path.join(folder, event), "rb") as file:
                return file.read()
        except FileNotFoundError:
            continue
    raise Unavailable(
        f"The hook {event} is missing from this installation of gitmem.", "Install gitmem again."
    )
