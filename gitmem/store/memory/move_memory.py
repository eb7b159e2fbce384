"""Moving a memory to another store under the same id, so that a crash never loses it.

Two files share no transaction. So the move is noted in the repository's store first, then the
memory is copied to the other store, then removed from the first together with the note. A process
that finds a note later knows that a move was interrupted, and takes the same last step.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from gitmem.model.anchor import CodeAnchor
from gitmem.model.frozen import replace
from gitmem.model.memory import Link, Memory
from gitmem.store.db import projects
from gitmem.store.db.columns import columns_of_dataclass_fields, insert_statement
from gitmem.store.db.connection import Database
from gitmem.store.db.sealed_rows import (
    SEALED,
    rows_with_valid_seal,
    sealed_columns,
    values_with_seal,
)
from gitmem.store.memory import memories, memory_writes

_NOTE = "moving"
_LINKS = "links elsewhere"
_FIELDS = ("id", "source", "target", "relation", "context", "strength", "created_at")
_ANCHOR = ("memory", *columns_of_dataclass_fields(CodeAnchor.__slots__), "device", "counter")


def record_memory_move(repository_store: Database, memory_id: str, source_scope: str) -> None:
    """Record in the repository's store that a memory is about to leave the store of a scope.

    ``source_scope`` is ``project`` or ``global``. By the record an interrupted move is finished.
    """
    _set_notes(
        repository_store, {**pending_memory_moves(repository_store), memory_id: source_scope}
    )


def clear_memory_move_record(repository_store: Database, memory_id: str) -> None:
    """Delete the record that a memory is being moved to another store."""
    _set_notes(
        repository_store,
        {
            other: origin
            for other, origin in pending_memory_moves(repository_store).items()
            if other != memory_id
        },
    )


def pending_memory_moves(repository_store: Database) -> dict[str, str]:
    """A dict: id of a memory being moved -> scope (project, global) of the store it leaves."""
    try:
        notes: dict[str, str] = json.loads(projects.get_meta(repository_store, _NOTE) or "{}")
    except ValueError:
        return {}
    return notes


def _set_notes(own: Database, notes: dict[str, str]) -> None:
    if notes:
        projects.set_meta(own, _NOTE, json.dumps(notes, sort_keys=True))
    else:
        own.run("DELETE FROM meta WHERE key = ?", (_NOTE,))


def copy_memory_between_stores(
    target_store: Database,
    source_store: Database,
    source_memory: Memory,
    target_memory: Memory,
    *,
    at_ms: int,
    action: str,
    agent: str,
) -> Memory:
    """Store ``target_memory``, a memory from another store, with history, usage and cited places.

    Returns it as stored. Links to memories in ``target_store`` come with it; others are kept in its
    metadata until both ends are in one store. ``action`` is a word for the edit, ``agent`` who made
    it, ``at_ms`` when (milliseconds). In a transaction of ``target_store``.
    """
    present, absent = _split_links(target_store, source_store, source_memory)
    moved = replace(
        target_memory,
        metadata=_with_noted_links(target_memory.metadata, absent),
        version=source_memory.version + 1,
        updated_at=max(at_ms, target_memory.updated_at),
    )
    stored = memory_writes.insert_memory(target_store, moved)
    _copy_versions(target_store, source_store, source_memory.id)
    memory_writes.save_version(target_store, source_memory, at_ms=at_ms, action=action, agent=agent)
    count, last = memories.access_count_and_time(source_store, source_memory.id)
    if last is not None:
        target_store.run(
            "INSERT INTO usage (memory, count, last_at) VALUES (?,?,?)",
            (source_memory.id, count, last),
        )
    _copy_rows(target_store, source_store, "anchors", _ANCHOR, source_memory.id)
    for link in [*present, *_waiting_links(target_store, source_memory.id)]:
        memory_writes.add_link(target_store, link)
    return stored


def _copy_rows(
    target: Database, source: Database, table: str, names: Sequence[str], memory: str
) -> None:
    question = f"SELECT {', '.join(names)} FROM {table} WHERE memory = ?"
    target.connection.executemany(insert_statement(table, names), source.rows(question, (memory,)))


def _copy_versions(target: Database, source: Database, memory: str) -> None:
    """Copy the earlier versions that the source wrote, sealed with the key of the target."""
    question = f"SELECT {sealed_columns('versions')} FROM versions WHERE memory = ?"
    rows = rows_with_valid_seal(source, "versions", source.rows(question, (memory,)))
    target.connection.executemany(
        insert_statement("versions", (*SEALED["versions"], "seal")),
        [values_with_seal(target, "versions", row) for row in rows],
    )


def _split_links(
    target: Database, source: Database, memory: Memory
) -> tuple[list[Link], list[Link]]:
    """A memory's links, noted ones included: (those with both ends in ``target``, the others)."""
    links = {link.id: link for link in _noted_links(memory.metadata)}
    links |= {link.id: link for link in memories.links_of_memory(source, memory.id)}
    present: list[Link] = []
    absent: list[Link] = []
    for link in links.values():
        other = link.target if link.source == memory.id else link.source
        (present if _holds(target, other) else absent).append(link)
    return present, absent


def _waiting_links(target: Database, id: str) -> list[Link]:
    """Links to this memory that memories in ``target`` have noted."""
    rows = target.rows(
        "SELECT metadata FROM memories WHERE id <> ?1 AND instr(metadata, ?1) "
        "AND instr(metadata, ?2)",
        (id, _LINKS),
    )
    return [
        link for (text,) in rows for link in _noted_links(text) if id in (link.source, link.target)
    ]


def _noted_links(metadata: str) -> list[Link]:
    """The links noted in a memory's metadata; invalid ones are ignored."""
    noted = json.loads(metadata or "{}").get(_LINKS)
    return (
        [Link(**fields) for fields in noted if _is_link(fields)] if isinstance(noted, list) else []
    )


def _is_link(fields: object) -> bool:
    # Anybody can write metadata.
    if not isinstance(fields, dict) or set(fields) != set(_FIELDS):
        return False
    texts = all(isinstance(fields[name], str) for name in _FIELDS[:5])
    strength, created = fields["strength"], fields["created_at"]
    return texts and isinstance(strength, float) and 0 <= strength <= 1 and isinstance(created, int)


def _holds(target: Database, end: str) -> bool:
    # Commits are known to the repository alone.
    if end.startswith("commit:"):
        return target.scope == "project"
    return target.value("SELECT 1 FROM memories WHERE id = ?", (end,)) is not None


def _with_noted_links(metadata: str, links: list[Link]) -> str:
    facts = json.loads(metadata or "{}")
    facts.pop(_LINKS, None)
    if links:
        facts[_LINKS] = [{name: getattr(link, name) for name in _FIELDS} for link in links]
    return json.dumps(facts, ensure_ascii=False, sort_keys=True)
