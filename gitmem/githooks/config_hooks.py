"""Hooks in git's own configuration, which git 2.54 and later run: no file of anybody's is touched.

Each event has a section ``hook.gitmem-<event>`` in the repository's configuration, written by git
itself. The command is set before the event: git refuses to work with an event without a command.
https://git-scm.com/docs/git-hook/2.54.0
"""

from __future__ import annotations

import os

from gitmem.files import atomic_write
from gitmem.git.runner import run_git
from gitmem.githooks.shims import EVENTS

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitmem.git.layout import Layout

_NAME = b"gitmem-"
_OURS = r"^hook\.gitmem-.*\.(command|event)$"


def section(event: str) -> str:
    """The section of one event."""
    return f"hook.gitmem-{event}"


def read(layout: Layout) -> dict[str, list[str]]:
    """Our settings in the repository's configuration: key to its values.

    A file without our name holds none. So hooks in files can be taken out of a repository in which
    git itself does not work any more.
    """
    try:
        with open(config_file(layout), "rb") as file:
            if _NAME not in file.read():
                return {}
    except FileNotFoundError:
        return {}
    asked = ["config", "--local", "-z", "--get-regexp", _OURS]
    out = os.fsdecode(run_git(asked, cwd=layout.cwd, ok=(0, 1)))
    found: dict[str, list[str]] = {}
    for entry in out.split("\0"):
        key, _, value = entry.partition("\n")
        if key:
            found.setdefault(key, []).append(value)
    return found


def is_set(found: Mapping[str, list[str]], event: str, command: str) -> bool:
    """Whether the settings run ``command`` on ``event``, once."""
    name = section(event)
    return found.get(f"{name}.command") == [command] and found.get(f"{name}.event") == [event]


def write(layout: Layout, commands: Mapping[str, str]) -> None:
    """Set the command of each event. Raises Unavailable where git cannot write its file."""
    found = read(layout)
    for event, command in commands.items():
        if is_set(found, event, command):
            continue
        name = section(event)
        _drop(layout, found, event)
        run_git(["config", "--local", f"{name}.command", command], cwd=layout.cwd)
        run_git(["config", "--local", f"{name}.event", event], cwd=layout.cwd)


def remove(layout: Layout, *, bare_end: bool) -> list[str]:
    """Take our sections out; the events that were there.

    ``bare_end``: the file had no line end at its end before, and gets none now.
    """
    found = read(layout)
    events = [event for event in EVENTS if _drop(layout, found, event)]
    if events and bare_end:
        path = config_file(layout)
        with open(path, "rb") as file:
            content = file.read()
        if content.endswith(b"\n"):
            mode = os.stat(path).st_mode & 0o7777
            atomic_write.replace(path, content[:-1], mode, keeps_owner=True)
    return events


def has_bare_end(layout: Layout) -> bool:
    """Whether the configuration file ends without a line end."""
    with open(config_file(layout), "rb") as file:
        content = file.read()
    return bool(content) and not content.endswith(b"\n")


def config_file(layout: Layout) -> str:
    """The repository's configuration file."""
    return os.path.join(layout.common_dir, "config")


def _drop(layout: Layout, found: Mapping[str, list[str]], event: str) -> bool:
    name = section(event)
    if not any(key.startswith(f"{name}.") for key in found):
        return False
    run_git(["config", "--local", "--remove-section", name], cwd=layout.cwd)
    return True
