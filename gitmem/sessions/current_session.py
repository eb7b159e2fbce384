"""The session that is running: for those who only read."""

from gitmem.app import App
from gitmem.model.session import Session
from gitmem.store.session import sessions


def current_session(app: App, asked: str = "") -> Session | None:
    """The session named by ``asked``, else the one this agent has running in this worktree.

    Raises NotFound where a session was named and is not there.
    """
    if asked:
        return sessions.find(app.store, asked)
    return sessions.open_one(app.store, worktree=app.worktree, agent=app.agent)
