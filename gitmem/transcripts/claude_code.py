"""Sessions of Claude Code: ``projects/<folder with dashes>/<session>.jsonl``.

A line is a message of the user or the agent, or a note of the host; results of tools are messages
of the user. A sub-agent has a file of its own, and older versions wrote its lines into the
session's. What the host says in the user's name is marked ``isMeta``, or stands in tags.
"""

from __future__ import annotations

import os
from typing import Any

from gitmem.transcripts.record import ConversationRecord, parse_time_ms

_MADE_BY_HOST = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")


def note_sub_agent(path: str, record: ConversationRecord) -> None:
    """Set the record's session if ``path`` is the transcript of a sub-agent of Claude Code."""
    name = os.path.basename(path)
    if name.startswith("agent-"):
        record.set_missing_facts(session=name.removesuffix(".jsonl"))


def add_transcript_row(row: dict[str, Any], record: ConversationRecord) -> None:
    """Add a line of a Claude Code transcript, parsed from JSON, to the record."""
    kind = row.get("type")
    if kind == "summary":
        record.set_missing_facts(summary=row.get("summary"))
    aside = row.get("isSidechain") is True
    if kind not in ("user", "assistant") or any(row.get(name) for name in _MADE_BY_HOST):
        record.set_missing_facts(folder=row.get("cwd"), version=row.get("version"))
        return
    if aside and not record.session.startswith("agent-"):
        return
    if aside:
        record.set_missing_facts(parent=row.get("sessionId"))
    record.set_missing_facts(
        session=row.get("sessionId"), folder=row.get("cwd"), version=row.get("version")
    )
    if isinstance(branch := row.get("gitBranch"), str) and branch != "HEAD":
        record.branch = branch[:200]
    message, at = row["message"], parse_time_ms(row.get("timestamp"))
    content = message.get("content")
    if kind == "user":
        for block in content if isinstance(content, list) else ():
            if block.get("type") == "tool_result":
                record.note_call_result(block.get("tool_use_id"), bool(block.get("is_error")))
        record.add_user_text(content, at)
        return
    if isinstance(message.get("model"), str):
        record.model = message["model"][:100]
    record.add_agent_text(content, at)
    for block in content if isinstance(content, list) else ():
        if block.get("type") == "tool_use":
            record.add_tool_call(block.get("id"), block.get("name"), block.get("input"), at)
