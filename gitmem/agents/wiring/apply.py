"""Carrying out a plan under a lock: first the manifests, then all files or none."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from gitmem.agents.hosts.host import PROJECT, SCOPES, USER
from gitmem.agents.wiring import manifest
from gitmem.errors import Unavailable
from gitmem.files import foreign_file, lock
from gitmem.files.foreign_file import FileEdit, FileSnapshot
from gitmem.model.frozen import dataclass
from gitmem.store.db import preflight

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gitmem.agents.wiring.manifest import Records, SetupRecord
    from gitmem.agents.wiring.plan import FileChange

_TREE = "tree-"
_LOCK, _WAIT_SECONDS = "lock", 10.0


@dataclass(frozen=True, slots=True)
class SetupFolders:
    """The folders of a setup: the project, its ``.gitmem`` (``store``), the user's data folder.

    A folder is empty if there is none. ``tree`` is git's name of a linked worktree: the worktrees
    share one ``.gitmem``, but each has a list of its own of the files that setup wrote.
    ``is_known``: this user set gitmem up here, so that list did not come with an archive. ``main``
    is the folder of the main worktree if this one is linked: agent programs read some files there.
    """

    project: str
    store: str
    data: str
    tree: str = ""
    is_known: bool = False
    main: str = ""

    def manifest_folder(self, scope: str) -> str:
        """The folder with the list of what setup wrote for ``scope`` (project, user), or empty."""
        base = self.store if scope == PROJECT else self.data
        if not base:
            return ""
        folder = os.path.join(base, manifest.FOLDER)
        return os.path.join(folder, _TREE + self.tree) if scope == PROJECT and self.tree else folder

    def other_worktree_setup_records(self) -> dict[str, list[SetupRecord]]:
        """Worktree -> SetupRecords of the files that setup wrote there, for the project's others.

        The key is git's name of the worktree, "" for the main one. Paths are as if in this
        worktree.
        """
        folders: list[str] = []
        main = os.path.join(self.store, manifest.FOLDER)
        with suppress(OSError):
            folders = ["", *(name for name in os.listdir(main) if name.startswith(_TREE))]
        return {
            folder.removeprefix(_TREE): list(
                manifest.load_manifest(os.path.join(main, folder), self.project).values()
            )
            for folder in folders
            if folder.removeprefix(_TREE) != self.tree
        }

    def root_folder_of_scope(self, scope: str) -> str:
        """The folder that setup's paths must not leave: the project's; "" (any) for scope user."""
        return self.project if scope == PROJECT else ""

    def setup_records_by_scope(self) -> Records:
        """What setup wrote: scope (project, user) -> path -> SetupRecord of the file."""
        return {
            scope: manifest.load_manifest(
                self.manifest_folder(scope), self.root_folder_of_scope(scope)
            )
            for scope in SCOPES
            if self.manifest_folder(scope)
        }

    def trusted_setup_records_by_scope(self) -> Records:
        """Like ``setup_records_by_scope``, but only what surely was written for this user.

        Files that were written in the main worktree are included.
        """
        records = self.setup_records_by_scope()
        if not self.is_known:
            records.pop(PROJECT, None)
        elif self.main:
            main = manifest.load_manifest(os.path.join(self.store, manifest.FOLDER), self.main)
            records[PROJECT] = main | records.get(PROJECT, {})
        return records

    def belongs_to_this_worktree(self, path: str) -> bool:
        """Whether a project's file lies in this worktree and not in another, the main one."""
        return not self.main or foreign_file.is_inside_folder(path, self.project)

    def read_file_snapshot(self, path: str, scope: str) -> FileSnapshot:
        """The FileSnapshot of a file for setup; ``scope`` (project, user) is whose file it is.

        Raises ForeignFile if setup must not change it, Unavailable if it cannot be read.
        """
        root = (
            self.root_folder_of_scope(scope)
            if self.belongs_to_this_worktree(path)
            else self.main * (scope == PROJECT)
        )
        return foreign_file.snapshot_of_changeable_file(path, root)


def apply_changes(
    folders: SetupFolders, plan_changes: Callable[[], list[FileChange]]
) -> list[FileChange]:
    """Carry out the changes of files that ``plan_changes`` returns, all or none; returns them.

    ``plan_changes`` may be called twice, the second time under a lock. Raises what it raises,
    ReadOnly, DiskFull and Unavailable; then nothing was written.
    """
    steps = plan_changes()
    records = folders.setup_records_by_scope()
    scopes = {
        step.scope
        for step in steps
        if step.is_change or step.record != records.get(step.scope, {}).get(step.path)
    }
    if not scopes:
        return steps
    try:
        with ExitStack() as stack:
            # Always in this order, so that two processes cannot wait for each other.
            for scope in (USER, PROJECT):
                if scope in scopes:
                    if scope == PROJECT and not os.path.isdir(folders.store):
                        preflight.create_store_folder(folders.store)
                    stack.callback(_remove_empty_folders, folders, scope)
                    stack.enter_context(_exclusive(folders.manifest_folder(scope)))
            steps = plan_changes()
            _commit(folders, steps, scopes)
    except OSError as error:
        raise preflight.write_failure_error(
            error, error.filename or "A configuration file"
        ) from error
    return steps


def _remove_empty_folders(folders: SetupFolders, scope: str) -> None:
    """Remove the scope's folders if empty; ``.gitmem`` also if only its ``.gitignore`` is left."""
    if scope == PROJECT:
        with suppress(OSError):  # it may still hold another worktree's folder
            os.rmdir(os.path.join(folders.store, manifest.FOLDER))
        with suppress(OSError):
            if os.listdir(folders.store) == [".gitignore"]:
                os.unlink(os.path.join(folders.store, ".gitignore"))
                os.rmdir(folders.store)
        return
    with suppress(OSError):
        os.rmdir(folders.data)


def _commit(folders: SetupFolders, file_changes: Sequence[FileChange], scopes: set[str]) -> None:
    old = folders.setup_records_by_scope()
    for scope in scopes:
        fresh = dict(old.get(scope, {}))
        for step in file_changes:
            if step.scope == scope:
                fresh.pop(step.path, None)
                if step.record is not None:
                    fresh[step.path] = step.record
        manifest.save_manifest(
            folders.manifest_folder(scope), folders.root_folder_of_scope(scope), fresh
        )
    try:
        changes = []
        for step in file_changes:
            if step.is_change:
                record = step.record or old.get(step.scope, {}).get(step.path)
                changes.append(FileEdit(step.file, step.content, record.made if record else ()))
        foreign_file.write_all_files(changes)
    except BaseException:
        for scope in scopes:
            with suppress(OSError):
                manifest.save_manifest(
                    folders.manifest_folder(scope),
                    folders.root_folder_of_scope(scope),
                    old.get(scope, {}),
                )
        raise


@contextmanager
def _exclusive(folder: str) -> Iterator[None]:
    """Let one setup run at a time, with a lock of the kernel, which ends with the process.

    Removes the lock file afterwards, and the folder if it is empty. Raises Unavailable if another
    setup holds the lock for more than ten seconds, OSError if the folder cannot be written.
    """
    path = os.path.join(folder, _LOCK)
    end = time.monotonic() + _WAIT_SECONDS
    while (handle := _try_lock(path)) is None:
        if time.monotonic() > end:
            raise Unavailable(
                "Another `gitmem setup` is running.",
                "Wait for it to finish and run the command again.",
            )
        time.sleep(0.02)
    try:
        yield
    finally:
        with suppress(OSError):
            os.unlink(path)
        with suppress(OSError):
            os.rmdir(folder)
        os.close(handle)


def _try_lock(path: str) -> int | None:
    """The open, locked file; None if another process holds it or has just removed it."""
    for folder in foreign_file.missing_parent_folders(path):
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
    with suppress(FileNotFoundError):
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if lock.try_lock_file(handle) and os.path.samestat(os.fstat(handle), os.stat(path)):
                return handle
        except OSError:
            os.close(handle)
            raise
        os.close(handle)
    return None
