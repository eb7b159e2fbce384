"""Writing a file atomically: a reader sees the complete old or the complete new content."""

from __future__ import annotations

import os
from contextlib import suppress

from gitmem.files.durable import sync_folder_entry


def replace_file(path: str, content: bytes, mode: int = 0, *, keeps_owner: bool = False) -> None:
    """Write ``content`` to ``path``, by renaming a temporary file that is written beside it.

    ``mode`` are the file's exact permissions; 0 leaves them to the umask. ``keeps_owner``: where
    root runs this, the file keeps its owner, a new one gets its folder's. Raises OSError; then the
    old file is unchanged.
    """
    fresh = f"{path}.gitmem-new"
    with suppress(FileNotFoundError):
        os.unlink(fresh)
    try:
        rights = mode & 0o700 or 0o600 if mode else 0o666
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, rights)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if mode:
            os.chmod(fresh, mode)
        if keeps_owner:
            copy_owner(path if os.path.exists(path) else os.path.dirname(path), fresh)
        os.replace(fresh, path)
        sync_folder_entry(path)
    except BaseException:  # Ctrl-C too: else the temporary file would be left behind
        with suppress(OSError):
            os.unlink(fresh)
        raise


def copy_owner(source: str, target: str) -> None:
    """Give ``target`` the owner and group of ``source``; does nothing unless root runs this."""
    if not hasattr(os, "chown") or os.geteuid() != 0:
        return
    status = os.stat(source)
    os.chown(target, status.st_uid, status.st_gid)
