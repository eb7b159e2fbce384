"""The state of the work, kept when a host is about to compact what the model knows, told after."""

from gitmem.app import App
from gitmem.hooks.sessions import dialects, notes
from gitmem.hooks.sessions.moment import Moment
from gitmem.operations import hook_notes, hook_say, hook_work
from gitmem.store import hooked, sessions
from gitmem.store.connection import Database
from gitmem.timeline import snapshot as state

HEADING = "The work in this session before its context was compacted:"


def snapshot(app: App, moment: Moment) -> str:
    """Keep the state of the work; the text where this host takes one now. Raises GitmemError."""
    database = hook_say.opened(app)
    if database is None:
        return ""
    text = _taken(app, moment, database)
    if text:
        hook_notes.note(app, moment, notes.SNAPSHOT, text=text)
    hook_notes.hand_over(app, moment, at_once=True)
    at = hook_say.desk(app, moment) if text and dialects.injects(moment) else None
    return "" if at is None else hook_say.framed(at, [HEADING, *text.split("\n")])


def again(app: App, moment: Moment) -> str:
    """The state that was kept last in this session, as plain lines; else as it is now.

    Empty where nothing is known. Raises GitmemError.
    """
    database = hook_say.opened(app)
    if database is None:
        return ""
    text = _kept(app, moment, database) or _taken(app, moment, database)
    return f"{HEADING}\n{text}" if text else ""


def _taken(app: App, moment: Moment, database: Database) -> str:
    session = hooked.session(database, moment.session, agent=moment.agent, tree=app.worktree)
    work = hook_work.with_tree(app, hook_work.known(app, database, session))
    waiting = notes.peek(hook_notes.folder(app), moment.session, moment.agent)
    text = state.text(hook_work.with_notes(work, waiting))
    from gitmem.text.redact import redact  # noqa: PLC0415 - once in a long while

    return redact(text).text


def _kept(app: App, moment: Moment, database: Database) -> str:
    """The newest snapshot: it may wait still, or be worked off."""
    waiting = notes.peek(hook_notes.folder(app), moment.session, moment.agent)
    found = [(one.at, one.text) for one in waiting if one.what == notes.SNAPSHOT]
    session = hooked.session(database, moment.session, agent=moment.agent, tree=app.worktree)
    if session is not None:
        kept = sessions.events(database, session=session.id, types=(hook_work.SNAPSHOT,), limit=1)
        found += [(one.at, one.text) for one in kept]
    return max(found)[1] if found else ""
