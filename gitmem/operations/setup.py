"""Wiring agents to gitmem: MCP entry, session hooks and rules in the files of their hosts."""

import os
import shutil
import sys
from collections.abc import Collection, Iterable, Sequence
from typing import Annotated

from gitmem import __version__
from gitmem.app import App
from gitmem.errors import GitmemError, InvalidInput, NotARepository, Unavailable
from gitmem.git.runner import run_git
from gitmem.hooks.agents import carry_out, places, plan, plugins, standing, wanted
from gitmem.hooks.agents.carry_out import Ground
from gitmem.hooks.agents.hosts import BY_NAME, HOSTS, PROJECT, SCOPES, USER, Host
from gitmem.hooks.agents.places import Bases
from gitmem.hooks.agents.plan import Step
from gitmem.hooks.agents.standing import NONE
from gitmem.model.value import dataclass
from gitmem.operations.registry import WRITE, Arg, Operation
from gitmem.store import files
from gitmem.text.fence import one_line

NAMES = tuple(host.name for host in HOSTS)


@dataclass(frozen=True, slots=True)
class Setup:
    """Which agents, and what to do with them."""

    agents: Annotated[
        tuple[str, ...],
        Arg(
            "Agents; none: all that are installed.",
            positional=True,
            choices=NAMES,
            metavar="[AGENT]...",
        ),
    ] = ()
    scope: Annotated[
        str,
        Arg(
            "Where to write; without it in the project, and in the user's files only what the "
            "host keeps nowhere else.",
            choices=("", *SCOPES),
            metavar="project|user",
        ),
    ] = ""
    dry_run: Annotated[bool, Arg("Show what would change as a diff, and write nothing.")] = False
    remove: Annotated[bool, Arg("Take out what setup wrote; every byte is as before.")] = False
    status: Annotated[bool, Arg("Say how each agent stands.")] = False
    command: Annotated[
        str,
        Arg(
            "What hosts start instead of this program's absolute path, such as gitmem for files "
            "that a team commits."
        ),
    ] = ""
    plugin: Annotated[
        str,
        Arg(
            "Write a plugin for this host into the folder of --into.",
            choices=("", *plugins.HOSTS),
            metavar="|".join(plugins.HOSTS),
        ),
    ] = ""
    into: Annotated[str, Arg("The folder for --plugin.", metavar="DIR")] = ""


@dataclass(frozen=True, slots=True)
class FileItem:
    """One file: what became of it, whose and which parts; ``committed``: git would take it."""

    path: str
    scope: str
    state: str
    agents: tuple[str, ...]
    parts: tuple[str, ...]
    committed: bool
    note: str


@dataclass(frozen=True, slots=True)
class AgentItem:
    """How one agent stands: configured, partial, none or untrusted, where, and why."""

    agent: str
    title: str
    state: str
    installed: bool
    found: tuple[str, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetUp:
    """What was done, or how the agents stand. ``changed`` counts files that are other now."""

    action: str
    dry_run: bool
    agents: tuple[AgentItem, ...]
    files: tuple[FileItem, ...]
    changed: int
    diff: str
    notes: tuple[str, ...]


def setup(app: App, request: Setup) -> SetUp:
    """Wire agents to gitmem: MCP server, session hooks and, where needed, a block of rules.

    Others' entries, comments, order and line ends stay. A file that does not parse, is another
    user's or is a link out of its folder is refused, and then nothing is written anywhere. What was
    written is listed in a manifest with the bytes of before, so that --remove gives them back.
    """
    _check(request)
    if request.plugin:
        return _plugin(app, request)
    bases, ground = _surroundings(app, request)
    if request.status:
        return _status(request, bases, ground)
    if request.remove:
        return _remove(app, request, bases, ground)
    return _write(app, request, bases, ground)


def _check(request: Setup) -> None:
    if unknown := [one for one in request.agents if one not in BY_NAME]:
        raise InvalidInput(
            f"There is no agent {unknown[0]!r}.", f"Choose among: {', '.join(NAMES)}."
        )
    if request.scope not in ("", *SCOPES):
        raise InvalidInput(f"There is no scope {request.scope!r}.", "Say project or user.")
    if request.remove and request.status:
        raise InvalidInput("--remove and --status exclude each other.", "Give one of them.")
    if bool(request.plugin) != bool(request.into):
        raise InvalidInput(
            "--plugin and --into belong together.", "Give both: --plugin HOST --into DIR."
        )


def _surroundings(app: App, request: Setup) -> tuple[Bases, Ground]:
    project = store = ""
    try:
        layout = app.layout
        project = layout.worktree or (layout.store_root if layout.plain else "")
        store = os.path.join(layout.store_root, files.FOLDER)
        app.refuse_tracked()
    except NotARepository:
        if request.scope == PROJECT:
            raise
    user_store = app.settings.user_store
    data = os.path.dirname(os.path.dirname(user_store)) if user_store else ""
    local = "" if request.command and not os.path.isabs(request.command) else ".local"
    home = app.settings.home
    if request.scope == USER and not (home and data):
        raise Unavailable("There is no home folder to write to.", "Set HOME to your home folder.")
    if not data:
        home = ""  # what cannot be put on record cannot be taken back
    bases = Bases(sys.platform, home, project, app.settings.environment, local)
    return bases, Ground(project, store if project else "", data)


def _chosen(request: Setup, bases: Bases) -> list[Host]:
    if request.agents:
        return [BY_NAME[name] for name in dict.fromkeys(request.agents)]
    return [host for host in HOSTS if places.is_installed(bases, host)]


def program(environment_path: str, argv0: str) -> tuple[str, ...]:
    """The words that start the gitmem that runs now, the first an absolute path.

    As it stands on the PATH, which an upgrade keeps; else its own place; else this Python.
    """
    found = os.path.abspath(argv0) if os.path.dirname(argv0) else shutil.which(argv0) or ""
    if os.path.basename(found).removesuffix(".exe") == "gitmem" and os.path.isfile(found):
        on_path = shutil.which("gitmem", path=environment_path)
        if on_path and os.path.isabs(on_path) and os.path.samefile(on_path, found):
            return (on_path,)
        return (found,)
    return (sys.executable, "-P", "-m", "gitmem")


def _words(app: App, request: Setup) -> tuple[str, ...]:
    if request.command:
        return (request.command,)
    return program(app.settings.environment.get("PATH", ""), sys.argv[0])


def _write(app: App, request: Setup, bases: Bases, ground: Ground) -> SetUp:
    hosts = _chosen(request, bases)
    words = _words(app, request)
    targets, skipped = wanted.targets(bases, hosts, words, request.scope)

    def decide() -> list[Step]:
        return plan.setup(targets, ground.records(), ground.look)

    steps = decide() if request.dry_run else carry_out.run(ground, decide)
    notes = [f"{one.agent}: no {one.part}: {one.reason}" for one in skipped]
    notes += [
        f"{one.agent}: {BY_NAME[one.agent].notes[one.part, one.scope]}"
        for one in targets
        if (one.part, one.scope) in BY_NAME[one.agent].notes
    ]
    if not hosts:
        notes.append(f"No agent was found. Name one: {', '.join(NAMES)}.")
    if not request.dry_run and bases.project and not app.has_store:
        notes.append("gitmem is not set up in this repository yet: gitmem init")
    return _result(app, request, "setup", bases, steps, notes)


def _remove(app: App, request: Setup, bases: Bases, ground: Ground) -> SetUp:
    names = request.agents or NAMES
    # Where hooks and entries could stand, whoever put them there; every form of each place.
    candidates = [
        one
        for local in (".local", "")
        for one in _candidates(
            Bases(bases.system, bases.home, bases.project, bases.environment, local), names
        )
    ]

    def decide() -> list[Step]:
        records = {
            scope: known
            for scope, known in ground.records().items()
            if request.scope in ("", scope)
        }
        there = [one for one in candidates if one.scope in records] if request.agents else []
        return plan.remove(names, records, there, ground.look)

    steps = decide() if request.dry_run else carry_out.run(ground, decide)
    return _result(app, request, "remove", bases, steps, [])


def _candidates(bases: Bases, names: Collection[str]) -> list[wanted.Target]:
    found = []
    for scope in SCOPES:
        for name in names:
            try:
                found += wanted.targets(bases, [BY_NAME[name]], ("gitmem",), scope)[0]
            except Unavailable:
                continue  # a repository to name is needed for writing only
    return found


def _status(request: Setup, bases: Bases, ground: Ground) -> SetUp:
    hosts = [BY_NAME[name] for name in dict.fromkeys(request.agents)] or list(HOSTS)
    items = []
    for host in hosts:
        told = standing.judge(bases, host, ground.look)
        installed = places.is_installed(bases, host)
        reasons = told.reasons
        if told.state == NONE and installed:
            reasons = (*reasons, f"installed, not wired: gitmem setup {host.name}")
        items.append(AgentItem(host.name, host.title, told.state, installed, told.found, reasons))
    return SetUp("status", False, tuple(items), (), 0, "", ())


def _plugin(app: App, request: Setup) -> SetUp:
    folder = os.path.join(app.start, request.into)
    folder = os.path.abspath(folder)
    if request.dry_run:
        layout = plugins.layout(request.plugin, __version__)
        told = [(os.path.join(folder, *name.split("/")), True) for name in layout]
    else:
        try:
            told = plugins.write(request.plugin, folder, __version__)
        except OSError as error:
            raise files.refused(error, error.filename or folder) from error
    items = tuple(
        FileItem(path, "plugin", _state(changed), (request.plugin,), (), False, "")
        for path, changed in told
    )
    changed = sum(1 for one in items if one.state == plan.WRITTEN)
    return SetUp("plugin", request.dry_run, (), items, changed, "", ())


def _state(changed: bool) -> str:
    return plan.WRITTEN if changed else plan.KEPT


def _result(
    app: App,
    request: Setup,
    action: str,
    bases: Bases,
    steps: Sequence[Step],
    notes: Iterable[str],
) -> SetUp:
    committed = _committed(app, [one.path for one in steps if one.scope == PROJECT])
    items = tuple(
        FileItem(
            one.path, one.scope, one.state, one.agents, one.parts, one.path in committed, one.note
        )
        for one in steps
    )
    changes = [one for one in steps if one.is_change]
    told = "".join(_diff(one) for one in changes) if request.dry_run else ""
    more = list(notes)
    wrote = [one for one in changes if one.path in committed and one.content is not None]
    if action == "setup" and wrote and bases.local:
        more.append(
            "Files marked (git) would be committed and name this machine's gitmem: keep them out "
            "of git, or share them with --command gitmem."
        )
    return SetUp(action, request.dry_run, (), items, len(changes), told, tuple(more))


def _committed(app: App, paths: Sequence[str]) -> set[str]:
    """Those that git does not ignore: `git add` would take them."""
    if not paths or app.layout.plain or not app.layout.worktree:
        return set()
    top = app.layout.worktree
    asked = b"".join(os.fsencode(os.path.relpath(one, top)) + b"\0" for one in paths)
    # The runner's literal pathspecs are not understood by this one command.
    words = ["--no-literal-pathspecs", "check-ignore", "-z", "--stdin"]
    try:
        told = run_git(words, cwd=top, stdin=asked, ok=(0, 1))
    except GitmemError:
        return set(paths)
    ignored = {os.path.join(top, os.fsdecode(one)) for one in told.split(b"\0") if one}
    return {one for one in paths if os.path.normpath(one) not in ignored}


def _diff(step: Step) -> str:
    """The change as `diff -u` shows it, secrets of others masked."""
    import difflib  # noqa: PLC0415 - only a dry run shows a diff

    from gitmem.text.redact import redact  # noqa: PLC0415

    def lines(content: bytes | None) -> list[str]:
        text = (content or b"").decode("utf-8", "replace")
        # Masked line by line: a secret must not join what stands on two lines.
        return [redact(line).text for line in text.split("\n")]

    before, after = lines(step.seen.content), lines(step.content)
    old = "/dev/null" if step.seen.content is None else step.path
    new = "/dev/null" if step.content is None else step.path
    told = list(difflib.unified_diff(_marked(before), _marked(after), old, new, lineterm=""))
    return "".join(f"{line}\n" for line in told)


def _marked(lines: list[str]) -> list[str]:
    """Lines as diff shows them: a last one without an end is told by the line below it."""
    if lines[-1] == "":
        return lines[:-1]
    return [*lines[:-1], lines[-1] + "\n\\ No newline at end of file"]


def view(result: SetUp) -> str:
    """A line for each file or agent, and what to know below."""
    if result.action == "status":
        return "\n".join(line for one in result.agents for line in _agent_lines(one))
    lines = [result.diff.rstrip("\n")] if result.diff else []
    if not result.changed:
        lines.append("nothing to do")
    would = "would be " if result.dry_run else ""
    for one in result.files:
        state = one.state if one.state in (plan.KEPT, plan.GONE) else would + one.state
        whose = f"{', '.join(one.agents)}: {', '.join(one.parts)}".rstrip(": ")
        git = " (git)" if one.committed and one.state == plan.WRITTEN else ""
        lines.append(f"{state:<8} {one_line(one.path, 200)}{git}  {whose}")
        if one.note:
            lines.append(f"{'':<9}{one.note}")
    lines += [f"note: {one_line(note, 300)}" for note in result.notes]
    return "\n".join(lines)


def _agent_lines(one: AgentItem) -> list[str]:
    lines = [f"{one.state:<11} {one.agent}{'' if one.installed else ' (not found here)'}"]
    lines += [f"{'':<12}{one_line(told, 200)}" for told in one.found]
    lines += [f"{'':<12}{one_line(told, 300)}" for told in one.reasons]
    return lines


SETUP = Operation(
    name="setup",
    request=Setup,
    run=setup,
    view=view,
    effect=WRITE,
    example="gitmem setup claude-code codex --dry-run",
)
