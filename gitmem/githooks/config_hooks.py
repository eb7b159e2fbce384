"""Hooks in git's own configuration, which git 2.54 and later run: no hook file is changed.

Each event has a section ``hook.gitmem-<event>`` in the repository's configuration, written by git
itself. The command is set before the event: git refuses to work with an event without a command.
https://git-scm.com/docs/git-hook/2.54.0
"""

from __future__ import annotations

import os

from gitmem.files import atomic_write
from gitmem.git.runner import run_git
from gitmem.githooks.shims import EVENTS, REVIEWS

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitmem.git.layout import RepositoryLayout

_NAME = b"gitmem-"
_OURS = r"^hook\.gitmem-.*\.(command|event)$"


def hook_section_name(hook_name: str) -> str:
    """The section of git's configuration for gitmem's ``hook_name``: "hook.gitmem-HOOK"."""
    return f"hook.gitmem-{hook_name}"


def read_hook_settings(layout: RepositoryLayout) -> dict[str, list[str]]:
    """The settings of gitmem's hooks in the repository's git configuration: key -> its values.

    Keys are such as ``hook.gitmem-post-commit.command``. If the file does not contain gitmem's
    name, the result is empty and git is not run; so hook files can be removed where git no longer
    works.
    """
    try:
        with open(git_config_path(layout), "rb") as file:
            if _NAME not in file.read():
                return {}
    except FileNotFoundError:
        return {}
    query = ["config", "--local", "-z", "--get-regexp", _OURS]
    out = os.fsdecode(run_git(query, cwd=layout.cwd, allowed_statuses=(0, 1)))
    settings: dict[str, list[str]] = {}
    for entry in out.split("\0"):
        key, _, value = entry.partition("\n")
        if key:
            settings.setdefault(key, []).append(value)
    return settings


def is_hook_command_set(settings: Mapping[str, list[str]], hook_name: str, command: str) -> bool:
    """Whether git's settings (``read_hook_settings``) run only ``command`` for ``hook_name``."""
    name = hook_section_name(hook_name)
    return settings.get(f"{name}.command") == [command] and settings.get(f"{name}.event") == [
        hook_name
    ]


def write_hook_commands(layout: RepositoryLayout, commands: Mapping[str, str]) -> None:
    """Set gitmem's hooks in git's configuration: hook name (post-commit ...) -> shell command.

    Raises Unavailable if git cannot write its file.
    """
    settings = read_hook_settings(layout)
    for event, command in commands.items():
        if is_hook_command_set(settings, event, command):
            continue
        name = hook_section_name(event)
        _remove_section(layout, settings, event)
        run_git(["config", "--local", f"{name}.command", command], cwd=layout.cwd)
        run_git(["config", "--local", f"{name}.event", event], cwd=layout.cwd)


def remove_hook_sections(layout: RepositoryLayout, *, remove_final_newline: bool) -> list[str]:
    """Remove gitmem's hooks from git's configuration; returns the names of the hooks removed.

    ``remove_final_newline``: also remove the line end at the end of the file, which had none before
    gitmem wrote there.
    """
    settings = read_hook_settings(layout)
    events = [event for event in (*EVENTS, *REVIEWS) if _remove_section(layout, settings, event)]
    if events and remove_final_newline:
        path = git_config_path(layout)
        with open(path, "rb") as file:
            content = file.read()
        if content.endswith(b"\n"):
            mode = os.stat(path).st_mode & 0o7777
            atomic_write.replace_file(path, content[:-1], mode, keeps_owner=True)
    return events


def lacks_final_newline(layout: RepositoryLayout) -> bool:
    """Whether the repository's git configuration file has content but no line end at its end."""
    with open(git_config_path(layout), "rb") as file:
        content = file.read()
    return bool(content) and not content.endswith(b"\n")


def git_config_path(layout: RepositoryLayout) -> str:
    """The path of the repository's git configuration file, shared by all its worktrees."""
    return os.path.join(layout.common_dir, "config")


def _remove_section(
    layout: RepositoryLayout, settings: Mapping[str, list[str]], event: str
) -> bool:
    name = hook_section_name(event)
    if not any(key.startswith(f"{name}.") for key in settings):
        return False
    run_git(["config", "--local", "--remove-section", name], cwd=layout.cwd)
    return True
