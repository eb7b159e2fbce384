"""Working off what the session hooks noted: sessions, their files, errors, snapshots, their end.

For the drain. Each note is dealt with once: where a drain was killed after its transaction, the
next one reads the same lines again, and finds all of it done.
"""

import os
import shutil
from collections.abc import Iterator, Sequence

from gitmem.agents.events import event_log, post_edit, record, session_state, work_summary
from gitmem.agents.events.event_log import Note
from gitmem.app import App
from gitmem.capture import session_capture
from gitmem.clock import DAY
from gitmem.errors import GitmemError
from gitmem.memory import draft
from gitmem.model import ids, project_key
from gitmem.model.frozen import replace
from gitmem.model.session import TRANSCRIPT, Event, Session
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
_SAID = [type for what, type in _TYPES.items() if what != event_log.START]
# Without a session to belong to, these begin none.
_ENDINGS = (event_log.STOP, event_log.END)


def work_off(app: App) -> tuple[Note, ...]:
    """Deal with what waits; the notes. Raises GitmemError: then they wait for the next."""
    folder = record.folder(app)
    dealt: list[Note] = []
    while os.path.isdir(folder) and spool.waiting(folder):
        held = lease.take(folder, os.getpid())
        if held is None:
            break  # another one is at work, and will look again
        try:
            key = app.store.key if projects.meta(app.store, seals.SESSIONS) else b""
            taken, batch = event_log.take(folder, key, now=app.now, pid=os.getpid())
            if taken and app.settings.number("hooks.enabled"):
                keep(app, taken)
                dealt += taken
            spool.done(folder, batch, now=app.now)
        finally:
            held.release()
        if not any(end for _, end in batch.read):
            break  # a file that cannot be read must not keep it at work for ever
    return tuple(dealt)


def seal(app: App) -> None:
    """Once what an older gitmem noted is dealt with, believe no note that is not sealed.

    The folder goes in which it kept what sessions were told: its name is known to everybody.
    """
    if projects.meta(app.store, seals.SESSIONS) is None and not spool.waiting(record.folder(app)):
        folder = os.path.join(app.layout.store_root, preflight.FOLDER, session_state.FOLDER)
        shutil.rmtree(folder, ignore_errors=True)
        projects.note_sealed(app.store, seals.SESSIONS)


def keep(app: App, taken: Sequence[Note]) -> None:
    """Bring the store up to date with some notes, in their order. Repeating is harmless."""
    store = app.store
    known = _known_files(app, taken)
    for part in _parts(taken):
        with store.write():
            for note in part:
                if note.what != event_log.END:
                    _keep(app, store, note, known)
        note = part[-1]
        session = _own(store, note) if note.what == event_log.END else None
        # A host that gives no id ends no session that has one.
        if session and session.ended_at is None and session.client_id == note.session:
            _close(app, store, session, max(note.at, session.last_at), note.commit)


def end_silent(app: App) -> int:
    """End the sessions of hosts from which nothing was heard for a day; how many."""
    store = app.store
    found = hook_queries.silent(store, app.now - DAY)
    for session in found:
        _close(app, store, session, session.last_at, session.head_end)
    return len(found)


def _parts(taken: Sequence[Note]) -> Iterator[list[Note]]:
    """The notes cut after each end of a session: what follows may belong to its resumption."""
    part: list[Note] = []
    for note in taken:
        part.append(note)
        if note.what == event_log.END:
            yield part
            part = []
    if part:
        yield part


def _keep(app: App, store: Database, note: Note, known: set[str]) -> None:
    session = _session(app, store, note)
    if session is None:
        return
    files = [path for path in note.files if path in known]
    changed = replace(
        session,
        last_at=max(session.last_at, note.at),
        active_file=files[-1] if files else session.active_file,
    )
    if session.ended_at is not None:
        changed = replace(changed, last_at=session.last_at)
    sessions.save(store, changed)
    if files:
        sessions.view(store, session.id, files, note.at)
    if note.what in _TYPES and note.text:
        _remember(store, session, note)


def _remember(store: Database, session: Session, note: Note) -> None:
    """The note as a line of the timeline, unless the one before it says the same."""
    if sessions.known_event(store, note.key):
        return
    type = _TYPES[note.what]
    # Where the transcript lies is told at each start: it is compared with the last place told.
    types = (type,) if note.what == event_log.START else tuple(_SAID)
    last = sessions.events(store, session=session.id, types=types, until=note.at, limit=1)
    made = Event(
        id=note.key,
        at=note.at,
        type=type,
        session=session.id,
        agent=note.agent,
        branch=note.branch,
        commit=note.commit,
        subject="",
        text=note.text,
    )
    if not last or (last[0].type, last[0].text) != (type, note.text):
        sessions.add_event(store, made)


def _session(app: App, store: Database, note: Note) -> Session | None:
    """The session that a note belongs to, begun where it has to be; None for a late goodbye."""
    found = _own(store, note)
    if found is not None or not note.session or note.what in _ENDINGS:
        return found
    made = Session(
        id=ids.ulid(note.at, app.entropy(10)),
        agent=note.agent,
        client_id=note.session,
        worktree=note.tree,
        branch=note.branch,
        head_start=note.commit,
        head_end="",
        goal="",
        summary="",
        active_file="",
        started_at=note.at,
        last_at=note.at,
        ended_at=None,
    )
    sessions.save(store, made)
    return made


def _own(store: Database, note: Note) -> Session | None:
    return hook_queries.at_time(store, note.session, note.at, agent=note.agent, tree=note.tree)


# --- the end ------------------------------------------------------------------------------------


def _close(app: App, store: Database, session: Session, at: int, head: str) -> None:
    """End a session with what is known of it; one of which nothing came leaves no trace.

    Its working memories go by the end they have (``lifecycle``): no other session sees them.
    """
    summary = session.summary or _summary(app, store, session, at, head)
    ended = replace(session, summary=summary, head_end=head, last_at=at, ended_at=at)
    with store.write():
        if hook_queries.untouched(store, session):
            hook_queries.drop(store, session.id)
        else:
            sessions.save(store, ended)
    commits = () if head in ("", session.head_start) else (head,)
    session_capture.propose_lessons(app, store, ended, commits)


def _summary(app: App, store: Database, session: Session, at: int, head: str) -> str:
    there = _in_tree(app, session.worktree)
    if there is None:  # the worktree is gone: then what the store knows has to do
        return snapshot.summary(snapshot.Work(files=session.files))
    work = work_summary.known(there, store, session, end=head, at=at)
    if not work_summary.unresolved(store, session):
        work = replace(work, errors=())
    return snapshot.summary(work)


# --- files --------------------------------------------------------------------------------------


def _admitted(path: str) -> bool:
    """Whether a path may be kept: any program may have written to the spool."""
    try:
        return draft.check_paths([path]) == (path,)
    except GitmemError:
        return False


def _known_files(app: App, taken: Sequence[Note]) -> set[str]:
    """Those of the files noted that may be kept: inside, not ignored, no secrets by their names."""
    seen = {path for note in taken for path in note.files}
    found = sorted(path for path in seen if _admitted(path))
    for tree in sorted({note.tree for note in taken if note.files}):
        found = post_edit.spoken(_in_tree(app, tree) or app, found)
    return set(found)


def _in_tree(app: App, tree: str) -> App | None:
    """The App in a worktree of this repository; None where it is none, or is gone.

    ``tree`` is the place of a session: the name of a sub-project may stand behind the worktree.
    """
    root, name = project_key.split(tree)
    try:
        there = app.elsewhere(root)
        there.subproject = name
        if there.layout.store_root != app.layout.store_root:
            return None  # any program may have written its name
        there.head  # noqa: B018 - what cannot be read is found out here
        return there
    except GitmemError:
        return None
