"""Recording the files that a session viewed and the questions that it asked."""

from contextlib import suppress

from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.model.frozen import replace
from gitmem.model.session import QUERY, Event, Session
from gitmem.sessions.current_session import current_session
from gitmem.store.session import sessions

LONGEST = 200  # characters of a stored question


def record_viewed_file(app: App, path: str) -> bool:
    """Record that the agent's running session here viewed a file; returns whether it did.

    ``path`` is the file's. Never waits, and errors are ignored.
    """
    store = app.store
    if store.read_only:
        return False
    running = current_session(app)
    if running is None:
        return False
    with suppress(GitmemError), store.lock_timeout(0, sync_commits=False), store.write():
        sessions.save_session(store, replace(running, active_file=path, last_at=app.now))
        sessions.record_file_views(store, running.id, [path], app.now)
        return True
    return False


def record_session_question(app: App, session: Session, text: str) -> bool:
    """Record the first 200 characters of a question asked in a session; returns whether it did.

    Never waits, and errors are ignored.
    """
    store = app.store
    if store.read_only or session.ended_at is not None:
        return False
    event = Event(app.new_id(), app.now, QUERY, session.id, app.agent, "", "", "", text[:LONGEST])
    with suppress(GitmemError), store.lock_timeout(0, sync_commits=False), store.write():
        sessions.add_event(store, event)
        return True
    return False


def last_session_question(app: App, session: Session) -> str:
    """The last question that was recorded in a session; empty if there is none."""
    queries = sessions.events_in_period(app.store, session=session.id, types=(QUERY,), limit=1)
    return queries[0].text if queries else ""
