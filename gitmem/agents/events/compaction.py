"""The state of the work, kept when a host is about to compact what the model knows, told after."""

from gitmem.agents.events import event_log, messages, record, responses, work_summary
from gitmem.agents.events.hook_event import Moment
from gitmem.app import App
from gitmem.store.db.connection import Database
from gitmem.store.session import sessions
from gitmem.timeline import snapshot as state

HEADING = "The work in this session before its context was compacted:"


def snapshot(app: App, moment: Moment) -> str:
    """Keep the state of the work; the text where this host takes one now. Raises GitmemError."""
    database = messages.opened(app)
    if database is None:
        return ""
    text = _taken(app, moment, database)
    if text:
        record.note(app, moment, event_log.SNAPSHOT, text=text)
    record.hand_over(app, moment, at_once=True)
    at = messages.desk(app, moment) if text and responses.injects(moment) else None
    return "" if at is None else messages.framed(at, [HEADING, *text.split("\n")])


def again(app: App, moment: Moment) -> str:
    """The state that was kept last in this session, as plain lines; else as it is now.

    Empty where nothing is known. Raises GitmemError.
    """
    database = messages.opened(app)
    if database is None:
        return ""
    text = _kept(app, moment, database) or _taken(app, moment, database)
    return f"{HEADING}\n{text}" if text else ""


def _taken(app: App, moment: Moment, database: Database) -> str:
    session = record.session_of(app, database, moment)
    work = work_summary.with_tree(app, work_summary.known(app, database, session))
    waiting = record.waiting(app, moment)
    text = state.text(work_summary.with_notes(work, waiting))
    from gitmem.text.redact import redact  # noqa: PLC0415 - once in a long while

    return redact(text).text


def _kept(app: App, moment: Moment, database: Database) -> str:
    """The newest snapshot: it may wait still, or be worked off."""
    waiting = record.waiting(app, moment)
    found = [(one.at, one.text) for one in waiting if one.what == event_log.SNAPSHOT]
    session = record.session_of(app, database, moment)
    if session is not None:
        kept = sessions.events(
            database, session=session.id, types=(work_summary.SNAPSHOT,), limit=1
        )
        found += [(one.at, one.text) for one in kept]
    return max(found)[1] if found else ""
