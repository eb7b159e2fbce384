"""What bears gitmem's name in a host's file and is not what gitmem writes.

Such a thing may have come with a clone, and its host runs it once its user approved gitmem. So it
is never taken over, only refused and named, or replaced on request. An entry is gitmem's if it is
what setup would write with one of the ways to start this gitmem, or what it wrote by its own
record; what its host's ``harmless`` lists may stand beside. A file of the user's own may name any
gitmem.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from gitmem.agents.hosts import registry
from gitmem.agents.hosts.host import MCP, PROJECT, USER
from gitmem.agents.wiring import file_pieces, installed_commands, templates
from gitmem.agents.wiring.impostor_search import Search, hint
from gitmem.agents.wiring.templates import BLOCK, NAME, SET, SKILL, Program
from gitmem.errors import Conflict, GitmemError
from gitmem.model.frozen import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from gitmem.agents.hosts.host import Host
    from gitmem.agents.wiring.host_targets import Target
    from gitmem.agents.wiring.impostor_search import Impostor, Known
    from gitmem.agents.wiring.templates import Piece
    from gitmem.files.foreign_file import Seen

_MOST = 3  # that a refusal shows


def refuse(found: Iterable[Impostor]) -> None:
    """Raise Conflict, telling of the first of them, where there are any."""
    messages = list(dict.fromkeys(impostor.message for impostor in found))
    if messages:
        more = f", and {len(messages) - _MOST} more" if len(messages) > _MOST else ""
        raise Conflict("; ".join(messages[:_MOST]) + more, hint(found))


def among(
    known: Known, targets: Iterable[Target], look: Callable[[str, str], Seen]
) -> list[Impostor]:
    """Those in every file in which the parts of some targets may stand in their scope.

    A file that nothing is written to and that cannot be read is passed over.
    """
    found: list[Impostor] = []
    for target in targets:
        host, part, scope = registry.find(target.agent), target.part, target.scope
        content = look(target.path, scope).content
        if content is not None:
            found += find(known, host, part, scope, target.path, content)
        also = host.reads_servers_of if (part, scope) == (MCP, PROJECT) else ()
        places = [(each, scope) for each in (host, *map(registry.find, also))]
        places += [(host, PROJECT)] if part in host.for_user and scope == USER else []
        for each, where in places:
            for path in installed_commands.files(known.bases, each, part, where):
                if path != target.path:
                    asked = "" if each is host else host.name
                    strange = _in_file(known, each, part, where, path, look)
                    found += [replace(impostor, asked=asked) for impostor in strange]
    return found


def of_host(known: Known, host: Host, look: Callable[[str, str], Seen]) -> list[Impostor]:
    """Those in all files of a host that can be read."""
    return [
        impostor
        for part, scope, path in installed_commands.every_file(known.bases, host)
        for impostor in _in_file(known, host, part, scope, path, look)
    ]


def _in_file(
    known: Known, host: Host, part: str, scope: str, path: str, look: Callable[[str, str], Seen]
) -> list[Impostor]:
    with suppress(GitmemError):
        content = look(path, scope).content
        if content is not None:
            return find(known, host, part, scope, path, content)
    return []


def find(
    known: Known, host: Host, part: str, scope: str, path: str, content: bytes
) -> list[Impostor]:
    """Those in one file for one part. Raises InvalidInput for what does not parse."""
    if part.startswith(SKILL):
        pieces: tuple[Piece, ...] = (templates.skill(host.name, part.removeprefix(SKILL)),)
    else:
        pieces = templates.pieces(host.name, part, Program((NAME,), known.bases.system))
    search = Search(known, host, part, scope, path)
    try:
        if any(piece.kind == BLOCK for piece in pieces):
            return list(search.lines(content, pieces[0]))
        text = file_pieces.decoded(content).text
        value = installed_commands.parsed(path, content)
        if part == MCP:
            at = next(piece.path for piece in pieces if piece.kind == SET)
            return list(search.entries(text, value, at))
        return list(search.hooks(value, {piece.path[0] for piece in pieces}))
    except GitmemError as error:
        raise file_pieces.telling(path)(error) from error


def cleaned(
    known: Known, path: str, scope: str, content: bytes, whose: Collection[tuple[str, str]]
) -> bytes | None:
    """The file without impostors of some agents' parts; None where it was one as a whole.

    Raises InvalidInput where one cannot be taken out without changing the rest.
    """
    now = content
    for agent, part in whose:
        found = find(known, registry.find(agent), part, scope, path, now)
        if any(impostor.whole for impostor in found):
            return None
        if found:
            now = file_pieces.without(
                path, now, [(impostor.at, impostor.value) for impostor in found]
            )
            if left := find(known, registry.find(agent), part, scope, path, now):
                raise file_pieces.entangled(path, ".".join(left[0].at))
    return now
