"""Checking a store's path and folder before SQLite reads the file.

A clone or an unpacked archive can put a file where the store would be. So the path is examined
without following links, and the first hundred bytes must say that gitmem made the file.
https://www.sqlite.org/fileformat.html#the_database_header
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress

from gitmem.errors import (
    DiskFull,
    ForeignFile,
    GitmemError,
    ReadOnly,
    StoreDamaged,
    StoreTooNew,
    Unavailable,
    unavailable_from_os_error,
)

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterator

APPLICATION_ID = 0x676D656D  # "gmem"
FILE_NAME = "memory.db"
FOLDER = ".gitmem"
USAGE = ".usage"  # appended to the store's name: the log of usage counts
INCOMING = ".incoming"  # likewise: a file about to replace the store (``store.file.exchange``)
SIDES = ("-wal", "-shm", "-journal")  # files that SQLite keeps beside a database
# The folders that gitmem makes beside a store.
FOLDERS = frozenset(("backups", "spool", "sessions", "hooks-seen", "tuned", "plain.git"))
# Checked where it is read: a strange one is reported and stops no other command.
_SETTINGS = "config.toml"
_MAGIC = b"SQLite format 3\x00"
MOUNTS = "/proc/self/mountinfo"
# In a database's header: that it has a write-ahead log.
_WAL = b"\x02\x02"
# File systems on which SQLite's shared memory does not work across machines.
_NO_SHARED_MEMORY = (
    *("nfs", "cifs", "smb", "9p", "afs", "ceph", "lustre", "glusterfs", "beegfs", "gfs2", "ocfs2"),
    # Folders shared with a virtual machine or container, and file systems made by programs.
    *("virtiofs", "vboxsf", "prl_fs", "drvfs", "fakeowner", "osxfs", "grpcfuse", "fuse."),
)


def store_exists(store_path: str) -> bool:
    """Whether a store is at ``store_path``, or its copy that an interrupted restore left beside it.

    Raises Unavailable where the disk does not answer, since then there may be one.
    """
    return _is_there(store_path) or _is_there(store_path + INCOMING)


def _is_there(path: str) -> bool:
    try:
        os.lstat(path)
    except OSError as error:
        if failed := unavailable_from_os_error(error):
            raise failed from error
        return False
    except ValueError:  # no path at all
        return False
    return True


def create_store_folder(folder: str) -> None:
    """Make the store's folder, private to its owner, invisible to git.

    A folder that is there already and is not called ``.gitmem`` is somebody's own: nothing in it
    is changed. Raises ReadOnly or DiskFull where it cannot be made, ForeignFile where a link or
    another user's folder stands there.
    """
    try:
        if make_private_folder(folder) or os.path.basename(folder) == FOLDER:
            _refuse_strange(folder, os.lstat(folder))
            check_store_folder_ownership(folder)
            os.chmod(folder, 0o700)
            _hide_from_git(folder)
    except OSError as error:
        raise write_failure_error(error, f"The folder {folder}") from error
    check_path_owner(folder)


def remove_store_folder(folder: str) -> None:
    """Remove the store's folder with everything in it; a link is refused, never followed.

    Raises ForeignFile, ReadOnly.
    """
    import shutil  # noqa: PLC0415 - only for leaving

    try:
        status = os.lstat(folder)
        _refuse_strange(folder, status)
        if not stat.S_ISDIR(status.st_mode):
            raise ForeignFile(f"{folder} is not a folder.", "gitmem did not make it; move it away.")
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise write_failure_error(error, f"The folder {folder}") from error


def make_private_folder(folder: str) -> bool:
    """Make a folder and those missing above it, for the user only; False if it exists already."""
    if os.path.isdir(folder):
        return False
    parent = os.path.dirname(folder)
    if parent != folder:
        make_private_folder(parent)
    try:
        # ``makedirs`` would leave the permissions of the folders above to the umask.
        os.mkdir(folder, 0o700)
    except FileExistsError:
        # Another process made it a moment ago, or a link to nowhere stands there.
        if not os.path.isdir(folder):
            raise
    from gitmem.files.durable import sync_folder_entry  # noqa: PLC0415 - folders are made once

    sync_folder_entry(folder)
    return True


def _hide_from_git(folder: str) -> None:
    try:
        handle = os.open(
            os.path.join(folder, ".gitignore"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600
        )
    except FileExistsError:
        return
    with os.fdopen(handle, "w") as out:
        out.write("*\n")


def write_failure_error(error: OSError, sentence_start: str) -> GitmemError:
    """DiskFull or ReadOnly for an OSError on writing.

    The message begins with ``sentence_start`` ("The folder x") and goes on "cannot be written".
    """
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return DiskFull(
            f"{sentence_start} cannot be written: {error.strerror}.",
            "Free some space and run the command again; nothing was lost.",
        )
    return ReadOnly(
        f"{sentence_start} cannot be written: {error.strerror}.",
        "Check that the folder exists and that you can write to it.",
    )


def check_store_file_owner_and_format(path: str) -> int:
    """Check that the file at ``path`` is a store of the user's; returns its schema version.

    Raises ForeignFile (a link, somebody else's file, another program's database), StoreDamaged (not
    a database at all) or Unavailable (unreadable).
    """
    check_path_owner(os.path.dirname(path))
    return check_store_copy_owner_and_format(path)


def check_store_folder_ownership(folder: str) -> None:
    """Raise ForeignFile if a link or another user's file is in a store's folder.

    gitmem's writes would go elsewhere through a link. In a folder that is not called ``.gitmem``
    only the folders that gitmem makes are checked. Raises Unavailable where it cannot be read.
    """
    for problem in find_foreign_files(folder):
        raise problem


def find_foreign_files(
    folder: str, *, recursive: bool = False, check_unknown_names: bool | None = None
) -> Iterator[ForeignFile]:
    """Yield an error for each foreign entry (link, other user's, mounted ...) in a store's folder.

    ``recursive`` looks in subfolders too. ``check_unknown_names``: entries of all names are
    checked, as in ``.gitmem``, or only the folders that gitmem makes; None: by the folder's name.
    Raises Unavailable where the folder cannot be read.
    """
    check_unknown_names = (
        os.path.basename(folder) == FOLDER if check_unknown_names is None else check_unknown_names
    )
    try:
        device = os.lstat(folder).st_dev
        with os.scandir(folder) as entries:
            inside = [entry for entry in entries if check_unknown_names or entry.name in FOLDERS]
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise Unavailable(
            f"The folder {folder} cannot be read: {error.strerror}.",
            f"Run `chmod u+rwx {folder}` if the folder is yours.",
        ) from error
    for entry in inside:
        if entry.name == _SETTINGS and not recursive:
            continue
        with suppress(FileNotFoundError):  # what another process has just removed
            status = entry.stat(follow_symlinks=False)
            problem = _strange(entry.path, status, device)
            if problem is not None:
                yield problem
            elif recursive and stat.S_ISDIR(status.st_mode):
                yield from find_foreign_files(entry.path, recursive=True, check_unknown_names=True)


def _strange(path: str, status: os.stat_result, device: int) -> ForeignFile | None:
    """Why nothing may be written to an entry of a store's folder; None where it may."""
    if stat.S_ISLNK(status.st_mode):
        return ForeignFile(
            f"{path} is a symbolic link, and what gitmem writes there would go elsewhere.",
            f"gitmem did not make it. Look where it leads, then remove it: `rm {path}`.",
        )
    if os.name == "posix" and os.geteuid() not in (0, status.st_uid):
        return ForeignFile(
            f"{path} belongs to another user.",
            f"If the folder is yours: `sudo chown -R $USER {os.path.dirname(path)}`.",
        )
    if status.st_dev != device:
        return ForeignFile(
            f"{path} is a mounted file system, and what gitmem writes there would go elsewhere.",
            f"Whoever mounted it can take it away: `umount {path}`.",
        )
    if os.path.basename(path) in FOLDERS and not stat.S_ISDIR(status.st_mode):
        return ForeignFile(f"{path} is not a folder.", "gitmem did not make it; move it away.")
    if not stat.S_ISDIR(status.st_mode) and not stat.S_ISREG(status.st_mode):
        return ForeignFile(f"{path} is not a file.", "gitmem did not make it; move it away.")
    return None


def check_store_copy_owner_and_format(path: str) -> int:
    """Check the file of a store, but not its folder, as for a copy; returns its schema version.

    Raises ForeignFile, StoreDamaged or Unavailable, as ``check_store_file_owner_and_format``.
    """
    check_path_owner(path, must_be_regular_file=True)
    _refuse_strange_beside(path)
    try:
        with open(path, "rb") as file:
            header = file.read(100)
    except OSError as error:
        raise Unavailable(
            f"The store {path} cannot be read: {error.strerror}.",
            "Check the permissions of the file.",
        ) from error
    return _version(path, header)


def refuse_newer_store(store_path: str, store_version: int, newest_supported_version: int) -> None:
    """Raise StoreTooNew if a newer gitmem wrote the store at ``store_path``.

    Both numbers are schema versions, as ``check_store_file_owner_and_format`` returns them.
    """
    if store_version > newest_supported_version:
        raise StoreTooNew(
            f"The store {store_path} has schema version {store_version}; "
            f"this gitmem knows up to {newest_supported_version}.",
            "Upgrade gitmem: `git pull` and `pip install .` in your clone of it. "
            "The store was not touched.",
        )


def check_path_owner(path: str, *, must_be_regular_file: bool = False) -> None:
    """Raise ForeignFile if a path is a link, belongs to another user or is writable by others.

    With ``must_be_regular_file`` also if it is not a regular file. Raises Unavailable where it
    cannot be reached.
    """
    try:
        status = os.lstat(path)
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be reached: {error.strerror}.", "Check that it exists."
        ) from error
    _refuse_strange(path, status)
    # Opening a named pipe would wait for ever.
    if must_be_regular_file and not stat.S_ISREG(status.st_mode):
        raise ForeignFile(f"{path} is not a file.", "Move it away and run `gitmem init`.")
    if os.name == "posix" and status.st_mode & 0o022:
        raise ForeignFile(
            f"{path} can be written by other users.",
            f"Run `chmod go-w {path}` if the file is yours.",
        )


def _refuse_strange_beside(path: str) -> None:
    """Raise ForeignFile where a side file of SQLite is not regular: a pipe would block for ever."""
    for ending in SIDES:
        with suppress(OSError):
            if not stat.S_ISREG(os.lstat(path + ending).st_mode):
                raise ForeignFile(
                    f"{path + ending} is not a file, and SQLite would open it.", "Move it away."
                )


def _refuse_strange(path: str, status: os.stat_result) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise ForeignFile(
            f"{path} is a symbolic link.",
            "gitmem does not follow links to a store; put the real folder there or remove "
            "the link.",
        )
    # Root may read any file, so for root this check protects nothing.
    if os.name == "posix" and os.geteuid() not in (0, status.st_uid):
        raise ForeignFile(
            f"{path} belongs to another user.",
            "gitmem opens only stores that you own.",
        )


def _version(path: str, header: bytes) -> int:
    if len(header) < 100 or not header.startswith(_MAGIC):
        raise StoreDamaged(
            f"{path} is not a SQLite database: it is damaged, or another program wrote it.",
            "The file was left as it is. `gitmem recover` makes a new store of what can be read "
            "and of the backups.",
        )
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise ForeignFile(
            f"{path} is a database that gitmem did not create.",
            "The file was not changed. Move it away and run `gitmem init`.",
        )
    return int.from_bytes(header[60:64], "big")


def choose_journal_mode(folder: str) -> str:
    """SQLite's journal mode for a folder: ``wal``, or ``delete`` on a network or shared disk."""
    kind = file_system_type(folder)
    # Plain "fuse" is any program's; "fuseblk" is a local disk.
    return "delete" if kind == "fuse" or kind.startswith(_NO_SHARED_MEMORY) else "wal"


def has_write_ahead_log_on_network_disk(store_path: str) -> bool:
    """Whether the store at ``store_path`` is in WAL mode on a network disk, where that fails.

    This happens if it was moved or copied there. False where the file cannot be read.
    """
    try:
        if os.name != "posix" or os.major(os.stat(store_path).st_dev):
            return False
        ahead = uses_write_ahead_log(store_path)
    except OSError:
        return False
    return ahead and choose_journal_mode(os.path.dirname(store_path)) == "delete"


def uses_write_ahead_log(store_path: str) -> bool:
    """Whether the store at ``store_path`` is in WAL mode, by its header. Raises OSError."""
    with open(store_path, "rb") as file:
        return file.read(20)[18:] == _WAL


def file_system_type(folder: str, mount_table: str = "") -> str:
    """The type of the file system that holds ``folder`` (``ext4``); empty if unknown.

    ``mount_table`` is the path of the list of mounts; empty: that of Linux.
    """
    try:
        with open(mount_table or MOUNTS, encoding="utf-8", errors="surrogateescape") as table:
            lines = table.read().splitlines()
    except OSError:
        return ""
    target = os.path.realpath(folder).rstrip("/") + "/"
    best, kind = -1, ""
    for line in lines:
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        mount = fields[4].replace("\\040", " ").rstrip("/") + "/"
        if target.startswith(mount) and len(mount) >= best:
            best, kind = len(mount), after.split(" ", 1)[0]
    return kind
