"""Changing files of other programs, such as git hooks and configuration of agents, without loss.

Files are written atomically. Several are written as one: where one fails, the others are restored.
A file that another program changed meanwhile is not overwritten.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from gitmem.errors import ForeignFile, Unavailable
from gitmem.files import atomic_write
from gitmem.model.frozen import dataclass, replace

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_BYTES = 32 << 20
_NOT_OURS = (".git", ".gitmem")


@dataclass(frozen=True, slots=True)
class FileSnapshot:
    """A file's ``content`` (None: no file), permissions and path (``target``, links followed)."""

    target: str
    content: bytes | None = None
    mode: int = 0


@dataclass(frozen=True, slots=True)
class FileEdit:
    """A change of a file from ``before`` to ``content``; None means that no file is left.

    ``created_folders`` were created for the file, the innermost last: they are removed with it if
    they are empty then. ``keeps_owner``: where root writes, the file keeps its owner.
    """

    before: FileSnapshot
    content: bytes | None
    created_folders: tuple[str, ...] = ()
    keeps_owner: bool = False


def read_file_snapshot(path: str) -> tuple[FileSnapshot, str]:
    """(FileSnapshot of the file at ``path``, why it must not be changed or "").

    Such as "a symbolic link" or "larger than 32 MB": then the state has no content. Raises OSError
    if it cannot be read.
    """
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return FileSnapshot(path), ""
    if not stat.S_ISREG(status.st_mode):
        return FileSnapshot(path), "a symbolic link" if stat.S_ISLNK(
            status.st_mode
        ) else "not a file"
    with open(path, "rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        return FileSnapshot(path), f"larger than {MOST_BYTES >> 20} MB"
    return FileSnapshot(path, content, stat.S_IMODE(status.st_mode)), ""


def snapshot_of_changeable_file(file_path: str, allowed_root: str) -> FileSnapshot:
    """The FileSnapshot of the file at ``file_path``, after checking that it may be changed there.

    A link is followed within its own folder only; folders on the way may be links that stay inside
    the project's folder ``allowed_root`` (empty: not checked). Raises ForeignFile for other links,
    another user's file and whatever is no file, Unavailable if it cannot be read.
    """
    folder = os.path.realpath(os.path.dirname(file_path))
    if allowed_root and not is_inside_folder(folder, os.path.realpath(allowed_root)):
        raise _strange(file_path, "is behind a symbolic link that leads out of the project")
    if allowed_root and any(
        is_inside_folder(folder, os.path.join(os.path.realpath(allowed_root), n)) for n in _NOT_OURS
    ):
        raise _strange(file_path, "is behind a symbolic link that leads into the git directory")
    target = os.path.join(folder, os.path.basename(file_path))
    if os.path.islink(target):
        target = os.path.realpath(target)
        if os.path.dirname(target) != folder:
            raise _strange(file_path, "is a symbolic link that leads out of its folder")
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder):
        raise _strange(file_path, f"cannot exist: {folder} is not a folder")
    if os.path.isdir(target):
        raise _strange(file_path, "is a folder, not a file")
    try:
        before, reason = read_file_snapshot(target)
        # Also for root: what root writes into a user's file, the user cannot remove.
        may_be_foreign = before.content is not None and os.name == "posix"
        if may_be_foreign and os.lstat(target).st_uid != os.geteuid():
            raise _strange(file_path, "belongs to another user")
    except OSError as error:
        raise Unavailable(
            f"{file_path} cannot be read: {error.strerror}.",
            "Check its permissions; nothing was written.",
        ) from error
    if reason:
        raise _strange(file_path, f"is {reason}")
    return before


def _strange(path: str, what: str) -> ForeignFile:
    return ForeignFile(
        f"{path} {what}.",
        "Nothing was written. Move the file away, or name the agents: gitmem setup AGENT.",
    )


def is_inside_folder(path: str, folder: str) -> bool:
    """Whether a path is the folder or is inside it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def missing_parent_folders(path: str) -> tuple[str, ...]:
    """The folders that must be created before the file ``path`` can be, the innermost last."""
    folders: list[str] = []
    folder = os.path.dirname(path)
    while folder and not os.path.isdir(folder):
        folders.insert(0, folder)
        folder = os.path.dirname(folder)
    return tuple(folders)


def write_all_files(edits: Sequence[FileEdit]) -> None:
    """Carry out every change of a file, or none: after an error the earlier ones are undone.

    Raises OSError, and Unavailable where a file is no longer as in ``before``.
    """
    done: list[FileEdit] = []
    try:
        for change in edits:
            if _content(change.before.target) != change.before.content:
                raise Unavailable(
                    f"{change.before.target} was changed by another program in the meantime.",
                    "Nothing was written. Run the command again, preferably while the agent is "
                    "not running.",
                )
            done.append(change)
            _write(change)
    except BaseException:
        for change in reversed(done):
            with suppress(OSError):
                old = change.before.content
                if old is None or _content(change.before.target) != old:
                    _write(replace(change, content=old))
        raise


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _write(change: FileEdit) -> None:
    target = change.before.target
    if change.content is None:
        with suppress(FileNotFoundError):
            os.unlink(target)
        for folder in reversed(change.created_folders):
            with suppress(OSError):
                os.rmdir(folder)
        return
    for folder in missing_parent_folders(target):
        os.mkdir(folder)
    mode, keeps_owner = change.before.mode, change.keeps_owner
    atomic_write.replace_file(target, change.content, mode, keeps_owner=keeps_owner)
