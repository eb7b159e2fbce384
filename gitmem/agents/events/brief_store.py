"""Opening the store for a hook, which must not wait for other processes."""

from gitmem.app import App
from gitmem.store.db.connection import Database

BUSY_MS = 200


def open_briefly(app: App) -> Database:
    """The open store. Raises StoreBusy after ``BUSY_MS``, StoreDamaged, ..."""
    if app.opened is None:
        app.open_store(busy_ms=BUSY_MS)
    return app.store
