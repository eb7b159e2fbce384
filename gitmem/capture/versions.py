"""Settling two versions of one memory, made on two devices: one stays in force, for all devices.

The other version is a foreign memory of its own until then (``gitmem.sync.incoming``). What was
decided leaves with the next push, as a version that replaces both.
"""

import json

from gitmem.app import App
from gitmem.capture.change import store_version
from gitmem.capture.provenance import is_agent
from gitmem.memory import trust
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import memory_writes, sync_rows

KIND = "version"
ORIGIN = "sync"  # the key of the metadata that says from which device a memory came


def origin_of(memory: Memory) -> dict[str, object]:
    """The facts about the device that a synced memory came from; empty if it was made here."""
    if f'"{ORIGIN}"' not in memory.metadata:
        return {}
    facts = json.loads(memory.metadata).get(ORIGIN)
    return facts if isinstance(facts, dict) else {}


def adopt_version(app: App, database: Database, version: Memory, present: Memory) -> None:
    """Put the version from another device in force in place of ``present``; in a transaction."""
    tier = present.trust if is_agent(app) else "accepted"
    store_version(app, database, present, as_next_version(version, present, tier), "synced")
    remove_other_version(database, version.id)


def as_next_version(version: Memory, present: Memory, tier: str) -> Memory:
    """The version from another device as the next one of ``present``; ``tier`` is its trust."""
    first = {name: getattr(present, name) for name in trust.PROVENANCE}
    archived = origin_of(version).get("archived_at")
    return replace(
        version,
        id=present.id,
        seq=present.seq,
        pinned=present.pinned,
        trust=tier,
        archived_at=archived if isinstance(archived, int) else None,
        version=present.version,
        **first,
    )


def remove_other_version(database: Database, copy: str) -> None:
    """Remove the memory that held the other device's version, now that a person has decided.

    ``copy`` is its id.
    """
    row = sync_rows.record_of_copy(database, copy)
    if row is not None:
        sync_rows.set_record_state(database, row.hash, sync_rows.SETTLED)
        memory_writes.remove_memory(database, copy)
