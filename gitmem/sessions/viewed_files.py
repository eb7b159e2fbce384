"""That the running session looked at a file, which makes it the active one (ML-8)."""

from contextlib import suppress

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.model.frozen import replace
from gitmem.sessions.current_session import current_session
from gitmem.store.session import sessions


def note_viewed(app: App, path: str) -> bool:
    """Note it; whether that was done. Best effort: no read waits for it or fails by it."""
    store = app.store
    if store.read_only:
        return False
    running = current_session(app)
    if running is None:
        return False
    with suppress(GitmemError), store.patience(0, durable=False), store.write():
        sessions.save(store, replace(running, active_file=path, last_at=app.now))
        sessions.view(store, running.id, [path], app.now)
        return True
    return False
