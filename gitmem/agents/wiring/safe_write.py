"""Looking at a host's file before it is trusted, and writing it so that nothing can be lost.

A file is written beside its place and moved there. Several are written as one: where one fails, the
others get back what they held. A file that its host changed meanwhile is not written over.
"""

from __future__ import annotations

import os
import stat
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from gitmem.errors import NotOurs, Unavailable
from gitmem.files import atomic_write, lock
from gitmem.model.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

LOCK = "lock"
_WAIT_SECONDS = 10.0
MOST_BYTES = 32 << 20
_NOT_OURS = (".git", ".gitmem")


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was found: ``content`` None where there is none; ``target`` is past a link."""

    target: str
    content: bytes | None = None
    mode: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """What a file held and is to hold; None where there is no file."""

    seen: Seen
    content: bytes | None
    made: tuple[str, ...] = ()


def look(path: str, root: str) -> Seen:
    """What stands at a path below ``root``. Raises NotOurs where it is not the user's to change.

    A link is followed within its own folder only; folders on the way may be links, as long as they
    lead nowhere out of a project.
    """
    folder = os.path.realpath(os.path.dirname(path))
    if root and not is_below(folder, os.path.realpath(root)):
        raise _strange(path, "is behind a symbolic link that leads out of the project")
    if root and any(is_below(folder, os.path.join(os.path.realpath(root), n)) for n in _NOT_OURS):
        raise _strange(path, "is behind a symbolic link that leads into the git directory")
    target = os.path.join(folder, os.path.basename(path))
    if os.path.islink(target):
        target = os.path.realpath(target)
        if os.path.dirname(target) != folder:
            raise _strange(path, "is a symbolic link that leads out of its folder")
    _check_folder(path, folder)
    try:
        found = os.lstat(target)
        if stat.S_ISDIR(found.st_mode):
            raise _strange(path, "is a folder, not a file")
        if not stat.S_ISREG(found.st_mode):
            raise _strange(path, "is not a file")
        if _is_anothers(found):
            raise _strange(path, "belongs to another user")
        with open(target, "rb") as file:
            content = file.read(MOST_BYTES + 1)
            if len(content) > MOST_BYTES:
                raise _strange(path, f"is larger than {MOST_BYTES >> 20} MB")
            return Seen(target, content, stat.S_IMODE(found.st_mode))
    except FileNotFoundError:
        return Seen(target)
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be read: {error.strerror}.",
            "Check its permissions; nothing was written.",
        ) from error


def _check_folder(path: str, folder: str) -> None:
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder):
        raise _strange(path, f"cannot exist: {folder} is not a folder")


def _is_anothers(found: os.stat_result) -> bool:
    # Also for the superuser: what root writes into a user's file, nobody can take out as the user.
    return os.name == "posix" and found.st_uid != os.geteuid()


def _strange(path: str, what: str) -> NotOurs:
    return NotOurs(
        f"{path} {what}.", "Move it away, or set up other agents by name; nothing was written."
    )


def is_below(path: str, folder: str) -> bool:
    """Whether a path is the folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def missing_folders(path: str) -> tuple[str, ...]:
    """The folders that would have to be made for a file, the innermost last."""
    found: list[str] = []
    folder = os.path.dirname(path)
    while folder and not os.path.isdir(folder):
        found.insert(0, folder)
        folder = os.path.dirname(folder)
    return tuple(found)


def write_all(changes: Sequence[Change]) -> None:
    """Make every change, or none. Raises OSError, or Unavailable where a file changed meanwhile."""
    done: list[Change] = []
    try:
        for change in changes:
            _refuse_changed(change.seen)
            done.append(change)
            _write(change)
    except BaseException:
        for change in reversed(done):
            with suppress(OSError):
                _undo(change)
        raise


def _write(change: Change) -> None:
    target = change.seen.target
    if change.content is None:
        with suppress(FileNotFoundError):
            os.unlink(target)
        for folder in reversed(change.made):
            with suppress(OSError):
                os.rmdir(folder)
        return
    for folder in missing_folders(target):
        os.mkdir(folder)
    atomic_write.replace(target, change.content, change.seen.mode)


def _undo(change: Change) -> None:
    seen = change.seen
    if seen.content is None:
        with suppress(FileNotFoundError):
            os.unlink(seen.target)
        for folder in reversed(change.made):
            os.rmdir(folder)
        return
    for folder in missing_folders(seen.target):
        os.mkdir(folder)
    with open(seen.target, "rb") as file:
        if file.read() == seen.content:
            return
    atomic_write.replace(seen.target, seen.content, seen.mode)


def _refuse_changed(seen: Seen) -> None:
    try:
        with open(seen.target, "rb") as file:
            now = file.read()
    except FileNotFoundError:
        now = None
    if now != seen.content:
        raise Unavailable(
            f"{seen.target} was changed by another program in the meantime.",
            "Nothing was written. Run the command again, preferably while the agent is not "
            "running.",
        )


class Lock:
    """One setup at a time: the kernel's lock on a file, which ends with the process.

    Raises Unavailable where another one keeps it for longer than ten seconds, OSError where the
    folder cannot be written. Leaving it removes the file, and the folder where it is empty.
    """

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, LOCK)
        self._handle = -1
        self._made: tuple[str, ...] = ()

    def __enter__(self) -> Lock:
        end = time.monotonic() + _WAIT_SECONDS
        while not self._take():
            if time.monotonic() > end:
                raise Unavailable(
                    "Another `gitmem setup` is running.",
                    "Wait for it to finish and run the command again.",
                )
            time.sleep(0.02)
        return self

    def _take(self) -> bool:
        folders = missing_folders(self._path)
        for folder in folders:
            with suppress(FileExistsError):
                os.mkdir(folder, 0o700)
        self._made = self._made or folders
        try:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except FileNotFoundError:
            return False  # the one before us removed the folder
        try:
            # The one before us may have removed the file that we opened.
            if lock.taken(handle) and os.path.samestat(os.fstat(handle), os.stat(self._path)):
                self._handle = handle
                return True
        except FileNotFoundError:
            pass
        except OSError:
            os.close(handle)
            raise
        os.close(handle)
        return False

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with suppress(OSError):
            os.unlink(self._path)
        with suppress(OSError):
            os.rmdir(os.path.dirname(self._path))
        os.close(self._handle)
