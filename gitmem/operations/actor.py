"""Who writes, from where: what every write carries as provenance."""

from gitmem.app import App
from gitmem.memory.draft import Origin
from gitmem.model.session import Session
from gitmem.store import sessions


def current_session(app: App, asked: str = "") -> Session | None:
    """The session named by ``asked``, else the one this agent has running in this work tree.

    Raises NotFound where a session was named and is not there.
    """
    if asked:
        return sessions.find(app.store, asked)
    return sessions.open_one(app.store, worktree=app.worktree, agent=app.agent)


def origin(app: App, scope: str, session: str = "") -> Origin:
    """The provenance of a write. A global memory belongs to no repository."""
    if scope == "global":
        return Origin(id=app.new_id(), now=app.now, project="", agent=app.agent, source=app.source)
    running = current_session(app, session)
    return Origin(
        id=app.new_id(),
        now=app.now,
        project=app.identity.key,
        agent=app.agent,
        session="" if running is None else running.id,
        branch=app.head.branch or "",
        commit=app.head.commit or "",
        source=app.source,
    )
