"""Verdicts on an agent's hooks and servers, each started as it stands in the host's file."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence

from gitmem.agents.events import responses
from gitmem.agents.hosts.host import EVENTS, HOOKS, MCP, USER, Host
from gitmem.agents.hosts.host_paths import Bases
from gitmem.agents.live import launch
from gitmem.agents.live.launch import Answer, Place
from gitmem.agents.live.verdict import SIMULATED, Verdict
from gitmem.agents.wiring import host_approval, installed_commands
from gitmem.agents.wiring.installed_commands import Call
from gitmem.doctor.finding import NOTE, OK, PROBLEM
from gitmem.model.frozen import dataclass

_TOKEN = 4  # characters


@dataclass(frozen=True, slots=True)
class Site:
    """Where calls are made, with what environment; ``own`` are the ways to start this gitmem.

    ``mark`` begins the sessions' ids: a hook speaks once in a session.
    """

    bases: Bases
    place: Place
    environment: Mapping[str, str]
    own: frozenset[tuple[str, ...]]
    mark: str


def hooks(site: Site, host: Host, calls: Sequence[Call]) -> Iterator[Verdict]:
    """Verdicts on every hook of a host, in the order of a session."""
    if HOOKS not in host.parts:
        return
    expected = installed_commands.expected(host, site.bases.system)
    events = {event for _, _, event in expected}
    by_event: dict[str, list[Call]] = {}
    for call in calls:
        by_event.setdefault(call.event, []).append(call)
    for event in sorted(by_event, key=lambda one: EVENTS.index(one) if one in EVENTS else 99):
        yield from _event(site, host, event, by_event[event], expected)
    if missing := [event for event in EVENTS if event in events and event not in by_event]:
        silent = host.live.told_at in missing
        told = f"no gitmem hook at {', '.join(missing)}" if calls else "no gitmem hooks"
        state = PROBLEM if silent and calls else NOTE
        yield Verdict(host.name, HOOKS, state, SIMULATED, told, _setup(host))
    yield from _twice(host, by_event)


def _event(
    site: Site,
    host: Host,
    event: str,
    calls: Sequence[Call],
    expected: frozenset[tuple[tuple[str, ...], str, str]],
) -> Iterator[Verdict]:
    """What stands twice in the same words is fired once."""
    done: set[tuple[tuple[str, ...], str]] = set()
    for number, call in enumerate(calls):
        if (call.at, call.agent, event) not in expected:
            told = f"does not belong in {'.'.join(call.at)} of {call.path}: {' '.join(call.words)}"
            yield Verdict(host.name, event, PROBLEM, SIMULATED, told, _setup(host))
        elif (call.words, call.line) not in done:
            done.add((call.words, call.line))
            yield _hook(site, host, call, f"{site.mark}-{host.name}-{event}-{number}")


def _hook(site: Site, host: Host, call: Call, session: str) -> Verdict:
    if refused := _refused(site, host, call, call.event):
        return refused
    if not host.live.fires(call.event, call.matcher):
        told = f"{host.title} never fires it with the matcher {call.matcher!r} ({call.path})"
        return Verdict(host.name, call.event, PROBLEM, SIMULATED, told, _setup(host))
    env = launch.environment(site.environment, site.place, host)
    answer = launch.fire(call, host, site.place, env, session)
    tells = host.live.told_at == call.event
    if answer.trouble:
        told = f"would not reach the model: {answer.trouble}" if tells else answer.trouble
        return Verdict(host.name, call.event, PROBLEM, SIMULATED, told, _setup(host))
    if doubts := host_approval.doubts(site.bases, host, HOOKS, call.scope, call.path):
        return _doubted(host, call.event, doubts, tells=tells)
    tried = tells and host.live.starts_from_desktop
    if tried and (reason := _short_path(site, host, call, f"{session}-desktop")):
        return Verdict(host.name, call.event, NOTE, SIMULATED, *reason)
    hint = host.live.reported if tells else ""
    told = "answers in time"
    if tells:
        tokens, most = -(-answer.size // _TOKEN), responses.cap(host.name, call.event) // _TOKEN
        told = f"would reach the model: {tokens:,} tokens of {most:,}, in {answer.seconds:.1f} s"
    return Verdict(host.name, call.event, OK, SIMULATED, told, hint)


def _doubted(host: Host, event: str, doubts: Sequence[str], *, tells: bool) -> Verdict:
    """It works, and its host would not run it yet."""
    if not tells:
        return Verdict(
            host.name, event, NOTE, SIMULATED, "answers, but also waits for approval", ""
        )
    parts = [one.partition(": ") for one in doubts]
    told = "; ".join(one for one, _, _ in parts)
    hint = "; ".join(dict.fromkeys(one for _, _, one in parts))
    return Verdict(host.name, event, PROBLEM, SIMULATED, f"written, but {told}", hint)


def _refused(site: Site, host: Host, call: Call, event: str) -> Verdict | None:
    """Why a call is not made, where it is not."""
    words = installed_commands.program(call)
    if reason := installed_commands.gone(words, site.environment.get("PATH", "")):
        told = f"cannot be started: {reason} ({call.path})"
        return Verdict(host.name, event, PROBLEM, SIMULATED, told, _setup(host))
    if reason := installed_commands.why_not(call, site.own):
        told = f"was not tested: {reason} ({call.path})"
        hint = f"Look at it. `gitmem setup {host.name}` replaces it with this gitmem."
        return Verdict(host.name, event, NOTE, SIMULATED, told, hint)
    return None


def _short_path(site: Site, host: Host, call: Call, session: str) -> tuple[str, str] | None:
    """What goes wrong where the host is started from the desktop, and what to do."""
    env = launch.environment(site.environment, site.place, host, desktop=sys.platform)
    reason = installed_commands.gone(installed_commands.program(call), env.get("PATH", ""))
    if not reason:
        made = (
            launch.fire(call, host, site.place, env, session)
            if call.event
            else launch.serve(call, site.place, env)
        )
        reason = made.trouble
    if not reason:
        return None
    told = f"works from a terminal; started from the desktop, {host.title} has a short PATH: "
    return told + reason, f"Start {host.title} from a terminal, or: gitmem setup {host.name}"


def servers(site: Site, host: Host, calls: Sequence[Call]) -> Iterator[Verdict]:
    """Verdicts on the MCP entries of a host."""
    if MCP not in host.parts:
        return
    if not calls:
        yield Verdict(host.name, MCP, NOTE, SIMULATED, "no gitmem MCP server", _setup(host))
    made: dict[tuple[str, ...], Answer] = {}
    for call in calls:
        yield _server(site, host, call, made)


def _server(site: Site, host: Host, call: Call, made: dict[tuple[str, ...], Answer]) -> Verdict:
    if refused := _refused(site, host, call, MCP):
        return refused
    if call.off:
        told = f"is switched off in {call.path}"
        return Verdict(host.name, MCP, PROBLEM, SIMULATED, told, "Switch it on there.")
    # The repository that it is told to serve.
    place = call.words[call.words.index("-C") + 1] if "-C" in call.words[:-1] else ""
    if place and not os.path.isdir(place):
        told = f"it should serve {place}, which no longer exists"
        return Verdict(host.name, MCP, PROBLEM, SIMULATED, told, _setup(host))
    env = launch.environment(site.environment, site.place, host)
    # What stands for the user and for the project in the same words is started once.
    answer = made.get(call.words) or launch.serve(call, site.place, env)
    made[call.words] = answer
    if answer.trouble:
        told = f"does not answer: {answer.trouble}"
        return Verdict(host.name, MCP, PROBLEM, SIMULATED, told, _setup(host))
    if doubts := host_approval.doubts(site.bases, host, MCP, call.scope, call.path):
        return _doubted(host, MCP, doubts, tells=True)
    if host.live.starts_from_desktop and (reason := _short_path(site, host, call, "")):
        return Verdict(host.name, MCP, NOTE, SIMULATED, *reason)
    told = f"answers initialize and tools/list in {answer.seconds:.1f} s: {answer.tools} tools"
    return Verdict(host.name, MCP, OK, SIMULATED, told, "")


def _twice(host: Host, by_event: Mapping[str, Sequence[Call]]) -> Iterator[Verdict]:
    several = {
        event: found
        for event, calls in by_event.items()
        if len(found := dict.fromkeys(call.path for call in calls)) > 1
    }
    if several:
        paths = list(next(iter(several.values())))
        told = f"stand in {' and '.join(paths)}: {host.title} runs all, the first one speaks"
        users = any(call.scope == USER for calls in by_event.values() for call in calls)
        hint = f"`gitmem setup {host.name} --remove --scope user` keeps the project's."
        hint = hint if users else "Take one of them out."
        yield Verdict(host.name, HOOKS, NOTE, SIMULATED, told, hint)


def _setup(host: Host) -> str:
    return f"`gitmem setup {host.name}`"
