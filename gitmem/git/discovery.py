"""Folders and git directories, told by what stands in them: stats and small files, no process."""

from __future__ import annotations

import os

from gitmem.errors import NotARepository


def real_folder(start: str) -> str:
    """The folder ``start``, or the one of that file, without links. Raises NotARepository."""
    try:
        folder = os.path.realpath(start)
        there = os.path.exists(folder)
    except (OSError, ValueError):
        there = False
    if not there:
        raise NotARepository(f"There is no folder {start!r}.", "Give the path of a repository.")
    return folder if os.path.isdir(folder) else os.path.dirname(folder)


def upward(folder: str) -> list[str]:
    """The folder and all above it, nearest first."""
    places = [folder]
    while (above := os.path.dirname(places[-1])) != places[-1]:
        places.append(above)
    return places


def is_git_dir(path: str) -> bool:
    """What git calls one: HEAD, and objects and refs here or in the common directory."""
    head = os.path.join(path, "HEAD")
    if not (os.path.isfile(head) or os.path.islink(head)):
        return False
    common = common_dir(path)
    return os.path.isdir(os.path.join(common, "objects")) and os.path.isdir(
        os.path.join(common, "refs")
    )


def common_dir(git_dir: str) -> str:
    """The git directory that all worktrees share; mostly the same one."""
    told = read_small(os.path.join(git_dir, "commondir")).strip()
    return os.path.realpath(os.path.join(git_dir, told)) if told else git_dir


def follow(git_file: str) -> str:
    """The git directory that a ``.git`` file names. Raises NotARepository where there is none."""
    words = read_small(git_file)
    if not words.startswith("gitdir:"):
        raise NotARepository(f"{git_file} is not a valid .git file.", "Check its content.")
    told = words.removeprefix("gitdir:").strip("\r\n").strip(" ")
    target = os.path.join(os.path.dirname(git_file), told)
    if not is_git_dir(target):
        raise NotARepository(
            f"{git_file} points to {told}, which is no longer a git directory.",
            "Was the worktree removed or the main repository moved? git worktree repair "
            "(run in the main repository) fixes the latter.",
        )
    return target


def read_small(path: str) -> str:
    """A small file's text; empty when it cannot be read."""
    try:
        with open(path, "rb") as file:
            return os.fsdecode(file.read(1 << 16))
    except OSError:
        return ""
