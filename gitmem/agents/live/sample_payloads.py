"""What each host writes to a hook's standard input, for firing a hook as its host does.

Every payload tells of the same small piece of work in a folder of ours: a session begins, a file is
edited, a command is run, the session ends. Nothing in it names a real file of the user's.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from gitmem.model.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

COMMAND = "git status"
PROMPT = "What is kept about this repository?"
NOTE = "What a hook is told by `gitmem doctor --live`."

_CLAUDE = {
    "session-start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "post-edit": "PostToolUse",
    "post-command": "PostToolUse",
    "pre-compact": "PreCompact",
    "stop": "Stop",
    "session-end": "SessionEnd",
}
_GEMINI = _CLAUDE | {
    "prompt": "BeforeAgent",
    "post-edit": "AfterTool",
    "post-command": "AfterTool",
    "pre-compact": "PreCompress",
    "stop": "AfterAgent",
}
_CURSOR = {
    "session-start": "sessionStart",
    "prompt": "beforeSubmitPrompt",
    "post-edit": "afterFileEdit",
    "post-command": "afterShellExecution",
    "pre-compact": "preCompact",
    "stop": "stop",
    "session-end": "sessionEnd",
}
_VSCODE = {**_CLAUDE, "post-tool": "PostToolUse"}
_WINDSURF = {
    "prompt": "pre_user_prompt",
    "post-edit": "post_write_code",
    "post-command": "post_run_command",
    "stop": "post_cascade_response",
}


@dataclass(frozen=True, slots=True)
class Scene:
    """Where a hook is fired: the folder, the session's id and a file in the folder."""

    folder: str
    session: str
    file: str

    @property
    def transcript(self) -> str:
        """Where a transcript would lie; there is none."""
        return os.path.join(self.folder, "transcript.jsonl")


def given(host: str, event: str, scene: Scene) -> dict[str, Any]:
    """The object that a host gives a hook. ``host`` is who fires it, which a line cannot tell."""
    return _BY_HOST.get(host, _claude)(event, scene)


def _claude(event: str, scene: Scene) -> dict[str, Any]:
    return _snake(event, scene) | {
        "transcript_path": scene.transcript,
        "permission_mode": "default",
    }


def _snake(event: str, scene: Scene) -> dict[str, Any]:
    """What Claude Code, Codex, Gemini and Kimi have in common."""
    told = {
        "session_id": scene.session,
        "cwd": scene.folder,
        "hook_event_name": _CLAUDE.get(event, event),
    }
    return told | _happened(event, scene)


def _happened(event: str, scene: Scene) -> dict[str, Any]:
    """What the event itself adds."""
    edit = {"file_path": scene.file, "old_string": "x", "new_string": "y"}
    ran: dict[str, Any] = {"stdout": "nothing to commit", "stderr": "", "interrupted": False}
    told: dict[str, dict[str, Any]] = {
        "session-start": {"source": "startup"},
        "prompt": {"prompt": PROMPT},
        "post-edit": {"tool_name": "Edit", "tool_input": edit, "tool_response": {"success": True}},
        "post-command": {
            "tool_name": "Bash",
            "tool_input": {"command": COMMAND},
            "tool_response": ran,
        },
        "pre-compact": {"trigger": "manual", "custom_instructions": ""},
        "stop": {"stop_hook_active": False, "last_assistant_message": NOTE},
        "session-end": {"reason": "other"},
    }
    return told.get(event, {})


def _codex(event: str, scene: Scene) -> dict[str, Any]:
    told = _claude(event, scene) | {"turn_id": "turn-1", "model": "default"}
    if event == "post-edit":
        patch = f"*** Begin Patch\n*** Update File: {scene.file}\n@@\n-x\n+y\n*** End Patch\n"
        told |= {"tool_name": "apply_patch", "tool_input": {"command": patch}}
        told["tool_response"] = "Success. Updated the following files:\nM README.md\n"
    elif event == "post-command":
        told["tool_response"] = "Exit code: 0\nOutput:\nnothing to commit"
    return told


def _gemini(event: str, scene: Scene) -> dict[str, Any]:
    told = _snake(event, scene) | {
        "hook_event_name": _GEMINI.get(event, event),
        "transcript_path": scene.transcript,
        "timestamp": "2026-01-31T09:00:00.000Z",
    }
    names = {"post-edit": "replace", "post-command": "run_shell_command"}
    if event in names:
        told |= {"tool_name": names[event], "tool_response": {"llmContent": "nothing to commit"}}
    if event == "stop":
        told["prompt_response"] = told.pop("last_assistant_message")
    return told


def _kimi(event: str, scene: Scene) -> dict[str, Any]:
    told = _snake(event, scene)
    if event == "prompt":
        told["prompt"] = [{"type": "text", "text": PROMPT}]
    if event in ("post-edit", "post-command"):
        del told["tool_response"]
        told |= {"tool_output": "nothing to commit", "tool_call_id": "call:0"}
    return told


def _cursor(event: str, scene: Scene) -> dict[str, Any]:
    told = {
        "conversation_id": scene.session,
        "generation_id": f"{scene.session}-1",
        "model": "default",
        "hook_event_name": _CURSOR.get(event, event),
        "cursor_version": "2.0.0",
        "workspace_roots": [scene.folder],
        "transcript_path": None,
    }
    more: dict[str, dict[str, Any]] = {
        "session-start": {"session_id": scene.session, "is_background_agent": False},
        "prompt": {"prompt": PROMPT, "attachments": []},
        "post-edit": {
            "file_path": scene.file,
            "edits": [{"old_string": "x", "new_string": "y"}],
        },
        "post-command": {"command": COMMAND, "output": "nothing to commit", "duration": 12},
        "pre-compact": {"trigger": "manual"},
        "stop": {"status": "completed", "loop_count": 0},
        "session-end": {"session_id": scene.session, "reason": "completed"},
    }
    return told | more.get(event, {})


def _copilot(event: str, scene: Scene) -> dict[str, Any]:
    told = {"sessionId": scene.session, "timestamp": 1_769_850_000_000, "cwd": scene.folder}
    more: dict[str, dict[str, Any]] = {
        "session-start": {"source": "startup", "initialPrompt": ""},
        "prompt": {"prompt": PROMPT},
        "post-tool": {
            "toolName": "bash",
            "toolArgs": f'{{"command": "{COMMAND}"}}',
            "toolResult": {"resultType": "success", "textResultForLlm": "nothing to commit"},
        },
        "pre-compact": {"trigger": "manual"},
        "stop": {"stopReason": "end_turn"},
        "session-end": {"reason": "complete"},
    }
    return told | more.get(event, {})


def _vscode(event: str, scene: Scene) -> dict[str, Any]:
    told = {
        "sessionId": scene.session,
        "timestamp": "2026-01-31T09:00:00.000Z",
        "cwd": scene.folder,
        "hookEventName": _VSCODE.get(event, event),
        "transcript_path": scene.transcript,
    }
    return told | _happened("post-command" if event == "post-tool" else event, scene)


def _antigravity(event: str, scene: Scene) -> dict[str, Any]:
    told = {
        "conversationId": scene.session,
        "transcriptPath": scene.transcript,
        "workspacePaths": [scene.folder],
    }
    return told | ({"fullyIdle": True} if event == "stop" else {"invocationNum": 0})


def _opencode(event: str, scene: Scene) -> dict[str, Any]:
    told: dict[str, Any] = {"sessionID": scene.session, "cwd": scene.folder}
    more: dict[str, dict[str, Any]] = {
        "session-start": {"source": "startup"},
        "post-edit": {
            "tool": "edit",
            "args": {"filePath": scene.file},
            "title": "",
            "metadata": {},
        },
        "post-command": {
            "tool": "bash",
            "args": {"command": COMMAND},
            "title": COMMAND,
            "metadata": {"exit": 0, "output": "nothing to commit"},
        },
    }
    return told | more.get(event, {})


def _windsurf(event: str, scene: Scene) -> dict[str, Any]:
    happened: dict[str, dict[str, Any]] = {
        "prompt": {"user_prompt": PROMPT},
        "post-edit": {
            "file_path": scene.file,
            "edits": [{"old_string": "x", "new_string": "y"}],
        },
        "post-command": {"command_line": COMMAND, "cwd": scene.folder},
        "stop": {"response": NOTE},
    }
    return {
        "agent_action_name": _WINDSURF.get(event, event),
        "trajectory_id": scene.session,
        "execution_id": f"{scene.session}-1",
        "timestamp": "2026-01-31T09:00:00Z",
        "tool_info": happened.get(event, {}),
    }


_BY_HOST: dict[str, Callable[[str, Scene], dict[str, Any]]] = {
    "codex": _codex,
    "kimi": _kimi,
    "gemini": _gemini,
    "cursor": _cursor,
    "copilot": _copilot,
    "vscode": _vscode,
    "antigravity": _antigravity,
    "opencode": _opencode,
    "windsurf": _windsurf,
}
