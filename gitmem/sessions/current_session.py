"""The session that is running, and beginning one."""

from gitmem.app import App
from gitmem.branches import subprojects
from gitmem.model.frozen import replace
from gitmem.model.session import Session
from gitmem.store.session import sessions


def current_session(app: App, id_prefix: str = "") -> Session | None:
    """The session whose id begins with ``id_prefix``; if empty, the agent's running session here.

    In a sub-project that is the session that began there, else that of the repository. None if none
    runs. Raises NotFound where the named session does not exist, AmbiguousReference for several.
    """
    if id_prefix:
        return sessions.find_session(app.store, id_prefix)
    place = subprojects.worktree_and_subproject_key(app)
    return sessions.find_open_session(
        app.store, worktree=place, agent=app.agent, fallback_worktree=app.worktree
    )


def session_by_client_id(app: App, client_id: str) -> Session | None:
    """The session to which its agent gave the id ``client_id``, else the running session here.

    None if there is neither.
    """
    client_id = sessions.redact_host_session_id(client_id)
    return (
        sessions.newest_session_by_host_id(app.store, client_id) if client_id else None
    ) or current_session(app)


def begin_session(app: App, goal: str = "", client_id: str = "") -> tuple[Session, bool]:
    """(Session, whether it is new): this agent's running session here, else a new one, stored.

    ``goal`` replaces the session's. A session to which the agent gave an id (``client_id``)
    continues only the one with this id.
    """
    place, client_id = (
        subprojects.worktree_and_subproject_key(app),
        sessions.redact_host_session_id(client_id),
    )
    running = sessions.find_open_session(app.store, worktree=place, agent=app.agent)
    is_new = running is None or client_id not in ("", running.client_id)
    if running is not None and not is_new:
        started = replace(running, goal=goal or running.goal, last_at=max(app.now, running.last_at))
    else:
        started = Session(
            id=app.new_id(),
            agent=app.agent,
            client_id=client_id,
            worktree=place,
            branch=app.git_head.branch or "",
            head_start=app.git_head.commit or "",
            head_end="",
            goal=goal,
            summary="",
            active_file="",
            started_at=app.now,
            last_at=app.now,
            ended_at=None,
        )
    with app.store.write():
        sessions.save_session(app.store, started)
    return started, is_new


def close_session(app: App, session: Session, closing_summary: str) -> Session:
    """End a session with a summary of what was done; returns it as stored."""
    now = max(app.now, session.last_at)
    ended = replace(
        session,
        summary=closing_summary or session.summary,
        head_end=app.git_head.commit or "",
        last_at=now,
        ended_at=now,
    )
    from gitmem.sessions import context_usage  # noqa: PLC0415 - only at the end of a session

    with app.store.write():
        context_usage.record_context_tokens_at_end(app, app.store, ended)
        sessions.save_session(app.store, ended)
    return ended
