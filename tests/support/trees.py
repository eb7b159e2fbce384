"""Copies of folders, for tests that all begin with the same one.

``shutil.copytree`` does the same with four times the CPU: it looks for more than there is here.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path


def copy(source: Path, target: Path) -> None:
    """Copy a folder with all below it: content, rights and times; links stay links.

    Folders may be there already, files may not.
    """
    target.mkdir(parents=True, exist_ok=True)
    _copy(str(source), str(target))


def _copy(source: str, target: str) -> None:
    with os.scandir(source) as entries:
        for entry in entries:
            place = os.path.join(target, entry.name)
            if entry.is_symlink():
                os.symlink(os.readlink(entry.path), place)
            elif entry.is_dir():
                os.makedirs(place, exist_ok=True)
                _copy(entry.path, place)
                os.chmod(place, entry.stat().st_mode & 0o7777)
            else:
                copy_file(entry.path, place, entry.stat())


def copy_file(source: str, target: str, about: os.stat_result) -> None:
    """Copy a file to a place where there is none; ``about`` is what the system knows of it."""
    with open(source, "rb", buffering=0) as file:
        write_file(file.read(), target, about)


def write_file(data: bytes | bytearray, target: str, about: os.stat_result) -> None:
    """Write a file to a place where there is none, with the rights and times of another."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    write = os.open(target, flags, about.st_mode & 0o777)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(write, left) :]
        if os.utime in os.supports_fd:
            os.utime(write, ns=(about.st_atime_ns, about.st_mtime_ns))
    finally:
        os.close(write)
    if os.utime not in os.supports_fd:
        os.utime(target, ns=(about.st_atime_ns, about.st_mtime_ns))
    if about.st_mode & _TAKEN:
        os.chmod(target, about.st_mode & 0o7777)


class Kept:
    """A folder that is read once and written many times, while nobody changes it."""

    def __init__(self, folder: Path) -> None:
        # Path below the folder, what the system knows of it, and the content or what it links to.
        self._entries: list[tuple[str, os.stat_result, bytes]] = []
        self._read(str(folder), "")

    def write(self, target: Path) -> None:
        """Write what ``copy`` would; the folder itself may be there already, nothing else may."""
        target.mkdir(parents=True, exist_ok=True)
        for path, about, data in self._entries:
            place = f"{target}/{path}"
            if stat.S_ISREG(about.st_mode):
                write_file(data, place, about)
            elif stat.S_ISLNK(about.st_mode):
                os.symlink(data, place)
            else:
                os.mkdir(place, about.st_mode & 0o777)
                if about.st_mode & _TAKEN:
                    os.chmod(place, about.st_mode & 0o7777)

    def _read(self, folder: str, below: str) -> None:
        with os.scandir(folder) as entries:
            for entry in entries:
                about, data = entry.stat(follow_symlinks=False), b""
                if entry.is_symlink():
                    data = os.fsencode(os.readlink(entry.path))
                elif not entry.is_dir():
                    data = Path(entry.path).read_bytes()
                self._entries.append((below + entry.name, about, data))
                if stat.S_ISDIR(about.st_mode):
                    self._read(entry.path, f"{below}{entry.name}/")


def _not_given() -> int:
    """The rights that this process gives no new file, and those beyond reading and writing."""
    mask = os.umask(0)
    os.umask(mask)
    return mask | 0o7000


_TAKEN = _not_given()
