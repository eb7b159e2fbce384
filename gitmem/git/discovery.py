"""Recognising folders and git directories by small files, without running git."""

from __future__ import annotations

import os
import stat

from gitmem.errors import ForeignFile, NotARepository
from gitmem.git import plain_config

# Files that git or gitmem always opens. A pipe or a device among them would block for ever.
_READ_BY_ALL = (
    *("HEAD", "config", "config.worktree", "commondir", "index", "packed-refs", "shallow"),
    *("info/attributes", "info/exclude", "info/grafts", "objects/info/alternates"),
)


def real_folder_path(path: str) -> str:
    """The real path of a folder, or of the folder that a file is in. Raises NotARepository."""
    try:
        folder = os.path.realpath(path)
        exists = os.path.exists(folder)
    except (OSError, ValueError):
        exists = False
    if not exists:
        raise NotARepository(f"There is no folder {path!r}.", "Give the path of a repository.")
    return folder if os.path.isdir(folder) else os.path.dirname(folder)


def folder_and_parents(folder: str) -> list[str]:
    """A folder and all folders above it, the nearest first."""
    places = [folder]
    while (above := os.path.dirname(places[-1])) != places[-1]:
        places.append(above)
    return places


def is_git_dir(path: str) -> bool:
    """Whether a folder is a git directory: it has HEAD, and objects and refs here or in common.

    "Common" is the git directory of the main worktree, which the file ``commondir`` names.
    """
    head = os.path.join(path, "HEAD")
    if not (os.path.isfile(head) or os.path.islink(head)):
        return False
    common = find_common_dir(path)
    return os.path.isdir(os.path.join(common, "objects")) and os.path.isdir(
        os.path.join(common, "refs")
    )


def find_common_dir(git_dir: str) -> str:
    """The git directory that all worktrees of a repository share; often ``git_dir`` itself."""
    path = read_small_text(os.path.join(git_dir, "commondir")).strip()
    return os.path.realpath(os.path.join(git_dir, path)) if path else git_dir


def read_git_file(git_file: str) -> str:
    """The path of the git directory that a ``.git`` file names.

    Raises NotARepository if the file names none, or one that does not exist.
    """
    words = read_small_text(git_file)
    if not words.startswith("gitdir:"):
        raise NotARepository(
            f"{git_file} is not a valid .git file.", "Its first line must be: gitdir: FOLDER"
        )
    path = words.removeprefix("gitdir:").strip("\r\n").strip(" ")
    target = os.path.join(os.path.dirname(git_file), path)
    if not is_git_dir(target):
        raise NotARepository(
            f"{git_file} points to {path}, which is no longer a git directory.",
            "If the main repository was moved, run `git worktree repair` in it. If this worktree "
            "was removed, add it again with `git worktree add`.",
        )
    return target


def is_git_dir_of_folder(folder: str, git_dir: str) -> bool:
    """Whether ``folder/.git`` is the git directory ``git_dir``, or a file that names it."""
    path = os.path.join(folder, ".git")
    if os.path.isfile(path):
        try:
            path = read_git_file(path)
        except NotARepository:
            return False
    return is_same_folder(path, git_dir)


def is_same_folder(path: str, other_path: str) -> bool:
    """Whether two paths lead to the same existing file or folder."""
    try:
        return os.path.samefile(path, other_path)
    except (OSError, ValueError):
        return False


def refuse_pipes_and_devices(git_dir: str, common_dir: str) -> None:
    """Raise ForeignFile if a file that git always reads is a pipe or device, which would block."""
    for folder in {git_dir, common_dir}:
        for name in _READ_BY_ALL:
            path = os.path.join(folder, name)
            try:
                mode = os.stat(path).st_mode
            except (OSError, ValueError):
                continue
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                raise ForeignFile(
                    f"{path} is a pipe or a device: git would wait for its content for ever.",
                    "Remove it. If you did not make it, do not trust anything in this repository.",
                )


def read_small_text(path: str) -> str:
    """The text of a regular file of at most 1 MB; empty if it cannot be read."""
    return plain_config.read_config_text(path)
