"""The state of a host's files: configured, partial, none, untrusted or danger, with reasons.

Danger: one of its files holds an impostor.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

from gitmem.agents.hosts.host import HOOKS, MCP, RULES, SCOPES
from gitmem.agents.wiring import (
    file_pieces,
    host_approval,
    impostors,
    installed_commands,
    templates,
)
from gitmem.agents.wiring.templates import ADD, BLOCK, SET, StartCommand
from gitmem.errors import GitmemError
from gitmem.model.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from gitmem.agents.hosts.host import Host
    from gitmem.agents.hosts.host_paths import PathTemplateFolders
    from gitmem.agents.wiring.impostor_search import OwnEntryIdentity
    from gitmem.files.foreign_file import FileSnapshot

CONFIGURED, PARTIAL, NONE, UNTRUSTED = "configured", "partial", "none", "untrusted"
DANGER = "danger"


@dataclass(frozen=True, slots=True)
class HostStatus:
    """Whether gitmem is set up for an agent program.

    ``state`` is configured, partial, none, untrusted (the user's approval is missing) or danger (an
    entry named gitmem starts something else); ``found`` are "PART: FILE", ``reasons`` what is
    wrong.
    """

    agent: str
    state: str
    found: tuple[str, ...]
    reasons: tuple[str, ...]


def host_status(
    entry_identity: OwnEntryIdentity,
    host: Host,
    read_file_snapshot: Callable[[str, str], FileSnapshot],
) -> HostStatus:
    """The HostStatus: is gitmem set up for an agent program, judged from all its files?

    ``read_file_snapshot`` reads a file by path and scope; an unreadable file becomes a reason.
    """
    bases = entry_identity.bases
    entries = impostors.find_impostors_of_host(entry_identity, host, read_file_snapshot)
    dangers = tuple(f"{impostor.part}: {impostor.message}. {impostor.hint}" for impostor in entries)
    places: list[str] = []
    reasons: list[str] = []
    doubts: list[str] = []
    programs: set[str] = set()
    scopes: set[str] = set()
    whole = True
    for part in host.setup_parts:
        strangers = {
            (impostor.scope, impostor.path) for impostor in entries if part == impostor.part == MCP
        }
        files = _part(bases, host, part, read_file_snapshot, reasons, strangers, programs)
        places += [f"{part}: {path}" for _, path, _ in files]
        for scope, path, missing in files:
            scopes.add(scope)
            if unread := host_approval.reason_setup_not_read(bases, host, part, scope):
                missing.append(unread)
            else:
                doubts += host_approval.reasons_setup_not_run(bases, host, part, scope, path)
            whole = whole and not missing
            reasons += [reason for reason in missing if reason not in reasons]
    if not places:
        return HostStatus(host.name, DANGER if dangers else NONE, (), (*dangers, *reasons))
    absent = [
        part
        for part in host.setup_parts
        if not any(place.startswith(f"{part}:") for place in places)
    ]
    if host.reply.heard and not any((RULES, scope) in host.places for scope in scopes):
        # Rules repeat what hooks say, and these scopes have no file for them.
        absent = [part for part in absent if part != RULES]
    reasons += [f"{part}: not set up" for part in absent]
    reasons += _several_programs(host, programs, bases.environment.get("PATH", ""))
    state = CONFIGURED if whole and not reasons else PARTIAL
    if doubts:
        state = UNTRUSTED
    if dangers:
        state = DANGER
    return HostStatus(host.name, state, tuple(places), (*dangers, *dict.fromkeys(doubts), *reasons))


def _part(
    bases: PathTemplateFolders,
    host: Host,
    setup_part: str,
    read_file_snapshot: Callable[[str, str], FileSnapshot],
    reasons: list[str],
    strangers: Collection[tuple[str, str]],
    programs: set[str],
) -> list[tuple[str, str, list[str]]]:
    """Scope, path and faults of each file that holds a part; adds to ``reasons``, ``programs``.

    Skips the (scope, path) pairs of ``strangers``, whose entry is an impostor.
    """
    fragments = templates.config_fragments(
        host.name, setup_part, StartCommand(("gitmem",), bases.system)
    )
    places = []
    for scope in SCOPES:
        for path in installed_commands.existing_files_of_part(bases, host, setup_part, scope):
            if (scope, path) in strangers:
                continue
            try:
                content = read_file_snapshot(path, scope).content
                if content is None:
                    continue
                values = [
                    (piece, file_pieces.find_fragment_value(path, content, piece))
                    for piece in fragments
                    if piece.kind in (SET, ADD, BLOCK)
                ]
            except GitmemError as error:
                reasons.append(error.message)
                continue
            if any(value is not None for _, value in values):
                started = {
                    program for _, value in values for program in _programs(value, bases.system)
                }
                programs |= started
                amiss = _find_faults(bases, setup_part, path, values, started)
                if setup_part == HOOKS:
                    # An earlier version used matchers for which the host fires nothing.
                    amiss += [
                        f"hooks: {call.event} is never fired with the matcher {call.matcher!r}: "
                        f"`gitmem setup {host.name}` corrects it"
                        for call in installed_commands.installed_hook_commands(
                            bases, host, scope, path, content
                        )
                        if not host.live.fires(call.event, call.matcher)
                    ]
                places.append((scope, path, amiss))
    return places


def _find_faults(
    bases: PathTemplateFolders,
    setup_part: str,
    path: str,
    values: list[tuple[templates.ConfigFragment, Any]],
    programs: Collection[str],
) -> list[str]:
    missing = sum(1 for _, value in values if value is None)
    reasons = [f"{setup_part}: {missing} of {len(values)} are missing in {path}"] if missing else []
    search = bases.environment.get("PATH", "")
    for program in sorted(programs):
        if not shutil.which(program, path=search):
            reasons.append(f"{setup_part}: {path} starts {program}, which cannot be started")
    return reasons


def _several_programs(host: Host, programs: Collection[str], search: str) -> list[str]:
    """The reason that a host starts more than one gitmem, if it does."""
    program_by_real_path = {
        os.path.realpath(path): program
        for program in programs
        if (path := shutil.which(program, path=search))
    }
    if len(program_by_real_path) < 2:
        return []
    names = " and ".join(sorted(program_by_real_path.values()))
    return [f"it starts two gitmems, {names}: `gitmem setup {host.name}` with the one to keep"]


def _programs(value: Any, system: str) -> list[str]:
    """The programs that an MCP entry or hooks start."""
    if templates.is_gitmem_server_entry(value):
        return [installed_commands.argv_of_server_entry(value)[0]]
    programs = []
    for _, entry, _ in installed_commands.nested_json_objects(value):
        line, words = installed_commands.shell_line_and_argv(entry, system)
        if words and templates.agent_in_hook_line(line or " ".join(words)):
            programs.append(words[0].strip("\"'"))
    return programs
