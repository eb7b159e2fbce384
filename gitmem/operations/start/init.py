"""Setting gitmem up in a repository."""

import shlex

from gitmem.app import App
from gitmem.assembly import project_summary
from gitmem.capture.provenance import is_agent
from gitmem.errors import GitmemError
from gitmem.git import root_note
from gitmem.githooks import hook_status
from gitmem.indexing import refresh
from gitmem.maintenance import former_keys, lost_store, settings_file
from gitmem.maintenance.backups import unused_backup_path
from gitmem.model.frozen import dataclass
from gitmem.operations import shared_fields as shared
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation
from gitmem.store.db import preflight
from gitmem.store.memory import memories
from gitmem.store.memory.filters import MemoryFilter
from gitmem.text.quantity import quantity

_ANOTHER = (
    "Another repository was in this folder when gitmem was last used here. This one gets nothing "
    "of it; what was kept for that one stays."
)


@dataclass(frozen=True, slots=True)
class InitRequest:
    """Arguments of `gitmem init`: what to leave out of setting gitmem up here.

    ``fresh`` starts with an empty store although a lost one could be restored, ``no_index`` and
    ``no_hooks`` skip these steps; ``folder`` allows a folder outside any git repository.
    """

    fresh: Annotated[
        bool, Arg("Start with an empty store, even if a lost one could be restored from a copy")
    ] = False
    dry_run: shared.DryRun = False
    no_index: Annotated[bool, Arg("Do not index files and commits now")] = False
    no_hooks: Annotated[bool, Arg("Do not install git hooks")] = False
    folder: Annotated[
        bool, Arg("Set up this folder, outside any git repository: files and memories only")
    ] = False


@dataclass(frozen=True, slots=True)
class InitResult:
    """What was set up. ``existed``: there was a store already.

    ``restored`` is the copy from which a lost store was restored, empty if none was.
    """

    project: str
    name: str
    source: str
    store: str
    created: bool
    existed: bool
    restored: str
    dry_run: bool
    memories: int
    journal: str
    indexed: refresh.IndexRun | None
    hooks: hook_status.AllHookStates | None
    notes: tuple[str, ...]


def initialize_repository(app: App, request: InitRequest) -> InitResult:
    """Set up gitmem in this repository.

    Creates one folder, .gitmem, that git ignores, indexes files and commits, and installs git hooks
    that keep the index up to date. Running it again does only what is still missing. All worktrees
    of a repository share one store, in the main worktree; a bare repository keeps it inside itself.
    Outside any repository --folder sets up the current folder and everything below it: without
    commits and hooks, so run `gitmem index` after changes. A store that was deleted, by
    `git clean -x` for instance, is restored from its copy in your data folder; --fresh starts with
    an empty one. Memories saved under a former key of the project, after a new remote for instance,
    are moved to its present key; --dry-run says which. In a new clone whose remote holds memories
    of a team it asks whether to read them: at a terminal it asks the remote, for five seconds at
    most, and elsewhere only a remote on this machine.
    """
    if request.folder:
        app.use_folder_without_git()
    existed = app.has_store
    if existed:
        app.store  # noqa: B018 - opening it is the check
    else:
        app.refuse_tracked_store()
    notes: list[str] = []
    restored = "" if existed else _make_or_restore(app, request, notes)
    if app.layout.plain and not request.dry_run:
        root_note.save_main_worktree_location(app.layout)
    identity = app.project_identity
    if not (existed or restored or request.dry_run or app.layout.plain):
        notes += _read_shared(app)
    notes += app.settings.warnings
    if not request.dry_run:
        notes += _register(app)
    usable = existed or not request.dry_run
    if existed:
        notes += _move_from_former_keys(app, request)
    indexed, stand = (None, None) if request.dry_run else _index_and_install(app, request, notes)
    created = not (existed or restored or request.dry_run)
    if created and app.ask is not None and _has_fastembed():
        notes.append("fastembed is installed: `gitmem model list` shows larger models")
    return InitResult(
        project=identity.key,
        name=identity.name,
        source=identity.source,
        store=app.store_path,
        created=created,
        existed=existed,
        restored=restored,
        dry_run=request.dry_run,
        memories=memories.count_filtered_memories(app.store, MemoryFilter(states=()))
        if usable
        else 0,
        journal=app.store.journal_mode
        if usable
        else preflight.choose_journal_mode(app.layout.store_root),
        indexed=indexed,
        hooks=stand,
        notes=tuple(notes),
    )


def _move_from_former_keys(app: App, request: InitRequest) -> list[str]:
    """Move memories to the present key of the project; returns a note on it, or nothing."""
    counts = former_keys.count_memories_by_former_project_key(app, app.store)
    if not counts:
        return []
    moved = "would be moved: " if request.dry_run else "moved: "
    if not request.dry_run:
        former_keys.move_memories_to_project_key(app, app.store)
    return [moved + former_keys.describe_former_project_keys(counts, app.project_identity.key)]


def _index_and_install(
    app: App, request: InitRequest, notes: list[str]
) -> tuple[refresh.IndexRun | None, hook_status.AllHookStates | None]:
    """Index the repository and install git hooks, unless they are not wanted."""
    indexed = stand = None
    if not request.no_index:
        indexed = refresh.refresh_index(app)
        project_summary.save_summary_lines(app)
    if not request.no_hooks and not app.layout.plain:
        try:
            stand = hook_status.install_hooks(app)
        except GitmemError as error:
            notes.append(f"No git hooks installed: {error.message}")
    return indexed, stand


def _has_fastembed() -> bool:
    """Whether larger models are available; the library itself is not imported."""
    from importlib.machinery import PathFinder  # noqa: PLC0415 - on a terminal only

    return PathFinder.find_spec("fastembed") is not None


def _make_or_restore(app: App, request: InitRequest, notes: list[str]) -> str:
    """Create the store, or restore a lost one; return the path of the copy used, else ""."""
    if not request.dry_run and not app.layout.plain:
        root_note.save_main_worktree_location(app.layout)
    restored = "" if request.fresh else _restore_copy(app, request, notes)
    if not restored and not request.dry_run:
        former = app.last_known_config_file
        stranger = bool(former) and not app.is_registered_folder
        app.create_store()
        if sentence := settings_file.describe_changed_settings(app, former):
            notes.append(f"{_ANOTHER} {sentence}" if stranger else sentence)
    return restored


def _restore_copy(app: App, request: InitRequest, notes: list[str]) -> str:
    """Restore a lost store from its copy; return the path of the copy used, else "".

    A copy of the project from another place is only offered to a person: a repository's name alone
    must not be enough to get the memories of another.
    """
    own_copy = lost_store.best_copy_of_lost_store(app) if app.is_registered_folder else None
    copy_found = (
        own_copy
        or lost_store.best_copy_of_project_store(app)
        or lost_store.best_copy_of_folder_store(app)
    )
    if copy_found is None:
        return ""
    root = copy_found.root or "an unknown place"
    what = f"{lost_store.describe_store_copy(copy_found)}, from {root}"
    if request.dry_run:
        notes.append(f"The store was lost; there is a copy: {what}.")
        return ""
    question = f"The store was lost. Restore {what}?"
    ours = copy_found.project in ("", app.project_identity.key)
    # In its own place it is restored without a question.
    agreed = bool(own_copy) if app.ask is None else app.ask(question, True)
    if ours and agreed:
        copy, _ = lost_store.restore_newest_copy(
            app, unused_backup_path(app, "before-restore"), strict=True
        )
        return copy.path
    # Without the path, `--copy` would later take the copy of the new store at this place.
    is_here = copy_found.root == app.layout.store_root and not app.is_registered_folder
    source = shlex.quote(copy_found.path) if is_here else "--copy"
    notes.append(f"There is a copy of a lost store: {what}: gitmem restore-backup {source}")
    return ""


def _read_shared(app: App) -> list[str]:
    """Offer a person the memories that the remote holds; elsewhere say how to read them."""
    from gitmem.sync import acceptance, beginning, link  # noqa: PLC0415 - once for each clone

    name, sentence = beginning.find_remote_with_shared_memories(app)
    if not name:
        return []
    if app.ask is None or is_agent(app):
        return [f"{sentence}: gitmem recover --from-ref {shlex.quote(name)} reads them"]
    if not app.ask(f"{sentence}. Read them? They are foreign until you accept them.", True):
        return []
    try:
        acceptance.fetch_records_as_foreign(app, link.find_sync_remote(app, name))
    except GitmemError as error:
        return [f"The shared memories were not read: {error.message}"]
    return [
        f"memories read from {name}; see them: gitmem sync review; accept them: gitmem trust "
        f"--remote {shlex.quote(name)}"
    ]


def _register(app: App) -> list[str]:
    """Enter the project in the user's own store; return a note if that is not possible."""
    if not app.settings.user_store:
        return ["There is no home folder, so global memories are not available."]
    try:
        shared = app.global_store(create=True)
        assert shared is not None
        identity = app.project_identity
        with shared.write():
            app.record_project(shared, identity)
    except GitmemError as error:
        return [f"Global memories are not available: {error.message}"]
    return []


def view(result: InitResult) -> str:
    """Return the text to print: what was set up, and what to do next."""
    done = "Set up" if result.created or result.restored else "Would set up"
    if result.existed:
        done = "Already set up:"
    lines = [
        f"{done} gitmem for {result.name}",
        f"  project  {result.project} (from the {result.source})",
        f"  store    {result.store}",
    ]
    if result.memories:
        lines.append(f"  holds    {quantity(result.memories, 'memory')}")
    if result.restored:
        lines.append(f"  back     the store was lost; restored from {result.restored}")
    if result.journal != "wal":
        lines.append(f"  journal  {result.journal}, because this file system has no shared memory")
    if result.indexed:
        file_count = result.indexed.added + result.indexed.updated + result.indexed.kept
        files_ = quantity(file_count, "file")
        commits = quantity(result.indexed.commits, "new commit")
        lines.append(f"  index    {files_}, {commits}, {result.indexed.seconds:.1f} s")
    if result.hooks:
        lines += _hook_lines(result.hooks)
    lines += [f"  note     {note}" for note in result.notes]
    if not result.dry_run:
        lines += [
            "",
            "Next:",
            "  gitmem orient                 show what a session needs to know first",
            '  gitmem search "..."           find code, notes and commits by words and by meaning',
            '  gitmem remember "..."         remember a fact',
            '  gitmem decide "..." --why "…" record a decision',
            "  gitmem setup                  connect your agents to it",
        ]
    return "\n".join(lines)


def _hook_lines(stand: hook_status.AllHookStates) -> list[str]:
    names = [hook.event for hook in stand.hooks if hook.state in hook_status.IN_PLACE]
    lines = [f"  hooks    {', '.join(names)}"] if names else []
    if stand.declined:
        hint = "`gitmem hooks status` shows why, and which line to add"
        lines.append(f"  hooks    {stand.declined} left to you: {hint}")
    return lines


INIT = Operation("init", initialize_repository, view, WRITE)
