"""One invocation of gitmem: settings, clock, repository and stores, opened when first needed."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

from gitmem.clock import Clock
from gitmem.clock.local_zone import local_zone_name
from gitmem.errors import NotOurs, StoreBusy, Unavailable
from gitmem.git import head as head_
from gitmem.git import identity as git_identity
from gitmem.git import layout as git_layout
from gitmem.git import runner, tracked
from gitmem.git.head import Head
from gitmem.git.identity import Identity
from gitmem.git.layout import Layout
from gitmem.model import ids
from gitmem.settings import Settings
from gitmem.store.db import preflight, projects
from gitmem.store.db.connection import Database
from gitmem.store.file.opening import open_store

CONFIG_NAME = ".gitmem.toml"


class App:
    """What operations work with. Use from one thread; ``close`` it at the end.

    ``start`` is the folder the user is in, ``agent`` who says it (empty for a person),
    ``entropy(n)`` gives n random bytes.
    """

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        start: str,
        *,
        agent: str = "",
        source: str = "",
        entropy: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self.settings = settings
        self.clock = clock
        self.start = start
        self.agent = agent or settings.text("agent") or settings.host_agent
        self.source = source or ("ai_inferred" if self.agent else "user_explicit")
        self.entropy = entropy
        # Told how far long work is: (stage, done, total).
        self.progress: Callable[[str, int, int], None] = lambda _stage, _done, _total: None
        # Told what a command that goes on for long wants to be read at once: a line.
        self.say: Callable[[str], None] = lambda _line: None
        # Asks a person: the question, and what Enter says; None where nobody is there to be asked.
        self.ask: Callable[[str, bool], bool] | None = None
        self._layout: Layout | None = None
        self._head: Head | None = None
        self._identity: Identity | None = None
        self._store: Database | None = None
        self._global: Database | None = None
        runner.configure(settings.environment)

    @property
    def now(self) -> int:
        """Milliseconds since the epoch."""
        return self.clock.now()

    @property
    def zone(self) -> str:
        """The name of the time zone in which times are shown."""
        return self.settings.text("timezone") or local_zone_name(
            self.settings.environment.get("TZ")
        )

    def new_id(self) -> str:
        """A fresh ULID."""
        return ids.ulid(self.now, self.entropy(10))

    @property
    def layout(self) -> Layout:
        """The repository, or the plain folder, around ``start``. Raises NotARepository."""
        return self._layout or self._enter(git_layout.find(self.start))

    def enter_folder(self) -> None:
        """Take ``start`` itself for a plain folder, which ``init`` makes it. Raises Conflict."""
        self._enter(git_layout.folder_at(self.start))

    def _enter(self, layout: Layout) -> Layout:
        self._layout = layout
        self.settings.add_file(self.config_file, "repository")
        self.settings.add_file(self.local_config_file, "store")
        # Who writes here may be set for this repository only.
        if not self.agent and self.settings.text("agent"):
            self.agent, self.source = self.settings.text("agent"), "ai_inferred"
        return layout

    @property
    def config_file(self) -> str:
        """The settings file that the repository may ship."""
        return os.path.join(self._found.worktree or self._found.store_root, CONFIG_NAME)

    @property
    def local_config_file(self) -> str:
        """The settings file beside the store, which git never sees."""
        return os.path.join(self._found.store_root, preflight.FOLDER, "config.toml")

    @property
    def _found(self) -> Layout:
        return self._layout or self.layout

    @property
    def head(self) -> Head:
        """Branch and commit of the worktree."""
        if self._head is None:
            self._head = head_.read_head(self.layout)
        return self._head

    @property
    def worktree(self) -> str:
        """The worktree's root, or the bare repository."""
        return self.layout.worktree or self.layout.git_dir

    @property
    def store_path(self) -> str:
        """Where this repository's store is or would be."""
        layout = self.layout
        return self.settings.text("store.path") or os.path.join(
            layout.store_root, preflight.FOLDER, preflight.FILE_NAME
        )

    @property
    def has_store(self) -> bool:
        """Whether a store was set up here."""
        return os.path.lexists(self.store_path)

    @property
    def store(self) -> Database:
        """The repository's store. Raises NotInitialized, NotOurs, StoreDamaged, StoreTooNew."""
        if self._store is None:
            self.refuse_tracked()
            self._store = open_store(self.store_path)
        return self._store

    def create_store(self) -> None:
        """Make the repository's store, empty. Raises NotOurs, Conflict, DiskFull, ReadOnly."""
        from gitmem.store.file.create import create_store  # noqa: PLC0415 - once in a lifetime

        self.forget_identity()
        self.adopt(create_store(self.store_path, now=self.now, entropy=self.entropy(16)))
        with self.store.write():
            # The schedule starts now: an empty store needs no backup.
            projects.set_meta(self.store, "backup_at", str(self.now))
        self._register()

    def _register(self) -> None:
        """Enter the store among the user's own. Without a data folder it is used as it is."""
        from gitmem.store.file import registration  # noqa: PLC0415 - once in a lifetime

        stores, store = self.settings.stores_folder, projects.meta(self.store, "store") or ""
        if stores:
            with suppress(OSError):
                registration.register(stores, store, self.entropy(registration.KEY_BYTES))
                registration.note_place(stores, self.layout.store_root, store)

    @property
    def opened(self) -> Database | None:
        """The repository's store if it is open already."""
        return self._store

    def refuse_tracked(self) -> None:
        """Raise NotOurs where git tracks the store: then it came with a clone and is not ours."""
        if tracked.is_tracked(self.layout, preflight.FOLDER + "/"):
            raise NotOurs(
                f"git tracks files in {preflight.FOLDER}/ in this repository, so its store may "
                "have been made by somebody else.",
                f"If it is yours: git rm -r --cached {preflight.FOLDER}, commit, and run again. "
                f"It was not opened.{self._own_copy()}",
            )

    def _own_copy(self) -> str:
        """The command that brings back what stood here before git put another file in its place."""
        from gitmem.store.file import copies_folder, registration  # noqa: PLC0415 - seldom needed

        stores, root = self.settings.stores_folder, self.layout.store_root
        copies = copies_folder.stored(stores, registration.at(stores, root))
        if not copies:
            return ""
        return " To have your own back after that: gitmem restore-backup --copy."

    @property
    def identity(self) -> Identity:
        """The project's key, from the cache in the store while nothing it depends on changed."""
        if self._identity is None:
            self._identity = self._identify()
        return self._identity

    def forget_identity(self) -> None:
        """Work the project's key out again when it is next asked for: the store is another one."""
        self._identity = None

    def _identify(self) -> Identity:
        signature = git_identity.signature(
            self.layout,
            home=self.settings.home or None,
            xdg=self.settings.environment.get("XDG_CONFIG_HOME"),
            extra=[self.config_file],
        )
        store = self.store if self.has_store else None
        if store is not None:
            cached = projects.cached_identity(store, signature)
            if cached is not None:
                return Identity(*cached)
        found = git_identity.resolve(
            self.layout, configured_name=self.settings.text("name") or None
        )
        if store is not None and not store.read_only:
            self._record(store, found, signature)
        return found

    def _record(self, store: Database, found: Identity, signature: str) -> None:
        # Best effort: a reader must not wait for a writer only to save the next reader some time.
        with suppress(StoreBusy), store.patience(100), store.write():
            self.enter_project(store, found, alone=True)
            projects.cache_identity(store, signature, found.key, found.source, found.name)

    def enter_project(self, store: Database, found: Identity, *, alone: bool = False) -> None:
        """Enter the project among those that a store knows; ``alone``: it holds no other's."""
        projects.remember(
            store,
            key=found.key,
            name=found.name,
            source=found.source,
            root=self.layout.store_root,
            now=self.now,
            alone=alone,
        )

    def global_store(self, *, create: bool = False) -> Database | None:
        """The user's own store; None where there is none and ``create`` is not set.

        Raises Unavailable where it is wanted and no home folder is known.
        """
        path = self.settings.user_store
        if self._global is None and path and os.path.lexists(path):
            self._global = open_store(path)
        if self._global is None and create:
            if not path:
                raise Unavailable(
                    "There is no home folder to keep global memories in.",
                    "Set HOME, or GITMEM_HOME to a folder of yours.",
                )
            from gitmem.store.file.create import create_store  # noqa: PLC0415 - once in a lifetime

            self._global = create_store(path, now=self.now, entropy=self.entropy(16))
        if self._global is not None:
            self._global.scope = "global"
        return self._global

    def stores(self) -> list[Database]:
        """The repository's store and, if there is one, the user's."""
        shared = self.global_store()
        return [self.store] if shared is None else [self.store, shared]

    def store_for(self, scope: str) -> Database:
        """The store that holds memories of a scope; the user's is made when first needed."""
        if scope == "global":
            found = self.global_store(create=True)
            assert found is not None
            return found
        return self.store

    def elsewhere(self, place: str) -> App:
        """The same in another worktree of this repository, on the store that is open here."""
        other = App(self.settings, self.clock, place, agent=self.agent, entropy=self.entropy)
        other.adopt(self.store)
        return other

    def adopt(self, store: Database) -> None:
        """Take a store that is open already: just made by ``init``, or kept by a server."""
        self._store = store

    def hand_over(self) -> Database | None:
        """The repository's store if it is open; whoever takes it closes it."""
        store, self._store = self._store, None
        return store

    def release(self) -> None:
        """Close the stores; the next use opens them again."""
        for database in (self._store, self._global):
            if database is not None:
                database.close()
        self._store = self._global = None

    close = release
