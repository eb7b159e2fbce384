"""How a host stands: configured, partial, none, untrusted or danger, each with its reasons.

Danger: something has gitmem's name in its files and is not gitmem's.
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
from gitmem.agents.wiring.templates import ADD, BLOCK, SET, Program
from gitmem.errors import GitmemError
from gitmem.model.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from gitmem.agents.hosts.host import Host
    from gitmem.agents.hosts.host_paths import Bases
    from gitmem.agents.wiring.impostor_search import Known
    from gitmem.files.foreign_file import Seen

CONFIGURED, PARTIAL, NONE, UNTRUSTED = "configured", "partial", "none", "untrusted"
DANGER = "danger"


@dataclass(frozen=True, slots=True)
class Standing:
    """A host's state; ``found`` tells where a part stands, ``reasons`` what is amiss."""

    agent: str
    state: str
    found: tuple[str, ...]
    reasons: tuple[str, ...]


def judge(known: Known, host: Host, look: Callable[[str, str], Seen]) -> Standing:
    """Look at every place of a host. Writes nothing, raises nothing for a file that is broken."""
    bases = known.bases
    strange = impostors.of_host(known, host, look)
    dangers = tuple(f"{one.part}: {one.message}. {one.hint}" for one in strange)
    found: list[str] = []
    reasons: list[str] = []
    doubts: list[str] = []
    programs: set[str] = set()
    scopes: set[str] = set()
    whole = True
    for part in host.parts:
        strangers = {(one.scope, one.path) for one in strange if part == one.part == MCP}
        here = _part(bases, host, part, look, reasons, strangers, programs)
        found += [f"{part}: {path}" for _, path, _ in here]
        for scope, path, missing in here:
            scopes.add(scope)
            if unread := host_approval.unread(bases, host, part, scope):
                missing.append(unread)
            else:
                doubts += host_approval.doubts(bases, host, part, scope, path)
            whole = whole and not missing
            reasons += [one for one in missing if one not in reasons]
    if not found:
        return Standing(host.name, DANGER if dangers else NONE, (), (*dangers, *reasons))
    absent = [one for one in host.parts if not any(told.startswith(f"{one}:") for told in found)]
    if host.reply.heard and not any((RULES, scope) in host.places for scope in scopes):
        # They say again what hooks say, and the user's own files have no place for them.
        absent = [one for one in absent if one != RULES]
    reasons += [f"{part}: not set up" for part in absent]
    reasons += _several(host, programs, bases.environment.get("PATH", ""))
    state = CONFIGURED if whole and not reasons else PARTIAL
    if doubts:
        state = UNTRUSTED
    if dangers:
        state = DANGER
    return Standing(host.name, state, tuple(found), (*dangers, *dict.fromkeys(doubts), *reasons))


def _part(
    bases: Bases,
    host: Host,
    part: str,
    look: Callable[[str, str], Seen],
    reasons: list[str],
    strangers: Collection[tuple[str, str]],
    programs: set[str],
) -> list[tuple[str, str, list[str]]]:
    """Where a part stands: scope, path, and what is amiss there; ``programs`` get what it starts.

    Not in the scopes and paths of ``strangers``, whose entry of the name is not gitmem's.
    """
    ours = templates.pieces(host.name, part, Program(("gitmem",), bases.system))
    found = []
    for scope in SCOPES:
        for path in installed_commands.files(bases, host, part, scope):
            if (scope, path) in strangers:
                continue
            try:
                content = look(path, scope).content
                if content is None:
                    continue
                told = [
                    (piece, file_pieces.standing(path, content, piece))
                    for piece in ours
                    if piece.kind in (SET, ADD, BLOCK)
                ]
            except GitmemError as error:
                reasons.append(error.message)
                continue
            if any(value is not None for _, value in told):
                started = {one for _, value in told for one in _programs(value, bases.system)}
                programs |= started
                amiss = _amiss(bases, part, path, told, started)
                if part == HOOKS:
                    # An earlier version wrote some under a matcher that its host does not fire for.
                    amiss += [
                        f"hooks: {call.event} is never fired with the matcher {call.matcher!r}: "
                        f"`gitmem setup {host.name}` corrects it"
                        for call in installed_commands.hooks(bases, host, scope, path, content)
                        if not host.live.fires(call.event, call.matcher)
                    ]
                found.append((scope, path, amiss))
    return found


def _amiss(
    bases: Bases,
    part: str,
    path: str,
    told: list[tuple[templates.Piece, Any]],
    programs: Collection[str],
) -> list[str]:
    missing = sum(1 for _, value in told if value is None)
    found = [f"{part}: {missing} of {len(told)} are missing in {path}"] if missing else []
    search = bases.environment.get("PATH", "")
    for program in sorted(programs):
        if not shutil.which(program, path=search):
            found.append(f"{part}: {path} starts {program}, which cannot be started")
    return found


def _several(host: Host, programs: Collection[str], search: str) -> list[str]:
    """That a host starts more than one gitmem: two versions answer each other's questions."""
    known = {
        os.path.realpath(found): one
        for one in programs
        if (found := shutil.which(one, path=search))
    }
    if len(known) < 2:
        return []
    told = " and ".join(sorted(known.values()))
    return [f"it starts two gitmems, {told}: `gitmem setup {host.name}` with the one to stay"]


def _programs(value: Any, system: str) -> list[str]:
    """The programs that an entry or its hooks start."""
    if templates.is_server(value):
        return [installed_commands.server_words(value)[0]]
    found = []
    for _, entry, _ in installed_commands.handlers(value):
        line, words = installed_commands.line_and_words(entry, system)
        if words and templates.hook_agent(line or " ".join(words)):
            found.append(words[0].strip("\"'"))
    return found
