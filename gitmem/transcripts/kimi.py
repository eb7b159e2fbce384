"""Sessions of Kimi Code: ``sessions/<project>/<session>/agents/main/wire.jsonl``.

The user's words are those of ``turn.prompt``: the messages beside it also hold what the host and
hooks say. Sub-agents have folders beside ``main``, which are not read.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from gitmem.transcripts.record import ConversationRecord, parse_time_ms


def note_session_id(path: str, record: ConversationRecord) -> None:
    """Set the record's session id to that in ``path``, since a Kimi transcript does not hold it."""
    record.set_missing_facts(session=PurePath(path).parts[-4])


def add_transcript_row(row: dict[str, Any], record: ConversationRecord) -> None:
    """Add a line of a Kimi transcript, parsed from JSON, to the record of its conversation."""
    kind, at = row.get("type"), parse_time_ms(row.get("time"))
    if kind == "metadata":
        record.set_missing_facts(version=row.get("protocol_version"))
    elif kind == "profile.bind":
        record.set_missing_facts(folder=row["environmentDisclosure"]["cwd"])
    elif kind == "llm.request":
        if isinstance(row.get("model"), str):
            record.model = row["model"][:100]
    elif kind == "turn.prompt":
        if row["origin"]["kind"] == "user":
            record.add_user_text(row.get("input"), at)
    elif kind == "context.append_loop_event":
        _event(row["event"], record, at)


def _event(event: dict[str, Any], record: ConversationRecord, at: int) -> None:
    kind = event.get("type")
    if kind == "content.part":
        record.add_agent_text([event["part"]], at)
    elif kind == "tool.call":
        record.add_tool_call(event.get("toolCallId"), event.get("name"), event.get("args"), at)
    elif kind == "tool.result":
        record.note_call_result(event.get("toolCallId"), bool(event["result"].get("isError")))
