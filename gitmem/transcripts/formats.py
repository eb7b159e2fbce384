"""The formats of transcripts that are known: where a host keeps them, and who reads them.

Each was taken from sessions that the host itself wrote, of the version named here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gitmem.agents.hosts.host_paths import PathTemplateFolders
from gitmem.model.frozen import dataclass
from gitmem.store.db.connection import Database
from gitmem.transcripts import claude_code, codex, copilot, gemini, kimi, opencode
from gitmem.transcripts.record import ConversationRecord


@dataclass(frozen=True, slots=True)
class TranscriptFileFormat:
    """How to read the transcript files of an agent program, below its folder.

    ``patterns`` match their paths there. ``read`` adds a parsed line to a record, ``begin`` what
    the path tells, ``finish`` ends the file. ``proven`` begins the versions that were tested.
    """

    proven: str
    patterns: tuple[str, ...]
    read: Callable[[dict[str, Any], ConversationRecord], None]
    begin: Callable[[str, ConversationRecord], None] = lambda _path, _record: None
    finish: Callable[[ConversationRecord], None] = lambda _record: None


@dataclass(frozen=True, slots=True)
class TranscriptDatabaseFormat:
    """How to read an agent program's sessions from its SQLite database.

    ``place`` returns its path, ``sessions`` the sessions in it (see
    ``opencode.list_stored_sessions``); ``read`` adds one to a record. ``proven`` begins the
    versions that were tested.
    """

    proven: str
    place: Callable[[PathTemplateFolders], str]
    sessions: Callable[[Database], Iterator[tuple[str, str, int, str]]]
    read: Callable[[Database, str, ConversationRecord], str]


FORMATS = {
    "claude-code": TranscriptFileFormat(
        "2.",
        ("*/*.jsonl", "*/*/subagents/agent-*.jsonl"),
        claude_code.add_transcript_row,
        claude_code.note_sub_agent,
    ),
    "codex": TranscriptFileFormat("0.", ("*/*/*/rollout-*.jsonl",), codex.add_transcript_row),
    "gemini": TranscriptFileFormat(
        "0.",
        ("*/chats/session-*.jsonl",),
        gemini.add_transcript_row,
        gemini.note_session_folder,
        gemini.add_read_messages,
    ),
    "copilot": TranscriptFileFormat("1.", ("*/events.jsonl",), copilot.add_transcript_row),
    "kimi": TranscriptFileFormat(
        "1.", ("*/*/agents/main/wire.jsonl",), kimi.add_transcript_row, kimi.note_session_id
    ),
}
DATABASES = {
    "opencode": TranscriptDatabaseFormat(
        "1.",
        opencode.sessions_database_path,
        opencode.list_stored_sessions,
        opencode.add_session_messages,
    ),
}
HOSTS = (*FORMATS, *DATABASES)
