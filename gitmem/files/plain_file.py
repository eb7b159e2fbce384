"""Opening files in folders that others may write to, without blocking on a pipe."""

from __future__ import annotations

import errno
import os
import stat

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import BinaryIO


def open_regular_file(path: str, *, extra_flags: int = 0) -> BinaryIO:
    """Open a regular file for reading bytes, without ever blocking on a pipe.

    ``extra_flags`` are added to those of ``os.open``. Raises OSError, also for anything but a
    regular file.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags | extra_flags)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is not a file", path)
    return open(handle, "rb")


def read_user_owned_file(path: str, max_bytes: int) -> bytes:
    """The first ``max_bytes`` bytes of a file, only if it belongs to the user who runs this.

    Raises OSError, also where it is a link, belongs to another user or changes meanwhile.
    """
    try:
        file = open_regular_file(path, extra_flags=getattr(os, "O_NOFOLLOW", 0))
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise OSError(error.errno, "it is a symbolic link", path) from error
        raise
    with file:
        before = os.fstat(file.fileno())
        # Root may read any file, so for root this check protects nothing.
        if os.name == "posix" and os.geteuid() not in (0, before.st_uid):
            raise OSError(errno.EPERM, "it belongs to another user", path)
        content = file.read(max_bytes)
        after = os.fstat(file.fileno())
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise OSError(errno.EAGAIN, "it was changed while it was read", path)
    return content
