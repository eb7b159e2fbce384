"""Writing an export: whole or not at all, private, and over nothing that was there unasked."""

import os

from gitmem.errors import Conflict
from gitmem.files import atomic_write
from gitmem.store.db import preflight


def write(path: str, content: bytes, *, force: bool) -> None:
    """Write the file; ``force`` overwrites one that is there.

    Raises Conflict where one is; DiskFull, ReadOnly or Unavailable where it cannot be written.
    """
    if os.path.lexists(path) and not force:
        raise Conflict(f"{path} already exists.", "Add --force to overwrite it.")
    try:
        # What a killed export leaves has a name that the next one to this file takes again.
        atomic_write.replace(path, content, 0o600)
    except OSError as error:
        raise preflight.refused(error, path) from error
