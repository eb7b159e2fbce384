"""When upkeep is due, and having it done by a process that nobody waits for (``detached``).

Asked after the commands that begin a piece of work, so it has to be light.
"""

import os
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

# Bytes of counts that wait: a quarter of what is kept of them.
MUCH = 1 << 18
# So many changes to memories wait for the contextual model an hour; more are read minutes later.
FEW_CHANGES, PAUSE_MS = 8, 120_000
# Note in the store: which file of the model read its memories up to which counter, and when.
READING, EDITION = "contextual_reading", "1"
# Notes in the store about its copy outside the work tree: the counter then, and the time.
COPY_COUNTER, COPY_AT = "copy_counter", "copy_at"


def due(app: App) -> bool:
    """Whether anything is due that upkeep does, asked of an open store."""
    store = app.store
    if store.read_only:
        return False
    if scan_due(app, store) or recheck_due(app, store):
        return True
    if backup_due(app) or decay_due(app, store) or expiry.any_over(store, app.now):
        return True
    if copy_due(app):
        return True
    if projects.meta(store, "moving") is not None or counted_much(app):
        return True
    return reading_due(app, store) or visible_here.due(app, store)


def reading_due(app: App, store: Database) -> bool:
    """Whether memories that were written wait for the contextual model long enough, or are many."""
    contextual = app.settings.contextual
    if store.read_only or not projects.reading_wanted(store, contextual, app.now):
        return False
    new = int(projects.meta(store, "counter") or 0) - read_up_to(store)
    if not new:
        return False
    at = int(_reading(store)[2])
    # A clock that went back must not stop it for as long as it was ahead.
    waited = app.now - at if app.now >= at else HOUR
    return waited >= (PAUSE_MS if new > FEW_CHANGES else HOUR)


def read_up_to(store: Database) -> int:
    """The counter up to which the contextual model has read a store; 0 where it has not."""
    return int(_reading(store)[1])


def note_reading(store: Database, counter: int, now: int) -> None:
    """Note how far the contextual model has read a store."""
    with store.write():
        projects.set_meta(store, READING, f"{EDITION} {counter} {now}")


def _reading(store: Database) -> list[str]:
    noted = (projects.meta(store, READING) or "").split(" ")
    if len(noted) == 3 and noted[0] == EDITION:
        return noted
    return [EDITION, "0", projects.meta(store, "created_at") or "0"]


def decay_due(app: App, store: Database) -> bool:
    """Whether the last decay run is a day ago and some memory has been idle for long enough."""
    if not app.settings.number("decay.enabled") or store.read_only:
        return False
    last = projects.meta(store, "decay_at") or projects.meta(store, "created_at") or 0
    # A clock that went back must not stop it for as long as it was ahead.
    if 0 <= app.now - int(last) < DAY:
        return False
    idle = soonest(app.settings.real("decay.days"), app.settings.real("decay.archive_below"))
    return idle is not None and expiry.any_untouched(store, app.now - idle)


def scan_due(app: App, store: Database) -> bool:
    """Whether something was written since duplicates were looked for, and that is long ago."""
    hours = app.settings.number("duplicates.scan_hours")
    if not hours or store.read_only:
        return False
    last = projects.meta(store, projects.SCAN_ENDED_AT) or projects.meta(store, "created_at") or 0
    # A clock that went back must not stop it for as long as it was ahead.
    if 0 <= app.now - int(last) < hours * HOUR:
        return False
    counter = projects.meta(store, "counter") or "0"
    if counter == (projects.meta(store, projects.SCANNED_COUNTER) or "0"):
        return False
    from gitmem.store.memory import memories  # noqa: PLC0415 - once a day

    return memories.several(store)  # one alone repeats nothing


def recheck_due(app: App, store: Database) -> bool:
    """Whether memories stand on code that nobody has held them against for long."""
    hours = app.settings.number("duplicates.scan_hours")
    if not hours or store.read_only:
        return False
    last = projects.meta(store, projects.RECHECKED_AT) or projects.meta(store, "created_at") or 0
    if 0 <= app.now - int(last) < hours * HOUR:
        return False
    from gitmem.store.memory import memories  # noqa: PLC0415 - once a day

    return memories.any_anchored(store)


def soonest(days: float, below: float) -> int | None:
    """The least idle time in ms after which a memory can fade; None: none ever fades.

    Follows from ``lifecycle.decay_score``, which is not loaded for this: an unused memory of any
    age has at least 0.7 e^(-idle / D) left.
    """
    return None if below <= 0 else int(max(0.0, days * DAY * log(0.7 / below)))


def counted_much(app: App) -> bool:
    """Whether enough use was logged that it should be added up."""
    try:
        return os.stat(app.store_path + preflight.USAGE).st_size >= MUCH
    except OSError:
        return False


def backup_due(app: App) -> bool:
    """Whether the last scheduled backup is older than the interval."""
    hours = app.settings.number("backup.interval_hours")
    if not hours or app.store.read_only:
        return False
    last = int(projects.meta(app.store, "backup_at") or 0)
    # A clock that went back must not stop backups for as long as it was ahead.
    return not 0 <= app.now - last < hours * HOUR


def copy_due(app: App) -> bool:
    """Whether something was written since the last copy outside, and that is long enough ago."""
    store = app.store
    if store.read_only or app.settings.text("copy.mode") == "off":
        return False
    if (projects.meta(store, "counter") or "0") == (projects.meta(store, COPY_COUNTER) or "0"):
        return False
    last = int(projects.meta(store, COPY_AT) or 0)
    if 0 <= app.now - last < app.settings.number("copy.interval_minutes") * MINUTE:
        return False
    from gitmem.store.file import registration  # noqa: PLC0415 - seldom needed

    # Only a store of the user's own gets a copy.
    store_id = projects.meta(store, "store") or ""
    return bool(registration.key(app.settings.stores_folder, store_id))


def start_if_due(app: App) -> bool:
    """Start what is due in the background; best effort, and never an error.

    What the hooks noted and nobody dealt with comes first (they start nothing during `git am` or
    a bisect), then an index that is behind, since dealing with either ends with upkeep.
    """
    if not app.settings.background:
        return False
    with suppress(GitmemError, OSError):
        if app.refresh_wanted:
            _ask_for_refresh(app)
        if noted(app):
            detached.start(app, "drain")
            return True
        if app.reads_index and _ask_for_refresh(app):
            if noted(app):
                detached.start(app, "drain")
            return True
        if due(app):
            detached.start(app, "upkeep")
            return True
    return False


def _ask_for_refresh(app: App) -> bool:
    """Note for the drain that the index is behind; whether it is. Best effort."""
    from gitmem.maintenance import index_request  # noqa: PLC0415 - for those who read the index

    with suppress(GitmemError, OSError):
        if index_request.due(app):
            index_request.note(app)
            return True
    return False


def noted(app: App) -> bool:
    """Whether something waits in the spool of a hook, git's or a session's, and nobody is at it."""
    places = [app.spool_folder, os.path.join(os.path.dirname(app.store_path), "sessions")]
    waiting = [place for place in places if os.path.exists(os.path.join(place, "events"))]
    if not waiting:
        return False
    from gitmem.spool import event_log, lease  # noqa: PLC0415 - seldom needed

    return any(event_log.waiting(one) > 0 and not lease.is_held(one) for one in waiting)
