"""The events that `gitmem doctor --live` reports to hooks, as the payloads of each host.

A session begins in a temporary folder, a file is edited, a command is run, the session ends. No
real file of the user's is named.
"""

from __future__ import annotations

import os
from typing import Any

from gitmem.model.frozen import dataclass

# The names of events that several hosts share.
NAMES = {
    "session-start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "post-edit": "PostToolUse",
    "post-command": "PostToolUse",
    "pre-compact": "PreCompact",
    "stop": "Stop",
    "session-end": "SessionEnd",
}


@dataclass(frozen=True, slots=True)
class SampleSession:
    """A made-up session for trying hooks: its folder, its id, and the file that is edited in it."""

    command = "git status"
    prompt = "What is kept about this repository?"
    note = "What a hook is told by `gitmem doctor --live`."
    printed = "nothing to commit"

    folder: str
    session: str
    file: str

    @property
    def transcript_path(self) -> str:
        """The path of the session's transcript, which does not exist."""
        return os.path.join(self.folder, "transcript.jsonl")

    @property
    def edit_payload(self) -> dict[str, Any]:
        """What a hook is told of an edit of the file, in the form of Cursor and Windsurf."""
        return {"file_path": self.file, "edits": [{"old_string": "x", "new_string": "y"}]}

    def common_payload(self, event: str) -> dict[str, Any]:
        """What a hook is told of an event, in the form of Claude Code and others."""
        payload = {
            "session_id": self.session,
            "cwd": self.folder,
            "hook_event_name": NAMES.get(event, event),
        }
        return payload | self.event_fields(event)

    def event_fields(self, event: str) -> dict[str, Any]:
        """The fields that only this event has in ``common_payload``; empty for an unknown event."""
        edit = {"file_path": self.file, "old_string": "x", "new_string": "y"}
        ran: dict[str, Any] = {"stdout": self.printed, "stderr": "", "interrupted": False}
        payloads: dict[str, dict[str, Any]] = {
            "session-start": {"source": "startup"},
            "prompt": {"prompt": self.prompt},
            "post-edit": {
                "tool_name": "Edit",
                "tool_input": edit,
                "tool_response": {"success": True},
            },
            "post-command": {
                "tool_name": "Bash",
                "tool_input": {"command": self.command},
                "tool_response": ran,
            },
            "pre-compact": {"trigger": "manual", "custom_instructions": ""},
            "stop": {"stop_hook_active": False, "last_assistant_message": self.note},
            "session-end": {"reason": "other"},
        }
        return payloads.get(event, {})
