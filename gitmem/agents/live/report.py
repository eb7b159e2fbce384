"""Reporting whether gitmem's memories would reach the model of each agent.

*simulated*: each hook and server is started as the host's file says, in a temporary repository with
one memory that holds a canary phrase. *observed*: the host's own transcripts show output of
gitmem's.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from gitmem.agents.hosts import host_paths
from gitmem.agents.hosts.host import HOOKS, MCP, RULES, Host
from gitmem.agents.hosts.host_paths import shorten_paths
from gitmem.agents.hosts.table import HOSTS
from gitmem.agents.live import transcripts
from gitmem.agents.live.launch import Sandbox
from gitmem.agents.live.probe import ProbeEnvironment, check_hooks, check_servers
from gitmem.agents.live.verdict import OBSERVED, SIMULATED, TextDeliveryVerdict
from gitmem.agents.wiring import impostors, installed_commands, surroundings
from gitmem.agents.wiring.apply import SetupFolders
from gitmem.agents.wiring.impostor_search import ImpostorEntry, OwnEntryIdentity
from gitmem.agents.wiring.installed_commands import InstalledCommand
from gitmem.app import App
from gitmem.capture import pipeline
from gitmem.capture.pipeline import SaveMemoryRequest
from gitmem.clock import SystemClock
from gitmem.doctor.finding import NOTE, OK, PROBLEM
from gitmem.errors import GitmemError, Unavailable
from gitmem.git import runner
from gitmem.memory.draft import MemoryDraft
from gitmem.model.frozen import dataclass, replace
from gitmem.settings import AGENT_MARKS, Settings
from gitmem.spool import git_events, lease
from gitmem.store.db import preflight
from gitmem.text.fence import one_line

# The source named in the frame of an orientation.
_ORIENT = "orient"


@dataclass(frozen=True, slots=True)
class HostSetupEntries:
    """All that gitmem has in the files of one agent program: hooks, servers, rules (path and text).

    ``broken`` are verdicts on files that cannot be read, ``dangers`` those on entries that are
    named gitmem and start something else.
    """

    host: Host
    installed: bool
    hooks: tuple[InstalledCommand, ...]
    servers: tuple[InstalledCommand, ...]
    rules: tuple[tuple[str, str], ...]
    broken: tuple[TextDeliveryVerdict, ...]
    dangers: tuple[TextDeliveryVerdict, ...]

    @property
    def file_paths(self) -> frozenset[str]:
        """The paths of all files that hold a hook, server or rule of gitmem."""
        return frozenset(
            [
                *(call.path for call in (*self.hooks, *self.servers)),
                *(path for path, _ in self.rules),
            ]
        )


def check_delivery_to_agents(app: App) -> tuple[TextDeliveryVerdict, ...]:
    """DeliveryVerdicts: do memories reach the model, for every agent installed or set up here?

    They are from running its hooks and servers, and from its transcripts. Raises Unavailable if no
    temporary folder can be made.
    """
    bases, folders = surroundings.setup_folders(app, sys.platform)
    own = surroundings.own_entry_identity(app, bases, folders)
    wirings = _select_hosts([_read_wiring(own, folders, host) for host in HOSTS], folders)
    verdicts: list[TextDeliveryVerdict] = []
    if not app.settings.number("hooks.enabled"):
        message, hint = (
            "hooks.enabled is 0: all hooks are silent",
            "`gitmem config hooks.enabled 1`",
        )
        verdicts.append(TextDeliveryVerdict("gitmem", HOOKS, NOTE, SIMULATED, message, hint))
    if not wirings:
        message = "no agent is installed or wired here"
        verdicts.append(
            TextDeliveryVerdict("gitmem", "setup", NOTE, SIMULATED, message, "`gitmem setup AGENT`")
        )
        return tuple(verdicts)
    with _place(app) as place:
        env = {k: v for k, v in app.settings.environment.items() if k not in AGENT_MARKS}
        site = ProbeEnvironment(bases, place, env, frozenset(own.ways), app.entropy(8).hex())
        for number, wiring in enumerate(wirings):
            app.progress("agents", number, len(wirings))
            verdicts += _verdicts(app, site, wiring)
    return tuple(
        replace(verdict, message=shorten_paths(verdict.message, bases.project, bases.home))
        for verdict in verdicts
    )


@contextmanager
def _place(app: App) -> Iterator[Sandbox]:
    """A temporary repository with one pinned memory, and its data folder."""
    phrase = f"gitmem-canary-{app.entropy(6).hex()}"
    with _folder(app) as base:
        folder, data = os.path.join(base, "canary"), os.path.join(base, "data")
        for new_folder in (folder, data):
            os.mkdir(new_folder, 0o700)
        try:
            # No template: the user's own may contain hooks.
            runner.run_git(["init", "-q", "--template="], cwd=folder)
            with open(os.path.join(folder, "README.md"), "wb") as file:
                file.write(b"# Canary\n")
            _save_canary(app, folder, data, phrase)
        finally:
            runner.configure_git_environment(app.settings.environment)
        yield Sandbox(folder, data, phrase)


def _folder(app: App) -> tempfile.TemporaryDirectory[str]:
    where = app.settings.environment.get("TMPDIR") or None
    try:
        return tempfile.TemporaryDirectory(
            prefix="gitmem-live-", dir=where, ignore_cleanup_errors=True
        )
    except OSError as error:
        raise Unavailable(
            f"No folder can be created to test the agents in: {error.strerror}.",
            "Set TMPDIR to a writable folder.",
        ) from error


def _save_canary(app: App, folder: str, data: str, phrase: str) -> None:
    env = {k: v for k, v in app.settings.environment.items() if not k.startswith("GITMEM_")}
    settings = Settings(
        {k: v for k, v in env.items() if k not in AGENT_MARKS} | {"GITMEM_HOME": data}
    )
    # The system's clock, which the hooks use as well.
    canary = App(settings, SystemClock(), folder, entropy=app.entropy)
    try:
        canary.create_store()
        draft = MemoryDraft(f"The canary of this repository says {phrase}.", pinned=True)
        pipeline.save_memory(canary, SaveMemoryRequest(draft, layer="project"))
        # Hooks take this process for a running drain, so they start none that outlives the folder.
        waiting = os.path.join(folder, preflight.FOLDER, git_events.SPOOL)
        os.makedirs(waiting, exist_ok=True)
        with open(os.path.join(waiting, lease.HINT), "w", encoding="ascii") as file:
            file.write(f"{os.getpid()}\n")
    finally:
        canary.close()


def _read_wiring(
    entry_identity: OwnEntryIdentity, folders: SetupFolders, host: Host
) -> HostSetupEntries:
    bases = entry_identity.bases
    calls: list[InstalledCommand] = []
    entries: list[InstalledCommand] = []
    rules: list[tuple[str, str]] = []
    broken: list[TextDeliveryVerdict] = []
    dangers: list[TextDeliveryVerdict] = []
    for part, scope, path in installed_commands.all_existing_host_files(bases, host):
        try:
            content = folders.read_file_snapshot(path, scope).content or b""
            impostors_in_file = impostors.find_impostors_in_file(
                entry_identity, host, part, scope, path, content
            )
            for impostor in impostors_in_file:
                message = f"danger: {impostor.message}"
                dangers.append(
                    TextDeliveryVerdict(
                        impostor.agent, impostor.event, PROBLEM, SIMULATED, message, impostor.hint
                    )
                )
            if any(impostor.whole for impostor in impostors_in_file):
                continue
            if part == HOOKS:
                in_file = installed_commands.installed_hook_commands(
                    bases, host, scope, path, content
                )
                calls += [call for call in in_file if not _is_of(call, impostors_in_file)]
            elif part == MCP:
                entry = installed_commands.installed_server_command(
                    bases, host, scope, path, content
                )
                entries += [entry] if entry and not impostors_in_file else []
            else:
                text = installed_commands.read_rules_text(content)
                rules += [(path, text)] if text else []
        except GitmemError as error:
            message = f"{path}: {error.message}" if path not in error.message else error.message
            broken.append(
                TextDeliveryVerdict(host.name, part, PROBLEM, SIMULATED, message, error.hint)
            )
    return HostSetupEntries(
        host,
        host_paths.is_installed(bases, host),
        tuple(calls),
        tuple(entries),
        tuple(rules),
        tuple(broken),
        tuple(dangers),
    )


def _is_of(installed: InstalledCommand, strange: list[ImpostorEntry]) -> bool:
    """Whether a hook is one of the impostors, or inside one."""
    return any(
        installed.entry == impostor.value
        if impostor.value
        else installed.at[: len(impostor.at)] == impostor.at
        for impostor in strange
    )


def _select_hosts(wirings: list[HostSetupEntries], folders: SetupFolders) -> list[HostSetupEntries]:
    """The hosts to report: installed, set up by gitmem, or with a file that is theirs alone.

    A file that several hosts read does not make each of them wired.
    """
    records = {
        path: record
        for records_of_scope in folders.setup_records_by_scope().values()
        for path, record in records_of_scope.items()
    }
    named = {piece.agent for record in records.values() for piece in record.fragments}
    relevant = []
    for wiring in wirings:
        shared = {path for other in wirings if other is not wiring for path in other.file_paths}
        strays = wiring.file_paths & shared - set(records)
        speaks = wiring.host.speaks_for_shared_files and strays
        wired = wiring.host.name in named or wiring.file_paths - shared or speaks
        if wiring.installed or wired or wiring.dangers:
            relevant.append(wiring)
    return relevant


def _verdicts(
    app: App, probe_environment: ProbeEnvironment, wiring: HostSetupEntries
) -> Iterator[TextDeliveryVerdict]:
    name = wiring.host.name
    yield from wiring.dangers
    if not wiring.file_paths:
        yield from wiring.broken
        if wiring.dangers:
            return
        message = "installed, not wired"
        yield TextDeliveryVerdict(name, "setup", NOTE, SIMULATED, message, f"`gitmem setup {name}`")
        return
    yield from wiring.broken
    yield from check_hooks(probe_environment, wiring.host, wiring.hooks)
    yield from check_servers(probe_environment, wiring.host, wiring.servers)
    yield from _rules(wiring)
    live = wiring.host.live
    if live.why_silent:
        yield TextDeliveryVerdict(name, "session-start", NOTE, SIMULATED, live.why_silent, "")
    if live.transcripts:
        yield from _check_transcripts(app, probe_environment, wiring)
    elif live.oriented_at:
        message = f"all simulated: gitmem does not know where {wiring.host.title} keeps transcripts"
        yield TextDeliveryVerdict(name, "transcript", NOTE, SIMULATED, message, "")


def _rules(wiring: HostSetupEntries) -> Iterator[TextDeliveryVerdict]:
    name = wiring.host.name
    for path, text in wiring.rules:
        message = f"{wiring.host.title} reads gitmem's lines in {path}"
        if not installed_commands.has_current_rules(wiring.host, text):
            hint = f"`gitmem setup {name}` updates them."
            yield TextDeliveryVerdict(
                name, RULES, NOTE, SIMULATED, f"{message}, but in an outdated wording", hint
            )
        elif 0 < wiring.host.rules_cap < len(text):
            most = f"{wiring.host.title} reads {wiring.host.rules_cap:,}"
            message = f"{path} has {len(text):,} characters; {most}"
            yield TextDeliveryVerdict(name, RULES, PROBLEM, SIMULATED, message, "Shorten it.")
        else:
            yield TextDeliveryVerdict(name, RULES, OK, SIMULATED, message, "")


def _check_transcripts(
    app: App, probe_environment: ProbeEnvironment, wiring: HostSetupEntries
) -> Iterator[TextDeliveryVerdict]:
    name = wiring.host.name
    evidence = transcripts.find_output_in_transcripts(probe_environment.bases, wiring.host, app.now)
    orientation = (wiring.host.live.oriented_at, evidence.at.get(_ORIENT, 0), wiring.hooks)
    tools = (MCP, evidence.at.get(transcripts.MCP, 0), wiring.servers)
    reads_tools = wiring.host.live.transcripts and wiring.host.live.transcripts.steps
    for event, when, calls in (orientation, tools) if reads_tools else (orientation,):
        if when:
            from gitmem.clock import zones  # noqa: PLC0415 - only if something was seen

            local = zones.to_local_datetime(when, zones.load_time_zone(app.display_time_zone))
            message = f"seen in its transcript {local:%Y-%m-%d %H:%M}"
            yield TextDeliveryVerdict(name, event, OK, OBSERVED, message, "")
        elif calls:
            where = (
                f"in {evidence.files} of the last {transcripts.DAYS} days"
                if evidence.files
                else "here"
            )
            message = f"not yet seen in a transcript {where}"
            hint = f"Start {wiring.host.title} here and run this again."
            yield TextDeliveryVerdict(name, event, NOTE, OBSERVED, message, hint)


def view(verdicts: tuple[TextDeliveryVerdict, ...]) -> list[str]:
    """Return the lines that the terminal shows for these verdicts of `gitmem doctor --live`."""
    events: dict[TextDeliveryVerdict, list[str]] = {}
    for verdict in verdicts:
        events.setdefault(replace(verdict, event=""), []).append(verdict.event)
    lines = []
    for verdict, fired_at in events.items():
        # A server in two files has one event twice.
        names = list(dict.fromkeys(fired_at))
        event = names[0] if len(names) == 1 else f"{len(names)} events"
        several = f"{', '.join(names)}: " if len(names) > 1 else ""
        message = one_line(several + verdict.message, 300)
        lines.append(
            f"{verdict.verdict:<8} {verdict.agent:<14} {event:<14} {message} ({verdict.how})"
        )
        if verdict.hint:
            lines.append(f"{'':<39}{one_line(verdict.hint, 300)}")
    return lines
