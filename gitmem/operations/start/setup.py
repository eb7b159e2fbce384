"""Connecting agents to gitmem: MCP server, session hooks and rules in their hosts' files."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence

from gitmem import __version__
from gitmem.agents.hosts import host_paths, registry
from gitmem.agents.hosts.host import PROJECT, SCOPES, USER
from gitmem.agents.hosts.host_paths import PathTemplateFolders, shorten_paths
from gitmem.agents.hosts.table import BY_NAME, HOSTS, PLUGIN_HOSTS
from gitmem.agents.wiring import (
    checkouts,
    plan,
    plugins,
    removal,
    surroundings,
    wiring_status,
)
from gitmem.agents.wiring.apply import SetupFolders
from gitmem.agents.wiring.checkouts import SetupResult
from gitmem.agents.wiring.commit_safety import SetupFileSummary, summarise_setup_files
from gitmem.agents.wiring.impostor_search import OwnEntryIdentity
from gitmem.agents.wiring.plan import FileChange
from gitmem.agents.wiring.surroundings import running_gitmem_command, writable_setup_folders
from gitmem.agents.wiring.wiring_status import NONE
from gitmem.app import App
from gitmem.errors import GitmemError, InvalidInput, NotARepository
from gitmem.githooks import hook_status
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation, Texts, positional_arg
from gitmem.store.db import preflight
from gitmem.text.fence import one_line

NAMES = tuple(host.name for host in HOSTS)
_ADDED, _INSTALL = "post-checkout", "gitmem hooks install"


@dataclass(frozen=True, slots=True)
class SetupRequest:
    """Arguments of `gitmem setup`: the agents to connect (empty: all installed), where, and how.

    ``scope`` is project or user (empty: the project where possible). ``remove`` disconnects,
    ``status`` only shows the state. ``command`` is what agents' programs start instead of this
    program's path; ``plugin`` names an agent whose plugin is written into the folder ``into``.
    """

    agents: Annotated[
        Texts,
        positional_arg(
            "Agents to set up (default: all that are installed)",
            choices=NAMES,
            metavar="AGENT",
            resolve_synonym=registry.resolve_host_name,
        ),
    ] = ()
    scope: Annotated[
        str,
        Arg(
            "Where to write (default: the project, and your own files only for what the "
            "host keeps only there)",
            choices=("", *SCOPES),
            metavar="project|user",
        ),
    ] = ""
    skills: Annotated[
        bool,
        Arg("Also write gitmem's own skills for the hosts that read SKILL.md: search, remember"),
    ] = False
    replace: Annotated[
        bool,
        Arg(
            "Replace entries with gitmem's name in these agents' files that are not gitmem's; "
            "otherwise they are refused"
        ),
    ] = False
    worktrees: Annotated[
        bool,
        Arg("Also connect worktrees that are added later (needs git's post-checkout hook)"),
    ] = False
    dry_run: Annotated[bool, Arg("Show what would change as a diff, and write nothing")] = False
    remove: Annotated[bool, Arg("Remove what setup wrote, and restore every byte")] = False
    status: Annotated[bool, Arg("Show the state of each agent")] = False
    command: Annotated[
        str,
        Arg(
            "The command that hosts start instead of this program's absolute path, such as "
            "gitmem for files that a team commits"
        ),
    ] = ""
    plugin: Annotated[
        str,
        Arg(
            "Write a plugin for this host into the folder given by --into",
            choices=("", *PLUGIN_HOSTS),
            metavar="|".join(PLUGIN_HOSTS),
        ),
    ] = ""
    into: Annotated[str, Arg("The folder for --plugin", metavar="DIR")] = ""


@dataclass(frozen=True, slots=True)
class AgentSetupState:
    """Whether an agent is connected to gitmem: configured, partial, none or untrusted (``state``).

    ``found`` are the files where it is configured, ``reasons`` say why the state is what it is.
    """

    agent: str
    title: str
    state: str
    installed: bool
    found: tuple[str, ...]
    reasons: tuple[str, ...]


# States of files after which their agents have to be started anew.
_DONE = (plan.WRITTEN, plan.REMOVED)


@dataclass(frozen=True, slots=True)
class SetupOutcome:
    """The result of ``connect_agents``: what was done, or the state of each agent.

    ``changed`` counts changed files. ``project`` and ``home`` are the folders that displayed paths
    are relative to.
    """

    action: str
    dry_run: bool
    project: str
    home: str
    agents: tuple[AgentSetupState, ...]
    files: tuple[SetupFileSummary, ...]
    changed: int
    diff: str
    notes: tuple[str, ...]


def connect_agents(app: App, request: SetupRequest) -> SetupOutcome:
    """Connect agents to gitmem: MCP server, session hooks, rules.

    Rules, a marked block of text, are for hosts whose hooks cannot reach the model. With --skills
    hosts that read SKILL.md folders get short skills of gitmem's own. Other entries, comments,
    order and line endings in a file stay as they are. If a file does not parse, belongs to another
    user or is a link out of its folder, it is refused, and then nothing is written anywhere. All
    worktrees of the repository are connected, each file where its host reads it. What was written
    is listed in a manifest with the original bytes, so that --remove can restore them.
    """
    return setup_on_platform(app, request, sys.platform)


def setup_on_platform(app: App, request: SetupRequest, platform: str) -> SetupOutcome:
    """Connect agents as ``connect_agents`` does; ``platform`` is a value of ``sys.platform``."""
    _check(request)
    if request.plugin:
        return _plugin(app, request)
    personal = not request.command or os.path.isabs(request.command)
    bases, folders = writable_setup_folders(app, platform, request.scope, personal=personal)
    if request.status:
        return _status(app, request, surroundings.own_entry_identity(app, bases, folders), folders)
    if request.remove:
        return _remove(app, request, bases, folders)
    return _write(app, request, bases)


def _check(request: SetupRequest) -> None:
    if unknown := [agent for agent in request.agents if agent not in BY_NAME]:
        raise InvalidInput(
            f"There is no agent {unknown[0]!r}.",
            registry.OUT_OF_REACH.get(unknown[0]) or f"Choose from: {', '.join(NAMES)}.",
        )
    if request.scope not in ("", *SCOPES):
        raise InvalidInput(f"There is no scope {request.scope!r}.", "Use project or user.")
    if request.skills and (request.remove or request.status or request.plugin):
        raise InvalidInput(
            "--skills cannot be combined with --remove, --status or --plugin.",
            "`gitmem setup --remove` takes the skills out with the rest.",
        )
    if request.replace and (request.remove or request.status or request.plugin):
        raise InvalidInput(
            "--replace cannot be combined with --remove, --status or --plugin.",
            "Run `gitmem setup AGENT --replace` first, then `gitmem setup AGENT --remove`.",
        )
    if request.worktrees and (request.remove or request.status or request.scope == USER):
        raise InvalidInput(
            "--worktrees works only when agents are connected to a project.",
            "`gitmem setup --remove` also stops connecting agents in new worktrees.",
        )
    if request.remove and request.status:
        raise InvalidInput("--remove and --status cannot be combined.", "Give only one of them.")
    if bool(request.plugin) != bool(request.into):
        raise InvalidInput(
            "--plugin and --into must be given together.", "Give both: --plugin HOST --into DIR."
        )


def _start_command(app: App, request: SetupRequest) -> tuple[str, ...]:
    if request.command:
        return (request.command,)
    return running_gitmem_command(app.settings.environment.get("PATH", ""), sys.argv[0])


def _remove(
    app: App, request: SetupRequest, bases: PathTemplateFolders, folders: SetupFolders
) -> SetupOutcome:
    """Remove gitmem from this worktree and the others, and from those added later."""
    dry_run, scope = request.dry_run, request.scope
    steps = removal.remove_setup(app, bases, folders, request.agents, scope=scope, dry_run=dry_run)
    stays = "" if scope else removal.describe_shared_user_files(app, request.agents)
    items, notes = [*_items(app, bases, steps)], [stays] if stays else []
    for other in _others(app, request):
        try:
            other_bases, other_folders = writable_setup_folders(
                other, bases.system, PROJECT, personal=True
            )
            more = removal.remove_setup(
                other, other_bases, other_folders, request.agents, scope=PROJECT, dry_run=dry_run
            )
        except GitmemError as error:
            notes.append(_not_wired_note(other, error))
            continue
        items += _items(other, other_bases, more)
        steps += more
    if scope != USER and bases.project and not dry_run:
        checkouts.forget_setup_options(app, request.agents)
    notes += removal.describe_leftovers(app, bases, folders, request.agents, dry_run=dry_run)
    return _result(request, "remove", bases, steps, items, notes)


def _others(app: App, request: SetupRequest) -> Iterator[App]:
    """The other worktrees, unless only the user's own files are meant."""
    try:
        yield from checkouts.other_worktrees(app) if request.scope != USER else ()
    except NotARepository:
        return


def _not_wired_note(app: App, error: GitmemError) -> str:
    return f"The worktree {app.layout.worktree} was left as it is: {error.message}"


def _write(app: App, request: SetupRequest, bases: PathTemplateFolders) -> SetupOutcome:
    hosts = tuple(BY_NAME[name] for name in dict.fromkeys(request.agents))
    hosts = hosts or tuple(host for host in HOSTS if host_paths.is_installed(bases, host))
    order = checkouts.SetupOptions(
        hosts=hosts,
        words=_start_command(app, request),
        scope=request.scope,
        skills=request.skills,
        personal=bool(bases.local),
        replaces=request.replace,
    )
    # A dry run first: a refusal here must come before anything is written elsewhere.
    done = checkouts.connect_hosts(app, bases.system, order, dry_run=True)
    unwired: list[str] = []
    more: list[FileChange] = []
    items: list[SetupFileSummary] = []
    for other in _others(app, request):
        try:
            result = checkouts.connect_hosts(
                other, bases.system, order, dry_run=request.dry_run, include_user_files=False
            )
        except GitmemError as error:
            unwired.append(_not_wired_note(other, error))
            continue
        more += result.steps
        items += _items(other, result.bases, result.steps)
    if not request.dry_run:
        done = checkouts.connect_hosts(app, bases.system, order)
        if request.worktrees:
            checkouts.save_setup_options(app, order)
            unwired += _missing_hook_note(app)
    notes = [*_wiring_notes(done), *unwired]
    if not hosts:
        notes.append(f"No agent was found. Name one: {', '.join(NAMES)}.")
    if not request.dry_run and bases.project and not app.has_store:
        notes.append("gitmem is not set up in this repository yet: gitmem init")
    items = [*_items(app, bases, done.steps), *items]
    return _result(request, "setup", bases, [*done.steps, *more], items, notes)


def _missing_hook_note(app: App) -> list[str]:
    """A note if the hook that reports new worktrees is not installed."""
    installed_states = (*hook_status.IN_PLACE, "outdated")
    if any(
        hook.event == _ADDED and hook.state in installed_states
        for hook in hook_status.read_hook_states(app).hooks
    ):
        return []
    return [f"Git's hook {_ADDED} reports new worktrees, and is not installed: {_INSTALL}"]


def _wiring_notes(done: SetupResult) -> list[str]:
    """Notes on what was written and what was left out."""
    notes = [f"{part.agent}: no {part.part}: {part.reason}" for part in done.skipped]
    for target in done.targets:
        if note := BY_NAME[target.agent].notes.get((target.part, target.scope)):
            notes.append(note)
    return notes


def _status(
    app: App, request: SetupRequest, known: OwnEntryIdentity, folders: SetupFolders
) -> SetupOutcome:
    bases = known.bases
    hosts = [BY_NAME[name] for name in dict.fromkeys(request.agents)] or list(HOSTS)
    items = []
    for host in hosts:
        wired = wiring_status.host_status(known, host, folders.read_file_snapshot)
        # A host without programs or folders to look for is installed if its files exist.
        unseen = not host.programs and not host.folders and wired.state != NONE
        installed = unseen or host_paths.is_installed(bases, host)
        reasons = wired.reasons
        if wired.state == NONE and installed:
            reasons = (*reasons, f"installed, not connected: gitmem setup {host.name}")
        items.append(
            AgentSetupState(host.name, host.title, wired.state, installed, wired.found, reasons)
        )
    order = checkouts.load_setup_options(app) if bases.project else None
    later = ", ".join(host.name for host in order.hosts) if order else ""
    notes = (f"Worktrees that are added later are connected: {later}",) if later else ()
    return SetupOutcome("status", False, bases.project, bases.home, tuple(items), (), 0, "", notes)


def _plugin(app: App, request: SetupRequest) -> SetupOutcome:
    folder = os.path.join(app.start, request.into)
    folder = os.path.abspath(folder)
    if request.dry_run:
        layout = plugins.plugin_files(request.plugin, __version__)
        files = [(os.path.join(folder, *name.split("/")), True) for name in layout]
    else:
        try:
            files = plugins.write_plugin(request.plugin, folder, __version__)
        except OSError as error:
            raise preflight.write_failure_error(error, error.filename or folder) from error
    items = tuple(
        SetupFileSummary(
            path,
            "plugin",
            plan.WRITTEN if changed else plan.UNCHANGED,
            (request.plugin,),
            (),
            False,
            False,
            "",
        )
        for path, changed in files
    )
    changed = sum(1 for item in items if item.state == plan.WRITTEN)
    return SetupOutcome(
        "plugin", request.dry_run, "", app.settings.home, (), items, changed, "", ()
    )


def _items(
    app: App, bases: PathTemplateFolders, steps: Sequence[FileChange]
) -> tuple[SetupFileSummary, ...]:
    return summarise_setup_files(app, steps, bases.project, personal=bool(bases.local))


def _result(
    request: SetupRequest,
    action: str,
    bases: PathTemplateFolders,
    steps: Sequence[FileChange],
    items: Sequence[SetupFileSummary],
    notes: Iterable[str],
) -> SetupOutcome:
    changes = [step for step in steps if step.is_change]
    patch = ""
    if request.dry_run:
        patch = "".join(
            diff_of_file_change(change, shorten_paths(change.path, bases.project, bases.home))
            for change in changes
        )
    more = list(dict.fromkeys(notes))
    strange = [
        item for item in items if item.committed and item.personal and item.state == plan.WRITTEN
    ]
    if action == "setup" and strange:
        more.append(
            "Files marked (git) name this machine's gitmem, and git would commit them: keep them "
            "out of commits (.git/info/exclude), or make them shareable with --command gitmem."
        )
    if action in ("setup", "remove") and changes and not request.dry_run:
        more.append(_restart_note(action, items))
    return SetupOutcome(
        action,
        request.dry_run,
        bases.project,
        bases.home,
        (),
        tuple(items),
        len(changes),
        patch,
        tuple(more),
    )


def _restart_note(action: str, items: Sequence[SetupFileSummary]) -> str:
    """Which agents have to be started anew. gitmem closes none: a session could be lost."""
    changed = (name for item in items if item.state in _DONE for name in item.agents)
    titles = ", ".join(BY_NAME[name].title for name in dict.fromkeys(changed) if name in BY_NAME)
    note = f"Restart {titles or 'these agents'}: a running one keeps what it read when it started"
    more = "; `gitmem doctor --live` shows what reaches them" if action == "setup" else ""
    return f"{note}{more}."


def diff_of_file_change(change: FileChange, name: str) -> str:
    """Return the change of a file as `diff -u` shows it, under ``name``, with secrets masked."""
    import difflib  # noqa: PLC0415 - only a dry run shows a diff

    from gitmem.text.redact import redact  # noqa: PLC0415

    def redacted_lines(content: bytes | None) -> list[str]:
        text = (content or b"").decode("utf-8", "replace")
        # Masked line by line: otherwise a secret over two lines would join them.
        return [redact(line).text for line in text.split("\n")]

    before, after = redacted_lines(change.file.content), redacted_lines(change.content)
    old = "/dev/null" if change.file.content is None else name
    new = "/dev/null" if change.content is None else name
    patch = list(
        difflib.unified_diff(_diff_lines(before), _diff_lines(after), old, new, lineterm="")
    )
    return "".join(f"{line}\n" for line in patch)


def _diff_lines(lines: list[str]) -> list[str]:
    """Lines as diff shows them: a marker follows a last line without a line end."""
    if lines[-1] == "":
        return lines[:-1]
    return [*lines[:-1], lines[-1] + "\n\\ No newline at end of file"]


def view(result: SetupOutcome) -> str:
    """Return the text to print: a line for each changed file or agent, then notes."""
    if result.action == "status":
        lines = [
            line for agent in result.agents if _is_shown(agent) for line in _agent_lines(agent)
        ]
        absent = ", ".join(agent.agent for agent in result.agents if not _is_shown(agent))
        lines += [f"{NONE:<11} {absent}: not installed here"] if absent else []
        lines += [f"note: {one_line(note, 600)}" for note in result.notes]
        return shorten_paths("\n".join(lines), result.project, result.home)
    lines = [result.diff] if result.diff else []
    if not result.changed:
        lines.append("nothing to do")
    elif result.dry_run:
        lines.append("Without --dry-run, this would be done:")
    names = [
        one_line(shorten_paths(file.path, result.project, result.home), 200)
        for file in result.files
    ]
    width = max((len(name) for name in names if len(name) <= 60), default=0)
    would = {plan.WRITTEN: "write", plan.REMOVED: "remove"} if result.dry_run else {}
    for file, name in zip(result.files, names, strict=True):
        state = would.get(file.state, file.state)
        lines.append(f"{state:<8} {name:<{width}}  {_owners(file)}".rstrip())
        lines += [f"{'':<9}{file.note}"] if file.note else []
    notes = [shorten_paths(note, result.project, result.home) for note in result.notes]
    lines += [f"note: {one_line(note, 600)}" for note in notes]
    return "\n".join(lines)


def _owners(file: SetupFileSummary) -> str:
    if not file.agents:
        done = "keeps" if file.state == plan.WRITTEN else "kept"
        return f"{done} machine-specific files out of commits"
    text = f"{', '.join(file.agents)}: {', '.join(file.parts)}".rstrip(": ")
    return text + " (git)" * (file.committed and file.personal and file.state == plan.WRITTEN)


def _is_shown(agent: AgentSetupState) -> bool:
    return agent.installed or agent.state != NONE


def _agent_lines(agent: AgentSetupState) -> list[str]:
    absent = "" if agent.installed else " (not installed here)"
    lines = [f"{agent.state:<11} {agent.agent}{absent}"]
    lines += [f"{'':<12}{one_line(place, 200)}" for place in agent.found]
    lines += [f"{'':<12}! {one_line(reason, 600)}" for reason in agent.reasons]
    return lines


SETUP = Operation("setup", connect_agents, view, WRITE, "claude-code codex --dry-run")
