"""One call of gitmem: its settings, clock, repository and stores, each opened when first needed."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

from gitmem.clock import Clock
from gitmem.clock.local_zone import local_zone_name
from gitmem.errors import ForeignFile, GitmemError, NotARepository, StoreBusy
from gitmem.git import head as head_
from gitmem.git import layout as git_layout
from gitmem.git import runner, tracked
from gitmem.git.head import HeadState
from gitmem.git.layout import RepositoryLayout
from gitmem.model import ids
from gitmem.settings import Settings, agent_name_to_record, context_cache_notes_folder
from gitmem.store.db import preflight
from gitmem.store.db.connection import BUSY_MS, Database
from gitmem.store.file import registration
from gitmem.store.file.recognition import create_user_store, open_repository_store, open_user_store
from gitmem.store.file.registration import Keyring

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Self

    from gitmem.git.identity import ProjectIdentity

CONFIG_NAME = ".gitmem.toml"
# Contextify's file, of which the name of the project is read.
CONTEXTIFY_NAME = ".contextify.yml"


def resolve_start_folder(folder: str) -> str:
    """Return the folder to start in: ``folder``, the value of ``-C``.

    If it is ".", the current folder is in no repository and CONTEXT_CACHE_KB_PATH names a folder of
    notes, that folder.
    """
    notes = context_cache_notes_folder() if folder == "." else ""
    if not os.path.isdir(notes):
        return folder
    try:
        git_layout.find_repository(folder)
    except NotARepository:
        return notes
    return folder


class App:
    """What an operation needs to run: settings, clock, repository and stores. For one thread only.

    A store is a database of memories. ``start`` is the current folder, ``agent`` the agent that
    calls (empty for a person; see ``agent_name_to_record``), ``entropy(n)`` returns n random bytes.
    Call ``close`` at the end.
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
        self.agent = self._named(agent or settings.text("agent")) or settings.detected_host_agent
        self.source = source or ("ai_inferred" if self.agent else "user_explicit")
        self.entropy = entropy
        self.request = ""  # the id of the MCP request, for the log of commands
        self.resident = False  # whether the process stays, so that loading a model is worth it
        self.keys = Keyring(
            settings.stores_folder,
            registration.parse_store_key(settings.store_key_from_environment),
        )
        # Called with (stage, done, total) of long work, and with a line to show at once.
        self.progress: Callable[[str, int, int], None] = lambda _stage, _done, _total: None
        self.say: Callable[[str], None] = lambda _line: None
        # Asks a person: the question, and the answer of Enter; None without a person to ask.
        self.ask: Callable[[str, bool], bool] | None = None
        self._store_id = ""  # the id of the store here, once it was read
        self._store_key = b""  # and its key
        self._untracked = False  # whether git was asked and does not track the store
        self._settings_of = ""  # the store whose settings hold here; empty: not known yet
        self.requested_time_zone = ""  # the time zone of this call, instead of the setting
        self.subproject: str | None = None  # of the folder or `--project`, once it was computed
        self.counts_use = True  # whether memories that are shown count as used
        self.reads_index = False  # then an outdated index is refreshed after the answer
        self.refresh_wanted: bool | None = None  # whether a search found it outdated; None: unknown
        self._layout: RepositoryLayout | None = None
        self._head: HeadState | None = None
        self._identity: ProjectIdentity | None = None
        self._store: Database | None = None
        self._global: Database | None = None
        runner.configure_git_environment(settings.environment)

    @classmethod
    def for_project(cls, app: App, root: str) -> Self:
        """Return an App for the project at the folder ``root``; the caller closes it.

        It has the project's settings; agent, source, clock, randomness and time zone are those of
        ``app``.
        """
        settings = Settings(app.settings.environment)
        other = cls(settings, app.clock, root, agent=app.agent, entropy=app.entropy)
        other.source, other.requested_time_zone = app.source, app.requested_time_zone
        return other

    @property
    def now(self) -> int:
        """The present time in milliseconds since the epoch."""
        return self.clock.now()

    @property
    def project_settings(self) -> Settings:
        """The settings, after those of the project around ``start`` were added."""
        with suppress(GitmemError):  # outside of any project they are the user's
            _ = self.layout
        return self.settings

    @property
    def configured_time_zone(self) -> str:
        """The time zone named by this call or in the settings; empty for that of the machine."""
        return self.requested_time_zone or self.project_settings.text("timezone")

    @property
    def display_time_zone(self) -> str:
        """The name of the time zone in which times are shown, such as ``Europe/Berlin``."""
        return self.configured_time_zone or local_zone_name(self.settings.environment.get("TZ"))

    def new_id(self) -> str:
        """Return a new unique id (a ULID) for a memory, a session or another row."""
        return ids.new_ulid(self.now, self.entropy(10))

    @property
    def layout(self) -> RepositoryLayout:
        """The paths of the git repository, or of the folder set up without git, around ``start``.

        Raises NotARepository if there is neither.
        """
        return self._layout or self._enter(git_layout.find_repository(self.start))

    def use_folder_without_git(self) -> None:
        """Use ``start`` as a project without git. Raises Conflict inside another project."""
        self._enter(git_layout.plain_folder_layout(self.start))

    def _enter(self, layout: RepositoryLayout) -> RepositoryLayout:
        self._refuse_brought_data(layout)
        self._layout = layout
        noted = registration.store_and_settings_ids_at(self.keys.stores_folder, layout.store_root)
        self._store_id, self._settings_of = noted
        self._follow_settings()
        return layout

    def _refuse_brought_data(self, layout: RepositoryLayout) -> None:
        """Raise ForeignFile where the user's data folder is inside the repository.

        A host's file in a project can name it in a variable. A home folder may be under version
        control itself: there it is refused only where git tracks it.
        """
        settings = self.settings
        for path in (settings.stores_folder, os.path.dirname(settings.user_file)):
            if path and tracked.path_in_main_worktree(layout, path):
                advice = "Set GITMEM_HOME to a folder of yours outside of it."
                tracked.refuse_tracked_file(layout, path, "your data folder", advice)
                home = os.path.join(os.path.realpath(settings.home), "")
                if not home.startswith(os.path.join(layout.store_root, "")):
                    raise ForeignFile(
                        f"Your data folder, {path}, lies in this repository, so somebody else "
                        "may have put it there.",
                        advice,
                    )

    def _follow_settings(self) -> None:
        self.add_project_settings(self.settings)
        # The agent's name may be set for this repository only.
        if not self.agent and self.settings.text("agent"):
            self.agent, self.source = self._named(self.settings.text("agent")), "ai_inferred"

    def _named(self, agent: str) -> str:
        return agent_name_to_record(agent, self.settings.detected_host_agent)

    def add_project_settings(self, settings: Settings) -> None:
        """Add to ``settings`` those in the repository's files, and the user's own for this project.

        Of the repository's only the harmless ones are taken. A file beside the store is only warned
        of, since it may have come with a clone or an archive.
        """
        folder = os.path.dirname(self.config_file)
        settings.add_contextify_project_name(os.path.join(folder, CONTEXTIFY_NAME))
        settings.add_file(self.config_file, "repository")
        settings.add_file(self.local_config_file, "store")
        if os.path.lexists(old := self.config_file_beside_store):
            sentence = (
                f"{old} is not in force, since it may have come with the repository: if it is "
                "yours, run `gitmem config --adopt` in a terminal, else delete it."
            )
            heed = self.is_registered_folder and self._is_untracked()
            settings.warn_of_unconfirmed_file(old, sentence, apply_restrictions=heed)

    def _use_settings_of(self, store: str) -> None:
        """Use the settings of the store that is here, since a folder can be moved."""
        if store == self._settings_of or self._names_store or not self.keys.stores_folder:
            return
        self._settings_of = store
        self.settings.reload_user_settings()
        self._follow_settings()

    @property
    def config_file(self) -> str:
        """The path of the settings file that a repository may contain, ``.gitmem.toml``."""
        return os.path.join(self.layout.worktree or self.layout.store_root, CONFIG_NAME)

    @property
    def local_config_file(self) -> str:
        """The path of the user's own settings file for this project; empty if not known yet."""
        return registration.project_settings_path(self.keys.stores_folder, self._settings_of)

    @property
    def last_known_config_file(self) -> str:
        """As ``local_config_file``, else that of the last project known at this path, or empty."""
        stores = self.keys.stores_folder
        noted = registration.read_store_location(stores, self.layout.store_root).settings
        return self.local_config_file or registration.project_settings_path(stores, noted)

    @property
    def config_file_beside_store(self) -> str:
        """The path of an old settings file beside the store, which anybody may have written."""
        return os.path.join(os.path.dirname(self._default_path), "config.toml")

    @property
    def _names_store(self) -> bool:
        """Whether the project's settings set ``store.path``, and so do not belong to that store."""
        path = self.local_config_file
        return bool(path) and self.settings.source("store.path") == path

    @property
    def git_head(self) -> HeadState:
        """The branch and commit that are checked out."""
        if self._head is None:
            self._head = head_.read_head(self.layout)
        return self._head

    @property
    def worktree(self) -> str:
        """The folder of the worktree; for a bare repository the repository's own."""
        return self.layout.worktree or self.layout.git_dir

    @property
    def store_path(self) -> str:
        """The path of the database of this repository's memories, whether it exists or not."""
        default = self._default_path  # first, since it reads the repository's settings
        return self.settings.text("store.path") or default

    @property
    def _default_path(self) -> str:
        return os.path.join(self.layout.store_root, preflight.FOLDER, preflight.FILE_NAME)

    @property
    def has_store(self) -> bool:
        """Whether the database of this repository's memories exists."""
        return preflight.store_exists(self.store_path)

    @property
    def store(self) -> Database:
        """The database of this repository's memories, opened if need be, as by ``open_store``."""
        return self._store or self.open_store()

    def open_store(self, *, lock_timeout_ms: int = BUSY_MS) -> Database:
        """Open the database of this repository's memories, and return it.

        Waits ``lock_timeout_ms`` milliseconds for other processes. Raises what
        ``store.file.opening.open_store`` raises.
        """
        self.refuse_tracked_store()
        self._store = self._open_at(path := self.store_path, lock_timeout_ms)
        self._use_settings_of(self._store.store)
        if self.store_path != path:
            self._store.close()
            self._store = self._open_at(self.store_path, lock_timeout_ms)
        return self._with_expiry(self._store)

    @property
    def memory_expiry_rule(self) -> tuple[int, float]:
        """After how many uses a memory never expires, and what part of its time each use adds.

        They are the last two arguments of ``memory.lifecycle.effective_expiry``.
        """
        uses = self.settings.number("expiry.promote_after")
        return uses, self.settings.float_number("expiry.extend_by")

    def _with_expiry(self, store: Database) -> Database:
        store.set_expiry_extension_by_use(*self.memory_expiry_rule)
        return store

    def _open_at(self, path: str, lock_timeout_ms: int) -> Database:
        if path != self._default_path:
            advice = "Name another place: gitmem config store.path, or GITMEM_STORE_PATH."
            tracked.refuse_tracked_file(self.layout, path, "the store", advice)
        settings = self._settings_of if self._names_store else ""
        return open_repository_store(
            path,
            self.layout.store_root,
            self.keys,
            self.global_store,
            self.entropy,
            lock_timeout_ms=lock_timeout_ms,
            settings_store_id=settings,
        )

    def create_store(self) -> None:
        """Make an empty database for this repository's memories, and use it as ``store``.

        One that exists already is used instead. Raises ForeignFile if its folder holds files that
        gitmem did not make, DiskFull or ReadOnly if it cannot be written, Unavailable if its key
        cannot.
        """
        from gitmem.store.db import projects  # noqa: PLC0415 - once in a lifetime
        from gitmem.store.file.create import create_store  # noqa: PLC0415 - as above

        self.forget_project_identity()
        self.register_new_store(
            create_store(self.store_path, self.keys, now_ms=self.now, random_bytes=self.entropy)
        )
        with self.store.write():
            projects.set_meta(self.store, "backup_at", str(self.now))  # nothing to back up yet

    @property
    def omitted_memory_reasons(self) -> dict[str, str]:
        """Memory id -> why it was left out of answers: its record is damaged or not trusted."""
        opened = [store for store in (self._store, self._global) if store is not None]
        return {id: why for store in opened for id, why in store.left_out.items()}

    @property
    def already_open_store(self) -> Database | None:
        """The database of this repository's memories if it is open already, else None."""
        return self._store

    def refuse_tracked_store(self) -> None:
        """Raise ForeignFile if git tracks the store's folder, or it holds what gitmem did not make.

        Then a clone or an archive brought it. To be called before every write there; it looks only
        once.
        """
        if not self._untracked:
            tracked.refuse_tracked_store(self.layout, preflight.FOLDER, self._way_back)
            for path in {self._default_path, self.store_path}:
                preflight.check_store_folder_ownership(os.path.dirname(path))
            self._untracked = True

    def _is_untracked(self) -> bool:
        with suppress(GitmemError):
            self.refuse_tracked_store()
        return self._untracked

    def _way_back(self) -> str:
        from gitmem.store.file import copies_folder  # noqa: PLC0415 - seldom needed

        return copies_folder.restore_hint(self.keys.stores_folder, self.layout.store_root)

    @property
    def is_registered_folder(self) -> bool:
        """Whether the user's own data folder lists a memory database in this store's folder."""
        stores, root = self.keys.stores_folder, self.layout.store_root
        self._store_id = self._store_id or registration.store_id_at(stores, root)
        return bool(self._store_id)

    @property
    def signing_key(self) -> bytes:
        """The secret key that proves files beside the store to be the user's; empty without one."""
        if not self._store_key:
            store_id = self._store_id if self._store is None and self.is_registered_folder else ""
            opened = self._store.key if self._store is not None else b""
            self._store_key = opened or self.keys.key_of_closed_store(store_id)
        return self._store_key

    @property
    def spool_folder(self) -> str:
        """The folder where git hooks and other processes leave files of events for the store."""
        return os.path.join(self.layout.store_root, preflight.FOLDER, "spool")

    @property
    def project_identity(self) -> ProjectIdentity:
        """The key and name by which the project is known, and where they come from."""
        if self._identity is None:
            self._identity = self._identify()
        return self._identity

    def forget_project_identity(self) -> None:
        """Drop the cached ``project_identity``, since another store takes the place of this one."""
        self._identity = None

    def _identify(self) -> ProjectIdentity:
        from gitmem.git import identity as git_identity  # noqa: PLC0415 - for writers
        from gitmem.store.db import projects  # noqa: PLC0415 - as above

        store = self.store if self.has_store else None  # first: it decides which settings hold
        name = self.settings.text("name")
        signature = git_identity.identity_change_stamp(
            self.layout,
            home_folder=self.settings.home or None,
            xdg_config_home=self.settings.environment.get("XDG_CONFIG_HOME"),
            extra_files=[self.config_file],
        )
        signature += f" {name}" if name else ""
        if store is not None:
            cached = projects.cached_project_identity(store, signature)
            if cached is not None:
                return git_identity.ProjectIdentity(*cached)
        identity = git_identity.resolve_project_identity(self.layout, configured_name=name or None)
        if store is not None and not store.read_only:
            self._record(store, identity, signature)
        return identity

    def _record(self, store: Database, identity: ProjectIdentity, signature: str) -> None:
        from gitmem.store.db import projects  # noqa: PLC0415 - once for each identity

        # Best effort: a reader must not wait for a writer just to fill a cache.
        with suppress(StoreBusy), store.lock_timeout(100), store.write():
            self.record_project(store, identity, is_only_project=True)
            projects.cache_project_identity(
                store, signature, identity.key, identity.source, identity.name
            )
        shared = self.global_store()
        # Elsewhere the project is looked up by its key: it should be the present one.
        if projects.is_root_registered(shared, self.layout.store_root):
            assert shared is not None
            with suppress(StoreBusy), shared.lock_timeout(100), shared.write():
                self.record_project(shared, identity)

    def record_project(
        self, store: Database, identity: ProjectIdentity, *, is_only_project: bool = False
    ) -> None:
        """Write the project into ``store``; with ``is_only_project`` the store holds no other."""
        from gitmem.store.db import projects  # noqa: PLC0415 - once for each identity

        fields = {"key": identity.key, "name": identity.name, "key_source": identity.source}
        fields["root"] = self.layout.store_root
        projects.register_project(store, **fields, now_ms=self.now, is_only_project=is_only_project)

    def global_store(self, *, create: bool = False) -> Database | None:
        """Return the user's own store, of memories for all projects, opened if need be.

        None if it does not exist, unless ``create``; then raises Unavailable without a home folder.
        """
        path = self.settings.user_store
        if self._global is None and path and preflight.store_exists(path):
            self._global = open_user_store(path, self.keys, self.entropy)
        if self._global is None and create:
            self._global = create_user_store(path, self.keys, self.entropy, now_ms=self.now)
        if self._global is not None:
            self._global.scope = "global"
            self._with_expiry(self._global)
        return self._global

    def stores(self) -> list[Database]:
        """Return the repository's store and, if there is one, the user's own, in this order."""
        shared = self.global_store()
        return [self.store] if shared is None else [self.store, shared]

    def store_for_scope(self, scope: str) -> Database:
        """Return the store for ``global`` memories (the user's own, made if need be) or others."""
        if scope == "global":
            store = self.global_store(create=True)
            assert store is not None
            return store
        return self.store

    def for_worktree(self, worktree: str) -> App:
        """Return an App for another worktree of this repository, which shares the open store."""
        other = App(self.settings, self.clock, worktree, agent=self.agent, entropy=self.entropy)
        other.use_open_store(self.store)
        return other

    def use_open_store(self, store: Database) -> None:
        """Use ``store``, a database that is open already, as this repository's."""
        self._store = self._with_expiry(store)

    def register_new_store(self, store: Database) -> None:
        """Use ``store``, just created or adopted, and note in the user's data that it is here."""
        self.use_open_store(store)
        settings = self._settings_of if self._names_store else store.store
        self.keys.record_store_location(self.layout.store_root, store.store, settings)
        self._use_settings_of(store.store)

    def close_stores(self) -> None:
        """Close the open stores; the next use opens them again."""
        for database in (self._store, self._global):
            if database is not None:
                database.close()
        self._store = self._global = None
        self._untracked, self._store_id, self._store_key = False, "", b""

    close = close_stores
