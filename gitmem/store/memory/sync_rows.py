"""The rows of sharing: the records that are known, what became of each, and the devices.

Functions that write run inside a transaction of the caller (``Database.write``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.store.db import seals
from gitmem.store.db.columns import insert_statement, json_array
from gitmem.store.db.connection import Database, Row
from gitmem.store.db.redaction_gate import redact_text
from gitmem.store.memory.memory_rows import read_memories

# What became of a record: see the schema.
NOTED, CURRENT, CONFLICT, SETTLED = "", "current", "conflict", "settled"
_COLUMNS = (
    *("hash", "kind", "id", "device", "counter", "parents", "text", "content", "state", "copy"),
)
_INSERT = insert_statement("sync_records", _COLUMNS, verb="INSERT OR IGNORE")
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM sync_records"
_SEALED = "sync_devices"


@dataclass(frozen=True, slots=True)
class SyncRecordRow:
    """A record (version of a memory or link as shared between devices) without its body.

    ``id`` is that of the memory or link, ``counter`` the device's counter of writes, ``parents``
    the hashes of versions it replaces. ``text`` and ``content`` are digests of the body: of its
    words, and of all that is shared. ``state``: current (what the store has), conflict (waits for a
    person), settled (decided) or empty. ``copy`` is the memory that holds the version of a
    conflict.
    """

    hash: str
    kind: str
    id: str
    device: str
    counter: int
    parents: tuple[str, ...]
    text: str
    content: str
    state: str = NOTED
    copy: str = ""


@dataclass(frozen=True, slots=True)
class SyncDeviceRow:
    """A device (a store elsewhere) whose shared records were read. Times are milliseconds.

    ``author`` is the name that it gives, ``tip`` the commit up to which it was read. ``accepted``:
    a person here trusts it, as long as ``key`` signs, unless that is empty. ``signature`` is the
    state of the signature of ``tip``, ``signer`` the key that made it.
    """

    device: str
    remote: str
    author: str
    tip: str
    accepted: bool
    key: str
    signature: str
    signer: str
    first_at: int
    last_at: int


def add_sync_records(database: Database, rows: Iterable[SyncRecordRow]) -> None:
    """Store rows of shared versions; those whose hash is stored stay as they are."""
    database.connection.executemany(_INSERT, map(_values, rows))


def existing_record_hashes(database: Database, record_hashes: Iterable[str]) -> set[str]:
    """Those of ``record_hashes`` (of shared versions) that are stored here."""
    return set(
        database.column(
            "SELECT hash FROM sync_records WHERE hash IN (SELECT value FROM json_each(?))",
            (json_array(record_hashes),),
        )
    )


def sync_records_by_id(database: Database, ids: Iterable[str]) -> dict[str, list[SyncRecordRow]]:
    """A dict: id of a memory or link -> the stored rows of its shared versions, by hash."""
    records: dict[str, list[SyncRecordRow]] = {}
    question = f"{_SELECT} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY hash"
    for row in database.rows(question, (json_array(ids),)):
        records.setdefault(row[2], []).append(_record(row))
    return records


def sync_records_in_states(
    database: Database, states: Sequence[str], kind: str = ""
) -> list[SyncRecordRow]:
    """The rows of shared versions in some states (current, conflict, settled, empty: others).

    ``kind`` is memory, link or tombstone; empty: all.
    """
    marks = ",".join("?" * len(states))
    return [
        _record(row)
        for row in database.rows(
            f"{_SELECT} WHERE state IN ({marks}) AND ? IN ('', kind) ORDER BY id, hash",
            (*states, kind),
        )
    ]


def sync_records_of_other_devices(database: Database, this_device: str) -> list[SyncRecordRow]:
    """The rows of the versions that any device but this one shared."""
    return [_record(row) for row in database.rows(f"{_SELECT} WHERE device <> ?", (this_device,))]


def trust_tiers_by_id(database: Database, memory_ids: Iterable[str]) -> dict[str, str]:
    """A dict: memory's id -> trust by its origin: person, accepted, agent, repository or foreign.

    Unknown ids are left out.
    """
    memories = read_memories(
        database, "WHERE id IN (SELECT value FROM json_each(?))", (json_array(memory_ids),)
    )
    return {memory.id: memory.trust_tier for memory in memories}


def record_of_conflict_copy(database: Database, memory_id: str) -> SyncRecordRow | None:
    """The row of the shared version that this memory holds as one side of a conflict, or None."""
    row = database.row(f"{_SELECT} WHERE copy = ? AND copy <> ''", (memory_id,))
    return None if row is None else _record(row)


def record_hashes_by_counter(
    database: Database, device: str, counters: Iterable[int]
) -> dict[int, str]:
    """A dict: value of a device's counter of writes -> hash of its record; only known ones."""
    return dict(
        database.rows(
            "SELECT counter, hash FROM sync_records WHERE device = ? AND counter IN "
            "(SELECT value FROM json_each(?))",
            (device, json.dumps(list(counters))),
        )
    )


def set_sync_record_state(
    database: Database,
    record_hash: str,
    state: str,
    *,
    content_digest: str | None = None,
    conflict_copy_id: str = "",
) -> None:
    """Set the state of the shared version with this hash, and what holds it.

    ``state`` is current, conflict, settled or empty. ``content_digest`` is that of the stored row,
    None: as before; ``conflict_copy_id`` is the memory that holds the version of a conflict.
    """
    database.run(
        "UPDATE sync_records SET state = ?2, content = coalesce(?3, content), copy = ?4 "
        "WHERE hash = ?1",
        (record_hash, state, content_digest, conflict_copy_id),
    )


def set_current_sync_record(database: Database, id: str, hash: str, content_digest: str) -> None:
    """Record that the shared version ``hash`` of a memory or link is what this store has.

    ``content_digest`` is that of the stored row. The version that was current is so no more.
    """
    database.run(
        "UPDATE sync_records SET state = '', copy = '' WHERE id = ? AND state = 'current'", (id,)
    )
    set_sync_record_state(database, hash, CURRENT, content_digest=content_digest)


def mark_sync_records_purged(database: Database, memory_or_link_id: str) -> None:
    """Record that this store has no version of the memory or link with this id any more."""
    database.run("UPDATE sync_records SET state = '', copy = '' WHERE id = ?", (memory_or_link_id,))


def unmark_settled_sync_records(database: Database, record_hashes: Iterable[str]) -> None:
    """Set the state settled (a person decided) of these shared versions back to none.

    To be called when the decision between them has been shared itself.
    """
    database.run(
        "UPDATE sync_records SET state = '' WHERE state = 'settled' AND hash IN "
        "(SELECT value FROM json_each(?))",
        (json_array(record_hashes),),
    )


def delete_sync_records(database: Database, record_hashes: Iterable[str]) -> None:
    """Delete the rows of the shared versions with these hashes, as if never read or written."""
    database.run(
        "DELETE FROM sync_records WHERE hash IN (SELECT value FROM json_each(?))",
        (json_array(record_hashes),),
    )


def delete_all_sync_records(database: Database) -> None:
    """Delete all rows of shared versions but conflicts, and how far devices were read.

    All is then read again.
    """
    database.run("DELETE FROM sync_records WHERE state <> 'conflict'")
    database.run("UPDATE sync_devices SET tip = ''")


def tombstones_since(database: Database, clock_value: int) -> list[tuple[str, int]]:
    """(id, time in ms) of what was purged here after the counter of writes had this value."""
    return database.rows(
        "SELECT id, at FROM tombstones WHERE counter > ? ORDER BY id", (clock_value,)
    )


def memories_changed_since(
    database: Database, clock_value: int, also_ids: Iterable[str] = ()
) -> list[Memory]:
    """The memories written after the counter of writes had this value, and those of ``also_ids``.

    In order of id.
    """
    return read_memories(
        database,
        "WHERE counter > ? OR id IN (SELECT value FROM json_each(?)) ORDER BY id",
        (clock_value, json_array(also_ids)),
    )


def set_logical_clock(database: Database, clock_value: int) -> None:
    """Set the store's counter of writes, which orders its rows, to a higher value."""
    database.run("UPDATE meta SET value = ? WHERE key = 'counter'", (str(clock_value),))


def read_logical_clock(database: Database) -> int:
    """The value of the store's counter of writes, which orders its rows."""
    return int(database.value("SELECT value FROM meta WHERE key = 'counter'") or 0)


def list_sync_devices(database: Database) -> list[SyncDeviceRow]:
    """The devices whose shared versions were read, the first known first."""
    rows = database.rows(
        "SELECT device, remote, author, tip, trust, key, signature, signer, first_at, last_at, "
        "seal FROM sync_devices ORDER BY first_at, device"
    )
    return [_device(database, row) for row in rows]


def record_counts_by_device(database: Database) -> dict[str, int]:
    """A dict: device's id -> number of versions it shared that are stored here."""
    return dict(database.rows("SELECT device, count(*) FROM sync_records GROUP BY device"))


def save_device_progress(
    database: Database,
    device: str,
    *,
    remote: str,
    author: str,
    last_read_commit: str,
    signature_state_and_key: tuple[str, str],
    at_ms: int,
) -> None:
    """Record up to which commit the versions that a device shares were read, at ``at_ms`` (ms).

    ``remote`` is where from; an empty ``author`` keeps the known name. ``signature_state_and_key``
    are the state of that commit's signature, and the key that made it.
    """
    database.run(
        "INSERT INTO sync_devices (device, remote, author, tip, trust, key, signature, signer, "
        "first_at, last_at, seal) VALUES (?1, ?2, ?3, ?4, '', '', ?6, ?7, ?5, ?5, x'') "
        "ON CONFLICT (device) DO UPDATE SET remote = ?2, "
        "author = coalesce(nullif(?3, ''), author), tip = ?4, last_at = ?5, signature = ?6, "
        "signer = ?7",
        (device, remote, redact_text(author), last_read_commit, at_ms, *signature_state_and_key),
    )


def set_device_accepted(database: Database, device: str, *, accepted: bool, key: str = "") -> None:
    """Record whether a person trusts the memories of a device (a store elsewhere).

    With ``key`` (a fingerprint) only what is signed with it is trusted.
    """
    trust = "accepted" if accepted else ""
    seal = seals.seal_of_row(database, _SEALED, (device, trust, key)) if accepted else b""
    database.run(
        "UPDATE sync_devices SET trust = ?, key = ?, seal = ? WHERE device = ?",
        (trust, key, seal, device),
    )


def _device(database: Database, row: Row) -> SyncDeviceRow:
    device, remote, author, tip, trust, key, signature, signer, first_at, last_at, seal = row
    accepted = trust != "" and seals.is_row_seal_valid(
        database, _SEALED, (device, trust, key), seal
    )
    where = (device, remote, author, tip)
    return SyncDeviceRow(*where, accepted, key, signature, signer, first_at, last_at)


def _values(record: SyncRecordRow) -> tuple[object, ...]:
    values = [getattr(record, name) for name in _COLUMNS]
    values[5] = " ".join(record.parents)
    return tuple(values)


def _record(row: Row) -> SyncRecordRow:
    values = list(row)
    values[5] = tuple(row[5].split())
    return SyncRecordRow(*values)
