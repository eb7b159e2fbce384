"""The state of the project: branch, store and memory counts, in a few lines."""

from gitmem.app import App
from gitmem.branches import subprojects
from gitmem.git.head import is_shallow, operation_in_progress
from gitmem.indexing import index_summary
from gitmem.indexing.index_summary import IndexSummary
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import READ, EmptyRequest, Operation
from gitmem.store.db import projects
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, project_parts, suggestions
from gitmem.store.memory.filters import MemoryFilter
from gitmem.store.session import sessions
from gitmem.text import name_secrets
from gitmem.text.quantity import quantity


@dataclass(frozen=True, slots=True)
class ProjectStatus:
    """The project, the worktree and the store. ``store`` is empty if gitmem is not set up.

    ``aliases`` are former keys of the project, for instance from before its remote was renamed.
    ``subproject`` is that of the current folder, ``subprojects`` are all that the repository's
    settings list or that have memories; ``gitmem doctor`` also finds others by their files.
    ``index`` is the state of this worktree's index. ``lost`` says how to restore a lost store,
    empty if none was lost. ``waiting`` counts the suggestions in the inbox, without those that it
    has no room for.
    """

    project: str
    aliases: tuple[str, ...]
    name: str
    subproject: str
    subprojects: tuple[str, ...]
    branch: str | None
    commit: str | None
    state: str | None
    shallow: bool
    worktree: str
    store: str
    read_only: bool
    memories: int
    decisions: int
    open_decisions: int
    global_memories: int
    session: str
    lost: str
    warnings: tuple[str, ...]
    index: IndexSummary
    waiting: int = 0


def show_project_status(app: App, _request: EmptyRequest) -> ProjectStatus:
    """Show project, branch, store and memory counts.

    Nothing is changed. In a repository without gitmem the result's ``store`` is empty.
    """
    store = app.store if app.has_store else None
    shared = app.global_store()
    living = MemoryFilter(now=app.now)

    def count_memories(filters: MemoryFilter) -> int:
        return 0 if store is None else memories.count_filtered_memories(store, filters)

    running, lost = None, ""
    if store is None:
        from gitmem.maintenance import lost_store  # noqa: PLC0415 - nearly always there is a store

        lost = lost_store.describe_missing_store(app)
    else:
        place = subprojects.worktree_and_subproject_key(app)
        running = sessions.find_open_session(
            store, worktree=place, agent=app.agent, fallback_worktree=app.worktree
        )
    identity = app.project_identity
    return ProjectStatus(
        project=identity.key,
        aliases=() if store is None else tuple(projects.former_project_keys(store, identity.key)),
        name=app.project_identity.name,
        subproject=subprojects.current_subproject_name(app),
        subprojects=_subprojects(app, store),
        branch=app.git_head.branch and name_secrets.redact_name(app.git_head.branch),
        commit=app.git_head.commit,
        state=operation_in_progress(app.layout),
        shallow=is_shallow(app.layout),
        worktree=app.worktree,
        store=app.store_path if store is not None else "",
        read_only=store is not None and store.read_only,
        memories=count_memories(living),
        decisions=count_memories(MemoryFilter(now=app.now, kinds=("decision",))),
        open_decisions=count_memories(MemoryFilter(now=app.now, states=("proposed",))),
        global_memories=0 if shared is None else memories.count_filtered_memories(shared, living),
        session="" if running is None else running.id,
        lost=lost,
        warnings=(*app.settings.warnings, *_copy_problem(store)),
        index=index_summary.summarise_index(app),
        waiting=sum(
            suggestions.count_pending_suggestions(database)
            for database in (store, shared)
            if database is not None
        ),
    )


def _subprojects(app: App, store: Database | None) -> tuple[str, ...]:
    """The sub-projects known without git: of the setting, of this folder, and of memories."""
    names = [
        subprojects.current_subproject_name(app),
        *(project_parts.subproject_names(store) if store is not None else ()),
    ]
    if app.settings.text("project.paths"):
        from gitmem.branches import subproject_files  # noqa: PLC0415 - most repositories have none

        names = [*(part.name for part in subproject_files.subprojects_from_setting(app)), *names]
    return tuple(dict.fromkeys(filter(None, names)))


def _copy_problem(store: Database | None) -> list[str]:
    problem = "" if store is None else projects.get_meta(store, "copy_problem")
    return [f"no copy is made outside the work tree: {problem}"] if problem else []


def view(result: ProjectStatus) -> str:
    """Return the text to print: a line for project, store, index, counts, what needs attention."""
    where = f"{result.branch or 'detached HEAD'} @ {(result.commit or 'no commit')[:10]}"
    if result.branch is None and result.commit is None:
        where = "a plain folder, without git"
    if result.state:
        where += f", {result.state} in progress"
    lines = [f"{result.name} ({result.project})", f"  on       {where}"]
    if result.subprojects:
        marked = [
            f"{subproject} (here)" if subproject == result.subproject else subproject
            for subproject in result.subprojects
        ]
        lines.append(f"  parts    {', '.join(marked)}")
    if result.aliases:
        lines.append(f"  earlier  {', '.join(result.aliases)}")
    if result.store:
        access = " (read only)" if result.read_only else ""
        lines.append(f"  store    {result.store}{access}")
        decisions = quantity(result.decisions, "decision")
        lines.append(
            f"  holds    {quantity(result.memories, 'memory')}, {decisions} among them "
            f"({result.open_decisions} open); {result.global_memories} global"
        )
        lines.append(f"  index    {index_summary.describe_index(result.index)}")
        if result.waiting:
            waits = quantity(result.waiting, "suggestion waits", "suggestions wait")
            lines.append(f"  inbox    {waits}: `gitmem inbox`")
    else:
        lines.append(f"  store    {result.lost or 'none yet: run `gitmem init`'}")
    if result.session:
        lines.append(f"  session  {result.session}")
    lines += [f"  warning  {warning}" for warning in result.warnings]
    if all(map(str.isprintable, lines)):
        return "\n".join(lines)
    # A branch or folder may have any name; the patterns to clean one are loaded only if needed.
    from gitmem.text.fence import make_printable  # noqa: PLC0415

    return make_printable("\n".join(lines))


STATUS = Operation("status", show_project_status, view, READ, tool="status")
