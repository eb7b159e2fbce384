"""Who writes, from where: what every write carries as provenance."""

from gitmem.app import App
from gitmem.memory.draft import Origin
from gitmem.operations.running import current_session


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
