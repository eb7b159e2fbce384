"""Errors that were met before, found by their signature: with their fix, and the commit of it.

A memory of an error, and one of what mended it, carry the tag of the error's family
(``timeline.error_signature``); where it was raised stands in their metadata.
"""

from collections.abc import Sequence

from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import link_graph, memories
from gitmem.store.memory.filters import Filter
from gitmem.text import json_reader
from gitmem.timeline import command_output
from gitmem.timeline.error_signature import Signature

# Keys of the metadata of both.
PLACE, FIXED_BY = "error_place", "fixed_by"
ERROR, FIX = "error", "fix"
_MOST = 50


@dataclass(frozen=True, slots=True)
class KnownError:
    """An error that was met before: its memory, and the newest that tells how it was mended.

    Either may be None, where only the other is kept. ``same_place``: it was raised there before,
    as far as both places are known.
    """

    error: Memory | None
    fix: Memory | None
    same_place: bool


def find(database: Database, signature: Signature, filter: Filter) -> KnownError | None:
    """What is known of an error; None where it is new. ``seen`` says what may be shown here.

    An error whose time is over is known again from the archive, a fix only while it holds.
    """
    error = _best(_errors(database, signature, filter), signature)
    fix = fix_of(database, signature, filter)
    if error is None and fix is None:
        return None
    known = [one for one in (error, fix) if one is not None]
    return KnownError(error, fix, any(signature.is_same(place_of(one)) for one in known))


def fix_of(database: Database, signature: Signature, filter: Filter) -> Memory | None:
    """The memory that tells how an error was mended; None where none does.

    One that was raised elsewhere counts where the message says enough to be the same trouble.
    """
    if not (signature.message or signature.place) and command_output.generic(signature.name):
        return None  # a bare "Error" is any error
    wanted = replace(filter, kinds=(FIX,), tags=(signature.tag,), states=("active",))
    tagged = memories.select(database, wanted, limit=_MOST, order="updated_at")
    solving = _solving(database, _errors(database, signature, filter), filter)
    return _best([*tagged, *solving], signature, alike=bool(signature.message))


def place_of(memory: Memory) -> str:
    """Where the error of a memory was raised; empty where that was not noted."""
    return _noted(memory, PLACE)


def fixed_by(memory: Memory, *, surely: bool = False) -> str:
    """The commit that mended it; unless ``surely``, else the one that the fix was kept at."""
    return _told_commit(memory) or ("" if surely else memory.written_at)


def tells_commit(memory: Memory) -> bool:
    """Whether the commit that mended it was told, and is not only the one it was kept at."""
    return bool(_told_commit(memory))


def _errors(database: Database, signature: Signature, filter: Filter) -> list[Memory]:
    wanted = replace(
        filter, kinds=(ERROR,), tags=(signature.tag,), states=("active", "archived"), now=None
    )
    return memories.select(database, wanted, limit=_MOST, order="updated_at")


def _solving(database: Database, errors: Sequence[Memory], filter: Filter) -> list[Memory]:
    """What somebody linked to these errors as SOLVES."""
    ids = {error.id for error in errors}
    links = link_graph.links_of(database, ids) if ids else []
    sources = {link.source for link in links if link.relation == "SOLVES" and link.target in ids}
    if not sources:
        return []
    numbers = [one.seq for one in link_graph.memories_of(database, sources).values()]
    return memories.by_seq(database, numbers, replace(filter, states=("active",)))


def _best(found: Sequence[Memory], signature: Signature, *, alike: bool = True) -> Memory | None:
    """The newest that was raised at the same place; with ``alike``, else the newest."""
    places = [(place_of(one), one) for one in found]
    if signature.message:
        same = [one for place, one in places if signature.is_same(place)]
    else:  # then the place is all that tells it
        same = [one for place, one in places if place == signature.place]
    return next(iter(same or (found if alike else ())), None)


def _told_commit(memory: Memory) -> str:
    noted = _noted(memory, FIXED_BY)
    # Whoever keeps a memory may write what they like there.
    return noted if noted.isalnum() and noted.isascii() else ""


def _noted(memory: Memory, key: str) -> str:
    if key not in memory.metadata:
        return ""
    value = json_reader.loads(memory.metadata).get(key, "")
    return value if isinstance(value, str) else ""
