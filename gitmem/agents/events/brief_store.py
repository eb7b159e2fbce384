"""The store, opened for a moment of a session: nothing waits for it."""

from gitmem.app import App
from gitmem.store.db.connection import Database

BUSY_MS = 200


def open_briefly(app: App) -> Database:
    """The store, opened without waiting for who holds it. Raises StoreBusy, StoreDamaged, ..."""
    if app.opened is None:
        app.open_store(busy_ms=BUSY_MS)
    return app.store
