"""The kernel's lock on an open file, which ends with the process, however that dies."""

from __future__ import annotations

import os


def try_lock_file(file_descriptor: int) -> bool:
    """Lock an open file without waiting; False if another process holds it. Raises OSError."""
    try:
        if os.name == "posix":
            import fcntl  # noqa: PLC0415 - Windows has none

            fcntl.flock(file_descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            import msvcrt  # noqa: PLC0415 - only Windows has it

            msvcrt.locking(file_descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    except BlockingIOError:
        return False
    except PermissionError:
        return False  # on Windows: another process has it
    return True
