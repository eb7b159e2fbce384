"""The files that a session works on now: those it viewed last, and when."""

from __future__ import annotations

from gitmem.store.db.connection import Database


def recent(database: Database, session: str, since: int, limit: int) -> list[tuple[str, int]]:
    """(path, when it was viewed last) of the files viewed since then, the newest first."""
    return database.rows(
        "SELECT path, viewed_at FROM session_files WHERE session = ? AND viewed_at >= ? "
        "ORDER BY viewed_at DESC, path LIMIT ?",
        (session, since, limit),
    )
