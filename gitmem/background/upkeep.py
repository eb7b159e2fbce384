"""Maintenance of a store without a daemon, done now and then in the background.

``schedule`` says when it is due and starts it, detached and at the lowest priority.
"""

from contextlib import suppress

from gitmem.agents.events import replay
from gitmem.app import App
from gitmem.branches import visible_here
from gitmem.capture.change import Usage, edit_memories
from gitmem.capture.move_store import finish_interrupted_moves
from gitmem.errors import GitmemError
from gitmem.maintenance import (
    contextual_reading,
    derive,
    duplicate_scan,
    former_keys,
    outside_copies,
    policy_tune,
    recheck,
    usage,
)
from gitmem.maintenance.backups import back_up_store_if_due
from gitmem.maintenance.fade import archive_unused_memories
from gitmem.maintenance.schedule import (
    is_citation_recheck_due,
    is_contextual_embedding_due,
    is_decay_due,
    is_duplicate_scan_due,
)
from gitmem.memory import lifecycle
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.store.db.connection import Database
from gitmem.store.memory import expiry


@dataclass(frozen=True, slots=True)
class MaintenanceReport:
    """The results of maintenance: the path of the backup made, or empty, and counts of memories.

    ``expired`` memories reached their end, ``faded`` ones were unused for long; both are archived.
    ``promoted`` ones were used so often that they no longer expire. ``moved`` ones were left by an
    interrupted move to another store. ``copy`` is the path of the copy outside the worktree, or
    empty. ``suggested`` pairs repeat or contradict each other; the code of ``stale`` memories is
    gone or changed long ago; ``derived`` facts were proposed from many commits; ``read`` memories
    got a vector of the contextual model.
    """

    backup: str
    copy: str
    expired: int
    promoted: int
    faded: int
    moved: int
    suggested: int = 0
    stale: int = 0
    derived: int = 0
    read: int = 0


def run_due_maintenance(app: App) -> MaintenanceReport:
    """Do the maintenance (backup, expiry ...) that is due here; returns an MaintenanceReport."""
    moved = finish_interrupted_moves(app)
    stores = [store for store in app.stores() if not store.read_only]
    if not app.store.read_only:
        former_keys.move_memories_to_project_key(app, app.store)
    suggested = sum(
        duplicate_scan.suggest_duplicates(app, store)
        for store in stores
        if is_duplicate_scan_due(app, store)
    )
    stale = (
        recheck.suggest_archiving_stale_memories(app, app.store)
        if is_citation_recheck_due(app, app.store)
        else 0
    )
    derived = derive.propose_co_change_conventions(app, app.store)
    policy_tune.advise_merge_threshold(app, app.store)
    promoted = sum(_promote(app, store) for store in stores)
    expired = sum(_expire(app, store) for store in stores)
    faded = sum(
        len(archive_unused_memories(app, store).archived)
        for store in stores
        if is_decay_due(app, store)
    )
    with suppress(GitmemError):  # a HEAD that git cannot read keeps nothing else waiting
        visible_here.refresh_hidden_memories(app, app.store)
    usage.store_pending_usage_counts(app)
    with suppress(GitmemError):
        replay.end_inactive_sessions(app)
    app.store.rows("PRAGMA wal_checkpoint(PASSIVE)")
    # Last: a store too damaged to be copied, or a full disk, keeps nothing else waiting.
    backup = back_up_store_if_due(app)
    copied = outside_copies.copy_store_if_due(app)
    # A question asks all stores, and both models only where all are read.
    to_read = stores if any(is_contextual_embedding_due(app, store) for store in stores) else []
    read = sum(contextual_reading.embed_waiting_memories(app, store) for store in to_read)
    return MaintenanceReport(
        backup, copied, expired, promoted, faded, moved, suggested, stale, derived, read
    )


def _promote(app: App, store: Database) -> int:
    """Remove the expiry of memories that were used often enough."""
    least, _ = app.memory_expiry_rule

    def promote_often_used_memory(memory: Memory, usage: Usage) -> Memory:
        return (
            lifecycle.promote_from_working_layer(memory)
            if lifecycle.has_enough_accesses_to_stay(memory, usage[0], least)
            else memory
        )

    return len(
        edit_memories(
            app,
            store,
            expiry.never_expiring_memory_ids(store),
            promote_often_used_memory,
            "promoted",
        ).changed
    )


def _expire(app: App, store: Database) -> int:
    """Archive memories that reached their expiry; nothing is deleted."""
    now = app.now

    def archive_expired_memory(memory: Memory, usage: Usage) -> Memory:
        end = lifecycle.effective_expiry(memory, usage[0], *app.memory_expiry_rule)
        return memory if end is None or end > now else expiry.archived_copy_of_memory(memory, now)

    return len(
        edit_memories(
            app, store, expiry.expired_memory_ids(store, now), archive_expired_memory, "expired"
        ).changed
    )
