"""What is known of the work in a session: for its snapshot, and for the sentence it ends with."""

from collections.abc import Iterable, Sequence
from contextlib import suppress

from gitmem.agents.events import event_log
from gitmem.agents.events.event_log import Note
from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.git import history, status
from gitmem.model.frozen import replace
from gitmem.model.session import Event, Session
from gitmem.sessions import injection
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, short_ids
from gitmem.store.memory.filters import Filter
from gitmem.store.session import sessions
from gitmem.text.name_secrets import hide
from gitmem.timeline import command_output, snapshot
from gitmem.timeline.snapshot import Work

# How the drain calls what it keeps of the notes.
ERROR, COMMAND, SNAPSHOT = "error", "command", "snapshot"
_MOST_EVENTS, _MOST_LOOKS = 20, 100
_GIT_SECONDS = 1.0
# A commit's own clock counts whole seconds.
_SECOND = 1000


def known(
    app: App, database: Database, session: Session | None, *, end: str = "", at: int | None = None
) -> Work:
    """What the store and the history tell of a session.

    ``end`` is its last commit, else HEAD; ``at`` when it ended, in milliseconds, else now.
    """
    if session is None:
        return Work(branch=hide(app.head.branch or ""), commit=app.head.commit or "")
    out = injection.of(database, session).out
    heard = sessions.events(
        database, session=session.id, types=("note", ERROR, COMMAND), limit=_MOST_EVENTS
    )
    told = [one for one in heard if one.id not in out]
    decided = memories.select(
        database,
        Filter(kinds=("decision",), session=session.id),
        limit=snapshot.MOST_DECISIONS,
    )
    return Work(
        goal=session.goal,
        branch=hide(app.head.branch or ""),
        commit=app.head.commit or "",
        files=session.files,
        commits=_commits(app, session, end or app.head.commit or "", app.now if at is None else at),
        decisions=[(short_ids.shortest(database, one.id), one.headline) for one in decided],
        notes=_texts(told, "note"),
        errors=_texts(told, ERROR),
        checks=_texts(told, COMMAND),
    )


def unresolved(database: Database, session: Session) -> bool:
    """Whether an error was the last that was heard: no check has passed since."""
    last = sessions.events(database, session=session.id, types=(ERROR, COMMAND), limit=1)
    return bool(last) and last[0].type == ERROR


def sentence(app: App, database: Database, session: Session) -> str:
    """What a session that ends now did, decided and left; empty where nothing is known."""
    work = with_tree(app, known(app, database, session))
    if not unresolved(database, session):
        work = replace(work, errors=())
    return snapshot.summary(work)


def with_tree(app: App, work: Work) -> Work:
    """The same with what is not committed. Best effort."""
    with suppress(GitmemError):
        tree = status.read(app.layout, ahead_behind=False, timeout=_GIT_SECONDS)
        if tree is not None:
            dirty = (*tree.conflicted, *tree.staged, *tree.modified, *tree.untracked)
            return replace(work, dirty=tuple(dict.fromkeys(dirty)))
    return work


def with_notes(work: Work, waiting: Sequence[Note]) -> Work:
    """The same with what waits to be worked off; of what is known already nothing is doubled."""
    newest = [*reversed(waiting)]
    files = [path for one in newest if one.what == event_log.EDIT for path in reversed(one.files)]
    errors = [one.text for one in newest if one.what == event_log.ERROR]
    checks = [one.text for one in newest if one.what == event_log.RAN]
    return replace(
        work,
        files=_each([*files, *work.files]),
        errors=_each([*errors, *work.errors]),
        checks=_each([*checks, *work.checks]),
    )


def _commits(app: App, session: Session, end: str, at: int) -> list[tuple[str, str]]:
    """(id, subject) of what was committed while the session ran, the newest first."""
    if not end or session.head_start == end:
        return []
    with suppress(GitmemError):
        found = history.log(
            app.layout.cwd,
            since_commit=session.head_start or None,
            until=end,
            since_time=session.started_at // _SECOND,
            limit=_MOST_LOOKS,
        )
        inside = [one for one in found if one.committed_time * _SECOND <= at + _SECOND]
        return [(one.sha, one.subject) for one in inside[: snapshot.MOST_COMMITS]]
    return []


def _texts(told: Sequence[Event], type: str) -> tuple[str, ...]:
    return _each(command_output.unframed(one.text) for one in told if one.type == type)


def _each(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in words if word.strip()))
