"""Summarising the work in a session, for its snapshots and its end."""

from collections.abc import Iterable, Sequence
from contextlib import suppress

from gitmem.agents.events import event_log
from gitmem.agents.events.event_log import RecordedEvent
from gitmem.app import App
from gitmem.errors import GitmemError
from gitmem.git import history, status
from gitmem.model.frozen import replace
from gitmem.model.session import Event, Session
from gitmem.sessions import injection
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, short_ids
from gitmem.store.memory.filters import MemoryFilter
from gitmem.store.session import sessions
from gitmem.text.name_secrets import redact_name
from gitmem.timeline import command_output, snapshot
from gitmem.timeline.snapshot import SessionWorkState

# The types of timeline events that the drain makes from notes.
ERROR, COMMAND, SNAPSHOT = "error", "command", "snapshot"
_MOST_EVENTS, _MOST_LOOKS = 20, 100
_GIT_SECONDS = 1.0
# A commit's own clock counts whole seconds.
_SECOND = 1000


def summarise_work(
    app: App,
    database: Database,
    session: Session | None,
    *,
    last_commit: str = "",
    end_ms: int | None = None,
) -> SessionWorkState:
    """What a session did and left open, as a SessionWorkState: commits, files, errors ...

    Without a session only branch and commit are set. ``last_commit`` is its last commit (default
    HEAD), ``end_ms`` its end in milliseconds since 1970 (default now).
    """
    if session is None:
        return SessionWorkState(
            branch=redact_name(app.git_head.branch or ""), commit=app.git_head.commit or ""
        )
    out = injection.limits_for_session(database, session).excluded_ids
    heard = sessions.events_in_period(
        database, session=session.id, types=("note", ERROR, COMMAND), limit=_MOST_EVENTS
    )
    events = [event for event in heard if event.id not in out]
    decided = memories.select_memories(
        database,
        MemoryFilter(kinds=("decision",), session=session.id),
        limit=snapshot.MOST_DECISIONS,
    )
    return SessionWorkState(
        goal=session.goal,
        branch=redact_name(app.git_head.branch or ""),
        commit=app.git_head.commit or "",
        files=session.files,
        commits=_commits(
            app,
            session,
            last_commit or app.git_head.commit or "",
            app.now if end_ms is None else end_ms,
        ),
        decisions=[
            (short_ids.shortest_unique_prefix(database, memory.id), memory.headline)
            for memory in decided
        ],
        notes=_texts(events, "note"),
        errors=_texts(events, ERROR),
        checks=_texts(events, COMMAND),
    )


def has_open_error(database: Database, session: Session) -> bool:
    """Whether a session had an error and no check (tests, a linter) has passed since."""
    last = sessions.events_in_period(database, session=session.id, types=(ERROR, COMMAND), limit=1)
    return bool(last) and last[0].type == ERROR


def session_summary_sentence(app: App, database: Database, session: Session) -> str:
    """A sentence on what was done, decided and left in a session that ends now, or empty."""
    work = add_uncommitted_files(app, summarise_work(app, database, session))
    if not has_open_error(database, session):
        work = replace(work, errors=())
    return snapshot.summarise_session_work(work)


def add_uncommitted_files(app: App, work_state: SessionWorkState) -> SessionWorkState:
    """``work_state`` with git's uncommitted files in ``dirty``; unchanged if git is too slow."""
    with suppress(GitmemError):
        tree = status.read_status(app.layout, count_ahead_behind=False, timeout=_GIT_SECONDS)
        if tree is not None:
            dirty = (*tree.conflicted, *tree.staged, *tree.modified, *tree.untracked)
            return replace(work_state, dirty=tuple(dict.fromkeys(dirty)))
    return work_state


def add_logged_events(
    work_state: SessionWorkState, events: Sequence[RecordedEvent]
) -> SessionWorkState:
    """``work_state`` with files, errors and checks from events that are only logged so far."""
    newest = [*reversed(events)]
    files = [
        path for note in newest if note.what == event_log.EDIT for path in reversed(note.files)
    ]
    errors = [note.text for note in newest if note.what == event_log.ERROR]
    checks = [note.text for note in newest if note.what == event_log.RAN]
    return replace(
        work_state,
        files=_distinct([*files, *work_state.files]),
        errors=_distinct([*errors, *work_state.errors]),
        checks=_distinct([*checks, *work_state.checks]),
    )


def _commits(app: App, session: Session, end: str, at: int) -> list[tuple[str, str]]:
    """(id, subject) of the commits made during the session, newest first."""
    if not end or session.head_start == end:
        return []
    with suppress(GitmemError):
        commits = history.list_commits(
            app.layout.cwd,
            since_commit=session.head_start or None,
            until=end,
            since_seconds=session.started_at // _SECOND,
            limit=_MOST_LOOKS,
        )
        inside = [commit for commit in commits if commit.committed_time * _SECOND <= at + _SECOND]
        return [(commit.sha, commit.subject) for commit in inside[: snapshot.MOST_COMMITS]]
    return []


def _texts(events: Sequence[Event], type: str) -> tuple[str, ...]:
    return _distinct(
        command_output.remove_gitmem_frames(event.text) for event in events if event.type == type
    )


def _distinct(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for word in words if word.strip()))
