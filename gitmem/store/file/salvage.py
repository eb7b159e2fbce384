"""Salvaging the canonical rows of a damaged store, each recognised by its shape or its hash.

The tree that says which page belongs to which table may be damaged. So every record in the file is
examined: memories and their earlier versions are recognised by their hashes, other rows by the
number and types of their columns and the form of their key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import apsw

from gitmem.errors import MemoryDamaged
from gitmem.model import ids
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.model.suggestion import KINDS
from gitmem.store.db import schema, seals
from gitmem.store.db.columns import columns_of_dataclass_fields
from gitmem.store.db.sealed_rows import SEALED
from gitmem.store.file.page_reader import PageReader, Value, read_table_and_index_records
from gitmem.store.memory.memory_rows import FIELDS, memory_from_json_line, undamaged_memory_from_row

Row = tuple[Value, ...]
# Tables whose rows can be recognised, and the number of columns in their key.
KEYS = {
    "meta": 1,
    "projects": 1,
    "project_aliases": 1,
    "versions": 2,
    "links": 1,
    "tombstones": 1,
    "usage": 1,
    "sessions": 1,
    "session_files": 2,
    "events": 1,
    "presence": 1,
    "anchors": 2,
    "rewritten": 2,
    "usage_days": 3,
    "suggestions": 1,
    "consolidations": 1,
    "jobs": 1,
    "review_acceptances": 1,
    "sync_records": 1,
    "sync_devices": 1,
}
# The notes in ``meta`` that are salvaged; those of an index run belong to the index.
_NOTES = frozenset(
    (
        *("store", "device", "seal", "created_at", "counter", "backup_at", "decay_at", "moving"),
        "clones",
    )
)
_HEXADECIMAL = frozenset("0123456789abcdef")
_LETTERS = frozenset(ids.ALPHABET)


@dataclass(frozen=True, slots=True)
class SalvagedRows:
    """The rows read from a damaged store file. ``memories``: id -> (memory, its row).

    ``tables``: table's name -> key -> row. ``mentioned_ids``: ids of all memories that occur in the
    file, whether or not they could be read.
    """

    memories: dict[str, tuple[Memory, Row]]
    tables: dict[str, dict[Row, Row]]
    mentioned_ids: frozenset[str]

    def meta_value(self, key: str) -> str:
        """The value of a key in the table ``meta`` (the store's small notes); empty if not set."""
        row = self.tables["meta"].get((key,))
        return str(row[1]) if row else ""


def salvaged_rows_of_store(
    salvaged: SalvagedRows, store_key: bytes, store_id: str, *, is_current_store_file: bool
) -> SalvagedRows:
    """Those rows of a file that the store with this id and key wrote.

    Their seals (keyed hashes) prove it. Tables without seals count only where the file says that it
    is this store's, or does not say whose it is and ``is_current_store_file``. Without a key, all
    rows of a file written before there were seals count.
    """
    if not store_key and not salvaged.meta_value("seal"):
        return salvaged
    place = [name for name, _, _ in columns_by_table()["memories"]].index("hash")
    memories = {
        id: (memory, row)
        for id, (memory, row) in salvaged.memories.items()
        if _sealed(store_key, "memories", row[place], row[-1])
    }
    seal, id = salvaged.meta_value("seal"), salvaged.meta_value("store")
    ours = bool(store_key) and seal == seals.seal_of_store(store_key, store_id)
    unsealed = ours or (is_current_store_file and not seal and id in ("", store_id))
    tables = {table: rows if unsealed else {} for table, rows in salvaged.tables.items()}
    for table in SEALED.keys() & KEYS.keys():
        names = SEALED[table]
        tables[table] = {
            at: row
            for at, row in salvaged.tables[table].items()
            if _sealed(store_key, table, row[: len(names)], row[-1])
        }
    return SalvagedRows(
        memories, tables, salvaged.mentioned_ids if unsealed else frozenset(memories)
    )


def memories_without_seal(salvaged: SalvagedRows, store_id: str) -> list[Memory]:
    """The memories without a seal (proof of origin), if an older gitmem wrote this store's file."""
    older = salvaged.meta_value("store") == store_id and not salvaged.meta_value("seal")
    return [memory for memory, row in salvaged.memories.values() if older and not row[-1]]


def _sealed(key: bytes, table: str, value: Value | Row, seal: Value) -> bool:
    if not key:
        return False
    if isinstance(value, bytes):
        return seal == seals.make_seal(key, table, value)
    return isinstance(value, tuple) and seal == seals.seal_of_values(key, table, value)


@cache
def columns_by_table() -> dict[str, tuple[tuple[str, str, bool], ...]]:
    """A dict: table -> its columns in stored order as (name, SQL type, whether NULL is allowed)."""
    connection = apsw.Connection(":memory:")
    try:
        for step in schema.STEPS:
            connection.execute(schema.schema_sql(step))
        columns_of = {}
        for table in ("memories", *KEYS):
            rows = connection.execute(f"PRAGMA table_info({table})").fetchall()
            columns_of[table] = tuple((str(row[1]), str(row[2]), not row[3]) for row in rows)
        return columns_of
    finally:
        connection.close()


def salvage_rows(store_file_content: bytes, write_ahead_log: bytes = b"") -> SalvagedRows:
    """The rows that can be read from the bytes of a store file and of its write-ahead log.

    A log that belongs to another store, or loses most memories, is ignored.
    """
    alone = _salvage(PageReader(store_file_content))
    pages = PageReader(store_file_content, write_ahead_log)
    if not pages.has_committed_log_pages:
        return alone
    both = _salvage(pages)
    stores = alone.meta_value("store"), both.meta_value("store")
    if all(stores) and stores[0] != stores[1]:
        return alone
    return alone if len(both.memories) < len(alone.memories) // 2 else both


def _salvage(pages: PageReader) -> SalvagedRows:
    memories: dict[str, tuple[Memory, Row]] = {}
    tables: dict[str, dict[Row, Row]] = {name: {} for name in KEYS}
    listed: dict[int, str] = {}
    damaged: dict[int, str] = {}
    for number, values in read_table_and_index_records(pages):
        if number is not None:
            _take_memory(memories, damaged, number, values)
        elif len(values) == 2 and _is_id(values[0]) and isinstance(values[1], int):
            listed[values[1]] = str(values[0])
        elif (table := _table_of(values)) is not None:
            row = _as_stored(table, values)
            tables[table][row[: KEYS[table]]] = row
    named = {*memories, *listed.values(), *_mentioned(tables)}
    named |= {listed.get(number, id) for number, id in damaged.items()}
    return SalvagedRows(memories, tables, frozenset(named))


def _take_memory(
    memories: dict[str, tuple[Memory, Row]],
    damaged: dict[int, str],
    number: int,
    values: list[Value],
) -> None:
    row = _memory_row(values)
    if row is None:
        return
    by_name = dict(zip((name for name, _, _ in columns_by_table()["memories"]), row, strict=True))
    fields = (by_name[name] for name in (*columns_of_dataclass_fields(FIELDS), "hash", "seal"))
    try:
        memory = undamaged_memory_from_row((number, *fields))
    except MemoryDamaged:
        if _is_id(row[1]):
            damaged[number] = str(row[1])
        return
    earlier = memories.get(memory.id)
    if earlier is None or version_sort_key(memory) > version_sort_key(earlier[0]):
        memories[memory.id] = memory, row


def _memory_row(values: list[Value]) -> Row | None:
    """The values as a row of ``memories``, with defaults for columns added later."""
    shape = columns_by_table()["memories"]
    lacking = len(shape) - len(values)
    # Columns that schema versions 2 and 4 added.
    younger: tuple[Value, ...] = ("", "", None, None, b"")
    if lacking not in (0, 1, len(younger)) or values[0] is not None or not _is_id(values[1]):
        return None
    return (*values, *(younger[-lacking:] if lacking else ()))


def version_sort_key(memory: Memory) -> tuple[int, int]:
    """(version, time of the last edit), which sorts the versions of a memory from old to new."""
    return memory.version, memory.updated_at


def _table_of(values: list[Value]) -> str | None:
    for table in KEYS:
        shape = columns_by_table()[table]
        if table in SEALED and len(shape) == len(values) + 1:
            shape = shape[:-1]  # a row that is older than seals
        if len(shape) == len(values) and _fits(shape, values) and _PROOF[table](values):
            return table
    return None


_TYPES: dict[str, tuple[type, ...]] = {
    "TEXT": (str,),
    "INTEGER": (int,),
    "REAL": (int, float),
    "BLOB": (bytes,),
}


def _fits(shape: tuple[tuple[str, str, bool], ...], values: list[Value]) -> bool:
    return all(
        isinstance(value, _TYPES[kind]) or (value is None and empty)
        for (_, kind, empty), value in zip(shape, values, strict=True)
    )


def _as_stored(table: str, values: list[Value]) -> Row:
    unsealed = [b""] if len(values) < len(columns_by_table()[table]) else []
    # SQLite stores a whole number in a REAL column as an integer.
    return tuple(
        float(value) if kind == "REAL" and isinstance(value, int) else value
        for (_, kind, _), value in zip(columns_by_table()[table], [*values, *unsealed], strict=True)
    )


def _is_id(value: Value) -> bool:
    return isinstance(value, str) and len(value) == ids.LENGTH and _LETTERS.issuperset(value)


def _is_device(value: Value) -> bool:
    return isinstance(value, str) and len(value) == 32 and _HEXADECIMAL.issuperset(value)


def _is_version(values: list[Value]) -> bool:
    try:
        memory = memory_from_json_line(str(values[5]))
    except MemoryDamaged:
        return False
    return (memory.id, memory.version) == (values[0], values[1])


_PROOF: dict[str, Callable[[list[Value]], bool]] = {
    "meta": lambda values: values[0] in _NOTES,
    "projects": lambda values: bool(values[0]),
    # An index of memories by commit and branch has the same three types.
    "project_aliases": lambda values: not _is_id(values[0]),
    "versions": _is_version,
    "links": lambda values: _is_id(values[0]) and _is_device(values[7]),
    "tombstones": lambda values: _is_id(values[0]) and _is_device(values[2]),
    "usage": lambda values: _is_id(values[0]),
    "sessions": lambda values: _is_id(values[0]),
    "session_files": lambda values: _is_id(values[0]),
    "events": lambda values: _is_id(values[0]) and _is_device(values[9]),
    "presence": lambda values: bool(values[0]),
    "anchors": lambda values: _is_id(values[0]) and _is_device(values[11]),
    "rewritten": lambda values: _is_device(values[4]),
    "usage_days": lambda values: bool(values[2]),
    "suggestions": lambda values: _is_id(values[0]) and values[2] in KINDS,
    "consolidations": lambda values: all(map(_is_id, values[:3])),
    "jobs": lambda values: _is_id(values[0]) and values[4] in (0, 1),
    "review_acceptances": lambda values: bool(values[0] and values[1] and values[3]),
    "sync_records": lambda values: _is_id(values[2]) and _is_device(values[3]),
    "sync_devices": lambda values: _is_device(values[0]),
}


def _mentioned(tables: dict[str, dict[Row, Row]]) -> Iterator[str]:
    """Ids of memories that other rows refer to."""
    for table in ("versions", "anchors"):
        yield from (str(row[0]) for row in tables[table].values())
    for row in tables["links"].values():
        yield from (str(end) for end in row[1:3] if _is_id(end))
