"""One family of errors, one table of exit statuses.

Every expected failure is a ``GitmemError``: a sentence that says what happened, a hint that says
what to do, and a stable code that each rim (command line, MCP, later HTTP) maps by one table.
Anything else that escapes is a bug; the rim reports it as ``internal`` and keeps the traceback in
a log file, never on the screen.
"""

from __future__ import annotations


class GitmemError(Exception):
    """An expected failure, told in a sentence.

    ``message`` says what happened, ``hint`` what to do about it (may be empty).
    """

    code = "internal"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def told(self) -> str:
        """Message and hint as sentences of one line."""
        return f"{self.message} {self.hint.rstrip('.')}." if self.hint else self.message

    def plain(self) -> dict[str, str]:
        """The error as the JSON object every surface prints."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


class InvalidInput(GitmemError):
    """A value the caller gave is not acceptable."""

    code = "invalid"


class NotFound(GitmemError):
    """The thing that was asked for does not exist."""

    code = "not_found"


class NotInitialized(GitmemError):
    """The repository has no gitmem store yet."""

    code = "not_initialized"


class Ambiguous(GitmemError):
    """A prefix or a name fits more than one thing."""

    code = "ambiguous"


class Conflict(GitmemError):
    """The request contradicts the present state."""

    code = "conflict"


class NotARepository(GitmemError):
    """There is no git repository here."""

    code = "not_a_repository"


class Unavailable(GitmemError):
    """Something needed is busy, absent or out of reach now; a later try may succeed."""

    code = "unavailable"


class StoreBusy(Unavailable):
    """Another process holds the store longer than the wait allows."""

    code = "busy"


class DiskFull(Unavailable):
    """The file system refused a write for want of space, quota or permission."""

    code = "disk_full"


class ReadOnly(Unavailable):
    """The store or its folder cannot be written."""

    code = "read_only"


def of_machine(error: OSError) -> Unavailable | None:
    """The error for a call that failed for no fault of ours or the caller's; None for any other.

    A disk that answers no more, no memory, no descriptors.
    """
    import errno  # noqa: PLC0415 - only when something failed

    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    if not full and error.errno not in (errno.EIO, errno.ENOMEM, errno.EMFILE, errno.ENFILE):
        return None
    place = repr(error.filename)[1:-1] if error.filename else "A file"
    message = f"{place} cannot be read or written: {error.strerror}."
    if full:
        return DiskFull(message, "Free some space and run the command again.")
    return Unavailable(message, "The system refused it: look at its disk, memory and open files.")


class ShuttingDown(Unavailable):
    """The server is ending and takes no more calls."""

    code = "shutting_down"


class NotOurs(GitmemError):
    """A file stands where gitmem's would, and gitmem did not make it."""

    code = "not_ours"


class ForeignStore(NotOurs):
    """A store of gitmem's that was not made by this user; nothing of it is used."""

    code = "foreign_store"


class StoreDamaged(GitmemError):
    """The store's content fails its checks; the file is left as it is."""

    code = "damaged"


class MemoryDamaged(StoreDamaged):
    """One memory cannot be read as it was written; the others of its store can.

    ``id`` names it; ``reason`` is a word for what is wrong with it, such as ``damaged``.
    """

    code = "memory_damaged"

    def __init__(self, message: str, hint: str = "", *, id: str = "", reason: str = "damaged"):
        super().__init__(message, hint)
        self.id = id
        self.reason = reason


class ForeignRow(MemoryDamaged):
    """A memory of the store was written by another hand."""

    code = "foreign_row"


class StoreTooNew(GitmemError):
    """A newer gitmem wrote this store."""

    code = "too_new"


class InternalError(GitmemError):
    """A bug. The traceback is in the log, whose path the hint names."""

    code = "internal"


# Exit status of the process for each code. 0 is success, 1 "some items failed", 130 interrupted.
EXIT_STATUS: dict[str, int] = {
    "invalid": 2,
    "internal": 3,
    "not_found": 4,
    "not_initialized": 4,
    "ambiguous": 5,
    "conflict": 5,
    "not_a_repository": 6,
    "unavailable": 7,
    "busy": 7,
    "disk_full": 7,
    "read_only": 7,
    "shutting_down": 7,
    "not_ours": 8,
    "foreign_store": 8,
    "damaged": 9,
    "foreign_row": 9,
    "memory_damaged": 9,
    "too_new": 9,
}
PARTIAL = 1
INTERRUPTED = 130
