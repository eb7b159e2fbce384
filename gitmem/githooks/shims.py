"""The shell text of the git hooks: one line in each hook, and the one script that they all source.

The script is data in the top-level folder ``hooks/git`` and is filled in here. In a hook stand
three lines, a mark, the line and a mark, so that they can share somebody else's shell script. They
hold no path of this machine: they find the script in the repository's git directory by what git
tells every hook, and so still work when the repository was moved.
"""

from __future__ import annotations

import os

from gitmem.errors import Unavailable
from gitmem.text.marked_block import Marks

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

EVENTS = ("post-commit", "post-merge", "post-checkout", "post-rewrite")
FIRST_LINE = b"#!/bin/sh\n"
MARKS = Marks(b"# >>> gitmem hook >>>", b"# <<< gitmem hook <<<", script=True)
# Variables that say where the keys of stores lie. git may be started without them.
HOMES = ("GITMEM_HOME", "XDG_DATA_HOME")
SCRIPT = "gitmem/hook.sh"  # below the common git directory, where no clone can bring anything

_HERE = os.path.dirname(os.path.abspath(__file__))
# In a wheel the data lies beside this module, in a checkout at the top level.
_PLACES = (
    os.path.join(_HERE, "git"),
    os.path.join(os.path.dirname(os.path.dirname(_HERE)), "hooks", "git"),
)


def script(
    store: str,
    command: Sequence[str],
    homes: Mapping[str, str] | None = None,
    token: str = "",
) -> bytes:
    """The script. ``store`` is the way from the common git directory to ``.gitmem``; ``command``
    starts gitmem, its first word an absolute path; ``homes`` are those of ``HOMES`` that were set;
    ``token``, letters and digits, stands before each line.
    Raises Unavailable where a path has a line end.
    """
    text = _template()
    given = homes or {}
    lines = [_home_line(name, given[name]) for name in HOMES if name in given]
    values = {
        b"@HOMES@": b"\n".join(lines) or b":",
        b"@STORE@": quoted(store),
        b"@TOKEN@": quoted(token),
        b"@COMMAND@": b" ".join(quoted(word) for word in command),
    }
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def line(event: str) -> str:
    """The line for a hook that others share: their standard input is left alone.

    It changes nothing in the script around it and always succeeds, in silence, also where there
    is no gitmem. ``git worktree add`` names no directory to its hook, and ``.git`` is a file there.
    """
    return _line(event, "</dev/null ")


def setting(event: str) -> str:
    """The value of ``hook.<name>.command``, with standard input; git adds "$@" to the ``:``."""
    return _line(event, "")


def block(event: str) -> bytes:
    """The marked lines for a hook that others share."""
    return _marked(line(event))


def hook_file(event: str) -> bytes:
    """A whole hook file of our own; it may read standard input."""
    return FIRST_LINE + _marked(setting(event))


def started(text: bytes) -> list[str]:
    """The command by which the script starts gitmem; empty where none can be read from it.

    Also read from the marked lines of older versions, which did by themselves what it does now.
    """
    import shlex  # noqa: PLC0415 - only doctor asks

    told = text.partition(b"\nset -- ")[2].partition(b"\n")[0]
    told = told or text.partition(b"; set -- ")[2].partition(b'; [ -x "$1" ]')[0]
    try:
        return shlex.split(os.fsdecode(told))
    except ValueError:
        return []


def token(text: bytes) -> str:
    """The ``token`` that a script was made with; empty where it was made with none."""
    value = text.partition(b"\ntoken='")[2].partition(b"'")[0]
    return value.decode() if value.isalnum() and value.isascii() else ""


def homes(text: bytes) -> dict[str, str]:
    """The ``homes`` that a script was made with."""
    import shlex  # noqa: PLC0415 - only for a script that was made with any

    found = {}
    for name in HOMES if b"] || GITMEM_HOME=" in text or b"] || XDG_DATA_HOME=" in text else ():
        told = text.partition(f'[ "${{{name}-}}" ] || {name}='.encode())[2].partition(b"\n")[0]
        try:
            words = shlex.split(os.fsdecode(told.partition(b"; export ")[0]))
        except ValueError:
            continue
        if len(words) == 1 and _home_line(name, words[0]) in text.split(b"\n"):
            found[name] = words[0]
    return found


def _home_line(name: str, folder: str) -> bytes:
    return f'[ "${{{name}-}}" ] || {name}='.encode() + quoted(folder) + f"; export {name}".encode()


def quoted(text: str) -> bytes:
    """One shell word. Raises Unavailable where the text holds a line end."""
    if any(char in text for char in "\n\r\0"):
        raise Unavailable(
            f"A path with a line break cannot be written to a hook: {text!r}.",
            "Rename the folder.",
        )
    return b"'" + os.fsencode(text).replace(b"'", b"'\\''") + b"'"


def _line(event: str, given: str) -> str:
    found = 'g=${GIT_DIR:-.git}; [ ! -f "$g" ] || read -r key g <"$g"'
    found += '; [ ! -f "$g/commondir" ] || g=$g/../..'  # of <common>/worktrees/<name>
    sourced = f'({found}; set -- {event} "$@"; . "$g/{SCRIPT}") {given}>/dev/null 2>&1 || :'
    if event != "post-commit":
        return sourced
    # Each commit of a rebase comes here, and its end is told by post-rewrite. The script would say
    # the same, but the subshell alone takes a rebase of 100 commits from +7 % to +31 %.
    return f'[ -e "${{GIT_DIR:-.git}}/rebase-merge" ] || {sourced}'


def _marked(text: str) -> bytes:
    note = b" tells gitmem what git did; remove it with: gitmem hooks uninstall"
    return b"\n".join((MARKS.begin + note, text.encode(), MARKS.end, b""))


def _template() -> bytes:
    name = os.path.basename(SCRIPT)
    for folder in _PLACES:
        try:
            with open(os.path.join(folder, name), "rb") as file:
                return file.read()
        except FileNotFoundError:
            continue
    raise Unavailable(
        f"{name}, which git hooks run, is missing from this installation of gitmem.",
        "Reinstall gitmem.",
    )
