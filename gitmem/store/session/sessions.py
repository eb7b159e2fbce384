"""Sessions, their notes and files, and who was last seen in which work tree."""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.errors import Ambiguous, NotFound
from gitmem.model import ids
from gitmem.model.session import ASIDE, Event, Presence, Session
from gitmem.store.db.connection import Database, Row
from gitmem.store.db.redaction_gate import clean
from gitmem.store.memory.memory_writes import next_counter

MOST_FILES = 50

_COLUMNS = (
    "id, agent, client_id, worktree, branch, head_start, head_end, goal, summary, active_file, "
    "started_at, last_at, ended_at"
)
_EVENT = "id, at, type, session, agent, branch, commit_id, subject, text"


def save(database: Database, session: Session) -> None:
    """Store a session, new or changed (its files are kept apart, see ``view``)."""
    values = (
        session.id,
        clean(session.agent),
        clean(session.client_id),
        session.worktree,
        clean(session.branch),
        session.head_start,
        session.head_end,
        clean(session.goal),
        clean(session.summary),
        clean(session.active_file),
        session.started_at,
        session.last_at,
        session.ended_at,
    )
    updates = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS.split(", ")[1:])
    database.run(
        f"INSERT INTO sessions ({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?) "
        f"ON CONFLICT (id) DO UPDATE SET {updates}",
        values,
    )


def view(database: Database, session: str, paths: Sequence[str], at: int) -> None:
    """Note that files were viewed; only the ``MOST_FILES`` newest are kept."""
    database.connection.executemany(
        "INSERT INTO session_files (session, path, viewed_at) VALUES (?, ?, ?) "
        "ON CONFLICT (session, path) DO UPDATE SET viewed_at = excluded.viewed_at",
        [(session, clean(path), at + place) for place, path in enumerate(paths)],
    )
    database.run(
        "DELETE FROM session_files WHERE session = ?1 AND path NOT IN (SELECT path FROM "
        "session_files WHERE session = ?1 ORDER BY viewed_at DESC, path LIMIT ?2)",
        (session, MOST_FILES),
    )


def files(database: Database, session: str) -> tuple[str, ...]:
    """The files viewed in a session, newest first."""
    rows = database.rows(
        "SELECT path FROM session_files WHERE session = ? ORDER BY viewed_at DESC, path", (session,)
    )
    return tuple(row[0] for row in rows)


def recent(database: Database, limit: int, *, worktree: str = "", agent: str = "") -> list[Session]:
    """Sessions, the last active first."""
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM sessions WHERE (?1 = '' OR worktree = ?1) "
        "AND (?2 = '' OR agent = ?2) ORDER BY last_at DESC, id DESC LIMIT ?3",
        (worktree, agent, limit),
    )
    return [_from_row(database, row) for row in rows]


def open_one(database: Database, *, worktree: str, agent: str) -> Session | None:
    """The session still running in this work tree for this agent, the newest if many."""
    row = database.row(
        f"SELECT {_COLUMNS} FROM sessions WHERE ended_at IS NULL AND worktree = ? AND agent = ? "
        "ORDER BY started_at DESC, id DESC LIMIT 1",
        (worktree, agent),
    )
    return None if row is None else _from_row(database, row)


def find(database: Database, text: str) -> Session:
    """The session with this id or unambiguous prefix, or with this id of its host.

    Raises NotFound or Ambiguous.
    """
    prefix = ids.normalise(text)
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM sessions WHERE (?1 <> '' AND client_id = ?1) OR (?2 <> '' AND "
        "id BETWEEN ?2 AND ?3) ORDER BY id LIMIT 6",
        (text, prefix or "", ids.upper_bound(prefix) if prefix else ""),
    )
    if not rows:
        raise NotFound(
            f"No session has an id that starts with {text[:40]!r}.",
            "Run `gitmem session list` to see them.",
        )
    if len(rows) > 1:
        names = ", ".join(row[0] for row in rows[:5])
        raise Ambiguous(
            f"{text!r} matches more than one session: {names}.", "Give more characters."
        )
    return _from_row(database, rows[0])


def between(database: Database, since: int, until: int, limit: int) -> list[Session]:
    """Sessions that started or ended in the interval, newest first."""
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM sessions WHERE started_at BETWEEN ?1 AND ?2 "
        "OR ended_at BETWEEN ?1 AND ?2 ORDER BY last_at DESC, id DESC LIMIT ?3",
        (since, until, limit),
    )
    return [_from_row(database, row) for row in rows]


def add_event(database: Database, event: Event) -> None:
    """Append one line to the timeline."""
    database.run(
        f"INSERT INTO events ({_EVENT}, device, counter) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
        (
            event.id,
            event.at,
            event.type,
            event.session,
            clean(event.agent),
            clean(event.branch),
            event.commit,
            event.subject,
            clean(event.text),
            database.device,
            next_counter(database),
        ),
    )


def known_event(database: Database, id: str) -> bool:
    """Whether an event was recorded before."""
    return database.value("SELECT 1 FROM events WHERE id = ?", (id,)) is not None


def events(
    database: Database,
    *,
    since: int = 0,
    until: int = 1 << 62,
    session: str = "",
    types: Sequence[str] = (),
    limit: int = 200,
) -> list[Event]:
    """Events, newest first: of some types, else all that belong on a timeline."""
    test = f"AND type IN ({','.join('?' * len(types))})"
    if not types:
        types, test = ASIDE, f"AND type NOT IN ({','.join('?' * len(ASIDE))})"
    rows = database.rows(
        f"SELECT {_EVENT} FROM events WHERE at BETWEEN ? AND ? AND (? = '' OR session = ?) {test} "
        "ORDER BY at DESC, counter DESC LIMIT ?",
        (since, until, session, session, *types, limit),
    )
    return [Event(*row) for row in rows]


def presence(database: Database, worktree: str) -> Presence | None:
    """Who was last seen in this work tree; for a new work tree, anywhere in the project."""
    row = database.row(
        "SELECT worktree, seen_at, head, branch, base_at, base_head FROM presence "
        "ORDER BY worktree = ? DESC, seen_at DESC LIMIT 1",
        (worktree,),
    )
    return None if row is None else Presence(*row)


def set_presence(database: Database, presence: Presence) -> None:
    """Remember that somebody was here."""
    database.run(
        "INSERT OR REPLACE INTO presence (worktree, seen_at, head, branch, base_at, base_head) "
        "VALUES (?,?,?,?,?,?)",
        (
            presence.worktree,
            presence.seen_at,
            presence.head,
            presence.branch,
            presence.base_at,
            presence.base_head,
        ),
    )


def _from_row(database: Database, row: Row) -> Session:
    values = (*row, files(database, row[0]))
    return Session(*values)
