"""What stands on the disk around a store, judged before SQLite ever reads it.

A clone or an unpacked archive can put a file where the store would be. So the path is looked at
without following links, and the first hundred bytes must say that gitmem made the file.
https://www.sqlite.org/fileformat.html#the_database_header
"""

from __future__ import annotations

import os
import stat

from gitmem.errors import NotOurs, ReadOnly, StoreDamaged, StoreTooNew, Unavailable

APPLICATION_ID = 0x676D656D  # "gmem"
FILE_NAME = "memory.db"
FOLDER = ".gitmem"
_MAGIC = b"SQLite format 3\x00"
# File systems on which SQLite's shared memory does not work across machines (CC-15).
_NO_SHARED_MEMORY = ("nfs", "cifs", "smb", "9p", "fuse.sshfs", "vboxsf", "prl_fs", "drvfs", "afs")


def create_folder(folder: str) -> None:
    """Make the store's folder, private to its owner, invisible to git.

    Raises ReadOnly where the place cannot be written.
    """
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        os.chmod(folder, 0o700)
        ignore = os.path.join(folder, ".gitignore")
        if not os.path.lexists(ignore):
            handle = os.open(ignore, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w") as out:
                out.write("*\n")
    except OSError as error:
        raise ReadOnly(
            f"The folder {folder} cannot be made: {error.strerror}.",
            "gitmem keeps its store there; make the folder writable and try again.",
        ) from error


def check(path: str) -> int:
    """The schema version of the store at ``path``, after checking that it is ours.

    Raises NotOurs (a link, somebody else's file, another program's database), StoreDamaged (not
    a database at all) or Unavailable (unreadable).
    """
    for place in (os.path.dirname(path), path):
        _check_owner(place)
    try:
        with open(path, "rb") as file:
            header = file.read(100)
    except OSError as error:
        raise Unavailable(
            f"The store {path} cannot be read: {error.strerror}.",
            "Check the permissions of the file.",
        ) from error
    return _version(path, header)


def refuse_newer(path: str, version: int, known: int) -> None:
    """Raise StoreTooNew where a newer gitmem wrote the store."""
    if version > known:
        raise StoreTooNew(
            f"The store {path} has schema version {version}; this gitmem knows up to {known}.",
            "Upgrade gitmem: `pip install -U gitmem`. The store was not touched.",
        )


def _check_owner(path: str) -> None:
    found = os.lstat(path)
    if stat.S_ISLNK(found.st_mode):
        raise NotOurs(
            f"{path} is a symbolic link.",
            "gitmem follows no link to a store; put the real folder there or remove the link.",
        )
    if os.name != "posix":
        return
    # Root may read what it likes, so for it the question carries no protection.
    if os.geteuid() not in (0, found.st_uid):
        raise NotOurs(
            f"{path} belongs to another user.",
            "gitmem opens only stores that you own.",
        )
    if found.st_mode & 0o022:
        raise NotOurs(
            f"{path} can be written by other users.",
            f"Run `chmod go-w {path}` if the file is yours.",
        )


def _version(path: str, header: bytes) -> int:
    if len(header) < 100 or not header.startswith(_MAGIC):
        raise StoreDamaged(
            f"{path} is not a SQLite database: it is damaged, or another program wrote it.",
            "The file was left as it is. Move it away and run `gitmem restore-backup` or "
            "`gitmem init`.",
        )
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise NotOurs(
            f"{path} is a database that gitmem did not make.",
            "It was left as it is. Move it away and run `gitmem init`.",
        )
    return int.from_bytes(header[60:64], "big")


def journal_mode(folder: str) -> str:
    """``wal``, or ``delete`` where the file system shares no memory between processes."""
    kind = file_system(folder)
    return "delete" if kind.startswith(_NO_SHARED_MEMORY) else "wal"


def file_system(folder: str, mounts: str = "/proc/self/mountinfo") -> str:
    """The type of the file system that holds ``folder``; empty where the kernel does not say.

    The mount table is asked, since the statistics call lies about some network file systems.
    """
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as table:
            lines = table.read().splitlines()
    except OSError:
        return ""
    wanted = os.path.realpath(folder).rstrip("/") + "/"
    best, kind = -1, ""
    for line in lines:
        before, _, after = line.partition(" - ")
        fields = before.split(" ")
        if len(fields) < 5 or not after:
            continue
        mount = fields[4].replace("\\040", " ").rstrip("/") + "/"
        if wanted.startswith(mount) and len(mount) >= best:
            best, kind = len(mount), after.split(" ", 1)[0]
    return kind
