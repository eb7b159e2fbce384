"""Queries of the session hooks: the memories that cite a path, and the session of a host."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from gitmem.model.session import TRANSCRIPT
from gitmem.store.db.connection import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.model.memory import Memory
    from gitmem.model.session import Session
    from gitmem.store.memory.filters import MemoryFilter

# The last part of a path, after its last slash.
_NAME = "substr(path, length(rtrim(path, replace(path, '/', ''))) + 1)"
_MOST = 200
# Kinds that are binding, as in ``memory.conflict``.
RULES = ("decision", "convention", "workflow", "pattern")


def anchors_by_file_name(database: Database, paths: Iterable[str]) -> list[tuple[str, str]]:
    """(memory's id, cited path) of citations of files named as one of ``paths``, in any folder."""
    names = {_as_text(path).rpartition("/")[2] for path in paths}
    if not names:
        return []
    # From the index alone: the rows hold fingerprints, and are large.
    rows = database.rows(
        "SELECT DISTINCT memory, path FROM anchors INDEXED BY anchors_by_path "
        f"WHERE {_NAME} IN (SELECT value FROM json_each(?)) ORDER BY path, memory",
        (json.dumps(sorted(names)),),
    )
    return [(row[0], _as_path(row[1])) for row in rows]


def anchored_symbols(database: Database) -> list[tuple[str, str]]:
    """(memory's id, definition's name) of each citation of a definition (``a.py::Server``)."""
    return database.rows("SELECT memory, symbol FROM anchors WHERE symbol <> '' ORDER BY memory")


def memories_at_path(database: Database, worktree: str, path: str) -> list[str]:
    """The ids of the memories that cite code in a file, or code that has moved to it."""
    return database.column(
        "SELECT memory FROM anchors WHERE path = ?2 UNION "
        "SELECT memory FROM verdicts WHERE tree = ?1 AND path = ?2 AND verdict = 'moved'",
        (worktree, _as_text(path)),
    )


def memories_at_parent_folders(database: Database, path: str, kinds: Sequence[str]) -> list[str]:
    """The ids of the memories of some kinds (decision ...) that cite a folder above a path."""
    parts = path.split("/")[:-1]
    folders = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
    if not folders:
        return []
    places = json.dumps([*folders, *(folder + "/" for folder in folders)])
    return database.column(
        f"SELECT m.id FROM memories AS m WHERE m.kind IN ({','.join('?' * len(kinds))}) "
        "AND m.paths <> '[]' AND EXISTS (SELECT 1 FROM json_each(m.paths) AS p "
        "WHERE p.value IN (SELECT value FROM json_each(?)))",
        (*kinds, places),
    )


def any_memory_matching(database: Database, fts_expression: str, kinds: Sequence[str]) -> bool:
    """Whether any memory of these kinds (decision ...), in any state, matches an FTS5 text."""
    return bool(
        database.value(
            "SELECT 1 FROM memory_text AS t JOIN memories AS m ON m.seq = t.rowid "
            f"WHERE memory_text MATCH ? AND m.kind IN ({','.join('?' * len(kinds))}) LIMIT 1",
            (fts_expression, *kinds),
        )
    )


def memories_mentioning(
    database: Database, words: Iterable[str], kinds: Sequence[str], limit: int
) -> list[int]:
    """The row numbers of memories that contain one of ``words``; only rare words count.

    A word is rare in at most ``max_memory_count_of_rare_word`` memories. Only memories of some
    kinds (decision ...), at most ``limit``, those of most weight first.
    """
    row_numbers, most_holding = set[int](), max_memory_count_of_rare_word(database)
    for word in words:
        rows = database.rows(
            "SELECT rowid FROM memory_text WHERE memory_text MATCH ? LIMIT ?",
            (f'"{word}"', most_holding + 1),
        )
        row_numbers.update(row[0] for row in rows if len(rows) <= most_holding)
    if not row_numbers:
        return []
    return database.column(
        "SELECT seq FROM memories WHERE seq IN (SELECT value FROM json_each(?)) "
        f"AND kind IN ({','.join('?' * len(kinds))}) ORDER BY weight DESC, seq DESC LIMIT ?",
        (json.dumps(sorted(row_numbers)), *kinds, limit),
    )


def filter_memories(
    database: Database, memory_ids: Iterable[str], filter: MemoryFilter
) -> list[Memory]:
    """The memories among some ids that pass the filter, at most 200, most weight first."""
    from gitmem.store.memory.memory_rows import read_memories  # noqa: PLC0415 - mostly nothing is there

    clause, values = filter.sql_condition()
    return read_memories(
        database,
        "WHERE m.id IN (SELECT value FROM json_each(?)) "
        f"AND {clause} ORDER BY m.weight DESC, m.updated_at DESC, m.id LIMIT {_MOST}",
        (json.dumps(sorted(set(memory_ids))), *values),
    )


def _as_text(path: str) -> str:
    if path.isascii():
        return path
    from gitmem.store.code.indexed_files import encode_path_for_database  # noqa: PLC0415 - few paths need it

    return encode_path_for_database(path)


def _as_path(path: str) -> str:
    if path.isascii():
        return path
    from gitmem.store.code.indexed_files import decode_path_from_database  # noqa: PLC0415 - as above

    return decode_path_from_database(path)


def max_memory_count_of_rare_word(database: Database) -> int:
    """In how many memories (3 to 20) a word may be to count as rare, by the size of the store."""
    total = int(database.value("SELECT max(seq) FROM memories") or 0)  # about
    return max(3, min(20, total // 100))


# --- sessions -----------------------------------------------------------------------------------


def find_host_session(
    database: Database,
    host_session_id: str,
    *,
    agent: str,
    worktree: str,
    only_running: bool = False,
) -> Session | None:
    """The newest session with this id of the agent program; with an empty id, the running one.

    None if there is none. The running one is that of ``agent`` in ``worktree``. An id of eight
    characters or more counts for any agent. With ``only_running`` sessions that ended are left out.
    """
    from gitmem.store.session import sessions  # noqa: PLC0415 - a hook with no answer needs none

    if not host_session_id:
        return sessions.find_open_session(database, worktree=worktree, agent=agent)
    row = database.row(
        "SELECT id FROM sessions WHERE client_id = ? AND (agent = ? OR length(client_id) >= 8) "
        f"{'AND ended_at IS NULL' if only_running else ''} "
        "ORDER BY ended_at IS NOT NULL, started_at DESC, id DESC LIMIT 1",
        (sessions.redact_host_session_id(host_session_id), agent),
    )
    return None if row is None else next(iter(sessions.sessions_by_ids(database, row)), None)


def find_host_session_at(
    database: Database, host_session_id: str, at_ms: int, *, agent: str, worktree: str
) -> Session | None:
    """The session with this id of the agent program that ran at ``at_ms`` (milliseconds).

    If one session ended and another began at that moment, the one that ended; if none ran, the
    running one as in ``find_host_session``.
    """
    from gitmem.store.session import sessions  # noqa: PLC0415 - as above

    if host_session_id:
        id = database.value(
            "SELECT id FROM sessions WHERE client_id = ?1 AND (agent = ?2 OR length(?1) >= 8) "
            "AND started_at <= ?3 AND (ended_at IS NULL OR ended_at >= ?3) "
            "ORDER BY started_at, id LIMIT 1",
            (sessions.redact_host_session_id(host_session_id), agent, at_ms),
        )
        for match in sessions.sessions_by_ids(database, [id] if id else []):
            return match
    return find_host_session(
        database, host_session_id, agent=agent, worktree=worktree, only_running=True
    )


def inactive_running_sessions(database: Database, last_active_before_ms: int) -> list[Session]:
    """The running sessions with an agent program's id, last active before a time (milliseconds)."""
    from gitmem.store.session import sessions  # noqa: PLC0415 - as above

    rows = database.rows(
        "SELECT id FROM sessions WHERE last_at < ? AND ended_at IS NULL AND client_id <> '' "
        "ORDER BY id",
        (last_active_before_ms,),
    )
    return sessions.sessions_by_ids(database, [row[0] for row in rows])


def is_empty_session(database: Database, session: Session) -> bool:
    """Whether a session was only opened: it has no goal, summary, notes, files or memories."""
    if session.goal or session.summary or session.files or session.last_at > session.started_at:
        return False
    content = database.value(
        "SELECT 1 WHERE EXISTS (SELECT 1 FROM events WHERE session = ?1 AND type <> ?2) "
        "OR EXISTS (SELECT 1 FROM memories WHERE session = ?1)",
        (session.id, TRANSCRIPT),
    )
    return content is None


def delete_empty_session(database: Database, session_id: str) -> None:
    """Delete a session that has no notes, files or memories. In a transaction of the caller."""
    database.run("DELETE FROM events WHERE session = ?", (session_id,))
    database.run("DELETE FROM sessions WHERE id = ?", (session_id,))
