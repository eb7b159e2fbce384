"""Saving the state of the work before a host compacts the context, to give it back afterwards."""

from gitmem.agents.events import event_log, messages, record, responses, work_summary
from gitmem.agents.events.hook_event import HookEvent
from gitmem.app import App
from gitmem.store.db.connection import Database
from gitmem.store.session import sessions
from gitmem.timeline import snapshot as state

HEADING = "The work in this session before its context was compacted:"


def save_work_snapshot(app: App, hook_event: HookEvent) -> str:
    """Save what a session did, before its agent compacts the context; returns it as text.

    The text is framed as data for the model; empty if this agent's model gets none at this event,
    or there is no store. Raises GitmemError.
    """
    database = messages.open_store(app)
    if database is None:
        return ""
    text = _summarise_work(app, hook_event, database)
    if text:
        record.record_session_event(app, hook_event, event_log.SNAPSHOT, text=text)
    record.start_event_log_drain(app, hook_event, force=True)
    hook = (
        messages.open_hook_context(app, hook_event)
        if text and responses.hook_text_reaches_model(hook_event)
        else None
    )
    return "" if hook is None else messages.quote_as_data(hook, [HEADING, *text.split("\n")])


def latest_work_summary(app: App, hook_event: HookEvent) -> str:
    """What this session did, as lines of text: as ``save_work_snapshot`` saved it last.

    If nothing was saved: what is known of the session now, which may be nothing (""). Raises
    GitmemError.
    """
    database = messages.open_store(app)
    if database is None:
        return ""
    text = _last_snapshot(app, hook_event, database) or _summarise_work(app, hook_event, database)
    return f"{HEADING}\n{text}" if text else ""


def _summarise_work(app: App, hook_event: HookEvent, database: Database) -> str:
    session = record.find_stored_session(app, database, hook_event)
    work = work_summary.add_uncommitted_files(
        app, work_summary.summarise_work(app, database, session)
    )
    waiting = record.unstored_session_events(app, hook_event)
    text = state.work_state_as_text(work_summary.add_logged_events(work, waiting))
    from gitmem.text.redact import redact  # noqa: PLC0415 - once in a long while

    return redact(text).text


def _last_snapshot(app: App, hook_event: HookEvent, database: Database) -> str:
    """The newest snapshot: the drain may have stored it already, or not yet."""
    waiting = record.unstored_session_events(app, hook_event)
    snapshots = [(note.at, note.text) for note in waiting if note.what == event_log.SNAPSHOT]
    session = record.find_stored_session(app, database, hook_event)
    if session is not None:
        events = sessions.events_in_period(
            database, session=session.id, types=(work_summary.SNAPSHOT,), limit=1
        )
        snapshots += [(event.at, event.text) for event in events]
    return max(snapshots)[1] if snapshots else ""
