"""Finding the session that is running."""

from gitmem.app import App
from gitmem.branches import subprojects
from gitmem.model.session import Session
from gitmem.store.session import sessions


def current_session(app: App, named: str = "") -> Session | None:
    """The session named by the beginning of its id, else the agent's running session here.

    In a sub-project that is the one that began there, else the one of the repository. Raises
    NotFound where the named session does not exist.
    """
    if named:
        return sessions.find(app.store, named)
    place = subprojects.session_place(app)
    return sessions.open_one(app.store, worktree=place, agent=app.agent, or_in=app.worktree)
