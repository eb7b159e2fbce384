"""Sessions of Gemini CLI: ``tmp/<name>/chats/session-<time>-<id>.jsonl``.

``.project_root`` beside ``chats`` names the folder. A message is written again under its id when
its tools have answered, and ``$set`` writes all anew, without some, when a session is resumed; so
the last form of each message counts, in the order in which they first came.
"""

from __future__ import annotations

import os
import re
from collections import OrderedDict
from typing import Any

from gitmem.files.plain_file import open_regular_file
from gitmem.transcripts.record import (
    DROPPED,
    MAX_CALLS,
    MAX_TEXT,
    ConversationRecord,
    parse_time_ms,
)

_MAX_MESSAGES = 100_000
_EXIT = re.compile(r"Exit Code: (-?\d+)")


def note_session_folder(path: str, record: ConversationRecord) -> None:
    """Set the record's folder to what a file beside ``path``, a Gemini transcript, names."""
    beside = os.path.join(os.path.dirname(os.path.dirname(path)), ".project_root")
    with open_regular_file(beside, extra_flags=getattr(os, "O_NOFOLLOW", 0)) as file:
        record.set_missing_facts(folder=file.read(5000).decode("utf-8", "replace").strip())


def add_transcript_row(row: dict[str, Any], record: ConversationRecord) -> None:
    """Read a line of a Gemini transcript, parsed from JSON, into ``record``.

    Its messages appear in the conversation once ``add_read_messages`` is called.
    """
    record.set_missing_facts(session=row.get("sessionId"))
    if row.get("kind") == "subagent":
        record.set_missing_facts(parent=row.get("sessionId"))
    changed = row.get("$set")
    messages = changed.get("messages") if isinstance(changed, dict) else [row]
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, dict) and message.get("type") in ("user", "gemini"):
            _keep(message, record)


def _keep(message: dict[str, Any], record: ConversationRecord) -> None:
    """Keep of a message what is stored of it."""
    # Of a plain dict, dropping the first costs a look at every place that earlier ones had.
    messages: OrderedDict[str, _Message] = record.scratch.setdefault("messages", OrderedDict())
    of_user, content = message["type"] == "user", message.get("content")
    if of_user and isinstance(content, list) and any("functionResponse" in b for b in content):
        return
    key = str(message.get("id") or len(messages))
    if key not in messages and len(messages) >= _MAX_MESSAGES:
        messages.popitem(last=False)
        record.counts[DROPPED] += 1
    made = messages.setdefault(key, _Message(of_user))
    made.at = made.at or parse_time_ms(message.get("timestamp"))
    made.model = str(message.get("model") or made.model)[:100]
    room = MAX_TEXT - record.scratch.get("size", 0)
    if content and room > 0:
        made.content = content if isinstance(content, str) else _texts(content) or made.content
        record.scratch["size"] = record.scratch.get("size", 0) + len(made.content)
    calls = message.get("toolCalls")
    for call in calls[:MAX_CALLS] if isinstance(calls, list) else ():
        paths = {"paths": list(record.paths_in_arguments(call.get("args")))}
        made.calls[str(call["id"])] = (call["name"], paths, _failed(call))


class _Message:
    __slots__ = ("at", "calls", "content", "model", "of_user")

    def __init__(self, of_user: bool) -> None:
        self.of_user, self.at, self.content, self.model = of_user, 0, "", ""
        self.calls: dict[str, tuple[Any, dict[str, Any], bool | None]] = {}


def _texts(blocks: Any) -> str:
    texts = [block.get("text") for block in blocks if isinstance(block, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def _failed(call: dict[str, Any]) -> bool | None:
    """Whether a call failed: a command does so with an exit code, under the status success."""
    status = call.get("status")
    if status != "success":
        return True if status in ("error", "cancelled") else None
    match = _EXIT.search(str(call.get("result"))[-500:])
    return match is not None and match[1] != "0"


def add_read_messages(record: ConversationRecord) -> None:
    """Add the messages of all lines read to the conversation in ``record``, at the file's end."""
    for message in record.scratch.pop("messages", {}).values():
        if message.of_user:
            record.add_user_text(message.content, message.at)
            continue
        record.model = message.model or record.model
        record.add_agent_text(message.content, message.at)
        for id, (name, arguments, failed) in message.calls.items():
            record.add_tool_call(id, name, arguments, message.at)
            record.note_call_result(id, failed)
