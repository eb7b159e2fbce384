"""The lease of a spool: at most one drain at a time, as a low-priority background process.

The kernel's lock on ``spool/lock`` decides; it ends with the process, however that dies. Beside it
``spool/drain`` holds the process id for the hooks, whose shell cannot test locks: a hook that finds
it alive starts no drain. No event waits for ever: a hook writes its event before it looks for a
drain, and a drain checks the spool again after releasing the lease. So its loop is

    while True:
        lease = try_take_spool_lease(folder, pid)
        if lease is None:
            break   # another drain is at work, and will check again
        ...         # take_line_batch, work, discard_line_batch
        lease.release()
        if not event_log.count_unread_log_bytes(folder):
            break
"""

from __future__ import annotations

import os
from contextlib import suppress

from gitmem.errors import Unavailable
from gitmem.files import lock

SPOOL = "spool"  # the folder of git's events, beside the store
LOCK = "lock"
HINT = "drain"  # the process id of the last drain started, for the hooks
_LOWEST = 19
# Follows no link, and does not block on a pipe.
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class SpoolLease:
    """The right of this process to read a folder's event log; no other process has it meanwhile.

    ``release`` gives it back, as does the end of the process.
    """

    def __init__(self, folder: str, handle: int) -> None:
        self._folder = folder
        self._handle = handle

    def release(self) -> None:
        """Give the right to read the event log back; a second call does nothing."""
        if self._handle < 0:
            return
        # Also where it names another process: that one found the lease taken and ended, and in a
        # container without an init process its id would look alive for ever.
        with suppress(OSError):
            os.unlink(os.path.join(self._folder, HINT))
        os.close(self._handle)
        self._handle = -1


def try_take_spool_lease(folder: str, pid: int) -> SpoolLease | None:
    """A SpoolLease, the right to read the event log in ``folder``; None if another process has it.

    ``pid`` is the id of this process, recorded in the folder. Raises Unavailable where the folder
    cannot be written, or its lock is no file.
    """
    flags = os.O_RDWR | os.O_CREAT | _SAFE
    place = os.path.join(folder, LOCK)
    try:
        handle = os.open(place, flags, 0o600)
    except OSError as error:
        raise Unavailable(
            f"{place} cannot be locked: {error.strerror}.",
            "Make the folder writable. If something other than a file has that name, move it away.",
        ) from error
    try:
        if not lock.try_lock_file(handle):
            os.close(handle)
            return None
        # The lock decides: without the hint a hook may start a drain that finds nothing to do.
        with suppress(OSError):
            _write_hint(os.path.join(folder, HINT), pid)
    except BaseException:
        os.close(handle)
        raise
    return SpoolLease(folder, handle)


def is_spool_lease_held(folder: str) -> bool:
    """Whether some process holds the right to read the event log in ``folder`` now."""
    try:
        handle = os.open(os.path.join(folder, LOCK), os.O_RDWR | _SAFE)
    except OSError:
        return False
    try:
        return not lock.try_lock_file(handle)
    finally:
        os.close(handle)


def remove_lease_files(folder: str) -> None:
    """Remove the files ``lock`` and ``drain`` that readers of an event log leave in ``folder``."""
    for name in (HINT, LOCK):
        with suppress(OSError):
            os.unlink(os.path.join(folder, name))


def become_background_process() -> None:
    """Make this process a background one: lowest priority, own session, no limit on file size.

    git hooks set such a limit, which the processes that they start inherit. Does nothing on
    Windows.
    """
    if os.name != "posix":
        return
    import resource  # noqa: PLC0415 - Windows has none

    os.nice(_LOWEST)
    with suppress(OSError):
        os.setsid()
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


def _write_hint(path: str, pid: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _SAFE
    with os.fdopen(os.open(path, flags, 0o600), "w") as file:
        file.write(f"{pid}\n")
