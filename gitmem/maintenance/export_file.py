"""Writing the file of an export: atomically, readable by the user only."""

import os

from gitmem.errors import Conflict
from gitmem.files import atomic_write
from gitmem.store.db import preflight


def write_export_file(path: str, content: bytes, *, force: bool) -> None:
    """Write ``content`` to a file; ``force`` overwrites an existing one.

    Raises Conflict if the file exists and ``force`` is false; DiskFull or ReadOnly if it cannot be
    written.
    """
    if os.path.lexists(path) and not force:
        raise Conflict(f"{path} already exists.", "Add --force to overwrite it.")
    try:
        atomic_write.replace_file(path, content, 0o600)
    except OSError as error:
        raise preflight.write_failure_error(error, path) from error
