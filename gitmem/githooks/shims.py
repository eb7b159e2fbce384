"""The shell text of the git hooks: a line for each hook, and the script they source.

The script is a template in the top-level folder ``hooks/git``. A hook gets three lines, the line
between two marks, so that it can share somebody else's shell script. They contain no absolute path:
they find the script in the git directory by what git tells every hook, and so still work after the
repository was moved.
"""

from __future__ import annotations

import os

from gitmem.errors import Unavailable
from gitmem.text.marked_block import BlockMarkers

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

EVENTS = ("post-commit", "post-merge", "post-checkout", "post-rewrite")
# Of these at most one is installed, and only if asked for: it says what a review finds.
REVIEWS = ("pre-commit", "pre-push")
FIRST_LINE = b"#!/bin/sh\n"
MARKS = BlockMarkers(b"# >>> gitmem hook >>>", b"# <<< gitmem hook <<<", script=True)
# Variables that say where the keys of stores are. git may be started without them.
HOMES = ("GITMEM_HOME", "XDG_DATA_HOME")
SCRIPT = "gitmem/hook.sh"  # in the common git directory, which no clone can contain

_HERE = os.path.dirname(os.path.abspath(__file__))
# A wheel has the data beside this module, a checkout at the top level.
_PLACES = (
    os.path.join(_HERE, "git"),
    os.path.join(os.path.dirname(os.path.dirname(_HERE)), "hooks", "git"),
)


def hook_script_text(
    store_path: str,
    start_command: Sequence[str],
    home_variables: Mapping[str, str] | None = None,
    token: str = "",
) -> bytes:
    """The bytes of the shell script that all of gitmem's git hooks run.

    ``store_path`` is the path from the common git directory to ``.gitmem``; ``start_command``
    starts gitmem, its first word an absolute path; ``home_variables`` are values of GITMEM_HOME and
    XDG_DATA_HOME for a git started without them; ``token``, letters and digits, begins each line
    that the script records. Raises Unavailable if a path contains a line end.
    """
    text = _template()
    variables = home_variables or {}
    lines = [_home_line(name, variables[name]) for name in HOMES if name in variables]
    values = {
        b"@HOMES@": b"\n".join(lines) or b":",
        b"@STORE@": quote_shell_word(store_path),
        b"@TOKEN@": quote_shell_word(token),
        b"@COMMAND@": b" ".join(quote_shell_word(word) for word in start_command),
    }
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def shared_hook_line(hook_name: str) -> str:
    """The shell line that runs gitmem's script from a hook file of somebody else's.

    ``hook_name`` is the hook's name, such as post-commit. The line reads no standard input, changes
    nothing in the script around it, and always succeeds, even without gitmem.
    """
    return _line(hook_name, "</dev/null ")


def hook_config_command(hook_name: str) -> str:
    """The shell command that runs gitmem's script, for a hook in git's configuration.

    It is the value of ``hook.gitmem-EVENT.command``; ``hook_name`` is the hook's name, such as
    post-commit. The command may read standard input, and always succeeds.
    """
    return _line(hook_name, "")


def marked_hook_lines(hook_name: str) -> bytes:
    """The marked lines that run gitmem's script, for somebody else's file of hook ``hook_name``."""
    return _mark(shared_hook_line(hook_name))


def hook_file_content(hook_name: str) -> bytes:
    """The content of a file for the git hook ``hook_name`` that only runs gitmem's script."""
    return FIRST_LINE + _mark(hook_config_command(hook_name))


def start_command_in_script(text: bytes) -> list[str]:
    """The words of the command with which the script of gitmem's git hooks starts gitmem.

    ``text`` is the script, or the lines of an older version in a hook file. Empty if there is none.
    """
    import shlex  # noqa: PLC0415 - only doctor asks

    words = text.partition(b"\nset -- ")[2].partition(b"\n")[0]
    words = words or text.partition(b"; set -- ")[2].partition(b'; [ -x "$1" ]')[0]
    try:
        return shlex.split(os.fsdecode(words))
    except ValueError:
        return []


def token_in_script(text: bytes) -> str:
    """The secret word that begins each line which the git hooks' script records, or empty."""
    value = text.partition(b"\ntoken='")[2].partition(b"'")[0]
    return value.decode() if value.isalnum() and value.isascii() else ""


def home_folders_in_script(text: bytes) -> dict[str, str]:
    """Variable (GITMEM_HOME, XDG_DATA_HOME) -> the folder that the git hooks' script sets."""
    import shlex  # noqa: PLC0415 - only for a script that was made with any

    folders = {}
    for name in HOMES if b"] || GITMEM_HOME=" in text or b"] || XDG_DATA_HOME=" in text else ():
        value = text.partition(f'[ "${{{name}-}}" ] || {name}='.encode())[2].partition(b"\n")[0]
        try:
            words = shlex.split(os.fsdecode(value.partition(b"; export ")[0]))
        except ValueError:
            continue
        if len(words) == 1 and _home_line(name, words[0]) in text.split(b"\n"):
            folders[name] = words[0]
    return folders


def _home_line(name: str, folder: str) -> bytes:
    return (
        f'[ "${{{name}-}}" ] || {name}='.encode()
        + quote_shell_word(folder)
        + f"; export {name}".encode()
    )


def quote_shell_word(text: str) -> bytes:
    """A text as one word of a shell command. Raises Unavailable if it contains a line end."""
    if any(char in text for char in "\n\r\0"):
        raise Unavailable(
            f"A path with a line break cannot be written to a hook: {text!r}.",
            "Rename the folder.",
        )
    return b"'" + os.fsencode(text).replace(b"'", b"'\\''") + b"'"


def _line(event: str, given: str) -> str:
    locate = 'g=${GIT_DIR:-.git}; [ ! -f "$g" ] || read -r key g <"$g"'
    locate += '; [ ! -f "$g/commondir" ] || g=$g/../..'  # of <common>/worktrees/<name>
    if event in REVIEWS:  # it speaks, but not of a script that is gone
        script = f'[ ! -r "$g/{SCRIPT}" ] || . "$g/{SCRIPT}"'
        return f'({locate}; set -- {event} "$@"; {script}) </dev/null || :'
    sourced = f'({locate}; set -- {event} "$@"; . "$g/{SCRIPT}") {given}>/dev/null 2>&1 || :'
    if event != "post-commit":
        return sourced
    # Skip the commits of a rebase, whose end post-rewrite reports. The script checks this too, but
    # the subshell alone takes a rebase of 100 commits from +7 % to +31 %.
    return f'[ -e "${{GIT_DIR:-.git}}/rebase-merge" ] || {sourced}'


def _mark(text: str) -> bytes:
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
