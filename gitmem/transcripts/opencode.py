"""Sessions of OpenCode: rows of its database ``opencode.db``, in tables since version 1.

A message has parts: texts, calls of tools with their state. Its text is that of the user also where
the host adds to it (``synthetic``). The file is opened for reading only.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gitmem.agents.hosts.host_paths import PathTemplateFolders
from gitmem.store.db import readonly
from gitmem.store.db.connection import BUSY_MS, Database, Row, harden_connection
from gitmem.store.db.sqlite_errors import sqlite_errors_as_gitmem_errors
from gitmem.text.digest import blake2b
from gitmem.transcripts.json_lines import DAMAGED, MAX_LINE_BYTES, OVERSIZED, parse_json_object
from gitmem.transcripts.record import ConversationRecord, parse_time_ms

_SESSIONS = (
    "SELECT s.id, s.directory, s.time_updated, (SELECT count(*) || '-' || max(p.time_updated) "
    "FROM part AS p WHERE p.session_id = s.id) FROM session AS s ORDER BY s.time_created, s.id"
)
_PARTS = (
    "SELECT m.id, m.time_created, iif(length(m.data) > ?2, NULL, m.data), "
    "iif(length(p.data) > ?2, NULL, p.data) FROM message AS m "
    "JOIN part AS p ON p.message_id = m.id WHERE m.session_id = ?1 "
    "ORDER BY m.time_created, m.id, p.id"
)


def sessions_database_path(base_folders: PathTemplateFolders) -> str:
    """Return the path of OpenCode's SQLite database of sessions, whether it exists or not."""
    data = base_folders.environment.get("XDG_DATA_HOME") or os.path.join(
        base_folders.home, ".local", "share"
    )
    return os.path.join(data, "opencode", "opencode.db")


@contextmanager
def open_sessions_database(path: str) -> Iterator[Database]:
    """Open OpenCode's database read-only, as a context manager.

    Raises GitmemError if it cannot be read.
    """
    with sqlite_errors_as_gitmem_errors(path):
        database = readonly.connect_beside_writers(path)
        try:
            yield harden_connection(database, BUSY_MS)
        finally:
            database.close()


def list_stored_sessions(database: Database) -> Iterator[tuple[str, str, int, str]]:
    """Yield (id, folder, last change in ms since 1970, stamp) of each session in the database.

    The stamp is a text that differs once the session's content does.
    """
    for id, folder, changed, parts in database.rows(_SESSIONS):
        yield str(id), str(folder), parse_time_ms(changed), f"{changed}-{parts}"


def add_session_messages(database: Database, session_id: str, record: ConversationRecord) -> str:
    """Add a session's messages to the conversation in ``record``; return a hash of its content.

    Raises GitmemError if the database cannot be read.
    """
    content = blake2b(digest_size=16)
    about = database.row(
        "SELECT id, directory, title, parent_id, version FROM session WHERE id = ?", (session_id,)
    )
    if about is not None:
        names = ("session", "folder", "summary", "parent", "version")
        record.set_missing_facts(**dict(zip(names, about, strict=True)))
    messages: dict[str, dict[str, Any] | None] = {}
    for key, at, message, part in _stream(database, session_id):
        content.update(f"{message}{part}".encode("utf-8", "replace"))
        if key not in messages:
            messages = {key: parse_json_object(str(message).encode("utf-8", "replace"))}
        about_message, row = messages[key], parse_json_object(str(part).encode("utf-8", "replace"))
        if about_message is None or row is None:
            record.counts[OVERSIZED if None in (message, part) else DAMAGED] += 1
            continue
        try:
            _part(about_message, row, record, parse_time_ms(at))
        except (KeyError, TypeError, AttributeError, ValueError):
            record.counts[DAMAGED] += 1
    return content.hexdigest()


def _stream(database: Database, id: str) -> Iterator[Row]:
    with sqlite_errors_as_gitmem_errors(database.path):
        yield from database.connection.execute(_PARTS, (id, MAX_LINE_BYTES))


def _part(
    message: dict[str, Any], part: dict[str, Any], record: ConversationRecord, at: int
) -> None:
    kind = part.get("type")
    if message.get("role") == "user":
        if kind == "text" and not part.get("synthetic") and not part.get("ignored"):
            record.add_user_text(part.get("text"), at)
        return
    if isinstance(message.get("modelID"), str):
        record.model = message["modelID"][:100]
    if kind == "text" and not part.get("synthetic"):
        record.add_agent_text(part.get("text"), at)
    elif kind == "tool":
        state = part["state"]
        record.add_tool_call(part.get("callID"), part.get("tool"), state.get("input"), at)
        if state.get("status") in ("completed", "error"):
            about = state.get("metadata")
            code = about.get("exit") if isinstance(about, dict) else 0
            record.note_call_result(part.get("callID"), state["status"] == "error" or bool(code))
