"""The store, opened for a moment of a session: nothing waits for it."""

from gitmem.app import App
from gitmem.store.db.connection import Database
from gitmem.store.file.opening import open_store

BUSY_MS = 200


def open_briefly(app: App) -> Database:
    """The store, opened without waiting for who holds it. Raises StoreBusy, StoreDamaged, ..."""
    if app.opened is None:
        app.adopt(open_store(app.store_path, busy_ms=BUSY_MS))
    return app.store
