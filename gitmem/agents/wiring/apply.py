"""Carrying out a plan: under a lock, manifests first, then the files, all of them or none."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

from gitmem.agents.hosts.host import PROJECT, SCOPES, USER
from gitmem.agents.wiring import manifest
from gitmem.errors import Unavailable
from gitmem.files import foreign_file, lock
from gitmem.files.foreign_file import Change, Seen
from gitmem.model.frozen import dataclass
from gitmem.store.db import preflight

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gitmem.agents.wiring.manifest import Record, Records
    from gitmem.agents.wiring.plan import Step

_TREE = "tree-"
_LOCK, _WAIT_SECONDS = "lock", 10.0


@dataclass(frozen=True, slots=True)
class Ground:
    """Where things lie: the worktree, ``.gitmem`` and the user's data folder; empty: not there.

    ``tree`` is git's name of a linked worktree. All share one ``.gitmem``, and each has files of
    its own, so each has a manifest. ``is_known``: gitmem was set up here by this user, so that the
    project's manifest is theirs and did not come with an archive. ``main`` is the main worktree's
    folder where this one is linked: hosts read some files there.
    """

    project: str
    store: str
    data: str
    tree: str = ""
    is_known: bool = False
    main: str = ""

    def folder(self, scope: str) -> str:
        """The folder of a scope's manifest."""
        base = self.store if scope == PROJECT else self.data
        if not base:
            return ""
        own = os.path.join(base, manifest.FOLDER)
        return os.path.join(own, _TREE + self.tree) if scope == PROJECT and self.tree else own

    def elsewhere(self) -> dict[str, list[Record]]:
        """What stands in the project's other worktrees, as if it stood here: name to records.

        The main one has no name.
        """
        folders: list[str] = []
        main = os.path.join(self.store, manifest.FOLDER)
        with suppress(OSError):
            folders = ["", *(one for one in os.listdir(main) if one.startswith(_TREE))]
        return {
            one.removeprefix(_TREE): list(
                manifest.load(os.path.join(main, one), self.project).values()
            )
            for one in folders
            if one.removeprefix(_TREE) != self.tree
        }

    def root(self, scope: str) -> str:
        """What paths in a scope's manifest are relative to, and must not lead out of."""
        return self.project if scope == PROJECT else ""

    def records(self) -> Records:
        """What is known of both scopes."""
        return {
            scope: manifest.load(self.folder(scope), self.root(scope))
            for scope in SCOPES
            if self.folder(scope)
        }

    def believed(self) -> Records:
        """What setup wrote by records that no stranger can have made; in the main worktree too."""
        known = self.records()
        if not self.is_known:
            known.pop(PROJECT, None)
        elif self.main:
            main = manifest.load(os.path.join(self.store, manifest.FOLDER), self.main)
            known[PROJECT] = main | known.get(PROJECT, {})
        return known

    def is_here(self, path: str) -> bool:
        """Whether a file of the project lies in this worktree, not in the main one."""
        return not self.main or foreign_file.is_below(path, self.project)

    def look(self, path: str, scope: str) -> Seen:
        """A file of a scope. Raises NotOurs, Unavailable."""
        root = self.root(scope) if self.is_here(path) else self.main * (scope == PROJECT)
        return foreign_file.look(path, root)


def run(ground: Ground, decide: Callable[[], list[Step]]) -> list[Step]:
    """Decide, and do it where something is to be done; the steps that were taken.

    It is decided again under the lock. Raises what ``decide`` raises, ReadOnly, DiskFull,
    Unavailable; then nothing was written.
    """
    steps = decide()
    records = ground.records()
    scopes = {
        step.scope
        for step in steps
        if step.is_change or step.record != records.get(step.scope, {}).get(step.path)
    }
    if not scopes:
        return steps
    try:
        with ExitStack() as stack:
            # Always in this order: two that want both cannot wait for each other.
            for scope in (USER, PROJECT):
                if scope in scopes:
                    if scope == PROJECT and not os.path.isdir(ground.store):
                        preflight.create_folder(ground.store)
                    stack.callback(_tidy, ground, scope)
                    stack.enter_context(_alone(ground.folder(scope)))
            steps = decide()
            _commit(ground, steps, scopes)
    except OSError as error:
        raise preflight.refused(error, error.filename or "A configuration file") from error
    return steps


def _tidy(ground: Ground, scope: str) -> None:
    """Where nothing but its own ``.gitignore`` is left in ``.gitmem``, it goes as well."""
    if scope == PROJECT:
        with suppress(OSError):  # a linked worktree's own folder lay in it
            os.rmdir(os.path.join(ground.store, manifest.FOLDER))
        with suppress(OSError):
            if os.listdir(ground.store) == [".gitignore"]:
                os.unlink(os.path.join(ground.store, ".gitignore"))
                os.rmdir(ground.store)
        return
    with suppress(OSError):
        os.rmdir(ground.data)


def _commit(ground: Ground, steps: Sequence[Step], scopes: set[str]) -> None:
    old = ground.records()
    for scope in scopes:
        fresh = dict(old.get(scope, {}))
        for step in steps:
            if step.scope == scope:
                fresh.pop(step.path, None)
                if step.record is not None:
                    fresh[step.path] = step.record
        manifest.save(ground.folder(scope), ground.root(scope), fresh)
    try:
        changes = []
        for step in steps:
            if step.is_change:
                record = step.record or old.get(step.scope, {}).get(step.path)
                changes.append(Change(step.seen, step.content, record.made if record else ()))
        foreign_file.write_all(changes)
    except BaseException:
        for scope in scopes:
            with suppress(OSError):
                manifest.save(ground.folder(scope), ground.root(scope), old.get(scope, {}))
        raise


@contextmanager
def _alone(folder: str) -> Iterator[None]:
    """One setup at a time: the kernel's lock on a file, which ends with the process.

    The file goes afterwards, and the folder where it is empty. Raises Unavailable where another one
    keeps it for longer than ten seconds, OSError where the folder cannot be written.
    """
    path = os.path.join(folder, _LOCK)
    end = time.monotonic() + _WAIT_SECONDS
    while (handle := _locked(path)) is None:
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


def _locked(path: str) -> int | None:
    """The open file that is locked now; None where another one has it, or just removed it."""
    for folder in foreign_file.missing_folders(path):
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
    with suppress(FileNotFoundError):
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if lock.taken(handle) and os.path.samestat(os.fstat(handle), os.stat(path)):
                return handle
        except OSError:
            os.close(handle)
            raise
        os.close(handle)
    return None
