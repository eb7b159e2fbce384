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
    from gitmem.agents.wiring.host_targets import Target
    from gitmem.agents.wiring.impostor_search import Impostor, OwnEntries
    from gitmem.agents.wiring.templates import ConfigPiece
    from gitmem.files.foreign_file import FileState

_MOST = 3  # that a refusal shows


def refuse_impostors(impostors: Collection[Impostor]) -> None:
    """Raise Conflict if there are impostors, entries named gitmem that gitmem did not write.

    The message names the first ones.
    """
    messages = list(dict.fromkeys(impostor.message for impostor in impostors))
    if messages:
        more = f", and {len(messages) - _MOST} more" if len(messages) > _MOST else ""
        raise Conflict("; ".join(messages[:_MOST]) + more, impostor_hint(impostors))


def find_impostors_for_targets(
    known: OwnEntries, targets: Iterable[Target], look: Callable[[str, str], FileState]
) -> list[Impostor]:
    """The entries that pretend to be gitmem's in all files that a host reads for some targets.

    ``look`` reads a file by path and scope. A file that cannot be read is skipped unless it is a
    target.
    """
    impostors: list[Impostor] = []
    for target in targets:
        host, part, scope = registry.find_host(target.agent), target.part, target.scope
        content = look(target.path, scope).content
        if content is not None:
            impostors += find_impostors_in_file(known, host, part, scope, target.path, content)
        also = host.reads_servers_of if (part, scope) == (MCP, PROJECT) else ()
        places = [(each, scope) for each in (host, *map(registry.find_host, also))]
        places += [(host, PROJECT)] if part in host.for_user and scope == USER else []
        for each, where in places:
            for path in installed_commands.existing_files(known.bases, each, part, where):
                if path != target.path:
                    setup_for = "" if each is host else host.name
                    strange = _find_in_file(known, each, part, where, path, look)
                    impostors += [replace(impostor, setup_for=setup_for) for impostor in strange]
    return impostors


def find_impostors_of_host(
    known: OwnEntries, host: Host, look: Callable[[str, str], FileState]
) -> list[Impostor]:
    """The entries that pretend to be gitmem's in all readable files of a host."""
    return [
        impostor
        for part, scope, path in installed_commands.all_existing_files(known.bases, host)
        for impostor in _find_in_file(known, host, part, scope, path, look)
    ]


def _find_in_file(
    known: OwnEntries,
    host: Host,
    part: str,
    scope: str,
    path: str,
    look: Callable[[str, str], FileState],
) -> list[Impostor]:
    with suppress(GitmemError):
        content = look(path, scope).content
        if content is not None:
            return find_impostors_in_file(known, host, part, scope, path, content)
    return []


def find_impostors_in_file(
    known: OwnEntries, host: Host, part: str, scope: str, path: str, content: bytes
) -> list[Impostor]:
    """The entries that pretend to be gitmem's in one file, for one part of a host.

    Raises InvalidInput if it cannot be parsed.
    """
    if part.startswith(SKILL):
        pieces: tuple[ConfigPiece, ...] = (
            templates.skill_piece(host.name, part.removeprefix(SKILL)),
        )
    else:
        pieces = templates.config_pieces(host.name, part, StartCommand((NAME,), known.bases.system))
    search = ImpostorSearch(known, host, part, scope, path)
    try:
        if any(piece.kind == BLOCK for piece in pieces):
            return list(search.lines(content, pieces[0]))
        text = file_pieces.decode(content).text
        value = installed_commands.parse(path, content)
        if part == MCP:
            at = next(piece.path for piece in pieces if piece.kind == SET)
            return list(search.entries(text, value, at))
        return list(search.hooks(value, {piece.path[0] for piece in pieces}))
    except GitmemError as error:
        raise file_pieces.add_path_to_errors(path)(error) from error


def remove_impostors(
    known: OwnEntries, path: str, scope: str, content: bytes, whose: Collection[tuple[str, str]]
) -> bytes | None:
    """The file's content without entries that pretend to be gitmem's; None if all of it was one.

    ``whose`` are pairs (agent, part). Raises InvalidInput if one cannot be taken out without
    changing the rest.
    """
    now = content
    for agent, part in whose:
        impostors = find_impostors_in_file(known, registry.find_host(agent), part, scope, path, now)
        if any(impostor.whole for impostor in impostors):
            return None
        if impostors:
            now = file_pieces.without_entries(
                path, now, [(impostor.at, impostor.value) for impostor in impostors]
            )
            if left := find_impostors_in_file(
                known, registry.find_host(agent), part, scope, path, now
            ):
                raise file_pieces.shared_entry_error(path, ".".join(left[0].at))
    return now
