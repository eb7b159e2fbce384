"""Writing memories: each edit makes a new version, and the replaced one is kept.

All functions run inside a transaction of the caller (``Database.write``), so that several of them
are stored together or not at all.
"""

from __future__ import annotations

from gitmem.model.frozen import replace
from gitmem.model.memory import EarlierMemoryVersion, Link, Memory
from gitmem.store.db.columns import insert_statement as insert_row
from gitmem.store.db.connection import Database
from gitmem.store.db.redaction_gate import redact_memory, redact_text
from gitmem.store.db.sealed_rows import SEALED, values_with_seal
from gitmem.store.db.sqlite_errors import damaged_error
from gitmem.store.memory import derived_rows
from gitmem.store.memory.memory_rows import WRITTEN, memory_to_json_line, memory_to_row

_INSERT = insert_row("memories", WRITTEN)
_UPDATE = f"UPDATE memories SET {', '.join(f'{name} = ?' for name in WRITTEN)} WHERE seq = ?"
_ADD_LINK = insert_row("links", (*Link.__slots__, "seal", "device", "counter"))
_ADD_VERSION = insert_row("versions", (*SEALED["versions"], "seal"))


def advance_logical_clock(database: Database) -> int:
    """Add 1 to the store's counter of writes and return it. Raises StoreDamaged if it is missing.

    Rows are stored with its value, which orders them.
    """
    # Two statements, since RETURNING makes SQLite write out the full-text index each time.
    database.run("UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'counter'")
    step = database.value("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'counter'")
    if step is None:
        raise damaged_error(database.path, "its counter is missing")
    return int(step)


def insert_memory(database: Database, memory: Memory) -> Memory:
    """Store a new memory, secrets redacted, and make it searchable; returns it as stored."""
    sealed = redact_memory(memory)
    database.connection.execute(_INSERT, _row(database, sealed))
    stored = replace(sealed, seq=database.connection.last_insert_rowid())
    derived_rows.index_memory(database, stored)
    return stored


def revise_memory(
    database: Database, old: Memory, new: Memory, *, at_ms: int, action: str, agent: str
) -> Memory:
    """Replace ``old`` by ``new`` with the same id, and keep ``old`` as an earlier version.

    Returns the stored memory, with version and update time (``at_ms``, milliseconds) set.
    ``action`` is a word for the edit ("restored"), ``agent`` who made it, empty for a person.
    """
    save_version(database, old, at_ms=at_ms, action=action, agent=agent)
    stored = replace(
        redact_memory(new),
        # An import may bring a higher version; kept, so that a second import finds nothing newer.
        version=max(old.version + 1, new.version),
        # A clock that went back moves no edit into the past.
        updated_at=max(at_ms, new.created_at, new.updated_at),
        seq=old.seq,
    )
    database.connection.execute(_UPDATE, (*_row(database, stored), old.seq))
    derived_rows.delete_derived_rows(database, old.seq)
    derived_rows.index_memory(database, stored)
    return stored


def revert_to_version(database: Database, current: Memory, earlier: EarlierMemoryVersion) -> None:
    """Undo the last edit of a memory: store its newest earlier version, as if never edited."""
    database.connection.execute(_UPDATE, (*_row(database, earlier.memory), current.seq))
    database.run(
        "DELETE FROM versions WHERE memory = ? AND version = ?",
        (current.id, earlier.memory.version),
    )
    derived_rows.delete_derived_rows(database, current.seq)
    derived_rows.index_memory(database, replace(earlier.memory, seq=current.seq))


def replace_memory_in_place(database: Database, memory: Memory) -> None:
    """Store a memory over its row without a new version, as when the key of its project changed."""
    database.connection.execute(_UPDATE, (*_row(database, memory), memory.seq))


def save_version(database: Database, old: Memory, *, at_ms: int, action: str, agent: str) -> None:
    """Store a memory as an earlier version, which an edit at ``at_ms`` (milliseconds) replaced.

    ``action`` is a word for the edit, ``agent`` who made it, empty for a person.
    """
    values = (old.id, old.version, at_ms, action, redact_text(agent), memory_to_json_line(old))
    database.run(_ADD_VERSION, values_with_seal(database, "versions", values))


def archive_unreadable_memory(database: Database, memory_id: str, *, at_ms: int) -> None:
    """Archive a damaged memory at ``at_ms`` (milliseconds), without reading its content."""
    database.run(
        "UPDATE memories SET archived_at = ?2, layer = '', ttl_ms = NULL, expires_at = NULL "
        "WHERE id = ?1",
        (memory_id, at_ms),
    )


def purge_memory(database: Database, memory_id: str, *, at_ms: int) -> None:
    """Delete a memory with its history and links; a tombstone (its id and ``at_ms``) stays.

    ``at_ms`` is in milliseconds. Call ``erase_deleted_text_from_file`` afterwards, outside the
    transaction: only then is the text gone from the file.
    """
    for version_id in (memory_id, *_other_versions(database, memory_id)):
        _remove_derived(database, version_id)
    purge_rows_of_memory(database, memory_id, at_ms=at_ms)


def purge_rows_of_memory(database: Database, memory_id: str, *, at_ms: int) -> None:
    """Do what ``purge_memory`` does, in a copy of a store without indexes.

    The id may also be that of a session, which is deleted with its notes, questions and files.
    """
    for version in _other_versions(database, memory_id):
        _remove_rows(database, version)
    _remove_rows(database, memory_id)
    # To purge the other version of a memory is to decide against it.
    database.run(
        "UPDATE sync_records SET state = 'settled', copy = '' WHERE copy = ?", (memory_id,)
    )
    database.run("UPDATE sync_records SET state = '', copy = '' WHERE id = ?", (memory_id,))
    database.run("DELETE FROM events WHERE subject = ?1 OR session = ?1", (memory_id,))
    database.run("DELETE FROM sessions WHERE id = ?", (memory_id,))
    database.run(
        "INSERT OR REPLACE INTO tombstones (id, at, device, counter) VALUES (?,?,?,?)",
        (memory_id, at_ms, database.device, advance_logical_clock(database)),
    )


def _other_versions(database: Database, id: str) -> list[str]:
    """The ids of the memories that hold versions of a memory from other devices.

    A memory also says itself which one it is a version of.
    """
    return database.column(
        "SELECT copy FROM sync_records WHERE id = ?1 AND copy <> '' UNION "
        "SELECT id FROM memories WHERE trust = 'foreign' AND metadata LIKE '%\"version_of\"%' "
        "AND CASE WHEN json_valid(metadata) "
        "THEN json_extract(metadata, '$.sync.version_of') = ?1 END",
        (id,),
    )


def remove_memory(database: Database, memory_id: str) -> None:
    """Delete a memory, even a damaged one, with its history and links, leaving no tombstone."""
    _remove_derived(database, memory_id)
    _remove_rows(database, memory_id)


def _remove_derived(database: Database, id: str) -> None:
    seq = database.value("SELECT seq FROM memories WHERE id = ?", (id,))
    database.run(
        "DELETE FROM vectors WHERE hash = (SELECT hash FROM memory_marks WHERE seq = ?)", (seq,)
    )
    if seq is not None:
        derived_rows.delete_derived_rows(database, seq)
    for table in ("verdicts", "elsewhere"):
        database.run(f"DELETE FROM {table} WHERE memory = ?", (id,))


def _remove_rows(database: Database, id: str) -> None:
    database.run("DELETE FROM links WHERE source = ?1 OR target = ?1", (id,))
    # Else a rejected suggestion, or a removed memory that capture had found, would be suggested
    # again: its key is kept as rejected, without any text.
    database.run(
        "UPDATE suggestions SET memory = '', other = '', reason = '', state = 'rejected', "
        "resolved_at = coalesce(resolved_at, created_at) "
        "WHERE ?1 IN (memory, other) AND (state = 'rejected' OR kind = 'memory')",
        (id,),
    )
    database.run("DELETE FROM suggestions WHERE memory = ?1 OR other = ?1", (id,))
    database.run("DELETE FROM consolidations WHERE target = ?1 OR source = ?1", (id,))
    database.run("DELETE FROM memories WHERE id = ?", (id,))


def erase_deleted_text_from_file(database: Database) -> bool:
    """Remove deleted text from the store's file and its log; call it outside a transaction.

    False where another process still reads an older state, so that the log could not be emptied;
    the last process to close the store empties it.
    """
    with database.write():
        derived_rows.merge_memory_text_index(database)
    blocked, _, _ = database.rows("PRAGMA wal_checkpoint(TRUNCATE)")[0]
    return not blocked


def add_link(database: Database, link: Link) -> bool:
    """Store a link; False if it existed, and only its strength and context are updated."""
    stored = database.row(
        "SELECT id, created_at FROM links WHERE source = ? AND target = ? AND relation = ?",
        (link.source, link.target, link.relation),
    )
    # A REAL column returns 1 as 1.0, and the seal is computed from what is read.
    added = replace(link, context=redact_text(link.context), strength=float(link.strength))
    if stored:
        added = replace(added, id=stored[0], created_at=stored[1])
        *_, sealed = _sealed_link(database, added)
        database.connection.execute(
            "UPDATE links SET strength = ?, context = ?, seal = ? WHERE id = ?",
            (added.strength, added.context, sealed, added.id),
        )
        return False
    values = _sealed_link(database, added)
    database.connection.execute(
        _ADD_LINK, (*values, database.device, advance_logical_clock(database))
    )
    return True


def remove_link(database: Database, source: str, target: str, relation: str) -> bool:
    """Remove the link of this relation between two memories; False if there is none."""
    database.run(
        "DELETE FROM links WHERE source = ? AND target = ? AND relation = ?",
        (source, target, relation),
    )
    return database.connection.changes() == 1


def _sealed_link(database: Database, link: Link) -> tuple[object, ...]:
    return values_with_seal(database, "links", [getattr(link, name) for name in Link.__slots__])


def is_memory_purged(database: Database, memory_id: str) -> bool:
    """Whether the memory or session with this id was purged here (deleted with its history)."""
    return database.value("SELECT 1 FROM tombstones WHERE id = ?", (memory_id,)) is not None


def increment_access_counts(database: Database, memory_ids: list[str], now_ms: int) -> None:
    """Count once more that these memories were shown, at ``now_ms`` (milliseconds).

    Ids that are not stored are left out.
    """
    database.connection.executemany(
        "INSERT INTO usage (memory, count, last_at) "
        "SELECT id, 1, ?2 FROM memories WHERE id = ?1 "
        "ON CONFLICT (memory) DO UPDATE SET count = count + 1, last_at = excluded.last_at",
        [(id, now_ms) for id in memory_ids],
    )


def _row(database: Database, memory: Memory) -> list[object]:
    return [*memory_to_row(memory, database), database.device, advance_logical_clock(database)]
