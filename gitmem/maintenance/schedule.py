"""Decide when upkeep is due, and start it in a detached process.

Asked after commands that begin a piece of work, so it is light.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from math import log

from gitmem.app import App
from gitmem.branches import visible_here
from gitmem.clock import DAY, HOUR, MINUTE
from gitmem.errors import GitmemError
from gitmem.maintenance import detached
from gitmem.store.db import preflight, projects
from gitmem.store.db.connection import Database
from gitmem.store.memory import expiry

# A store's notes about itself, as ``projects.get_meta_values`` reads them.
MetaValues = Mapping[str, str]
# Bytes of the usage log from which on it is added up.
MAX_USAGE_LOG_BYTES = 1 << 18
# Up to so many changed memories wait an hour for the contextual model; more wait minutes.
FEW_CHANGES, PAUSE_MS = 8, 120_000
# Key in the store: edition of the model's file, the counter up to which it read, and when.
READING, EDITION = "contextual_reading", "1"
# Key in the store: when memories were last shared by themselves, and by which remote.
SHARING = "sync_auto"
# Keys in the store for its copy outside the work tree: the counter then, and the time.
COPY_COUNTER, COPY_AT = "copy_counter", "copy_at"
_KEYS = (
    *("store", "created_at", "counter", "moving", "backup_at", "decay_at"),
    *(COPY_COUNTER, COPY_AT, READING),
    *(projects.SCAN_ENDED_AT, projects.SCANNED_COUNTER, projects.RECHECKED_AT),
)


def _is_over(app: App, since: int, interval_ms: int) -> bool:
    """Whether an interval is over; also after a clock was put back, which must not stop upkeep."""
    return not 0 <= app.now - since < interval_ms


def _last(notes: MetaValues, key: str) -> int:
    return int(notes.get(key) or notes.get("created_at") or 0)


def is_maintenance_due(app: App) -> bool:
    """Return whether any regular job (backup, scan for duplicates ...) is due for the store."""
    store = app.store
    if store.read_only:
        return False
    notes = projects.get_meta_values(store, _KEYS)  # read once: this is asked after every command
    return (
        is_duplicate_scan_due(app, store, notes)
        or is_citation_recheck_due(app, store, notes)
        or is_backup_due(app, notes)
        or is_decay_due(app, store, notes)
        or expiry.has_expired_memory(store, app.now)
        or is_outside_copy_due(app, notes)
        or "moving" in notes
        or is_usage_log_merge_due(app)
        or is_contextual_embedding_due(app, store, notes)
        or visible_here.is_visibility_refresh_due(app, store)
    )


def is_contextual_embedding_due(
    app: App, store: Database, meta_values: MetaValues | None = None
) -> bool:
    """Return whether new memories should get vectors of the contextual model (a slower one) now.

    They should if there are more than ``FEW_CHANGES``, or after an hour. ``meta_values`` are the
    store's times and counters of such jobs, None to read them.
    """
    contextual = app.settings.contextual_embedding_use
    if store.read_only or not projects.needs_contextual_vectors(store, contextual, app.now):
        return False
    meta_values = meta_values or projects.get_meta_values(store, _KEYS)
    _, read, at = _reading_note(meta_values)
    new = int(meta_values.get("counter") or 0) - int(read)
    return bool(new) and _is_over(app, int(at), PAUSE_MS if new > FEW_CHANGES else HOUR)


def last_embedded_counter(store: Database) -> int:
    """Return the store's change counter at which the contextual model last ran; 0 if never."""
    return int(_reading_note(projects.get_meta_values(store, _KEYS))[1])


def record_contextual_embedding(store: Database, change_counter: int, now_ms: int) -> None:
    """Store that the contextual model has read all changes up to ``change_counter``.

    ``now_ms`` is in milliseconds since 1970.
    """
    with store.write():
        projects.set_meta(store, READING, f"{EDITION} {change_counter} {now_ms}")


def _reading_note(notes: MetaValues) -> list[str]:
    """Edition, counter and time of the last reading."""
    fields = notes.get(READING, "").split(" ")
    if len(fields) == 3 and fields[0] == EDITION:
        return fields
    return [EDITION, "0", notes.get("created_at") or "0"]


def is_decay_due(app: App, store: Database, meta_values: MetaValues | None = None) -> bool:
    """Return whether to look for memories to archive for want of use.

    It is due a day after the last run if any memory was unused long enough. ``meta_values`` are the
    store's times and counters of such jobs, None to read them.
    """
    if not app.settings.number("decay.enabled") or store.read_only:
        return False
    meta_values = meta_values or projects.get_meta_values(store, _KEYS)
    if not _is_over(app, _last(meta_values, "decay_at"), DAY):
        return False
    idle = idle_ms_until_archivable(
        app.settings.float_number("decay.days"), app.settings.float_number("decay.archive_below")
    )
    return idle is not None and expiry.has_memory_unedited_since(store, app.now - idle)


def is_duplicate_scan_due(app: App, store: Database, meta_values: MetaValues | None = None) -> bool:
    """Return whether to look for duplicates: after ``duplicates.scan_hours`` and a change.

    ``meta_values`` are the store's times and counters of such jobs, None to read them.
    """
    hours = app.settings.number("duplicates.scan_hours")
    if not hours or store.read_only:
        return False
    meta_values = meta_values or projects.get_meta_values(store, _KEYS)
    if not _is_over(app, _last(meta_values, projects.SCAN_ENDED_AT), hours * HOUR):
        return False
    if meta_values.get("counter", "0") == meta_values.get(projects.SCANNED_COUNTER, "0"):
        return False
    from gitmem.store.memory import memories  # noqa: PLC0415 - once a day

    return memories.has_multiple_memories(store)  # a single memory has no duplicate


def is_citation_recheck_due(
    app: App, store: Database, meta_values: MetaValues | None = None
) -> bool:
    """Return whether to compare memories with code again, as ``duplicates.scan_hours`` passed.

    ``meta_values`` are the store's times and counters of such jobs, None to read them.
    """
    hours = app.settings.number("duplicates.scan_hours")
    if not hours or store.read_only:
        return False
    meta_values = meta_values or projects.get_meta_values(store, _KEYS)
    if not _is_over(app, _last(meta_values, projects.RECHECKED_AT), hours * HOUR):
        return False
    from gitmem.store.memory import memories  # noqa: PLC0415 - once a day

    return memories.has_anchored_memories(store)


def idle_ms_until_archivable(decay_days: float, min_score: float) -> int | None:
    """Return for how many milliseconds a memory must be unused to be archived; None if never.

    ``decay_days`` and ``min_score`` are the settings ``decay.days`` and ``decay.archive_below``.
    """
    return None if min_score <= 0 else int(max(0.0, decay_days * DAY * log(0.7 / min_score)))


def is_usage_log_merge_due(app: App) -> bool:
    """Return whether the log of usage counts is long enough (256 KB) to be added up."""
    try:
        return os.stat(app.store_path + preflight.USAGE).st_size >= MAX_USAGE_LOG_BYTES
    except OSError:
        return False


def is_backup_due(app: App, meta_values: MetaValues | None = None) -> bool:
    """Return whether the last scheduled backup is older than ``backup.interval_hours``.

    ``meta_values`` are the store's times and counters of such jobs, None to read them.
    """
    hours = app.settings.number("backup.interval_hours")
    if not hours or app.store.read_only:
        return False
    meta_values = meta_values or projects.get_meta_values(app.store, _KEYS)
    return _is_over(app, int(meta_values.get("backup_at") or 0), hours * HOUR)


def is_outside_copy_due(app: App, meta_values: MetaValues | None = None) -> bool:
    """Return whether to copy the store outside of the work tree again.

    It is due after ``copy.interval_minutes`` if something was written since. ``meta_values`` are
    the store's times and counters of such jobs, None to read them.
    """
    store = app.store
    if store.read_only or app.settings.text("copy.mode") == "off":
        return False
    meta_values = meta_values or projects.get_meta_values(store, _KEYS)
    if meta_values.get("counter", "0") == meta_values.get(COPY_COUNTER, "0"):
        return False
    interval = app.settings.number("copy.interval_minutes") * MINUTE
    if not _is_over(app, int(meta_values.get(COPY_AT) or 0), interval):
        return False
    from gitmem.store.file import registration  # noqa: PLC0415 - seldom needed

    # Only the user's own store gets a copy.
    return bool(
        registration.read_store_key(app.settings.stores_folder, meta_values.get("store", ""))
    )


def is_sync_due(app: App, *, at_session_start: bool = False) -> bool:
    """Return whether memories should be synced now, if the setting ``sync.auto`` says so.

    They are at the start of a session (``at_session_start``), after a ``git push`` of the branch,
    and else every ten minutes, but never twice in a minute.
    """
    # The store first: its settings count as well.
    if app.store.read_only or not app.settings.number("sync.auto"):
        return False
    noted, _, remote = (projects.get_meta(app.store, SHARING) or "0").partition(" ")
    since = int(noted)
    if not _is_over(app, since, MINUTE):
        return False
    if at_session_start or _is_over(app, since, 10 * MINUTE):
        return True
    from gitmem.git.head import read_head  # noqa: PLC0415 - only where sharing is wanted

    branch = read_head(app.layout).branch or ""
    note = os.path.join(app.layout.common_dir, "logs", "refs", "remotes", remote, branch)
    try:
        return bool(remote and branch) and os.stat(note).st_mtime * 1000 > since
    except OSError:
        return False


def start_background_work_if_due(app: App, *, at_session_start: bool = False) -> bool:
    """Start the background processes that are due; return whether any was started.

    These sync memories, store waiting events of hooks, update the index or do regular maintenance.
    Errors are ignored.
    """
    if not app.settings.allows_background:
        return False
    with suppress(GitmemError, OSError):
        if is_sync_due(app, at_session_start=at_session_start):
            detached.start_background_command(app, "sync", "auto")
        if app.refresh_wanted:
            _ask_for_refresh(app)
        if has_unprocessed_hook_events(app):
            detached.start_background_command(app, "drain")
            return True
        if app.reads_index and _ask_for_refresh(app):
            if has_unprocessed_hook_events(app):
                detached.start_background_command(app, "drain")
            return True
        if is_maintenance_due(app):
            detached.start_background_command(app, "upkeep")
            return True
    return False


def _ask_for_refresh(app: App) -> bool:
    """Note for the drain that the index is behind; whether it is. Errors are ignored."""
    from gitmem.maintenance import index_request  # noqa: PLC0415 - only for readers of the index

    with suppress(GitmemError, OSError):
        if index_request.is_index_refresh_due(app):
            index_request.request_index_refresh(app)
            return True
    return False


def has_unprocessed_hook_events(app: App) -> bool:
    """Return whether events that hooks recorded wait, and no process is reading them."""
    places = [app.spool_folder, os.path.join(os.path.dirname(app.store_path), "sessions")]
    waiting = [place for place in places if os.path.exists(os.path.join(place, "events"))]
    if not waiting:
        return False
    from gitmem.spool import event_log, lease  # noqa: PLC0415 - seldom needed

    return any(
        event_log.count_unread_log_bytes(place) > 0 and not lease.is_spool_lease_held(place)
        for place in waiting
    )
