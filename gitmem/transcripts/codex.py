"""Sessions of Codex: ``sessions/<year>/<month>/<day>/rollout-<time>-<session>.jsonl``.

The first line (``session_meta``) names the folder. What was said comes twice: as items of the
model's requests (``response_item``), which are read, and as events (``event_msg``), of which only
the outcomes of tools are. Among the user's messages are such of the host: newer versions say so.
"""

from __future__ import annotations

import json
import re
from typing import Any

from gitmem.transcripts.record import ConversationRecord, parse_time_ms

_EXIT = re.compile(r"(?:Exit code:|Process exited with code) (-?\d+)")
_CALLS = ("function_call", "custom_tool_call", "local_shell_call")
_RESULTS = ("function_call_output", "custom_tool_call_output")
_HOSTS_OWN = "# AGENTS.md instructions"


def add_transcript_row(row: dict[str, Any], record: ConversationRecord) -> None:
    """Add a line of a Codex transcript, parsed from JSON, to the record of its conversation."""
    kind, payload = row.get("type"), row["payload"]
    if kind == "session_meta":
        _begin(payload, record)
    elif kind == "turn_context":
        if isinstance(payload.get("model"), str):
            record.model = payload["model"][:100]
    elif kind == "event_msg" and payload.get("type") == "item_completed":
        item = payload["item"]
        if item.get("status") in ("completed", "failed"):
            record.note_call_result(item.get("id"), item["status"] == "failed")
    elif kind == "response_item":
        _item(payload, record, parse_time_ms(row.get("timestamp")))


def _begin(payload: dict[str, Any], record: ConversationRecord) -> None:
    if record.session:  # a copy of the session that this one goes on from
        return
    git, source = payload.get("git"), payload.get("source")
    record.set_missing_facts(
        session=payload.get("id"),
        folder=payload.get("cwd"),
        version=payload.get("cli_version"),
        branch=git.get("branch") if isinstance(git, dict) else "",
        parent=payload.get("forked_from_id"),
    )
    if isinstance(source, dict):
        record.set_missing_facts(parent=source["subagent"]["thread_spawn"]["parent_thread_id"])


def _item(item: dict[str, Any], record: ConversationRecord, at: int) -> None:
    kind, role = item.get("type"), item.get("role")
    if kind == "message" and role == "user":
        notes = item.get("internal_chat_message_metadata_passthrough")
        kinds = notes.get("content_item_kinds") if isinstance(notes, dict) else None
        blocks = item["content"]
        if isinstance(kinds, list) and len(kinds) == len(blocks):
            blocks = [
                block
                for block, of in zip(blocks, kinds, strict=True)
                if str(of).startswith("user.")
            ]
        record.add_user_text(
            [b for b in blocks if not str(b.get("text")).startswith(_HOSTS_OWN)], at
        )
    elif kind == "message" and role == "assistant":
        record.add_agent_text(item["content"], at)
    elif kind in _CALLS:
        name, within = item.get("name") or "shell", item.get("namespace")
        name = f"{within}__{name}" if isinstance(within, str) and within else name
        record.add_tool_call(item.get("call_id"), name, _arguments(item), at)
    elif kind in _RESULTS:
        record.note_call_result(item.get("call_id"), _failed(item.get("output")))


def _arguments(item: dict[str, Any]) -> Any:
    text = item.get("arguments", item.get("input"))
    if not isinstance(text, str) or not text.startswith("{"):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _failed(output: Any) -> bool | None:
    """Whether an output says so: by a mark, or by an exit code at its beginning."""
    if isinstance(output, dict):
        success = output.get("success")
        return not success if isinstance(success, bool) else None
    match = _EXIT.search(output[:300]) if isinstance(output, str) else None
    return match[1] != "0" if match else None
