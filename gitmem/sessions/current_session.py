"""The session that is running: for those who only read."""

from gitmem.app import App
from gitmem.branches import subprojects
from gitmem.model.session import Session
from gitmem.store.session import sessions


def current_session(app: App, asked: str = "") -> Session | None:
    """The session named by ``asked``, else the one this agent has running in this worktree.

    In a sub-project that is the one that began there, else the one of the repository.
    Raises NotFound where a session was named and is not there.
    """
    if asked:
        return sessions.find(app.store, asked)
    place = subprojects.place(app)
    return sessions.open_one(app.store, worktree=place, agent=app.agent, or_in=app.worktree)
