"""The errors of gitmem, and their exit statuses.

Every expected failure is a ``GitmemError``: a sentence that says what happened, a hint that says
what to do, and a stable code that each interface (command line, MCP) maps by one table. Any other
exception is a bug; the interface reports it as ``internal`` and writes the traceback to a log file,
never to the screen.
"""

from __future__ import annotations


class GitmemError(Exception):
    """The base of all errors that are expected, as opposed to bugs.

    ``message`` says what happened, ``hint`` what to do about it (may be empty).
    """

    code = "internal"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def as_sentences(self) -> str:
        """Return message and hint as sentences on one line."""
        return f"{self.message} {self.hint.rstrip('.')}." if self.hint else self.message

    def as_json_object(self) -> dict[str, str]:
        """Return the error as the dict that every interface prints as JSON: code, message, hint."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


class InvalidInput(GitmemError):
    """A value the caller gave is not acceptable."""

    code = "invalid"


class NotFound(GitmemError):
    """The requested item does not exist."""

    code = "not_found"


class NotInitialized(GitmemError):
    """The repository has no store, the database of its memories, yet: `gitmem init` makes one."""

    code = "not_initialized"


class AmbiguousReference(GitmemError):
    """A prefix or a name matches more than one item."""

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
    """Another process locks the store, the database of memories, longer than the wait allows."""

    code = "busy"


class DiskFull(Unavailable):
    """The file system refused a write for want of space, quota or permission."""

    code = "disk_full"


class ReadOnly(Unavailable):
    """The store, the database of memories, or its folder cannot be written."""

    code = "read_only"


def unavailable_from_os_error(error: OSError) -> Unavailable | None:
    """Return the error to raise for an error of the machine (disk, memory, open files), or None."""
    import errno  # noqa: PLC0415 - only when something failed

    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    if not full and error.errno not in (errno.EIO, errno.ENOMEM, errno.EMFILE, errno.ENFILE):
        return None
    place = repr(error.filename)[1:-1] if error.filename else "A file"
    message = f"{place} cannot be read or written: {error.strerror}."
    if full:
        return DiskFull(message, "Free some space and run the command again.")
    return Unavailable(
        message,
        "The operating system refused: check disk space, memory and the limit on open files.",
    )


class ShuttingDown(Unavailable):
    """The server is about to end and takes no more calls."""

    code = "shutting_down"


class ForeignFile(GitmemError):
    """A file or folder that gitmem did not make is where gitmem would put its own."""

    code = "not_ours"


class UntrustedStore(ForeignFile):
    """A store, a database of memories, that was not made by this user; nothing of it is used."""

    code = "foreign_store"


class StoreDamaged(GitmemError):
    """The store, the database of memories, fails its checks; the file is left as it is."""

    code = "damaged"


class MemoryDamaged(StoreDamaged):
    """The record of a memory in the store is damaged; the other memories can be read.

    ``reason`` is a word for what is wrong with it, such as ``damaged``.
    """

    code = "memory_damaged"

    def __init__(self, message: str, hint: str = "", *, id: str = "", reason: str = "damaged"):
        super().__init__(message, hint)
        self.id = id
        self.reason = reason


class ForgedMemory(MemoryDamaged):
    """The record of a memory was put into the store by other means than this store's gitmem."""

    code = "foreign_row"


class StoreTooNew(GitmemError):
    """A newer gitmem wrote the store, the database of memories: this version cannot open it."""

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
