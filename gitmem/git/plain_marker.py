"""Checking that the empty git directory of a plain folder is one that gitmem made.

An archive can bring one with settings and hooks of its own, which git would obey. So it must be
exactly what ``git init --bare`` without a template makes.
"""

from __future__ import annotations

import os
import re

from gitmem.git import plain_config
from gitmem.git.discovery import read_small_text

_FOLDERS = frozenset(("objects", "refs"))
_FILES = frozenset(("HEAD", "config"))
_INNER = {"objects": ("info", "pack"), "refs": ("heads", "tags")}
# Settings about the file system and the format, which name no file or program.
_KEYS = frozenset(
    (
        *("core.repositoryformatversion", "core.filemode", "core.bare", "core.ignorecase"),
        *("core.precomposeunicode", "core.symlinks", "core.logallrefupdates"),
        "extensions.objectformat",
    )
)
_VALUE = re.compile(r"[a-z0-9]{1,10}")
_HEAD = re.compile(r"ref: refs/heads/[^\x00-\x20~^:?*\[\\]{1,200}\n?")


def is_git_dir_of_plain_folder(git_dir: str) -> bool:
    """Whether a git directory is exactly what gitmem makes in a plain folder, and nothing else.

    A plain folder is one without a repository, in whose ``.gitmem`` gitmem makes an empty git
    directory. False also where it cannot be read.
    """
    try:
        return _is_empty(git_dir) and _is_harmless(git_dir)
    except OSError:
        return False


def _is_empty(git_dir: str) -> bool:
    if os.path.islink(git_dir) or _names(git_dir, folders=True) != _FOLDERS:
        return False
    if _names(git_dir, folders=False) != _FILES:
        return False
    for name, inner in _INNER.items():
        place = os.path.join(git_dir, name)
        if _names(place, folders=True) != set(inner) or _names(place, folders=False):
            return False
        if any(os.listdir(os.path.join(place, name)) for name in inner):
            return False
    return True


def _names(folder: str, *, folders: bool) -> set[str]:
    """The folders in a folder, or whatever else is there; a link is never a folder."""
    with os.scandir(folder) as entries:
        return {entry.name for entry in entries if entry.is_dir(follow_symlinks=False) is folders}


def _is_harmless(git_dir: str) -> bool:
    for name in _FILES:
        if os.path.islink(os.path.join(git_dir, name)):
            return False
    settings = plain_config.read_config_file(os.path.join(git_dir, "config"))
    values = [value for values_of_key in settings.values() for value in values_of_key]
    plain = settings.keys() <= _KEYS and all(map(_VALUE.fullmatch, values))
    return plain and _HEAD.fullmatch(read_small_text(os.path.join(git_dir, "HEAD"))) is not None
