"""Sessions, their notes and files, and when each reader last visited a worktree."""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.errors import AmbiguousReference, NotFound
from gitmem.model import ids
from gitmem.model.frozen import replace
from gitmem.model.session import ASIDE, Event, LastWorktreeVisit, Session
from gitmem.store.db.columns import insert_statement, json_array
from gitmem.store.db.connection import Database, Row
from gitmem.store.db.redaction_gate import redact_text
from gitmem.store.db.sealed_rows import (
    SEALED,
    rows_with_valid_seal,
    sealed_columns,
    values_with_seal,
)

MOST_FILES = 50

_FIELDS = SEALED["sessions"]
_COLUMNS = sealed_columns("sessions")
_SAVE = (
    f"{insert_statement('sessions', (*_FIELDS, 'seal'))} ON CONFLICT (id) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in (*_FIELDS[1:], "seal"))
)
_ADD_EVENT = insert_statement("events", (*SEALED["events"], "seal", "device", "counter"))
_PRESENCE = LastWorktreeVisit.__slots__
# Separates worktree and agent in one key that older versions read too; no path contains it.
_READER = "\x1f"
# No secret is a word this short, so the start of a session need not load the redaction rules.
_SHORTEST_SECRET = 16
_DIGITS = frozenset("0123456789abcdefABCDEF-")
# Fields with free text, which is redacted.
_TEXT_FIELDS = frozenset(("agent", "client_id", "branch", "goal", "summary", "active_file", "text"))


# A session that its host went on with, of which nothing was recorded since: `claude --continue`.
_WENT_ON_IDLE = (
    "ended_at IS NOT NULL AND goal = '' AND summary = '' AND head_start = head_end "
    "AND client_id <> '' AND EXISTS (SELECT 1 FROM sessions b "
    "WHERE b.client_id = sessions.client_id AND b.id < sessions.id) "
    "AND NOT EXISTS (SELECT 1 FROM session_files WHERE session = sessions.id) "
    f"AND NOT EXISTS (SELECT 1 FROM events WHERE session = sessions.id AND type NOT IN {ASIDE}) "
    "AND NOT EXISTS (SELECT 1 FROM memories WHERE session = sessions.id)"
)


def save_session(database: Database, session: Session) -> None:
    """Store a session, new or changed, without its files (see ``record_file_views``)."""
    database.run(_SAVE, values_with_seal(database, "sessions", _values(session, _FIELDS)))


def _values(value: Session | Event, fields: Sequence[str]) -> list[object]:
    given = [(name, getattr(value, name)) for name in fields]
    return [redact_text(field) if name in _TEXT_FIELDS else field for name, field in given]


def redact_host_session_id(host_session_id: str) -> str:
    """An agent program's id of a session as it is stored: with secrets replaced."""
    # Ids are hexadecimal digits and dashes nearly always, and need no rules.
    return (
        host_session_id
        if len(host_session_id) < _SHORTEST_SECRET or _DIGITS.issuperset(host_session_id)
        else redact_text(host_session_id)
    )


def record_file_views(
    database: Database, session_id: str, paths: Sequence[str], viewed_ms: int
) -> None:
    """Record that a session viewed these files at ``viewed_ms`` (milliseconds).

    Only the 50 files viewed last are kept.
    """
    database.connection.executemany(
        "INSERT INTO session_files (session, path, viewed_at) VALUES (?, ?, ?) "
        "ON CONFLICT (session, path) DO UPDATE SET viewed_at = excluded.viewed_at",
        [(session_id, redact_text(path), viewed_ms + place) for place, path in enumerate(paths)],
    )
    database.run(
        "DELETE FROM session_files WHERE session = ?1 AND path NOT IN (SELECT path FROM "
        "session_files WHERE session = ?1 ORDER BY viewed_at DESC, path LIMIT ?2)",
        (session_id, MOST_FILES),
    )


def files_viewed_in_session(database: Database, session_id: str) -> tuple[str, ...]:
    """The paths of the files viewed in a session, newest first, at most 50."""
    return tuple(
        database.column(
            "SELECT path FROM session_files WHERE session = ? ORDER BY viewed_at DESC, path",
            (session_id,),
        )
    )


def files_viewed_since(
    database: Database, session_id: str, since_ms: int, limit: int
) -> list[tuple[str, int]]:
    """The files a session viewed since a time: (path, last view in ms), newest first."""
    return database.rows(
        "SELECT path, viewed_at FROM session_files WHERE session = ? AND viewed_at >= ? "
        "ORDER BY viewed_at DESC, path LIMIT ?",
        (session_id, since_ms, limit),
    )


def session_worktrees(database: Database) -> list[str]:
    """The worktrees in which any session ran, sorted."""
    accepted = rows_with_valid_seal(
        database, "sessions", database.rows(f"SELECT {_COLUMNS} FROM sessions")
    )
    return sorted({row[_FIELDS.index("worktree")] for row in accepted})


def recent_sessions(
    database: Database,
    limit: int,
    *,
    worktree: str = "",
    agent: str = "",
    subproject: str = "",
    include_idle: bool = True,
) -> list[Session]:
    """Sessions, the last active first; only of this worktree and agent, if given.

    ``subproject`` (a name) limits them to sessions in it and in the repository as a whole. Without
    ``include_idle`` ended ones are left out that go on from another with nothing recorded.
    """
    condition, values = _visible_from(subproject)
    condition = condition if include_idle else f"{condition} AND NOT ({_WENT_ON_IDLE})"
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM sessions WHERE (? = '' OR worktree = ?) AND (? = '' OR agent = ?) "
        f"AND {condition} ORDER BY last_at DESC, id DESC LIMIT ?",
        (worktree, worktree, agent, agent, *values, limit),
    )
    return _sessions(database, rows)


def find_open_session(
    database: Database, *, worktree: str, agent: str, fallback_worktree: str = ""
) -> Session | None:
    """The session that runs in this worktree for this agent, the newest if there are several.

    If none runs there, the one that runs in ``fallback_worktree``; None without either. An empty
    ``agent`` is a person.
    """
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM sessions WHERE ended_at IS NULL AND worktree IN (?1, ?2) "
        "AND agent = ?3 ORDER BY worktree = ?1 DESC, started_at DESC, id DESC LIMIT 1",
        (worktree, fallback_worktree or worktree, agent),
    )
    return next(iter(_sessions(database, rows)), None)


def sessions_by_ids(database: Database, session_ids: Sequence[str]) -> list[Session]:
    """The sessions with exactly these ids, in order of id."""
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM sessions WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
        (json_array(session_ids),),
    )
    return _sessions(database, rows)


def sessions_summarised_by_person(database: Database) -> list[Session]:
    """A person's (no agent's) ended sessions with a summary, sorted by id, without their files."""
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM sessions WHERE agent = '' AND summary <> '' "
        "AND ended_at IS NOT NULL ORDER BY id"
    )
    return [Session(*row) for row in rows_with_valid_seal(database, "sessions", rows)]


def session_exists(database: Database, session_id: str) -> bool:
    """Whether a session with exactly this id exists."""
    return database.value("SELECT 1 FROM sessions WHERE id = ?", (session_id,)) is not None


def find_session(database: Database, id_or_prefix: str) -> Session:
    """The session with this id, or beginning of an id, or with this id given by its agent program.

    Raises NotFound or AmbiguousReference.
    """
    prefix = ids.normalise_id_prefix(id_or_prefix)
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM sessions WHERE (?1 <> '' AND client_id = ?1) OR (?2 <> '' AND "
        "id BETWEEN ?2 AND ?3) ORDER BY id LIMIT 6",
        (
            redact_host_session_id(id_or_prefix),
            prefix or "",
            ids.largest_id_with_prefix(prefix) if prefix else "",
        ),
    )
    matches = _sessions(database, rows)
    if not matches:
        raise NotFound(
            f"No session has an id that starts with {id_or_prefix[:40]!r}.",
            "Run `gitmem session list` to see them.",
        )
    if len(matches) > 1:
        names = ", ".join(match.id for match in matches[:5])
        raise AmbiguousReference(
            f"{id_or_prefix!r} matches more than one session: {names}.", "Give more characters."
        )
    return matches[0]


def newest_session_by_host_id(database: Database, host_session_id: str) -> Session | None:
    """The newest session to which its agent program gave this id; None if there is none."""
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM sessions WHERE client_id = ? ORDER BY started_at DESC, id DESC "
        "LIMIT 1",
        (redact_host_session_id(host_session_id),),
    )
    return next(iter(_sessions(database, rows)), None)


def sessions_in_period(
    database: Database,
    since_ms: int,
    until_ms: int,
    limit: int,
    subproject: str = "",
    agent: str = "",
) -> list[Session]:
    """Sessions that started or ended from ``since_ms`` to ``until_ms``, the last active first.

    With ``subproject`` (a name) only those in it and in the repository as a whole. Empty ``agent``:
    any.
    """
    condition, values = _in_interval(since_ms, until_ms, subproject, agent)
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM sessions WHERE {condition} ORDER BY last_at DESC, id DESC LIMIT ?",
        (*values, limit),
    )
    return _sessions(database, rows)


def session_starts_in_period(
    database: Database, since_ms: int, until_ms: int, subproject: str = "", agent: str = ""
) -> list[int]:
    """The start times (milliseconds) of the sessions in an interval, in no order.

    The sessions are those that ``sessions_in_period`` would return without a limit.
    """
    condition, values = _in_interval(since_ms, until_ms, subproject, agent)
    return database.column(f"SELECT started_at FROM sessions WHERE {condition}", (*values,))


def _in_interval(
    since_ms: int, until_ms: int, subproject: str, agent: str
) -> tuple[str, list[object]]:
    """The condition on sessions that ``sessions_in_period`` has, and its values."""
    condition, values = _visible_from(subproject)
    inside = "(started_at BETWEEN ? AND ? OR ended_at BETWEEN ? AND ?) AND (? = '' OR agent = ?)"
    return f"{inside} AND {condition}", [
        since_ms,
        until_ms,
        since_ms,
        until_ms,
        agent,
        agent,
        *values,
    ]


def session_agents(database: Database) -> list[str]:
    """The names of all agents that had a session, sorted."""
    return database.column("SELECT DISTINCT agent FROM sessions WHERE agent <> '' ORDER BY agent")


def add_event(database: Database, event: Event) -> None:
    """Store an event (a note, an import ...), secrets redacted. In a caller's transaction."""
    from gitmem.store.memory.memory_writes import advance_logical_clock  # noqa: PLC0415 - writers only

    values = values_with_seal(database, "events", _values(event, Event.__slots__))
    database.run(_ADD_EVENT, (*values, database.device, advance_logical_clock(database)))


def count_events_about_memory(database: Database, event_type: str, memory_id: str) -> int:
    """The number of stored events of a type with this memory as their subject."""
    query = "SELECT count(*) FROM events WHERE type = ? AND subject = ?"
    return int(database.value(query, (event_type, memory_id)) or 0)


def is_event_recorded(database: Database, event_id: str) -> bool:
    """Whether an event with this id was recorded before."""
    return database.value("SELECT 1 FROM events WHERE id = ?", (event_id,)) is not None


def last_recorded_branch(database: Database, event_type: str) -> str | None:
    """The branch of the last stored event of a type (not of the latest in time).

    None if there is no event of the type.
    """
    question = "SELECT branch FROM events WHERE type = ? ORDER BY counter DESC LIMIT 1"
    branch: str | None = database.value(question, (event_type,))
    return branch


def events_in_period(
    database: Database,
    *,
    since_ms: int = 0,
    until_ms: int = 1 << 62,
    session: str = "",
    types: Sequence[str] = (),
    limit: int = 200,
    subproject: str = "",
) -> list[Event]:
    """The events from ``since_ms`` to ``until_ms`` (both included), newest first.

    Of some ``types``, else all but internal ones (health, query, tokens ...). Empty ``session``: of
    any. With ``subproject`` (a name), events of sessions in other sub-projects are left out.
    """
    test = f"AND type IN ({','.join('?' * len(types))})"
    if not types:
        types, test = ASIDE, f"AND type NOT IN ({','.join('?' * len(ASIDE))})"
    inside, values = _visible_from(subproject)
    condition = (
        f"AND session NOT IN (SELECT id FROM sessions WHERE NOT {inside})" if subproject else ""
    )
    rows = database.rows(
        f"SELECT {sealed_columns('events')} FROM events WHERE at BETWEEN ? AND ? "
        f"AND (? = '' OR session = ?) {test} {condition} ORDER BY at DESC, counter DESC LIMIT ?",
        (since_ms, until_ms, session, session, *types, *values, limit),
    )
    return [Event(*row) for row in rows_with_valid_seal(database, "events", rows)]


def _visible_from(subproject: str) -> tuple[str, list[object]]:
    """The condition that a session is visible from a sub-project (empty: all are); its values."""
    if not subproject:
        return "1", []
    from gitmem.store.memory import project_parts  # noqa: PLC0415 - most repositories have one part

    return project_parts.subproject_or_repository_sql_condition(subproject, "worktree")


def last_worktree_visit(
    database: Database, worktree: str, agent: str = ""
) -> LastWorktreeVisit | None:
    """When `gitmem orient` last ran in this worktree; if never, its last run in any worktree.

    None if it never ran. Runs are those of this agent, or of the person if it is empty.
    """
    reader = _reader(agent)
    row = database.row(
        f"SELECT {', '.join(_PRESENCE)} FROM presence WHERE CASE ?2 WHEN '' "
        f"THEN instr(worktree, ?3) = 0 ELSE substr(worktree, -length(?2)) = ?2 END "
        "ORDER BY worktree = ?1 || ?2 DESC, seen_at DESC LIMIT 1",
        (worktree, reader, _READER),
    )
    return None if row is None else LastWorktreeVisit(row[0].removesuffix(reader), *row[1:])


def save_worktree_visit(
    database: Database, worktree_visit: LastWorktreeVisit, agent: str = ""
) -> None:
    """Store when `gitmem orient` ran, for an agent, or the person if ``agent`` is empty."""
    from gitmem.text.name_secrets import redact_name  # noqa: PLC0415 - readers do not need it

    cleaned = replace(worktree_visit, branch=redact_name(worktree_visit.branch))
    place, *values = [getattr(cleaned, name) for name in _PRESENCE]
    row = (place + _reader(agent), *values)
    database.run(insert_statement("presence", _PRESENCE, verb="INSERT OR REPLACE"), row)


def _reader(agent: str) -> str:
    """What follows the worktree in the key of an agent's row; empty for the person."""
    plain = len(agent) <= _SHORTEST_SECRET and agent.replace("-", "").isalnum()
    return _READER + (agent if plain else redact_text(agent)) if agent else ""


def _sessions(database: Database, rows: list[Row]) -> list[Session]:
    complete = [
        (*row, files_viewed_in_session(database, row[0]))
        for row in rows_with_valid_seal(database, "sessions", rows)
    ]
    return [Session(*values) for values in complete]
