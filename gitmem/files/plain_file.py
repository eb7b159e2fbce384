"""Opening files in folders that others may write to: never through a wait."""

import os
import stat
from typing import BinaryIO


def open_plain(path: str) -> BinaryIO:
    """A file, open for reading. Raises OSError, also where it is a pipe, device or folder.

    Opening a pipe would wait for whoever writes to it, which may be for ever.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(f"{path} is not a file")
    return open(handle, "rb")
