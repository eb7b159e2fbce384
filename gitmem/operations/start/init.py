"""Setting gitmem up in a repository."""

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.git import root_note
from gitmem.githooks import hook_status
from gitmem.indexing import refresh
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation
from gitmem.store.db import preflight
from gitmem.store.memory import memories
from gitmem.store.memory.filters import Filter


@dataclass(frozen=True, slots=True)
class Init:
    """Where and whether to set up."""

    dry_run: Annotated[bool, Arg("Show what would be done, and do nothing")] = False
    no_index: Annotated[bool, Arg("Do not index files and commits now")] = False
    no_hooks: Annotated[bool, Arg("Do not install git hooks")] = False
    folder: Annotated[
        bool, Arg("Set up this folder, outside any git repository: files and memories only")
    ] = False


@dataclass(frozen=True, slots=True)
class Initialised:
    """What was set up. ``existed`` says that a store was there already."""

    project: str
    name: str
    source: str
    store: str
    created: bool
    existed: bool
    dry_run: bool
    memories: int
    journal: str
    indexed: refresh.Indexed | None
    hooks: hook_status.Stand | None
    notes: tuple[str, ...]


def init(app: App, request: Init) -> Initialised:
    """Set up gitmem in this repository.

    Creates one folder, .gitmem, that git ignores, indexes files and commits, and installs git hooks
    that keep the index up to date. Running it again does only what is still missing. All worktrees
    of a repository share one store, in the main worktree; a bare repository keeps it inside itself.
    Outside any repository --folder sets up the current folder and everything below it: without
    commits and hooks, so run `gitmem index` after changes.
    """
    if request.folder:
        app.enter_folder()
    existed = app.has_store
    if existed:
        app.store  # noqa: B018 - opening it is the check
    else:
        app.refuse_tracked()
    if not existed and not request.dry_run:
        if not app.layout.plain:
            root_note.record(app.layout)
        app.create_store()
    if app.layout.plain and not request.dry_run:
        root_note.record(app.layout)
    identity = app.identity
    notes = list(app.settings.warnings)
    if not request.dry_run:
        notes += _register(app)
    usable = existed or not request.dry_run
    indexed = stand = None
    if not request.dry_run and not request.no_index:
        indexed = refresh.refresh(app)
    if not request.dry_run and not request.no_hooks and not app.layout.plain:
        try:
            stand = hook_status.install(app)
        except GitmemError as error:
            notes.append(f"No git hooks installed: {error.message}")
    return Initialised(
        project=identity.key,
        name=identity.name,
        source=identity.source,
        store=app.store_path,
        created=not existed and not request.dry_run,
        existed=existed,
        dry_run=request.dry_run,
        memories=memories.count(app.store, Filter(states=())) if usable else 0,
        journal=app.store.journal_mode if usable else preflight.journal_mode(app.layout.store_root),
        indexed=indexed,
        hooks=stand,
        notes=tuple(notes),
    )


def _register(app: App) -> list[str]:
    """Enter the project in the user's own store; a note where that cannot be done."""
    if not app.settings.user_store:
        return ["There is no home folder, so global memories are not available."]
    try:
        shared = app.global_store(create=True)
        assert shared is not None
        identity = app.identity
        with shared.write():
            app.enter_project(shared, identity)
    except GitmemError as error:
        return [f"Global memories are not available: {error.message}"]
    return []


def view(result: Initialised) -> str:
    """What was done and what to do next."""
    done = "Set up" if result.created else "Would set up"
    if result.existed:
        done = "Already set up:"
    lines = [
        f"{done} gitmem for {result.name}",
        f"  project  {result.project} (from the {result.source})",
        f"  store    {result.store}",
    ]
    if result.memories:
        lines.append(f"  holds    {result.memories} memories")
    if result.journal != "wal":
        lines.append(f"  journal  {result.journal}, because this file system has no shared memory")
    if result.indexed:
        files_, made = result.indexed.added + result.indexed.kept, result.indexed.seconds
        lines.append(
            f"  index    {files_} files, {result.indexed.commits} new commits, {made:.1f} s"
        )
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
            "  gitmem setup                  wire your agents to it",
        ]
    return "\n".join(lines)


def _hook_lines(stand: hook_status.Stand) -> list[str]:
    names = [one.event for one in stand.hooks if one.state in hook_status.STANDING]
    lines = [f"  hooks    {', '.join(names)}"] if names else []
    if stand.declined:
        told = "`gitmem hooks status` shows why, and which line to add"
        lines.append(f"  hooks    {stand.declined} left to you: {told}")
    return lines


INIT = Operation(
    name="init",
    request=Init,
    run=init,
    view=view,
    effect=WRITE,
    example="gitmem init",
)
