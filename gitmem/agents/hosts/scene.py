"""The small piece of work that `gitmem doctor --live` tells hooks of, for each host in its words.

A session begins in a folder of ours, a file is edited, a command is run, the session ends. Nothing
in it names a real file of the user's.
"""

from __future__ import annotations

import os
from typing import Any

from gitmem.model.frozen import dataclass

# The names that several hosts have for the events.
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
class Scene:
    """Where a hook is fired: the folder, the session's id and a file in the folder."""

    command = "git status"
    prompt = "What is kept about this repository?"
    note = "What a hook is told by `gitmem doctor --live`."
    printed = "nothing to commit"

    folder: str
    session: str
    file: str

    @property
    def transcript(self) -> str:
        """Where a transcript would lie; there is none."""
        return os.path.join(self.folder, "transcript.jsonl")

    @property
    def edit(self) -> dict[str, Any]:
        """An edit of the file, as three hosts tell it."""
        return {"file_path": self.file, "edits": [{"old_string": "x", "new_string": "y"}]}

    def common(self, event: str) -> dict[str, Any]:
        """The fields that several hosts have in common."""
        told = {
            "session_id": self.session,
            "cwd": self.folder,
            "hook_event_name": NAMES.get(event, event),
        }
        return told | self.happened(event)

    def happened(self, event: str) -> dict[str, Any]:
        """What the event itself adds to them."""
        edit = {"file_path": self.file, "old_string": "x", "new_string": "y"}
        ran: dict[str, Any] = {"stdout": self.printed, "stderr": "", "interrupted": False}
        told: dict[str, dict[str, Any]] = {
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
        return told.get(event, {})
