"""Waiting until what was written is on the disk: content by its file, a name by its folder.

A file that was synced may be gone after a power cut as long as its folder was not: the name is
content of the folder (``man fsync``).
"""

from __future__ import annotations

import os
from contextlib import suppress

# Bytes that are copied at once.
_AT_ONCE = 1 << 20


def sync(path: str) -> None:
    """Wait until a file, or a folder's list of names, is on the disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_name(path: str) -> None:
    """Wait until the name ``path``, just made, is on the disk, where the system can say so.

    Windows opens no folders, and some file systems sync none; there is nothing to wait for then.
    """
    with suppress(OSError):
        sync(os.path.dirname(path) or ".")


def copy(source: str, target: str) -> None:
    """Write the content of ``source`` to ``target``, its owner's alone, on the disk.

    Raises OSError.
    """
    with open(source, "rb") as reader:
        descriptor = os.open(target, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "wb") as writer:
            while chunk := reader.read(_AT_ONCE):
                writer.write(chunk)
            writer.flush()
            os.fsync(writer.fileno())
