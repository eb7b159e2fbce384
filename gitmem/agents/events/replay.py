"""Storing the events that hooks recorded: sessions, files, errors, snapshots, ends.

Storing a note twice changes nothing: after a drain that was killed, the next one reads its lines
again.
"""

import os
import shutil
from collections.abc import Iterator, Sequence

from gitmem.agents.events import event_log, post_edit, record, session_state, work_summary
from gitmem.agents.events.event_log import RecordedEvent
from gitmem.app import App
from gitmem.capture import session_capture
from gitmem.clock import DAY
from gitmem.errors import GitmemError
from gitmem.memory import draft
from gitmem.model import ids, project_key
from gitmem.model.frozen import replace
from gitmem.model.session import TRANSCRIPT, Event, Session
from gitmem.sessions import context_usage
from gitmem.spool import event_log as spool
from gitmem.spool import lease
from gitmem.store.db import preflight, projects, seals
from gitmem.store.db.connection import Database
from gitmem.store.session import hook_queries, sessions
from gitmem.timeline import snapshot

_TYPES = {
    event_log.START: TRANSCRIPT,
    event_log.ERROR: work_summary.ERROR,
    event_log.RAN: work_summary.COMMAND,
    event_log.SNAPSHOT: work_summary.SNAPSHOT,
}
_TIMELINE_TYPES = [type for what, type in _TYPES.items() if what != event_log.START]
# These notes begin no session.
_ENDINGS = (event_log.STOP, event_log.END)


def save_logged_events(app: App) -> tuple[RecordedEvent, ...]:
    """Store the logged events of sessions in the database; returns them as RecordedEvents.

    Raises GitmemError; then they still wait.
    """
    folder = record.session_events_folder(app)
    dealt: list[RecordedEvent] = []
    while os.path.isdir(folder) and spool.count_unread_log_bytes(folder):
        held = lease.try_take_spool_lease(folder, os.getpid())
        if held is None:
            break  # another drain is at work, and will look again
        try:
            key = app.store.key if projects.get_meta(app.store, seals.SESSIONS) else b""
            taken, batch = event_log.take_logged_events(
                folder, key, now_ms=app.now, process_id=os.getpid()
            )
            if taken and app.settings.number("hooks.enabled"):
                save_session_events(app, taken)
                dealt += taken
            spool.discard_line_batch(folder, batch, now_ms=app.now)
        finally:
            held.release()
        if not any(end for _, end in batch.file_read_offsets):
            break  # an unreadable file must not keep the drain running for ever
    return tuple(dealt)


def require_event_signatures(app: App) -> None:
    """From now on accept only session events with a signature, once all older ones are stored.

    An older gitmem signed none; its folder of files about sessions is removed too.
    """
    if projects.get_meta(app.store, seals.SESSIONS) is None and not spool.count_unread_log_bytes(
        record.session_events_folder(app)
    ):
        folder = os.path.join(app.layout.store_root, preflight.FOLDER, session_state.FOLDER)
        shutil.rmtree(folder, ignore_errors=True)
        projects.require_sealed_log_lines(app.store, seals.SESSIONS)


def save_session_events(app: App, events: Sequence[RecordedEvent]) -> None:
    """Store logged session events in the database, in order. Storing them twice is harmless."""
    store = app.store
    known_files = _known_files(app, events)
    for part in _split_at_ends(events):
        with store.write():
            for note in part:
                if note.what != event_log.END:
                    _apply(app, store, note, known_files)
        note = part[-1]
        session = _find_session(store, note) if note.what == event_log.END else None
        # A note without a session id does not end a session that has one.
        host = sessions.redact_host_session_id(note.session)
        if session and session.ended_at is None and session.client_id == host:
            _end_session(app, store, session, max(note.at, session.last_at), note.commit)


def end_inactive_sessions(app: App) -> int:
    """End the sessions that had no event for a day; returns how many."""
    store = app.store
    silent = hook_queries.inactive_running_sessions(store, app.now - DAY)
    for session in silent:
        _end_session(app, store, session, session.last_at, session.head_end)
    return len(silent)


def _split_at_ends(taken: Sequence[RecordedEvent]) -> Iterator[list[RecordedEvent]]:
    """The notes, split after each end of a session: later ones may belong to its resumption."""
    part: list[RecordedEvent] = []
    for note in taken:
        part.append(note)
        if note.what == event_log.END:
            yield part
            part = []
    if part:
        yield part


def _apply(app: App, store: Database, event: RecordedEvent, known: set[str]) -> None:
    session = _get_session(app, store, event)
    if session is None:
        return
    files = [path for path in event.files if path in known]
    changed = replace(
        session,
        last_at=max(session.last_at, event.at),
        active_file=files[-1] if files else session.active_file,
    )
    if session.ended_at is not None:
        changed = replace(changed, last_at=session.last_at)
    sessions.save_session(store, changed)
    if files:
        sessions.record_file_views(store, session.id, files, event.at)
    if event.what in _TYPES and event.text:
        _add_event(store, session, event)


def _add_event(store: Database, session: Session, event: RecordedEvent) -> None:
    """Add the note to the timeline, unless it repeats the event before it."""
    if sessions.is_event_recorded(store, event.key):
        return
    type = _TYPES[event.what]
    # Each start notes the transcript's path: compare it with the last one noted.
    types = (type,) if event.what == event_log.START else tuple(_TIMELINE_TYPES)
    last = sessions.events_in_period(
        store, session=session.id, types=types, until_ms=event.at, limit=1
    )
    timeline_event = Event(
        id=event.key,
        at=event.at,
        type=type,
        session=session.id,
        agent=event.agent,
        branch=event.branch,
        commit=event.commit,
        subject="",
        text=event.text,
    )
    if not last or (last[0].type, last[0].text) != (type, event.text):
        sessions.add_event(store, timeline_event)


def _get_session(app: App, store: Database, event: RecordedEvent) -> Session | None:
    """The session of a note, created if needed; None if the note only ends one."""
    session = _find_session(store, event)
    if session is not None or not event.session or event.what in _ENDINGS:
        return session
    new_session = Session(
        id=ids.new_ulid(event.at, app.entropy(10)),
        agent=event.agent,
        client_id=event.session,
        worktree=event.tree,
        branch=event.branch,
        head_start=event.commit,
        head_end="",
        goal="",
        summary="",
        active_file="",
        started_at=event.at,
        last_at=event.at,
        ended_at=None,
    )
    sessions.save_session(store, new_session)
    return new_session


def _find_session(store: Database, event: RecordedEvent) -> Session | None:
    return hook_queries.find_host_session_at(
        store, event.session, event.at, agent=event.agent, worktree=event.tree
    )


# --- the end ------------------------------------------------------------------------------------


def _end_session(app: App, store: Database, session: Session, at: int, head: str) -> None:
    """End a session with a summary, or drop it if nothing happened in it.

    Its working memories stay until they expire (``lifecycle``); no other session sees them.
    """
    summary = session.summary or _summary(app, store, session, at, head)
    ended = replace(session, summary=summary, head_end=head, last_at=at, ended_at=at)
    with store.write():
        if hook_queries.is_empty_session(store, session):
            hook_queries.delete_empty_session(store, session.id)
        else:
            context_usage.record_context_tokens_at_end(app, store, ended)
            sessions.save_session(store, ended)
    commits = () if head in ("", session.head_start) else (head,)
    session_capture.propose_lessons(app, store, ended, commits)


def _summary(app: App, store: Database, session: Session, at: int, head: str) -> str:
    worktree_app = _in_tree(app, session.worktree)
    if worktree_app is None:  # the worktree is gone: summarise what the store knows
        return snapshot.summarise_session_work(snapshot.SessionWorkState(files=session.files))
    work = work_summary.summarise_work(worktree_app, store, session, last_commit=head, end_ms=at)
    if not work_summary.has_open_error(store, session):
        work = replace(work, errors=())
    return snapshot.summarise_session_work(work)


# --- files --------------------------------------------------------------------------------------


def _may_keep(path: str) -> bool:
    """Whether a path is valid; any program may have written to the spool."""
    try:
        return draft.check_paths([path]) == (path,)
    except GitmemError:
        return False


def _known_files(app: App, taken: Sequence[RecordedEvent]) -> set[str]:
    """The noted files to store: inside the repository, not ignored, no secrets by their names."""
    noted = {path for note in taken for path in note.files}
    paths = sorted(path for path in noted if _may_keep(path))
    for tree in sorted({note.tree for note in taken if note.files}):
        paths = post_edit.files_safe_to_mention(_in_tree(app, tree) or app, paths)
    return set(paths)


def _in_tree(app: App, tree: str) -> App | None:
    """The App of a worktree of this repository; None if it is gone or of another one.

    ``tree`` is a worktree, with the name of a sub-project behind it if there is one.
    """
    root, name = project_key.split_project_key(tree)
    try:
        worktree_app = app.for_worktree(root)
        worktree_app.subproject = name
        if worktree_app.layout.store_root != app.layout.store_root:
            return None  # any program may have written this path
        worktree_app.git_head  # noqa: B018 - raises if HEAD cannot be read
        return worktree_app
    except GitmemError:
        return None
