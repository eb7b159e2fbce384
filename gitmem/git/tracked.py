"""Checking that git does not track a path: a store that came with a clone is never opened.

Checked on every start, so the index file is searched as bytes first; git is run only where those
bytes are found or the format hides them.
"""

from __future__ import annotations

import os
from itertools import islice

from gitmem.errors import ForeignFile
from gitmem.git.display import decode_path, encode_path
from gitmem.git.runner import stream_git

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitmem.git.layout import RepositoryLayout

_SHOWN, _WIDTH = 5, 200  # number of files named, and their width in characters
_FIRST = 1 << 16  # bytes of git's index in which names with a dot before them nearly always stand


def is_tracked(layout: RepositoryLayout, path: str) -> bool:
    """Whether the main worktree's index holds ``path`` or anything below it.

    ``path`` is relative to the root, with or without a slash at its end. Letter case is ignored:
    on some file systems another spelling is the same folder. False in a bare repository.
    """
    if layout.bare:
        return False
    name = path.rstrip("/")
    try:
        with open(os.path.join(layout.common_dir, "index"), "rb") as file:
            index = file.read(_FIRST)
            if len(index) == _FIRST and not (_ends_before(index, name) and _by_sha1(layout)):
                index += file.read()
    except FileNotFoundError:
        return False
    return _may_hold(index, layout.common_dir, name) and any(
        True for _ in _tracked_paths(layout, name)
    )


def refuse_tracked_store(
    layout: RepositoryLayout, store_folder: str, make_restore_hint: Callable[[], str]
) -> None:
    """Raise ForeignFile if git tracks files in gitmem's folder: then they came with a clone.

    ``store_folder`` is relative to the root (``.gitmem``). ``make_restore_hint()`` returns the end
    of the hint: how the user restores their own files.
    """
    if is_tracked(layout, store_folder + "/"):
        from gitmem.text.fence import one_line  # noqa: PLC0415 - only to refuse

        names = [*islice(_tracked_paths(layout, store_folder), _SHOWN + 1)]
        more = " and more" if len(names) > _SHOWN else ""
        named = one_line(", ".join(names[:_SHOWN]), _WIDTH) + more
        raise ForeignFile(
            f"git tracks files in {store_folder}/ in this repository, so its store may have been "
            "made by somebody else.",
            f"Take them out: git rm -r --cached {store_folder}, commit, delete those you did "
            f"not make ({named}), and run again. It was not opened.{make_restore_hint()}",
        )


def refuse_tracked_file(
    layout: RepositoryLayout, path: str, file_description: str, error_hint: str
) -> None:
    """Raise ForeignFile where ``path`` (absolute) is in the main worktree and git tracks it.

    ``file_description`` names the file in the message, such as "your settings file"; ``error_hint``
    is the error's hint.
    """
    inside = path_in_main_worktree(layout, path)
    if inside and is_tracked(layout, inside):
        raise ForeignFile(
            f"git tracks {file_description}, {path}, so somebody else may have written it.",
            error_hint,
        )


def path_in_main_worktree(layout: RepositoryLayout, path: str) -> str:
    """The path relative to the root of the main worktree; empty if it is outside."""
    real = os.path.realpath(path)
    root = os.path.join(layout.store_root, "")
    return real.removeprefix(root) if real.startswith(root) else ""


def _ends_before(index: bytes, name: str) -> bool:
    """Whether the beginning of an index certainly lists all that sorts up to a name.

    Entries are sorted by their paths; git reads no index in which they are not. Of versions 2 and
    3 with SHA-1: what is not laid out so leaves the answer open.
    """
    last = encode_path(name).lower() + b"0"  # after "/"; no other case of its letters sorts later
    at = 12
    while at + 64 < len(index):
        begin = at + (64 if index[at + 60] & 0x40 else 62)
        end = index.find(b"\0", begin)
        length = int.from_bytes(index[at + 60 : at + 62], "big") & 0xFFF
        if length != min(end - begin, 0xFFF):
            return False
        if index[begin:end] > last:
            return True
        at += (end - at + 8) // 8 * 8
    return False


def _by_sha1(layout: RepositoryLayout) -> bool:
    """Whether git's object ids here are surely those of SHA-1."""
    from gitmem.git import plain_config  # noqa: PLC0415 - large indexes only

    config = plain_config.read_config_text(os.path.join(layout.common_dir, "config"))
    return bool(config) and "objectformat" not in config.lower()


def _may_hold(index: bytes, git_dir: str, name: str) -> bool:
    """False only when the index certainly lacks the name.

    Versions 2 and 3 write each path in full and end it with NUL. Version 4 shortens paths, and a
    split index keeps most of them in a ``sharedindex`` file. An empty index file, left by a power
    cut, holds nothing, and git fails on it.
    """
    if not index:
        return False
    if index[:4] != b"DIRC" or index[4:8] not in (b"\0\0\0\2", b"\0\0\0\3"):
        return True
    if any(entry.startswith("sharedindex.") for entry in os.listdir(git_dir)):
        return True
    folder = encode_path(name).lower()
    lowered = index.lower()
    return folder + b"/" in lowered or folder + b"\0" in lowered


def _tracked_paths(layout: RepositoryLayout, name: str) -> Iterator[str]:
    """The paths that git tracks at ``name`` and below, in the main worktree's index."""
    folder = name.casefold()
    args = ["--git-dir", layout.common_dir, "--work-tree", layout.store_root, "ls-files", "-z"]
    rest = b""
    for chunk in stream_git(args, cwd=layout.cwd):
        *paths, rest = (rest + chunk).split(b"\0")
        for path in paths:
            folded = decode_path(path).casefold()
            if folded == folder or folded.startswith(folder + "/"):
                yield decode_path(path)
