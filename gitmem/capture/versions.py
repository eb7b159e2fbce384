"""Settling two versions of one memory, made on two devices: one stays in force, for all devices.

The other version is a foreign memory of its own until then (``gitmem.sync.incoming``). What was
decided leaves with the next push, as a version that replaces both.
"""

import json

from gitmem.app import App
from gitmem.capture.change import store_memory_version
from gitmem.capture.provenance import is_agent
from gitmem.memory import trust
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import memory_writes, sync_rows

KIND = "version"
ORIGIN = "sync"  # the key of the metadata that says from which device a memory came


def device_origin_of_memory(memory: Memory) -> dict[str, object]:
    """The ``sync`` object of a memory's metadata: from which device it came; empty if made here."""
    if f'"{ORIGIN}"' not in memory.metadata:
        return {}
    facts = json.loads(memory.metadata).get(ORIGIN)
    return facts if isinstance(facts, dict) else {}


def adopt_synced_version(
    app: App, database: Database, synced_version: Memory, current_memory: Memory
) -> None:
    """Put another device's version in place of ``current_memory``. Call it in a transaction.

    ``synced_version`` is the memory that holds it, which is removed.
    """
    tier = current_memory.trust if is_agent(app) else "accepted"
    store_memory_version(
        app,
        database,
        current_memory,
        next_version_from_synced(synced_version, current_memory, tier),
        "synced",
    )
    remove_synced_version(database, synced_version.id)


def next_version_from_synced(
    synced_version: Memory, current_memory: Memory, trust_tier: str
) -> Memory:
    """Another device's version as the next of ``current_memory``, with this trust; not stored."""
    first = {name: getattr(current_memory, name) for name in trust.PROVENANCE}
    archived = device_origin_of_memory(synced_version).get("archived_at")
    return replace(
        synced_version,
        id=current_memory.id,
        seq=current_memory.seq,
        pinned=current_memory.pinned,
        trust=trust_tier,
        archived_at=archived if isinstance(archived, int) else None,
        version=current_memory.version,
        **first,
    )


def remove_synced_version(database: Database, version_memory_id: str) -> None:
    """Remove the memory, by id, that held another device's version, as a person has decided."""
    row = sync_rows.record_of_conflict_copy(database, version_memory_id)
    if row is not None:
        sync_rows.set_sync_record_state(database, row.hash, sync_rows.SETTLED)
    memory_writes.remove_memory(database, version_memory_id)
