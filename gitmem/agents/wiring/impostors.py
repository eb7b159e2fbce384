"""Impostors: entries in hosts' files with gitmem's name that gitmem did not write.

An impostor may come with a clone, and its host runs it once the user approved gitmem. So it is
never taken over, only refused, or replaced on request. An entry is gitmem's if setup would write it
with one of the commands that start this gitmem, or wrote it by its own record; keys in the host's
``harmless`` do not count. A file of the user's own may name any gitmem.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from gitmem.agents.hosts import registry
from gitmem.agents.hosts.host import MCP, PROJECT, USER
from gitmem.agents.wiring import file_pieces, installed_commands, templates
from gitmem.agents.wiring.impostor_search import ImpostorSearch, impostor_hint
from gitmem.agents.wiring.templates import BLOCK, NAME, SET, SKILL, StartCommand
from gitmem.errors import Conflict, GitmemError
from gitmem.model.frozen import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from gitmem.agents.hosts.host import Host
    from gitmem.agents.wiring.host_targets import SetupTarget
    from gitmem.agents.wiring.impostor_search import ImpostorEntry, OwnEntryIdentity
    from gitmem.agents.wiring.templates import ConfigFragment
    from gitmem.files.foreign_file import FileSnapshot

_MOST = 3  # that a refusal shows


def refuse_impostors(impostors: Collection[ImpostorEntry]) -> None:
    """Raise Conflict if there are impostors: entries named gitmem that gitmem did not write.

    The message names the first three.
    """
    messages = list(dict.fromkeys(impostor.message for impostor in impostors))
    if messages:
        more = f", and {len(messages) - _MOST} more" if len(messages) > _MOST else ""
        raise Conflict("; ".join(messages[:_MOST]) + more, impostor_hint(impostors))


def find_impostors_for_targets(
    entry_identity: OwnEntryIdentity,
    targets: Iterable[SetupTarget],
    read_file_snapshot: Callable[[str, str], FileSnapshot],
) -> list[ImpostorEntry]:
    """ImpostorEntries (named gitmem, not written by it) in all files read for some targets.

    ``read_file_snapshot`` reads a file by path and scope. A file that cannot be read is skipped
    unless it is a target.
    """
    impostors: list[ImpostorEntry] = []
    for target in targets:
        host, part, scope = registry.find_host(target.agent), target.part, target.scope
        content = read_file_snapshot(target.path, scope).content
        if content is not None:
            impostors += find_impostors_in_file(
                entry_identity, host, part, scope, target.path, content
            )
        also = host.reads_servers_of if (part, scope) == (MCP, PROJECT) else ()
        places = [(reader, scope) for reader in (host, *map(registry.find_host, also))]
        places += [(host, PROJECT)] if part in host.for_user and scope == USER else []
        for reader, where in places:
            for path in installed_commands.existing_files_of_part(
                entry_identity.bases, reader, part, where
            ):
                if path != target.path:
                    setup_for = "" if reader is host else host.name
                    entries = _find_in_file(
                        entry_identity, reader, part, where, path, read_file_snapshot
                    )
                    impostors += [replace(impostor, setup_for=setup_for) for impostor in entries]
    return impostors


def find_impostors_of_host(
    entry_identity: OwnEntryIdentity,
    host: Host,
    read_file_snapshot: Callable[[str, str], FileSnapshot],
) -> list[ImpostorEntry]:
    """ImpostorEntries (named gitmem, not written by it) in all files of an agent program.

    ``read_file_snapshot`` reads a file by path and scope. Files that cannot be read are skipped.
    """
    return [
        impostor
        for part, scope, path in installed_commands.all_existing_host_files(
            entry_identity.bases, host
        )
        for impostor in _find_in_file(entry_identity, host, part, scope, path, read_file_snapshot)
    ]


def _find_in_file(
    entry_identity: OwnEntryIdentity,
    host: Host,
    setup_part: str,
    scope: str,
    path: str,
    read_file_snapshot: Callable[[str, str], FileSnapshot],
) -> list[ImpostorEntry]:
    with suppress(GitmemError):
        content = read_file_snapshot(path, scope).content
        if content is not None:
            return find_impostors_in_file(entry_identity, host, setup_part, scope, path, content)
    return []


def find_impostors_in_file(
    entry_identity: OwnEntryIdentity,
    host: Host,
    setup_part: str,
    scope: str,
    path: str,
    content: bytes,
) -> list[ImpostorEntry]:
    """ImpostorEntries (named gitmem, not written by it) in one file with this ``content``.

    ``host`` is the agent program that reads it, ``setup_part`` mcp, hooks, rules or a skill,
    ``scope`` project or user. Raises InvalidInput if the file cannot be parsed.
    """
    if setup_part.startswith(SKILL):
        pieces: tuple[ConfigFragment, ...] = (
            templates.skill_fragment(host.name, setup_part.removeprefix(SKILL)),
        )
    else:
        pieces = templates.config_fragments(
            host.name, setup_part, StartCommand((NAME,), entry_identity.bases.system)
        )
    search = ImpostorSearch(entry_identity, host, setup_part, scope, path)
    try:
        if any(piece.kind == BLOCK for piece in pieces):
            return list(search.find_text_lines(content, pieces[0]))
        text = file_pieces.decode_file(content).text
        value = installed_commands.parse_config_file(path, content)
        if setup_part == MCP:
            at = next(piece.path for piece in pieces if piece.kind == SET)
            return list(search.find_server_entries(text, value, at))
        return list(search.find_hooks(value, {piece.path[0] for piece in pieces}))
    except GitmemError as error:
        raise file_pieces.add_path_to_errors(path)(error) from error


def remove_impostors(
    entry_identity: OwnEntryIdentity,
    path: str,
    scope: str,
    content: bytes,
    agents_and_parts: Collection[tuple[str, str]],
) -> bytes | None:
    """The content without entries named gitmem that gitmem did not write; None if all of it is one.

    ``agents_and_parts`` are pairs (agent, part) to look for. Raises InvalidInput if an entry cannot
    be taken out without changing the rest.
    """
    now = content
    for agent, part in agents_and_parts:
        impostors = find_impostors_in_file(
            entry_identity, registry.find_host(agent), part, scope, path, now
        )
        if any(impostor.whole for impostor in impostors):
            return None
        if impostors:
            now = file_pieces.without_entries(
                path, now, [(impostor.at, impostor.value) for impostor in impostors]
            )
            if remaining := find_impostors_in_file(
                entry_identity, registry.find_host(agent), part, scope, path, now
            ):
                raise file_pieces.inseparable_entry_error(path, ".".join(remaining[0].at))
    return now
