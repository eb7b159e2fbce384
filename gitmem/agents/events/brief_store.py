"""Opening the store for a hook, which must not wait for other processes."""

from gitmem.app import App
from gitmem.store.db.connection import Database

BUSY_MS = 200


def open_store_with_short_timeout(app: App) -> Database:
    """The repository's memory database, opened now if it was not open yet.

    Raises StoreBusy if another process holds it longer than 200 milliseconds, and GitmemError.
    """
    if app.already_open_store is None:
        app.open_store(lock_timeout_ms=BUSY_MS)
    return app.store
