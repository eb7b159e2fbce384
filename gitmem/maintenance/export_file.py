"""Writing the file of an export: atomically, readable by the user only."""

import os

from gitmem.errors import Conflict
from gitmem.files import atomic_write
from gitmem.store.db import preflight


def write(path: str, content: bytes, *, force: bool) -> None:
    """Write the file; ``force`` overwrites an existing one.

    Raises Conflict where there is one, and DiskFull, ReadOnly or Unavailable.
    """
    if os.path.lexists(path) and not force:
        raise Conflict(f"{path} already exists.", "Add --force to overwrite it.")
    try:
        atomic_write.replace(path, content, 0o600)
    except OSError as error:
        raise preflight.write_error(error, path) from error
