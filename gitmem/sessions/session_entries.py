"""The notes and memories of a session, for its health and its compaction."""

from collections.abc import Iterator, Sequence

from gitmem.app import App
from gitmem.branches import subprojects
from gitmem.errors import InvalidInput, NotFound
from gitmem.memory.session_health import STRATEGIES, SessionEntry
from gitmem.model.session import Event, Session
from gitmem.sessions.current_session import current_session
from gitmem.store.memory import memories
from gitmem.store.memory.filters import MemoryFilter
from gitmem.store.session import sessions
from gitmem.text.fence import one_line

MOST = 500
# The beginnings of critical notes.
_CRITICAL = ("critical:", "important:", "!")


def session_by_prefix_or_last(app: App, id_prefix: str) -> Session:
    """The session whose id begins with ``id_prefix``; if empty, the running one, else the last.

    Raises NotFound if there is none.
    """
    session = current_session(app, id_prefix)
    last = (
        [session]
        if session
        else sessions.recent_sessions(
            app.store, 1, worktree=subprojects.worktree_and_subproject_key(app)
        )
    )
    if not last:
        raise NotFound("There is no session yet.", "`gitmem session start` starts one.")
    return last[0]


def check_compaction_strategy(strategy: str) -> None:
    """Raise InvalidInput unless ``strategy`` is summarise, selective or aggressive."""
    if strategy not in STRATEGIES:
        raise InvalidInput(
            f"There is no strategy {strategy[:40]!r}.", f"Give one of: {', '.join(STRATEGIES)}."
        )


def notes_of_session(app: App, session: Session) -> list[Event]:
    """The newest 500 notes taken in a session as Events (``text`` is the note), newest first."""
    return sessions.events_in_period(app.store, session=session.id, types=("note",), limit=MOST)


def entries_of_session(
    app: App, session: Session, notes: Sequence[Event]
) -> Iterator[SessionEntry]:
    """Yield a SessionEntry for each note and memory of a session: id, line, time, if critical.

    The memories are at most 500.
    """
    for note in notes:
        critical = note.text.lstrip().lower().startswith(_CRITICAL)
        yield SessionEntry(note.id, one_line(note.text, 200), note.at, critical)
    for memory in memories.select_memories(
        app.store, MemoryFilter(session=session.id, now=app.now), limit=MOST
    ):
        critical = memory.pinned or memory.kind in ("decision", "convention")
        yield SessionEntry(memory.id, one_line(memory.headline, 200), memory.created_at, critical)
