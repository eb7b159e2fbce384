"""Recording the events of an agent's session in a file, for the drain.

A prompt is noted without its text.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress

from gitmem.agents.events import event_log
from gitmem.agents.events.event_log import RecordedEvent
from gitmem.agents.events.hook_event import HookEvent
from gitmem.app import App
from gitmem.branches import subprojects
from gitmem.errors import GitmemError

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from gitmem.model.session import Session
    from gitmem.store.db.connection import Database

# A drain that failed is not started again at every event.
_AGAIN_MS = 30_000


def session_events_folder(app: App) -> str:
    """The folder where the events of sessions are recorded."""
    return os.path.join(os.path.dirname(app.store_path), event_log.FOLDER)


def find_stored_session(
    app: App, database: Database, hook_event: HookEvent, *, only_running: bool = False
) -> Session | None:
    """The session of an event as stored, or None; ``only_running``: only one not ended."""
    from gitmem.store.session import hook_queries  # noqa: PLC0415 - most moments only note

    tree = subprojects.worktree_and_subproject_key(app)
    return hook_queries.find_host_session(
        database,
        hook_event.session,
        agent=hook_event.agent,
        worktree=tree,
        only_running=only_running,
    )


def record_session_start(app: App, hook_event: HookEvent) -> None:
    """Log that a session began or was resumed, with the path of its transcript."""
    record_session_event(app, hook_event, event_log.START, text=hook_event.transcript)


def record_session_event(
    app: App, hook_event: HookEvent, event_type: str, *, files: Sequence[str] = (), text: str = ""
) -> None:
    """Log an event of this session, which a background process stores in the database later.

    ``event_type`` is start, prompt, edit, error, ran, commit, snapshot, stop or end.
    """
    if not app.has_store:
        return
    branch = commit = ""
    with suppress(GitmemError):  # a HEAD that cannot be read
        branch, commit = app.git_head.branch or "", app.git_head.commit or ""
    event = RecordedEvent(
        what=event_type,
        at=app.now,
        agent=hook_event.agent,
        session=hook_event.session,
        tree=subprojects.worktree_and_subproject_key(app),
        branch=branch,
        commit=commit,
        files=tuple(files),
        text=text,
    )
    event_log.append_session_event(session_events_folder(app), event, app.signing_key)


def unstored_session_events(app: App, hook_event: HookEvent) -> list[RecordedEvent]:
    """The RecordedEvents of this session that the database does not have yet, oldest first."""
    return event_log.read_unstored_events(
        session_events_folder(app), hook_event.session, hook_event.agent, app.signing_key
    )


def start_event_log_drain(app: App, hook_event: HookEvent, *, force: bool = False) -> None:
    """Start storing logged events in the database, in the background, if enough wait or ``force``.

    Only one such process runs at a time. Best effort: what is not stored now is stored by a later
    one.
    """
    place = session_events_folder(app)
    if not (force or event_log.is_event_log_drain_due(place, app.now)):
        return
    # Imported here: a drain is rarely due.
    from gitmem.agents.events import session_claim, session_state  # noqa: PLC0415
    from gitmem.maintenance import detached  # noqa: PLC0415
    from gitmem.spool import lease  # noqa: PLC0415

    with suppress(GitmemError, OSError):
        if lease.is_spool_lease_held(place):
            return  # it will look again
        whose = session_claim.session_state_folder_and_key(app, hook_event)
        if force or session_state.acquire_claim(*whose, "drain", app.now, interval_ms=_AGAIN_MS):
            detached.start_background_command(app, "drain")
