"""Finding known errors by their signature, with their fix and its commit.

Memories of errors and of fixes have the tag of the error's signature
(``timeline.error_signature``), and the place where it was raised in their metadata.
"""

from collections.abc import Sequence

from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import link_graph, memories
from gitmem.store.memory.filters import MemoryFilter
from gitmem.text import json_reader
from gitmem.timeline import command_output
from gitmem.timeline.error_signature import ErrorSignature

# Keys of their metadata.
PLACE, FIXED_BY = "error_place", "fixed_by"
ERROR, FIX = "error", "fix"
_MOST = 50
_TELLING = 12  # characters of a message, from which on a text that has it is about that error


@dataclass(frozen=True, slots=True)
class KnownError:
    """An error that occurred before: its memory, and the newest memory of a fix; or None.

    ``same_place``: it was raised in the same function or file, as far as both are known.
    """

    error: Memory | None
    fix: Memory | None
    same_place: bool


def find_known_error(
    database: Database, signature: ErrorSignature, filter: MemoryFilter
) -> KnownError | None:
    """The KnownError for an error with this signature (its name, message, place); None if new.

    Only memories that pass ``filter`` count, but also archived memories of the error.
    """
    error = _best(_find_errors(database, signature, filter), signature)
    fix = find_fix_of_error(database, signature, filter)
    if error is None and fix is None:
        return None
    remembered = [memory for memory in (error, fix) if memory is not None]
    return KnownError(
        error,
        fix,
        any(signature.may_be_raised_in(code_location_of_error(memory)) for memory in remembered),
    )


def find_fix_of_error(
    database: Database, signature: ErrorSignature, filter: MemoryFilter
) -> Memory | None:
    """The memory of a fix for an error with this signature (its name, message, place), or None.

    Only memories that pass ``filter`` count; if the message is specific, also for another place.
    """
    if not (signature.message or signature.place) and command_output.is_generic_error(
        signature.name
    ):
        return None  # a bare "Error" could be any error
    fixes = replace(filter, kinds=(FIX,), tags=(signature.memory_tag,), states=("active",))
    tagged = memories.select_memories(database, fixes, limit=_MOST, order="updated_at")
    solving = _linked_fixes(database, _find_errors(database, signature, filter), filter)
    tagged_fix = _best([*tagged, *solving], signature, alike=bool(signature.message))
    if tagged_fix is not None:
        return tagged_fix
    quoting = _fixes_that_quote(database, signature, fixes)
    return max(quoting, key=lambda fix: (fix.updated_at, fix.id), default=None)


def code_location_of_error(memory: Memory) -> str:
    """The function or file where a remembered error was raised, from its metadata; else empty."""
    return _read_fact(memory, PLACE)


def fixing_commit_of_memory(memory: Memory, *, only_if_in_metadata: bool = False) -> str:
    """The id of the commit that fixed an error, from the metadata of the fix's memory.

    If it notes none: the commit that was checked out then, or "" with ``only_if_in_metadata``.
    """
    return _noted_commit(memory) or ("" if only_if_in_metadata else memory.saved_commit)


def metadata_names_fixing_commit(memory: Memory) -> bool:
    """Whether the metadata of the memory of a fix names the commit that fixed the error."""
    return bool(_noted_commit(memory))


def _find_errors(
    database: Database, signature: ErrorSignature, filter: MemoryFilter
) -> list[Memory]:
    errors = replace(
        filter,
        kinds=(ERROR,),
        tags=(signature.memory_tag,),
        states=("active", "archived"),
        now=None,
    )
    return memories.select_memories(database, errors, limit=_MOST, order="updated_at")


def _linked_fixes(
    database: Database, errors: Sequence[Memory], filter: MemoryFilter
) -> list[Memory]:
    """The memories that are linked to these errors as SOLVES."""
    ids = {error.id for error in errors}
    links = link_graph.links_of_memories(database, ids) if ids else []
    sources = {link.source for link in links if link.relation == "SOLVES" and link.target in ids}
    if not sources:
        return []
    numbers = [memory.seq for memory in link_graph.memories_by_id(database, sources).values()]
    return memories.memories_by_row_number(database, numbers, replace(filter, states=("active",)))


def _fixes_that_quote(
    database: Database, signature: ErrorSignature, fixes: MemoryFilter
) -> list[Memory]:
    """Fixes without the signature's tag in whose text the error stands: its name and message."""
    if len(signature.message) < _TELLING:
        return []
    from gitmem.store.memory import memory_search  # noqa: PLC0415 - most fixes are found by tag

    filter = replace(fixes, tags=())
    rows = memory_search.row_numbers_containing(database, signature.message, filter, _MOST)
    quoting = memories.memories_by_row_number(database, rows, filter)
    return [memory for memory in quoting if signature.name in f"{memory.title} {memory.content}"]


def _best(
    candidates: Sequence[Memory], signature: ErrorSignature, *, alike: bool = True
) -> Memory | None:
    """The newest candidate raised at the same place; with ``alike``, else the newest of all."""
    places = [(code_location_of_error(memory), memory) for memory in candidates]
    if signature.message:
        same = [memory for place, memory in places if signature.may_be_raised_in(place)]
    else:  # only the place identifies it
        same = [memory for place, memory in places if place == signature.place]
    return next(iter(same or (candidates if alike else ())), None)


def _noted_commit(memory: Memory) -> str:
    noted = _read_fact(memory, FIXED_BY)
    # Metadata may hold any text.
    return noted if noted.isalnum() and noted.isascii() else ""


def _read_fact(memory: Memory, key: str) -> str:
    if key not in memory.metadata:
        return ""
    value = json_reader.loads(memory.metadata).get(key, "")
    return value if isinstance(value, str) else ""
