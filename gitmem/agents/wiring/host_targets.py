"""Choosing the files for the parts of hosts, by scope."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitmem.agents.hosts import host_paths
from gitmem.agents.hosts.host import HOOKS, MCP, PROJECT, USER
from gitmem.agents.wiring import file_pieces, templates
from gitmem.agents.wiring.templates import StartCommand
from gitmem.errors import GitmemError
from gitmem.files.foreign_file import MOST_BYTES
from gitmem.files.plain_file import open_regular_file
from gitmem.memory.skills.skill_format import FILE
from gitmem.model.frozen import dataclass
from gitmem.text import toml

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.agents.hosts.host import AdditionalHooksFile, Host
    from gitmem.agents.hosts.host_paths import PathTemplateFolders
    from gitmem.agents.wiring.templates import ConfigFragment


@dataclass(frozen=True, slots=True)
class SetupTarget:
    """What setup is to write for an agent program: the file ``path`` and gitmem's pieces for it.

    ``part`` is mcp, hooks or rules, ``scope`` project or user.
    """

    agent: str
    part: str
    scope: str
    path: str
    fragments: tuple[ConfigFragment, ...]


@dataclass(frozen=True, slots=True)
class SkippedSetupPart:
    """A part of a setup (mcp, hooks, rules, skills) that is not written, and the ``reason``."""

    agent: str
    part: str
    reason: str


def setup_targets(
    bases: PathTemplateFolders, hosts: Iterable[Host], gitmem_argv: tuple[str, ...], scope: str
) -> tuple[list[SetupTarget], list[SkippedSetupPart]]:
    """(SetupTargets to write for agent programs, one for each part; SkippedSetupParts).

    ``gitmem_argv`` is the command that starts gitmem. ``scope`` is project or user; empty: in the
    project if the program allows it, else in the user's files.
    """
    result, skipped = [], []
    for host in hosts:
        for part in host.setup_parts:
            inside = bases.project and (part, PROJECT) in host.places and part not in host.for_user
            where = scope or (PROJECT if inside else USER)
            path = host_paths.file_of_setup_part(bases, host, part, where)
            if not path:
                skipped.append(SkippedSetupPart(host.name, part, _why_skipped(host, part, where)))
                continue
            if part == HOOKS and host.hooks_beside:
                path = _where_hooks_stand(path, host.hooks_beside)
            program = StartCommand(
                gitmem_argv, bases.system, folder_named_in_server_entry(bases, host, part, where)
            )
            pieces = templates.config_fragments(host.name, part, program)
            result.append(SetupTarget(host.name, part, where, path, pieces))
    return result, skipped


def skill_targets(
    bases: PathTemplateFolders, hosts: Iterable[Host], scope: str
) -> tuple[list[SetupTarget], list[SkippedSetupPart]]:
    """(SetupTargets for gitmem's own skills; SkippedSetupParts of programs that read no skills).

    ``scope`` is project or user; empty: the project, if there is one.
    """
    result, skipped = [], []
    for host in hosts:
        where = scope or (PROJECT if bases.project else USER)
        template = host.skills.get(where, "")
        folder = host_paths.expand_path_template(bases, host, template) if template else ""
        if not folder:
            reason = f"{host.title} reads none that gitmem knows of"
            skipped.append(SkippedSetupPart(host.name, "skills", reason))
            continue
        for name in templates.SKILLS:
            path = os.path.join(folder, name, FILE)
            piece = templates.skill_fragment(host.name, name)
            result.append(SetupTarget(host.name, piece.part, where, path, (piece,)))
    return result, skipped


def folder_named_in_server_entry(
    bases: PathTemplateFolders, host: Host, setup_part: str, scope: str
) -> str:
    """The folder to name in an entry of gitmem's MCP server; empty where none has to be named.

    Only the user's entry for a program that starts servers in any folder needs one: gitmem's data
    folder, in which the server serves all of the user's projects, or else the project's folder.
    """
    if setup_part != MCP or scope != USER or host.has_cwd:
        return ""
    return bases.data or bases.project


def _why_skipped(host: Host, setup_part: str, scope: str) -> str:
    if (setup_part, scope) not in host.places:
        other = "user" if scope == PROJECT else "project"
        return f"{host.title} has no {scope} file for {setup_part}: --scope {other}"
    return "there is no home folder" if scope == USER else "this is not a repository"


def _where_hooks_stand(path: str, beside: AdditionalHooksFile) -> str:
    """The file for hooks, or the one beside it if that already holds other hooks."""
    other = os.path.join(os.path.dirname(path), beside.name)
    if os.path.lexists(path):
        return path
    try:
        with open_regular_file(other) as file:
            hooks = toml.parse_toml(file_pieces.decode_file(file.read(MOST_BYTES + 1)).text).get(
                "hooks"
            )
    except (OSError, GitmemError):
        return path
    return other if isinstance(hooks, dict) and set(hooks) - beside.not_hooks else path
