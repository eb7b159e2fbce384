"""Building a new, undamaged store from the rows salvaged from several files."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence, Set

import apsw

from gitmem.errors import StoreDamaged
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.store.db import projects
from gitmem.store.db.columns import insert_statement
from gitmem.store.db.connection import Database
from gitmem.store.db.sqlite_errors import sqlite_errors_as_gitmem_errors
from gitmem.store.file import copy_check, migrate, sealing
from gitmem.store.file.opening import open_store_for_adoption
from gitmem.store.file.registration import Keyring
from gitmem.store.file.salvage import KEYS, Row, SalvagedRows, columns_by_table, version_sort_key
from gitmem.store.memory import derived_rows
from gitmem.store.memory.memory_rows import WRITTEN, memory_to_row

# Tables of rows about a memory, and the place of its id in them.
_OF_MEMORY = {"versions": 0, "usage": 0, "anchors": 0}


@dataclass(frozen=True, slots=True)
class MergedStoreRows:
    """The rows for a new store, merged from several files. ``memories``: id -> (memory, its row).

    ``file_numbers``: memory's id -> position of the file that its row is from. ``tables``: table's
    name -> key -> row. ``lost``: ids of memories that occur in some file but could be read from
    none.
    """

    memories: dict[str, tuple[Memory, Row]]
    file_numbers: dict[str, int]
    tables: dict[str, dict[Row, Row]]
    lost: tuple[str, ...]


def merge_salvaged_rows(
    salvaged_files: Sequence[SalvagedRows], ids_moved_to_other_stores: Collection[str] = ()
) -> MergedStoreRows:
    """The newest undamaged version of each memory in some files, and all rows that belong to it.

    ``salvaged_files``: the present one first, then from the newest to the oldest; of two rows with
    one key the first is taken. What was purged in any file is left out, as are
    ``ids_moved_to_other_stores``.
    """
    purged = {str(row[0]) for file in salvaged_files for row in file.tables["tombstones"].values()}
    removed = {*purged, *ids_moved_to_other_stores}
    memories: dict[str, tuple[Memory, Row]] = {}
    numbers: dict[str, int] = {}
    for number, file in enumerate(salvaged_files):
        for id, entry in file.memories.items():
            if id not in removed and (
                id not in memories or version_sort_key(entry[0]) > version_sort_key(memories[id][0])
            ):
                memories[id], numbers[id] = entry, number
    mentioned = {id for file in salvaged_files for id in file.mentioned_ids}
    tables = {table: _rows(table, salvaged_files, numbers, purged) for table in KEYS}
    _drop_strays(tables, memories)
    return MergedStoreRows(
        memories, numbers, tables, tuple(sorted(mentioned - removed - memories.keys()))
    )


def _rows(
    table: str, files: Sequence[SalvagedRows], source: Mapping[str, int], buried: Set[str]
) -> dict[Row, Row]:
    """The rows of a table, each key once, without those that name a purged memory."""
    merged: dict[Row, Row] = {}
    for file in files:
        for key, row in file.tables[table].items():
            texts = {value for value in row if isinstance(value, str)}
            if table == "tombstones" or buried.isdisjoint(texts):
                merged.setdefault(key, row)
    for key in list(merged) if table in _OF_MEMORY else ():
        # Preferably from the file that the memory was taken from.
        best = source.get(str(key[0]))
        if best is not None:
            merged[key] = files[best].tables[table].get(key, merged[key])
    return merged


def _drop_strays(
    tables: dict[str, dict[Row, Row]], memories: Mapping[str, tuple[Memory, Row]]
) -> None:
    """Drop rows that refer to memories, sessions, citations or projects that are not there."""
    for table in _OF_MEMORY:
        tables[table] = {key: row for key, row in tables[table].items() if row[0] in memories}
    tables["versions"] = {
        key: row
        for key, row in tables["versions"].items()
        if _number(row[1]) < memories[str(row[0])][0].version
    }
    tables["anchors"] = {
        key: row
        for key, row in tables["anchors"].items()
        if row[2] in memories[str(row[0])][0].paths
    }
    tables["links"] = _links(tables["links"], memories)
    for table, ids in (("suggestions", slice(3, 5)), ("consolidations", slice(1, 3))):
        tables[table] = {
            key: row
            for key, row in tables[table].items()
            if all(not id or id in memories for id in row[ids])
        }
    sessions = tables["sessions"]
    tables["session_files"] = {
        key: row for key, row in tables["session_files"].items() if (row[0],) in sessions
    }
    tables["project_aliases"] = {
        key: row
        for key, row in tables["project_aliases"].items()
        if (row[1],) in tables["projects"]
    }


def _links(rows: Mapping[Row, Row], memories: Mapping[str, tuple[Memory, Row]]) -> dict[Row, Row]:
    """The links whose ends are there, each pair once for a relation."""
    links: dict[Row, tuple[Row, Row]] = {}
    for key, row in rows.items():
        ends = [str(end) for end in row[1:3]]
        if all(end in memories or end.startswith("commit:") for end in ends):
            links.setdefault(row[1:4], (key, row))
    return dict(links.values())


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def write_merged_store(
    path: str, merged_rows: MergedStoreRows, sealing_key: bytes, *, now_ms: int, device_id: str
) -> None:
    """Write a new, complete store to ``path``, where there is nothing or an empty file.

    ``device_id`` (32 hexadecimal digits) is its id; ``sealing_key`` (32 bytes) seals its rows,
    which proves who wrote them. Raises DiskFull, ReadOnly, StoreDamaged where the result is not
    complete, or OSError where no file can be made.
    """
    # SQLite would make one that others may read.
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    with sqlite_errors_as_gitmem_errors(path):
        connection = apsw.Connection(path)
        try:
            migrate.build_schema(connection, now_ms=now_ms, device_id=device_id, store_seal="")
        finally:
            connection.close()
    database = open_store_for_adoption(path, Keyring(""))
    database.key, database.store = sealing_key, device_id
    try:
        with database.write():
            _fill(database, merged_rows)
            # Whatever a salvaged note says: the key is stored under this id.
            projects.set_meta(database, "store", device_id)
            sealing.seal_all_rows(database)
            derived_rows.rebuild_derived_rows(database)
    finally:
        database.close()
    problems = copy_check.copy_problems(path)
    if problems:
        raise StoreDamaged(
            f"A store made of the rows that could be read is not intact: {problems[0]}.",
            "The damaged file was left as it is. `gitmem backup --list` shows backups to restore.",
        )


def _fill(database: Database, merged: MergedStoreRows) -> None:
    # Row numbers are assigned anew: those of two files may clash.
    entries = sorted(merged.memories.values(), key=lambda pair: (pair[0].seq, pair[0].id))
    database.connection.executemany(
        insert_statement("memories", WRITTEN),
        [
            (*memory_to_row(memory, database), *_device_and_counter(database, row))
            for memory, row in entries
        ],
    )
    for table in KEYS:
        names = [name for name, _, _ in columns_by_table()[table]]
        database.connection.executemany(
            insert_statement(table, names, verb="INSERT OR REPLACE"),
            merged.tables[table].values(),
        )
    database.run(
        "UPDATE meta SET value = ?1 WHERE key = 'counter' AND CAST(value AS INTEGER) < ?1",
        (_highest(merged),),
    )


def _device_and_counter(database: Database, row: Row) -> tuple[str, int]:
    """Device and counter of a memory's row, which no hash covers: damaged ones are replaced."""
    names = [name for name, _, _ in columns_by_table()["memories"]]
    device, counter = row[names.index("device")], row[names.index("counter")]
    return device if isinstance(device, str) else database.device, _number(counter)


def _highest(merged: MergedStoreRows) -> int:
    """The highest step of the logical clock in any row."""
    counters = [0]
    for table, shape in columns_by_table().items():
        names = [name for name, _, _ in shape]
        if "counter" not in names:
            continue
        place = names.index("counter")
        rows = (
            [row for _, row in merged.memories.values()]
            if table == "memories"
            else merged.tables[table].values()
        )
        counters += [_number(row[place]) for row in rows]
    return max(counters)
