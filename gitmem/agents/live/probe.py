"""Testing an agent's hooks and servers, each started as the host's file says."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence

from gitmem.agents.events import responses
from gitmem.agents.hosts.host import EVENTS, HOOKS, MCP, USER, Host
from gitmem.agents.hosts.host_paths import PathTemplateFolders
from gitmem.agents.live import launch
from gitmem.agents.live.launch import LaunchResult, Sandbox
from gitmem.agents.live.verdict import SIMULATED, TextDeliveryVerdict
from gitmem.agents.wiring import host_approval, installed_commands
from gitmem.agents.wiring.installed_commands import InstalledCommand
from gitmem.doctor.finding import NOTE, OK, PROBLEM
from gitmem.model.frozen import dataclass

_TOKEN = 4  # characters


@dataclass(frozen=True, slots=True)
class ProbeEnvironment:
    """Where and with what environment the hooks and servers of agent programs are tried.

    ``place`` is a temporary repository. ``own`` are the commands that start this gitmem. ``mark``
    begins the ids of made-up sessions, which have to be new.
    """

    bases: PathTemplateFolders
    place: Sandbox
    environment: Mapping[str, str]
    own: frozenset[tuple[str, ...]]
    mark: str


def check_hooks(
    probe_environment: ProbeEnvironment, host: Host, commands: Sequence[InstalledCommand]
) -> Iterator[TextDeliveryVerdict]:
    """Yield a TextDeliveryVerdict on each installed hook of an agent: does the model get its text?

    Also on missing and double hooks. In the order of a session's events.
    """
    if HOOKS not in host.setup_parts:
        return
    expected = installed_commands.hooks_setup_writes(host, probe_environment.bases.system)
    events = {event for _, _, event in expected}
    by_event: dict[str, list[InstalledCommand]] = {}
    for call in commands:
        by_event.setdefault(call.event, []).append(call)
    for event in sorted(by_event, key=lambda event: EVENTS.index(event) if event in EVENTS else 99):
        yield from _event(probe_environment, host, event, by_event[event], expected)
    if missing := [event for event in EVENTS if event in events and event not in by_event]:
        silent = host.live.oriented_at in missing
        message = f"no gitmem hook at {', '.join(missing)}" if commands else "no gitmem hooks"
        state = PROBLEM if silent and commands else NOTE
        yield _problem(host, HOOKS, message, state)
    yield from _report_duplicates(host, by_event)


def _event(
    probe_environment: ProbeEnvironment,
    host: Host,
    event: str,
    commands: Sequence[InstalledCommand],
    expected: frozenset[tuple[tuple[str, ...], str, str]],
) -> Iterator[TextDeliveryVerdict]:
    """Verdicts on the hooks of one event; equal commands are run once."""
    done: set[tuple[tuple[str, ...], str]] = set()
    for number, call in enumerate(commands):
        if (call.at, call.agent, event) not in expected:
            at, words = ".".join(call.at), " ".join(call.words)
            yield _problem(host, event, f"does not belong in {at} of {call.path}: {words}")
        elif (call.words, call.line) not in done:
            done.add((call.words, call.line))
            yield _hook(
                probe_environment,
                host,
                call,
                f"{probe_environment.mark}-{host.name}-{event}-{number}",
            )


def _hook(
    probe_environment: ProbeEnvironment, host: Host, installed: InstalledCommand, session: str
) -> TextDeliveryVerdict:
    if refused := _check_call(probe_environment, host, installed, installed.event):
        return refused
    if not host.live.fires(installed.event, installed.matcher):
        message = (
            f"{host.title} never fires it with the matcher {installed.matcher!r} ({installed.path})"
        )
        return _problem(host, installed.event, message)
    env = launch.host_environment(probe_environment.environment, probe_environment.place, host)
    answer = launch.run_hook(installed, host, probe_environment.place, env, session)
    orients = host.live.oriented_at == installed.event
    if answer.trouble:
        return _problem(
            host, installed.event, "would not reach the model: " * orients + answer.trouble
        )
    if doubts := host_approval.reasons_setup_not_run(
        probe_environment.bases, host, HOOKS, installed.scope, installed.path
    ):
        return _report_doubts(host, installed.event, doubts, orients=orients)
    tried = orients and host.live.starts_from_desktop
    if tried and (reason := _short_path(probe_environment, host, installed, f"{session}-desktop")):
        return TextDeliveryVerdict(host.name, installed.event, NOTE, SIMULATED, *reason)
    hint = host.live.reported if orients else ""
    message = "answers in time"
    if orients:
        tokens, most = -(-answer.size // _TOKEN), responses.max_output_size(host.name) // _TOKEN
        message = f"would reach the model: {tokens:,} tokens of {most:,}, in {answer.seconds:.1f} s"
    return TextDeliveryVerdict(host.name, installed.event, OK, SIMULATED, message, hint)


def _report_doubts(
    host: Host, event: str, doubts: Sequence[str], *, orients: bool
) -> TextDeliveryVerdict:
    """The verdict on a hook or server that works, but that its host would not run yet."""
    if not orients:
        return TextDeliveryVerdict(
            host.name, event, NOTE, SIMULATED, "answers, but also waits for approval", ""
        )
    parts = [doubt.partition(": ") for doubt in doubts]
    reasons = "; ".join(reason for reason, _, _ in parts)
    hint = "; ".join(dict.fromkeys(advice for _, _, advice in parts))
    return TextDeliveryVerdict(
        host.name, event, PROBLEM, SIMULATED, f"written, but {reasons}", hint
    )


def _check_call(
    probe_environment: ProbeEnvironment, host: Host, installed: InstalledCommand, event: str
) -> TextDeliveryVerdict | None:
    """The verdict on a call that may not or cannot be made; None if it can."""
    words = installed_commands.gitmem_start_argv(installed)
    if reason := installed_commands.reason_not_startable(
        words, probe_environment.environment.get("PATH", "")
    ):
        return _problem(host, event, f"cannot be started: {reason} ({installed.path})")
    if reason := installed_commands.reason_not_allowed(installed, probe_environment.own):
        message = f"was not tested: {reason} ({installed.path})"
        hint = f"Look at it. `gitmem setup {host.name}` replaces it with this gitmem."
        return TextDeliveryVerdict(host.name, event, NOTE, SIMULATED, message, hint)
    return None


def _short_path(
    probe_environment: ProbeEnvironment, host: Host, installed: InstalledCommand, session: str
) -> tuple[str, str] | None:
    """What goes wrong if the host is started from the desktop, and a hint; None if nothing."""
    env = launch.host_environment(
        probe_environment.environment, probe_environment.place, host, desktop_system=sys.platform
    )
    reason = installed_commands.reason_not_startable(
        installed_commands.gitmem_start_argv(installed), env.get("PATH", "")
    )
    if not reason:
        result = (
            launch.run_hook(installed, host, probe_environment.place, env, session)
            if installed.event
            else launch.run_server(installed, probe_environment.place, env)
        )
        reason = result.trouble
    if not reason:
        return None
    message = f"works from a terminal; started from the desktop, {host.title} has a short PATH: "
    return message + reason, f"Start {host.title} from a terminal, or: gitmem setup {host.name}"


def check_servers(
    probe_environment: ProbeEnvironment, host: Host, commands: Sequence[InstalledCommand]
) -> Iterator[TextDeliveryVerdict]:
    """Yield a TextDeliveryVerdict on each entry of gitmem's MCP server in files: does it start?"""
    if MCP not in host.setup_parts:
        return
    if not commands:
        yield _problem(host, MCP, "no gitmem MCP server", NOTE)
    results: dict[tuple[str, ...], LaunchResult] = {}
    for call in commands:
        yield _server(probe_environment, host, call, results)


def _server(
    probe_environment: ProbeEnvironment,
    host: Host,
    installed: InstalledCommand,
    made: dict[tuple[str, ...], LaunchResult],
) -> TextDeliveryVerdict:
    if refused := _check_call(probe_environment, host, installed, MCP):
        return refused
    if installed.off:
        message = f"is switched off in {installed.path}"
        return TextDeliveryVerdict(
            host.name, MCP, PROBLEM, SIMULATED, message, "Switch it on there."
        )
    # The repository that the entry names.
    place = installed.words[installed.words.index("-C") + 1] if "-C" in installed.words[:-1] else ""
    if place and not os.path.isdir(place):
        return _problem(host, MCP, f"it should serve {place}, which no longer exists")
    env = launch.host_environment(probe_environment.environment, probe_environment.place, host)
    # Equal commands, of the user and of the project, are started once.
    answer = made.get(installed.words) or launch.run_server(installed, probe_environment.place, env)
    made[installed.words] = answer
    if answer.trouble:
        return _problem(host, MCP, f"does not answer: {answer.trouble}")
    if doubts := host_approval.reasons_setup_not_run(
        probe_environment.bases, host, MCP, installed.scope, installed.path
    ):
        return _report_doubts(host, MCP, doubts, orients=True)
    if host.live.starts_from_desktop and (
        reason := _short_path(probe_environment, host, installed, "")
    ):
        return TextDeliveryVerdict(host.name, MCP, NOTE, SIMULATED, *reason)
    message = f"answers initialize and tools/list in {answer.seconds:.1f} s: {answer.tools} tools"
    return TextDeliveryVerdict(host.name, MCP, OK, SIMULATED, message, "")


def _report_duplicates(
    host: Host, by_event: Mapping[str, Sequence[InstalledCommand]]
) -> Iterator[TextDeliveryVerdict]:
    several = {
        event: paths_of_event
        for event, calls in by_event.items()
        if len(paths_of_event := dict.fromkeys(call.path for call in calls)) > 1
    }
    if several:
        paths = list(next(iter(several.values())))
        message = f"are in {' and '.join(paths)}: {host.title} runs all, and the first answers"
        users = any(call.scope == USER for calls in by_event.values() for call in calls)
        hint = f"`gitmem setup {host.name} --remove --scope user` keeps the project's."
        hint = hint if users else "Take one of them out."
        yield TextDeliveryVerdict(host.name, HOOKS, NOTE, SIMULATED, message, hint)


def _problem(host: Host, event: str, message: str, verdict: str = PROBLEM) -> TextDeliveryVerdict:
    """The verdict on something that a new setup corrects."""
    return TextDeliveryVerdict(
        host.name, event, verdict, SIMULATED, message, f"`gitmem setup {host.name}`"
    )
