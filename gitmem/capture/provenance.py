"""Who writes, from where: what every write carries as provenance."""

from gitmem.app import App
from gitmem.branches import subprojects
from gitmem.errors import Conflict
from gitmem.memory import trust
from gitmem.memory.draft import Origin
from gitmem.model.memory import Memory
from gitmem.sessions.current_session import current_session


def origin(app: App, scope: str, session: str = "") -> Origin:
    """The provenance of a write. A global memory belongs to no repository."""
    if scope == "global":
        return Origin(id=app.new_id(), now=app.now, project="", agent=app.agent, source=app.source)
    running = current_session(app, session)
    return Origin(
        id=app.new_id(),
        now=app.now,
        project=subprojects.key(app),
        agent=app.agent,
        session="" if running is None else running.id,
        branch=app.head.branch or "",
        commit=app.head.commit or "",
        source=app.source,
    )


def by_agent(app: App) -> bool:
    """Whether an agent is asking; over MCP it always is one."""
    return bool(app.agent) or app.source == "ai_inferred"


def who(app: App) -> str:
    """The agent that is asking, by its name where it gives one; empty for a person."""
    return app.agent or ("an agent" if by_agent(app) else "")


def refuse_agents(app: App, what: str) -> None:
    """Raise Conflict where an agent is asking for ``what`` only people do: "delete memories"."""
    if by_agent(app):
        raise Conflict(
            f"{app.agent or 'An agent'} is an agent, and only a person can {what}.",
            "Ask the person you work for to run this command in a terminal.",
        )


def may_change(app: App, memory: Memory) -> bool:
    """Whether who is asking may change this memory: the rule is that of ``memory.trust``."""
    return trust.may_change(memory, by_agent=by_agent(app))


def refuse_change(app: App, memory: Memory) -> None:
    """Raise Conflict where an agent would change what a person said or accepted."""
    if may_change(app, memory):
        return
    said = "said by a person" if memory.tier == "person" else "accepted by a person"
    decision = memory.kind == "decision"
    propose = (
        f"record yours with --supersedes {memory.id[:12]} (it is kept as a proposal)"
        if decision
        else f"remember what you found and link it to {memory.id[:12]} as CONTRADICTS"
    )
    raise Conflict(
        f"Memory {memory.id} was {said}, and {app.agent or 'an agent'} is an agent: only a person "
        "can change it.",
        f"Ask the person you work for, or {propose}.",
    )
