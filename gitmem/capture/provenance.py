"""Who writes, from where: what every write carries as provenance."""

from gitmem.app import App
from gitmem.errors import Conflict
from gitmem.memory.draft import Origin
from gitmem.sessions.current_session import current_session


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


def refuse_agents(app: App) -> None:
    """Raise Conflict where an agent is asking: what is trusted is for people to say."""
    if app.agent or app.source == "ai_inferred":
        raise Conflict(
            f"{app.agent or 'An agent'} is an agent, and only a person can decide what is trusted.",
            "Ask the person you work for to run this command in a terminal.",
        )
