"""Writing and removing the notes by which ``layout`` finds a main worktree or a plain folder."""

from __future__ import annotations

import os

from gitmem.errors import Conflict, ReadOnly
from gitmem.git.discovery import is_git_dir
from gitmem.git.layout import ROOT_NOTE, RepositoryLayout
from gitmem.git.runner import run_git


def save_main_worktree_location(layout: RepositoryLayout) -> None:
    """Record where a repository's main worktree is, if gitmem could not tell; mostly not needed.

    In a separate git directory that is a file; in a plain folder (one without git), which has to
    have its ``.gitmem``, an empty git directory in there. Raises Conflict in a linked worktree
    without such a file, ReadOnly where nothing can be written.
    """
    common = layout.common_dir
    if layout.plain:
        _make_plain(layout)
        return
    if layout.bare or layout.submodule or os.path.basename(common) == ".git":
        return
    if layout.store_root == common:
        raise Conflict(
            "This worktree cannot locate the main worktree of its repository.",
            "Run `gitmem init` in the main worktree once; this one will find its store.",
        )
    try:
        with open(os.path.join(common, ROOT_NOTE), "wb") as file:
            file.write(os.fsencode(layout.store_root) + b"\n")
    except OSError as error:
        raise ReadOnly(
            f"{common} cannot be written: {error.strerror}.",
            "Make the folder writable: gitmem records there where its store is.",
        ) from error


def remove_main_worktree_location(layout: RepositoryLayout) -> None:
    """Remove the file that ``save_main_worktree_location`` wrote, if any. Raises ReadOnly."""
    try:
        os.unlink(os.path.join(layout.common_dir, ROOT_NOTE))
    except FileNotFoundError:
        return
    except OSError as error:
        raise ReadOnly(
            f"{layout.common_dir} cannot be written: {error.strerror}.",
            f"Delete the file {ROOT_NOTE} in it, which gitmem wrote.",
        ) from error


def _make_plain(layout: RepositoryLayout) -> None:
    if is_git_dir(layout.git_dir):
        return
    # Without a template, which would bring the user's hooks. Bare, since it has no files.
    run_git(["init", "--quiet", "--bare", "--template=", layout.git_dir], cwd=layout.store_root)
