"""Sessions of Copilot CLI: ``session-state/<session>/events.jsonl``.

The first event names the folder and the branch. A user's message stands there as it was typed
(``content``) and as the model got it (``transformedContent``), which is not read.
"""

from __future__ import annotations

from typing import Any

from gitmem.transcripts.record import ConversationRecord, parse_time_ms


def add_transcript_row(row: dict[str, Any], record: ConversationRecord) -> None:
    """Add a line of a Copilot transcript, parsed from JSON, to the record of its conversation."""
    kind, data, at = row.get("type"), row["data"], parse_time_ms(row.get("timestamp"))
    if kind in ("session.start", "session.resume"):
        place = data.get("context") or {}
        record.set_missing_facts(
            session=data.get("sessionId"),
            folder=place.get("cwd"),
            branch=place.get("branch"),
            version=data.get("copilotVersion"),
        )
    elif kind == "user.message":
        record.add_user_text(data.get("content"), at)
    elif kind == "assistant.message":
        if isinstance(data.get("model"), str):
            record.model = data["model"][:100]
        record.add_agent_text(data.get("content"), at)
    elif kind == "tool.execution_start":
        record.add_tool_call(
            data.get("toolCallId"), data.get("toolName"), data.get("arguments"), at
        )
    elif kind == "tool.execution_complete":
        shell = data.get("shellExecution")
        code = shell.get("exitCode") if isinstance(shell, dict) else 0
        record.note_call_result(data.get("toolCallId"), not data.get("success") or bool(code))
