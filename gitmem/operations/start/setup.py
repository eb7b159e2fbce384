"""Wiring agents to gitmem: MCP entry, session hooks and rules in the files of their hosts."""

import os
import sys
from collections.abc import Iterable, Sequence

from gitmem import __version__
from gitmem.agents.hosts import host_paths
from gitmem.agents.hosts.host import SCOPES, Host
from gitmem.agents.hosts.host_paths import Bases, short
from gitmem.agents.hosts.table import BY_NAME, HOSTS, PLUGIN_HOSTS
from gitmem.agents.wiring import (
    apply,
    host_targets,
    plan,
    plugins,
    removal,
    surroundings,
    wiring_status,
)
from gitmem.agents.wiring.apply import Ground
from gitmem.agents.wiring.commit_safety import kept_out
from gitmem.agents.wiring.file_items import FileItem, file_items
from gitmem.agents.wiring.impostor import Known
from gitmem.agents.wiring.plan import Step
from gitmem.agents.wiring.program import program
from gitmem.agents.wiring.surroundings import writable
from gitmem.agents.wiring.wiring_status import NONE
from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import WRITE, Annotated, Arg, Operation
from gitmem.operations.start.setup_view import AgentItem, SetUp, diff, view
from gitmem.store.db import preflight

NAMES = tuple(host.name for host in HOSTS)


@dataclass(frozen=True, slots=True)
class Setup:
    """Which agents, and what to do with them."""

    agents: Annotated[
        tuple[str, ...],
        Arg(
            "Agents to set up (default: all that are installed)",
            positional=True,
            choices=NAMES,
            metavar="AGENT",
        ),
    ] = ()
    scope: Annotated[
        str,
        Arg(
            "Where to write (default: the project, and your own files only for what the "
            "host keeps nowhere else)",
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
            "Replace what has gitmem's name in these agents' files and is not gitmem's; "
            "otherwise it is refused"
        ),
    ] = False
    dry_run: Annotated[bool, Arg("Show what would change as a diff, and write nothing")] = False
    remove: Annotated[bool, Arg("Remove what setup wrote, and restore every byte")] = False
    status: Annotated[bool, Arg("Show the state of each agent")] = False
    command: Annotated[
        str,
        Arg(
            "The command that hosts start instead of this program's absolute path, such as "
            "gitmem for files "
            "that a team commits"
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


def setup(app: App, request: Setup) -> SetUp:
    """Wire agents to gitmem: MCP server, session hooks, rules.

    Rules, a marked block of text, are for hosts whose hooks cannot reach the model. With --skills
    hosts that read SKILL.md folders get short ones of gitmem's own. Other entries,
    comments, order and line endings are kept. A file that does not parse, belongs to another user
    or is a link out of its folder is refused, and then nothing is written anywhere. What was
    written is listed in a manifest with the original bytes, so that --remove can restore them.
    """
    return wire(app, request, sys.platform)


def wire(app: App, request: Setup, system: str) -> SetUp:
    """The same for a system as ``sys.platform`` names it."""
    _check(request)
    if request.plugin:
        return _plugin(app, request)
    personal = not request.command or os.path.isabs(request.command)
    bases, ground = writable(app, system, request.scope, personal=personal)
    if request.status:
        return _status(request, surroundings.known(app, bases, ground), ground)
    if request.remove:
        steps = removal.remove(
            app, bases, ground, request.agents, scope=request.scope, dry_run=request.dry_run
        )
        stays = "" if request.scope else removal.staying(app, request.agents)
        left = removal.left(app, bases, ground, request.agents, dry_run=request.dry_run)
        notes = [*([stays] if stays else []), *left]
        return _result(app, request, "remove", bases, steps, notes)
    return _write(app, request, bases, ground)


def _check(request: Setup) -> None:
    if unknown := [one for one in request.agents if one not in BY_NAME]:
        raise InvalidInput(
            f"There is no agent {unknown[0]!r}.", f"Choose from: {', '.join(NAMES)}."
        )
    if request.scope not in ("", *SCOPES):
        raise InvalidInput(f"There is no scope {request.scope!r}.", "Use project or user.")
    if request.skills and (request.remove or request.status or request.plugin):
        raise InvalidInput(
            "--skills is for writing.",
            "`gitmem setup --remove` takes the skills out with the rest.",
        )
    if request.replace and (request.remove or request.status or request.plugin):
        raise InvalidInput(
            "--replace is for writing.",
            "`gitmem setup AGENT --replace` first; --remove then leaves nothing of it.",
        )
    if request.remove and request.status:
        raise InvalidInput("--remove and --status cannot be combined.", "Give only one of them.")
    if bool(request.plugin) != bool(request.into):
        raise InvalidInput(
            "--plugin and --into must be given together.", "Give both: --plugin HOST --into DIR."
        )


def _chosen(request: Setup, bases: Bases) -> list[Host]:
    if request.agents:
        return [BY_NAME[name] for name in dict.fromkeys(request.agents)]
    return [host for host in HOSTS if host_paths.is_installed(bases, host)]


def _words(app: App, request: Setup) -> tuple[str, ...]:
    if request.command:
        return (request.command,)
    return program(app.settings.environment.get("PATH", ""), sys.argv[0])


def _write(app: App, request: Setup, bases: Bases, ground: Ground) -> SetUp:
    hosts = _chosen(request, bases)
    words = _words(app, request)
    targets, skipped = host_targets.targets(bases, hosts, words, request.scope)
    if request.skills:
        own, without = host_targets.skills(bases, hosts, request.scope)
        targets, skipped = [*targets, *own], [*skipped, *without]

    known = surroundings.known(app, bases, ground, words)

    def decide() -> list[Step]:
        records = ground.records()
        steps = plan.setup(known, targets, records, ground.look, replace=request.replace)
        return steps + kept_out(app, ground, steps, personal=bool(bases.local))

    steps = decide() if request.dry_run else apply.run(ground, decide)
    notes = [f"{one.agent}: no {one.part}: {one.reason}" for one in skipped]
    notes += [
        BY_NAME[one.agent].notes[one.part, one.scope]
        for one in targets
        if (one.part, one.scope) in BY_NAME[one.agent].notes
    ]
    if not hosts:
        notes.append(f"No agent was found. Name one: {', '.join(NAMES)}.")
    if not request.dry_run and bases.project and not app.has_store:
        notes.append("gitmem is not set up in this repository yet: gitmem init")
    return _result(app, request, "setup", bases, steps, notes)


def _status(request: Setup, known: Known, ground: Ground) -> SetUp:
    bases = known.bases
    hosts = [BY_NAME[name] for name in dict.fromkeys(request.agents)] or list(HOSTS)
    items = []
    for host in hosts:
        told = wiring_status.judge(known, host, ground.look)
        # One that nothing would be found of is there where its files are.
        unseen = not host.programs and not host.folders and told.state != NONE
        installed = unseen or host_paths.is_installed(bases, host)
        reasons = told.reasons
        if told.state == NONE and installed:
            reasons = (*reasons, f"installed, not wired: gitmem setup {host.name}")
        items.append(AgentItem(host.name, host.title, told.state, installed, told.found, reasons))
    return SetUp("status", False, bases.project, bases.home, tuple(items), (), 0, "", ())


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
            raise preflight.refused(error, error.filename or folder) from error
    items = tuple(
        FileItem(path, "plugin", _state(changed), (request.plugin,), (), False, False, "")
        for path, changed in told
    )
    changed = sum(1 for one in items if one.state == plan.WRITTEN)
    return SetUp("plugin", request.dry_run, "", app.settings.home, (), items, changed, "", ())


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
    items = file_items(app, steps, bases.project, personal=bool(bases.local))
    changes = [one for one in steps if one.is_change]
    told = ""
    if request.dry_run:
        told = "".join(diff(one, short(one.path, bases.project, bases.home)) for one in changes)
    more = list(dict.fromkeys(notes))
    strange = [one for one in items if one.committed and one.personal and one.state == plan.WRITTEN]
    if action == "setup" and strange:
        more.append(
            "Files marked (git) name this machine's gitmem, and git would commit them: "
            "keep them out "
            "of commits (.git/info/exclude), or make them shareable with --command gitmem."
        )
    if action == "setup" and changes and not request.dry_run:
        more.append("Restart these agents; `gitmem doctor --live` shows what reaches them.")
    return SetUp(
        action,
        request.dry_run,
        bases.project,
        bases.home,
        (),
        items,
        len(changes),
        told,
        tuple(more),
    )


SETUP = Operation(
    name="setup",
    request=Setup,
    run=setup,
    view=view,
    effect=WRITE,
    example="gitmem setup claude-code codex --dry-run",
)
