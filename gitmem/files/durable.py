"""Syncing to disk: the content of a file by the file, its name by its folder.

A synced file may be gone after a power cut if its folder was not synced: the name is content of the
folder (``man fsync``).
"""

from __future__ import annotations

import os
from contextlib import suppress

# Bytes copied at a time.
_AT_ONCE = 1 << 20


def sync_to_disk(path: str) -> None:
    """Force a file's content, or the list of names in a folder, to the disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder_entry(file_path: str) -> None:
    """Force the name of a file that was just created to the disk, by syncing its folder.

    Does nothing where that is impossible: on Windows and on some file systems.
    """
    with suppress(OSError):
        sync_to_disk(os.path.dirname(file_path) or ".")


def copy_file_synced(source: str, target: str) -> None:
    """Copy ``source`` to ``target`` and fsync it; only the owner may read it. Raises OSError."""
    with open(source, "rb") as reader:
        descriptor = os.open(target, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "wb") as writer:
            while chunk := reader.read(_AT_ONCE):
                writer.write(chunk)
            writer.flush()
            os.fsync(writer.fileno())
