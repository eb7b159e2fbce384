"""Doctor on the agents: whether what gitmem keeps would reach each one's model.

*simulated*: each hook and server is started just as it stands in the host's file, in a repository
made for it where one memory with a canary phrase waits. *observed*: the host's own transcripts show
that something of gitmem's arrived.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from gitmem.agents.hosts import host_paths
from gitmem.agents.hosts.host import HOOKS, MCP, RULES, Host
from gitmem.agents.hosts.host_paths import short
from gitmem.agents.hosts.table import HOSTS
from gitmem.agents.live import transcripts
from gitmem.agents.live.launch import Place
from gitmem.agents.live.probe import Site, hooks, servers
from gitmem.agents.live.verdict import OBSERVED, SIMULATED, Verdict
from gitmem.agents.wiring import impostors, installed_commands, surroundings
from gitmem.agents.wiring.apply import Ground
from gitmem.agents.wiring.impostor_search import Impostor, Known
from gitmem.agents.wiring.installed_commands import Call
from gitmem.app import App
from gitmem.capture import pipeline
from gitmem.capture.pipeline import Wanted
from gitmem.clock import SystemClock
from gitmem.doctor.finding import NOTE, OK, PROBLEM
from gitmem.errors import GitmemError, Unavailable
from gitmem.git import runner
from gitmem.memory.draft import Draft
from gitmem.model.frozen import dataclass, replace
from gitmem.settings import AGENT_MARKS, Settings
from gitmem.spool import git_events, lease
from gitmem.store.db import preflight
from gitmem.text.fence import one_line

# The source that a frame names which tells a session's orientation.
_TOLD = "orient"


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands of gitmem for one host; ``rules`` are paths with their text."""

    host: Host
    installed: bool
    hooks: tuple[Call, ...]
    servers: tuple[Call, ...]
    rules: tuple[tuple[str, str], ...]
    broken: tuple[Verdict, ...]
    dangers: tuple[Verdict, ...]

    @property
    def paths(self) -> frozenset[str]:
        """Every file with something of gitmem for it."""
        return frozenset(
            [*(one.path for one in (*self.hooks, *self.servers)), *(path for path, _ in self.rules)]
        )


def examine(app: App) -> tuple[Verdict, ...]:
    """The verdicts on every agent that is installed or wired here, agent by agent."""
    bases, ground = surroundings.surroundings(app, sys.platform)
    known = surroundings.known(app, bases, ground)
    stands = _here([_standing(known, ground, host) for host in HOSTS], ground)
    found: list[Verdict] = []
    if not app.settings.number("hooks.enabled"):
        told, hint = "hooks.enabled is 0: all hooks are silent", "`gitmem config hooks.enabled 1`"
        found.append(Verdict("gitmem", HOOKS, NOTE, SIMULATED, told, hint))
    if not stands:
        told = "no agent is installed or wired here"
        found.append(Verdict("gitmem", "setup", NOTE, SIMULATED, told, "`gitmem setup AGENT`"))
        return tuple(found)
    with _place(app) as place:
        env = {k: v for k, v in app.settings.environment.items() if k not in AGENT_MARKS}
        site = Site(bases, place, env, frozenset(known.ways), app.entropy(8).hex())
        for number, one in enumerate(stands):
            app.progress("agents", number, len(stands))
            found += _verdicts(app, site, one)
    return tuple(
        replace(one, message=short(one.message, bases.project, bases.home)) for one in found
    )


@contextmanager
def _place(app: App) -> Iterator[Place]:
    """A repository with one pinned memory, and a data folder; gone afterwards."""
    phrase = f"gitmem-canary-{app.entropy(6).hex()}"
    with _folder(app) as base:
        folder, data = os.path.join(base, "canary"), os.path.join(base, "data")
        for made in (folder, data):
            os.mkdir(made, 0o700)
        try:
            # No template: a user's own would bring hooks along.
            runner.run_git(["init", "-q", "--template="], cwd=folder)
            with open(os.path.join(folder, "README.md"), "wb") as file:
                file.write(b"# Canary\n")
            _keep(app, folder, data, phrase)
        finally:
            runner.configure(app.settings.environment)
        yield Place(folder, data, phrase)


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


def _keep(app: App, folder: str, data: str, phrase: str) -> None:
    env = {k: v for k, v in app.settings.environment.items() if not k.startswith("GITMEM_")}
    settings = Settings(
        {k: v for k, v in env.items() if k not in AGENT_MARKS} | {"GITMEM_HOME": data}
    )
    # The hooks that are fired have no other clock than the machine's.
    canary = App(settings, SystemClock(), folder, entropy=app.entropy)
    try:
        canary.create_store()
        said = Draft(f"The canary of this repository says {phrase}.", pinned=True)
        pipeline.keep(canary, Wanted(said, layer="project"))
        # To hooks this process is the drain at work: they start none that would outlive the place.
        waiting = os.path.join(folder, preflight.FOLDER, git_events.SPOOL)
        os.makedirs(waiting, exist_ok=True)
        with open(os.path.join(waiting, lease.HINT), "w", encoding="ascii") as file:
            file.write(f"{os.getpid()}\n")
    finally:
        canary.close()


def _standing(known: Known, ground: Ground, host: Host) -> Standing:
    bases = known.bases
    calls: list[Call] = []
    entries: list[Call] = []
    rules: list[tuple[str, str]] = []
    broken: list[Verdict] = []
    dangers: list[Verdict] = []
    for part, scope, path in installed_commands.every_file(bases, host):
        try:
            content = ground.look(path, scope).content or b""
            strange = impostors.find(known, host, part, scope, path, content)
            for one in strange:
                told = f"danger: {one.message}"
                dangers.append(Verdict(one.agent, one.event, PROBLEM, SIMULATED, told, one.hint))
            if any(one.whole for one in strange):
                continue
            if part == HOOKS:
                found = installed_commands.hooks(bases, host, scope, path, content)
                calls += [one for one in found if not _is_of(one, strange)]
            elif part == MCP:
                entry = installed_commands.server(bases, host, scope, path, content)
                entries += [entry] if entry and not strange else []
            else:
                text = installed_commands.rules_in(content)
                rules += [(path, text)] if text else []
        except GitmemError as error:
            told = f"{path}: {error.message}" if path not in error.message else error.message
            broken.append(Verdict(host.name, part, PROBLEM, SIMULATED, told, error.hint))
    return Standing(
        host,
        host_paths.is_installed(bases, host),
        tuple(calls),
        tuple(entries),
        tuple(rules),
        tuple(broken),
        tuple(dangers),
    )


def _is_of(call: Call, strange: list[Impostor]) -> bool:
    """Whether a hook is one of the impostors, or below one."""
    return any(
        call.entry == one.value if one.value else call.at[: len(one.at)] == one.at
        for one in strange
    )


def _here(stands: list[Standing], ground: Ground) -> list[Standing]:
    """The hosts to tell of: installed, set up by gitmem, or with a file that is theirs alone.

    A file that several hosts read makes none of the others wired that nobody has here.
    """
    known = {path: record for each in ground.records().values() for path, record in each.items()}
    named = {piece.agent for record in known.values() for piece in record.pieces}
    found = []
    for one in stands:
        shared = {path for other in stands if other is not one for path in other.paths}
        strays = one.paths & shared - set(known)
        speaks = one.host.speaks_for_shared_files and strays
        wired = one.host.name in named or one.paths - shared or speaks
        if one.installed or wired or one.dangers:
            found.append(one)
    return found


def _verdicts(app: App, site: Site, one: Standing) -> Iterator[Verdict]:
    name = one.host.name
    yield from one.dangers
    if not one.paths:
        yield from one.broken
        if one.dangers:
            return
        told = "installed, not wired"
        yield Verdict(name, "setup", NOTE, SIMULATED, told, f"`gitmem setup {name}`")
        return
    yield from one.broken
    yield from hooks(site, one.host, one.hooks)
    yield from servers(site, one.host, one.servers)
    yield from _rules(one)
    live = one.host.live
    if live.untold:
        yield Verdict(name, "session-start", NOTE, SIMULATED, live.untold, "")
    if live.transcripts:
        yield from _observed(app, site, one)
    elif live.told_at:
        told = f"all simulated: gitmem does not know where {one.host.title} keeps transcripts"
        yield Verdict(name, "transcript", NOTE, SIMULATED, told, "")


def _rules(one: Standing) -> Iterator[Verdict]:
    name = one.host.name
    for path, text in one.rules:
        told = f"{one.host.title} reads gitmem's lines in {path}"
        if not installed_commands.is_current(one.host, text):
            hint = f"`gitmem setup {name}` updates them."
            yield Verdict(name, RULES, NOTE, SIMULATED, f"{told}, but in an outdated wording", hint)
        elif 0 < one.host.rules_cap < len(text):
            most = f"{one.host.title} reads {one.host.rules_cap:,}"
            told = f"{path} has {len(text):,} characters; {most}"
            yield Verdict(name, RULES, PROBLEM, SIMULATED, told, "Shorten it.")
        else:
            yield Verdict(name, RULES, OK, SIMULATED, told, "")


def _observed(app: App, site: Site, one: Standing) -> Iterator[Verdict]:
    name = one.host.name
    seen = transcripts.look(site.bases, one.host, app.now)
    told = (one.host.live.told_at, seen.at.get(_TOLD, 0), one.hooks)
    asked = (MCP, seen.at.get(transcripts.MCP, 0), one.servers)
    reads_tools = one.host.live.transcripts and one.host.live.transcripts.steps
    for event, when, calls in (told, asked) if reads_tools else (told,):
        if when:
            message = f"seen in its transcript {_local(app, when)}"
            yield Verdict(name, event, OK, OBSERVED, message, "")
        elif calls:
            where = f"in {seen.files} of the last {transcripts.DAYS} days" if seen.files else "here"
            message = f"not yet seen in a transcript {where}"
            hint = f"Start {one.host.title} here and run this again."
            yield Verdict(name, event, NOTE, OBSERVED, message, hint)


def _local(app: App, when: int) -> str:
    from gitmem.clock import zones  # noqa: PLC0415 - only where something was seen

    return zones.local(when, zones.load(app.zone)).strftime("%Y-%m-%d %H:%M")


def view(verdicts: tuple[Verdict, ...]) -> list[str]:
    """A line for each verdict, with what to do below it; the same on several events is one line."""
    events: dict[Verdict, list[str]] = {}
    for one in verdicts:
        events.setdefault(replace(one, event=""), []).append(one.event)
    lines = []
    for one, told in events.items():
        # A server that stands in two files is one event, twice.
        names = list(dict.fromkeys(told))
        event = names[0] if len(names) == 1 else f"{len(names)} events"
        several = f"{', '.join(names)}: " if len(names) > 1 else ""
        message = one_line(several + one.message, 300)
        lines.append(f"{one.verdict:<8} {one.agent:<14} {event:<14} {message} ({one.how})")
        if one.hint:
            lines.append(f"{'':<39}{one_line(one.hint, 300)}")
    return lines
