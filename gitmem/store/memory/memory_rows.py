"""Converting memories to rows and back, with their hashes and seals.

All columns but the row number are in the order of the fields of ``Memory``, so that a field is
named there and nowhere else. Each row carries a hash of its content, and a seal of that hash under
the store's key (``store.db.seals``). A row whose hash is wrong was damaged on the disk, one whose
seal is wrong was written by another program or store, and neither is shown. ``read_memories`` reads
many rows and leaves such ones out, so that one bad row does not make the others unreadable.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from gitmem.errors import ForgedMemory, MemoryDamaged, StoreDamaged
from gitmem.model.memory import Memory
from gitmem.store.db import seals
from gitmem.store.db.columns import columns_of_dataclass_fields
from gitmem.text import json_reader
from gitmem.text.digest import sha256

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.store.db.connection import Database, Row

# The condition on ``memories AS m`` that passes no working memory of any other session.
IN_SESSION = "(m.layer <> 'working' OR m.session IN (?, ''))"

FIELDS = tuple(name for name in Memory.__slots__ if name != "seq")
_NAMES = columns_of_dataclass_fields(FIELDS)
# The columns that are read, as ``memory_from_row`` takes them.
COLUMNS = ", ".join(("seq", *_NAMES, "hash", "seal"))
# The columns that are written: those that ``memory_to_row`` gives, then device and counter.
WRITTEN = (*_NAMES, "digest", "hash", "seal", "device", "counter")

_LISTS = tuple(map(FIELDS.index, ("tags", "paths")))
_REALS = tuple(map(FIELDS.index, ("importance", "confidence")))
_PINNED = FIELDS.index("pinned")
# Fields added after the first release are hashed by name, and only where they are set.
_YOUNGER = {"layer": "layer", "trust": "trust", "valid_from": "from", "valid_until": "until"}
_FIRST = len(FIELDS) - len(_YOUNGER)
_SHOWN = tuple(_YOUNGER.values())

_values_of = attrgetter(*FIELDS)
_RECOVER = (
    "Other memories are not affected. `gitmem recover` restores this one from a backup, if one has "
    "it; `gitmem purge` removes it."
)


def memory_from_row(row: Row, database: Database) -> Memory:
    """The memory in a row of ``COLUMNS``, after checking its hash and that this store wrote it.

    Raises MemoryDamaged, of which ForgedMemory (of another writer) is one.
    """
    memory = undamaged_memory_from_row(row, database.path)
    if not seals.is_memory_seal_valid(database, row[-2], row[-1]):
        raise _foreign(database, str(row[1]))
    return memory


def undamaged_memory_from_row(row: Row, path: str = "") -> Memory:
    """The memory in a row of ``COLUMNS``, whoever wrote it. Raises MemoryDamaged with ``path``."""
    try:
        values = _values(row)
        whole = _hash(values) == row[-2]
    except (ValueError, TypeError):
        # A list that is not JSON any more, or a number in the place of a text.
        whole = False
    if not whole:
        raise unreadable_memory_error(
            str(row[1]), path, "does not match its hash: the file was damaged"
        )
    values.append(row[0])
    return Memory(*values)


def verify_rows(database: Database, rows: list[Row]) -> None:
    """Check rows of ``COLUMNS``; adds id and reason of those that fail to ``database.left_out``.

    The same checks as in ``read_memories``, without making memories of the rows.
    """
    for row in rows:
        try:
            trusted = _hash(_values(row)) == row[-2]
        except (ValueError, TypeError):
            trusted = False
        if not trusted or not seals.is_memory_seal_valid(database, row[-2], row[-1]):
            list(_trusted(database, [row]))  # notes what is wrong


def _foreign(database: Database, id: str) -> ForgedMemory:
    database.foreign.add(("memories", id))
    return ForgedMemory(
        f"{id} in {database.path} was not written by you.",
        "It is left out. `gitmem trust --store` takes it over if it is yours after all.",
        id=id,
        reason="foreign",
    )


def unreadable_memory_error(memory_id: str, path: str, reason: str) -> MemoryDamaged:
    """The error for a memory that cannot be read; ``reason`` ("is damaged") ends the sentence."""
    return MemoryDamaged(f"Memory {memory_id} in {path} {reason}.", _RECOVER, id=memory_id)


def read_memories(
    database: Database, sql_tail: str, values: tuple[object, ...] = ()
) -> list[Memory]:
    """The memories that ``SELECT ... FROM memories AS m`` plus ``sql_tail`` selects, in its order.

    Those that are damaged or not written by this store are left out, and ``database.left_out`` maps
    their ids to the reason. Raises StoreDamaged where not even the row numbers can be read.
    """
    try:
        rows = database.rows(f"SELECT {COLUMNS} FROM memories AS m {sql_tail}", values)
    except StoreDamaged:
        # A text that is not UTF-8, or a damaged page, fails the whole query: read row by row.
        rows = _one_by_one(
            database, database.rows(f"SELECT m.seq FROM memories AS m {sql_tail}", values)
        )
    return list(_trusted(database, rows))


def _one_by_one(database: Database, numbers: list[Row]) -> list[Row]:
    rows = []
    for number in numbers:
        try:
            rows += database.rows(f"SELECT {COLUMNS} FROM memories WHERE seq = ?", number)
        except StoreDamaged:
            record_unreadable_memory(database, _id_of(database, number), "damaged")
    return rows


def _id_of(database: Database, number: Row) -> str:
    try:
        return str(database.value("SELECT id FROM memories WHERE seq = ?", number))
    except StoreDamaged:
        return f"row {number[0]}"


def _trusted(database: Database, rows: list[Row]) -> Iterator[Memory]:
    for row in rows:
        try:
            yield memory_from_row(row, database)
        except MemoryDamaged as error:
            record_unreadable_memory(database, error.id, error.reason)


def record_unreadable_memory(database: Database, memory_id: str, reason: str) -> None:
    """Add a memory's id and the ``reason`` ("damaged") to those in ``database.left_out``."""
    database.left_out[memory_id] = reason


def _values(row: Row) -> list[Any]:
    """The values of ``FIELDS`` in a row."""
    values = list(row[1:-2])
    for place in _LISTS:
        listed = values[place]
        values[place] = () if listed == "[]" else tuple(json_reader.loads(listed))
    values[_PINNED] = bool(values[_PINNED])
    return values


def memory_to_row(memory: Memory, database: Database) -> list[object]:
    """The values of a memory for the columns ``WRITTEN`` but the last two (device and counter)."""
    import json  # noqa: PLC0415 - 2 ms, paid by writers only

    values = list(_values_of(memory))
    for place in _LISTS:
        values[place] = json.dumps(values[place], ensure_ascii=False)
    values[_PINNED] = int(memory.pinned)
    hash = memory_content_hash(memory)
    return [*values, duplicate_detection_hash(memory), hash, seals.seal_of_memory(database, hash)]


def memory_content_hash(memory: Memory) -> bytes:
    """The SHA-256 (32 bytes) over all fields of a memory but its row number."""
    return _hash(_values_of(memory))


def _hash(values: Sequence[Any]) -> bytes:
    """As ``memory_content_hash``, of the values of ``FIELDS``."""
    first, last = _LISTS
    texts = [*values[:first], *values[first], "", *values[last], "", *values[last + 1 : _FIRST]]
    for place in _REALS:
        # A REAL column returns 1 as 1.0.
        moved = place + len(texts) - _FIRST if place > last else place
        texts[moved] = float(values[place])
    for shown, value in zip(_SHOWN, values[_FIRST:], strict=True):
        if value not in ("", None):
            texts.append(f"{shown}={value}")
    text = "\x1f".join(map(str, texts))
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def duplicate_detection_hash(memory: Memory) -> str:
    """A hash (32 hexadecimal digits) of scope, kind, title and content, to find repeats.

    Case and white space make no difference.
    """
    words = [memory.scope, memory.kind]
    words += [" ".join(text.split()).casefold() for text in (memory.title, memory.content)]
    return sha256("\x1f".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def memory_to_json_line(memory: Memory) -> str:
    """The memory as one line of JSON with its hash, which ``memory_from_json_line`` reads."""
    import json  # noqa: PLC0415 - as above

    fields = {name: getattr(memory, name) for name in FIELDS}
    fields["hash"] = memory_content_hash(memory).hex()
    return json.dumps(fields, ensure_ascii=False, sort_keys=True)


def memory_from_json_line(text: str, path: str = "") -> Memory:
    """The memory in a line that ``memory_to_json_line`` wrote.

    Raises MemoryDamaged where it was changed since.
    """
    try:
        fields = json_reader.loads(text)
        expected = fields.pop("hash")
        fields["tags"], fields["paths"] = tuple(fields["tags"]), tuple(fields["paths"])
        memory = Memory(**fields)
        whole = memory_content_hash(memory).hex() == expected
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        whole = False
    if not whole:
        raise MemoryDamaged(
            f"An earlier version of a memory in {path} does not match its hash: the file was "
            "damaged.",
            _RECOVER,
        )
    return memory
