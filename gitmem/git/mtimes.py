"""When files of a worktree, git's index or its refs were last changed, by their time stamps."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from gitmem.git.layout import RepositoryLayout


def modification_times(root_folder: str, paths: Iterable[str]) -> dict[str, int]:
    """Path (below ``root_folder``) -> when the file was last written, in ms since 1970."""
    times = {}
    for path in paths:
        with suppress(OSError, ValueError):
            times[path] = os.lstat(os.path.join(root_folder, path)).st_mtime_ns // 1_000_000
    return times


def newest_change_times(root_folder: str, paths: Iterable[str]) -> dict[str, int]:
    """Path -> when the file, or a folder above it, was last changed (ms since 1970).

    ``paths`` are relative to ``root_folder``. The inode's change time counts too: a file moved here
    with an old time stamp counts from then. Missing paths, and those behind a link, are left out.
    """
    folders: dict[str, int | None] = {}
    times = {}
    for path in paths:
        newest = _time(os.path.join(root_folder, path))
        at = path.find("/")
        while newest is not None and at >= 0:
            folder = path[:at]
            if folder not in folders:
                folders[folder] = _time(os.path.join(root_folder, folder), folder=True)
            above = folders[folder]
            newest = None if above is None else max(newest, above)
            at = path.find("/", at + 1)
        if newest is not None:
            times[path] = newest
    return times


def _time(place: str, *, folder: bool = False) -> int | None:
    """When a file (``folder``: a folder) last changed; None where it is not one."""
    try:
        status = os.lstat(place)
    except (OSError, ValueError):
        return None
    kind = 0o040000 if folder else 0o100000
    if status.st_mode & 0o170000 != kind:
        return None
    return max(status.st_mtime_ns, status.st_ctime_ns) // 1_000_000


def index_file_stamp(layout: RepositoryLayout) -> str:
    """A text that changes when git's index file is written; empty if there is no index.

    It is made of the file's time stamp and size: equal stamps mean an equal index.
    """
    try:
        status = os.stat(os.path.join(layout.git_dir, "index"))
    except OSError:
        return ""
    return f"{status.st_mtime_ns:x}.{status.st_size:x}"


def refs_folder_stamp(layout: RepositoryLayout, ref_kind: str = "heads") -> str:
    """A text that changes when a branch is created or deleted, or committed to.

    ``ref_kind`` is "heads" for branches, "tags" for tags. It is made of the time stamps of folders.
    """
    root = layout.common_dir
    places = [os.path.join(root, name) for name in ("packed-refs", "reftable/tables.list")]
    for folder, below, _ in os.walk(os.path.join(root, "refs", ref_kind)):
        below.sort()
        places.append(folder)
    stamps = []
    for place in places:
        with suppress(OSError):
            stamps.append(f"{os.stat(place).st_mtime_ns:x}")
    return ".".join(stamps)
