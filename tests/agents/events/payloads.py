"""What each host writes to a hook's standard input, event by event, as recorded.

Values of a machine are replaced: ``@TREE@`` is the work tree, ``@HOME@`` the home folder. Beside
each payload stands what gitmem has to understand of it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

UUID = "7f9c1e52-3b0a-4c8e-9f53-0d2a61c7b8e4"
CLAUDE_TRANSCRIPT = f"@HOME@/.claude/projects/-home-ada-shop/{UUID}.jsonl"
FILE = "@TREE@/src/cart/cart.py"
PATCH = (
    "*** Begin Patch\n*** Update File: src/cart/cart.py\n@@\n-x = 2\n+x = 3\n"
    "*** Add File: src/cart/tax.py\n+RATE = 19\n*** End Patch\n"
)


@dataclass(frozen=True)
class Recorded:
    """A payload of one host at one event; ``told`` are fields of the moment it stands for."""

    agent: str
    event: str
    payload: dict[str, Any]
    told: dict[str, Any] = field(default_factory=dict)
    name: str = ""

    @property
    def id(self) -> str:
        return " ".join(filter(None, (self.agent, self.event, self.name)))

    def data(self, tree: str, home: str = "/home/ada", **changes: Any) -> bytes:
        """The bytes that the host writes."""
        text = json.dumps(self.payload | changes)
        return text.replace("@TREE@", tree).replace("@HOME@", home).encode()


def _claude(name: str, **more: Any) -> dict[str, Any]:
    return {
        "session_id": UUID,
        "transcript_path": CLAUDE_TRANSCRIPT,
        "cwd": "@TREE@",
        "permission_mode": "default",
        "hook_event_name": name,
        **more,
    }


CLAUDE = (
    Recorded(
        "claude-code",
        "session-start",
        _claude("SessionStart", source="startup"),
        {
            "source": "startup",
            "transcript": f"/home/ada/.claude/projects/-home-ada-shop/{UUID}.jsonl",
        },
    ),
    Recorded(
        "claude-code",
        "prompt",
        _claude("UserPromptSubmit", prompt="Why is the cart slow?"),
        {"prompt": "Why is the cart slow?"},
    ),
    Recorded(
        "claude-code",
        "post-edit",
        _claude(
            "PostToolUse",
            tool_name="Edit",
            tool_input={
                "file_path": FILE,
                "old_string": "x = 2",
                "new_string": "x = 3",
                "replace_all": False,
            },
            tool_response={
                "filePath": FILE,
                "oldString": "x = 2",
                "newString": "x = 3",
                "originalFile": "x = 2\n",
                "structuredPatch": [],
                "userModified": False,
            },
            tool_use_id="toolu_01AbCd",
            duration_ms=12,
        ),
        {"tool": "Edit", "files": (FILE,), "added_text": "x = 3", "removed_text": "x = 2"},
    ),
    Recorded(
        "claude-code",
        "post-command",
        _claude(
            "PostToolUse",
            tool_name="Bash",
            tool_input={"command": "pytest -q", "description": "Run the tests"},
            tool_response={
                "stdout": "1 failed, 2 passed",
                "stderr": "",
                "interrupted": False,
                "isImage": False,
            },
            tool_use_id="toolu_01AbCe",
            agent_id="a1b2c3",
            agent_type="Explore",
        ),
        {
            "command": "pytest -q",
            "output": "1 failed, 2 passed",
            "failed": None,
            "subagent": "a1b2c3",
        },
        "of a sub-agent",
    ),
    Recorded(
        "claude-code",
        "post-command",
        _claude(
            "PostToolUseFailure",
            tool_name="Bash",
            tool_input={"command": "pytest -q", "description": "Run the tests"},
            tool_use_id="toolu_01AbCf",
            error="Exit code 1\nE   ImportError: cannot import name 'shop'",
            is_interrupt=False,
        ),
        {
            "command": "pytest -q",
            "output": "Exit code 1\nE   ImportError: cannot import name 'shop'",
            "failed": True,
            "dialect": "failure",
        },
        "failed",
    ),
    Recorded(
        "claude-code",
        "pre-compact",
        _claude("PreCompact", trigger="auto", custom_instructions=""),
        {"reason": "auto"},
    ),
    Recorded(
        "claude-code",
        "stop",
        _claude("Stop", stop_hook_active=False, last_assistant_message="The cart is fast now."),
        {"message": "The cart is fast now."},
    ),
    Recorded(
        "claude-code", "session-end", _claude("SessionEnd", reason="logout"), {"reason": "logout"}
    ),
)


def _codex(name: str, **more: Any) -> dict[str, Any]:
    return {
        "session_id": UUID,
        "turn_id": "turn-3",
        "transcript_path": None,
        "cwd": "@TREE@",
        "hook_event_name": name,
        "model": "gpt-5-codex",
        "permission_mode": "default",
        **more,
    }


CODEX = (
    Recorded(
        "codex", "session-start", _codex("SessionStart", source="resume"), {"source": "resume"}
    ),
    Recorded(
        "codex", "prompt", _codex("UserPromptSubmit", prompt="Mend it"), {"prompt": "Mend it"}
    ),
    Recorded(
        "codex",
        "post-edit",
        _codex(
            "PostToolUse",
            tool_name="apply_patch",
            tool_input={"command": PATCH},
            tool_response="Success. Updated the following files:\nM src/cart/cart.py\n",
            tool_use_id="call_1",
        ),
        {
            "tool": "apply_patch",
            "files": ("src/cart/cart.py", "src/cart/tax.py"),
            "added_text": "x = 3\nRATE = 19",
            "removed_text": "x = 2",
        },
    ),
    Recorded(
        "codex",
        "post-command",
        _codex(
            "PostToolUse",
            tool_name="Bash",
            tool_input={"command": "cargo test"},
            tool_response="Exit code: 101\nWall time: 2.1 seconds\nOutput:\nerror[E0308]: wrong",
            tool_use_id="call_2",
        ),
        {"command": "cargo test", "failed": True},
    ),
    Recorded("codex", "pre-compact", _codex("PreCompact", trigger="manual"), {"reason": "manual"}),
    Recorded(
        "codex",
        "stop",
        _codex("Stop", stop_hook_active=False, last_assistant_message="Done."),
        {"message": "Done."},
    ),
    Recorded("codex", "session-end", _codex("SessionEnd", reason="exit"), {"reason": "exit"}),
)


def _gemini(name: str, **more: Any) -> dict[str, Any]:
    return {
        "session_id": UUID,
        "transcript_path": "@HOME@/.gemini/tmp/ab12/chats/session.json",
        "cwd": "@TREE@",
        "hook_event_name": name,
        "timestamp": "2026-11-21T08:03:42.123Z",
        **more,
    }


GEMINI = (
    Recorded(
        "gemini", "session-start", _gemini("SessionStart", source="startup"), {"source": "startup"}
    ),
    Recorded("gemini", "prompt", _gemini("BeforeAgent", prompt="Go on"), {"prompt": "Go on"}),
    Recorded(
        "gemini",
        "post-edit",
        _gemini(
            "AfterTool",
            tool_name="write_file",
            tool_input={"file_path": FILE, "content": "x = 3\n"},
            tool_response={"llmContent": "Successfully overwrote file.", "returnDisplay": {}},
        ),
        {"tool": "write_file", "files": (FILE,), "added_text": "x = 3\n", "removed_text": ""},
    ),
    Recorded(
        "gemini",
        "post-command",
        _gemini(
            "AfterTool",
            tool_name="run_shell_command",
            tool_input={"command": "npm test", "description": "tests"},
            tool_response={
                "llmContent": "Command: npm test\nDirectory: (root)\nOutput: 2 bad\nExit Code: 1",
                "returnDisplay": "2 failing",
            },
        ),
        {"command": "npm test", "failed": True},
    ),
    Recorded("gemini", "pre-compact", _gemini("PreCompress", trigger="auto"), {"reason": "auto"}),
    Recorded(
        "gemini",
        "stop",
        _gemini(
            "AfterAgent", prompt="Go on", prompt_response="It is done.", stop_hook_active=False
        ),
        {"message": "It is done."},
    ),
    Recorded("gemini", "session-end", _gemini("SessionEnd", reason="exit"), {"reason": "exit"}),
)


def _antigravity(**more: Any) -> dict[str, Any]:
    return {
        "conversationId": UUID,
        "transcriptPath": "@HOME@/.gemini/antigravity-cli/brain/x/transcript.jsonl",
        "workspacePaths": ["@TREE@"],
        "artifactDirectoryPath": "@HOME@/.gemini/antigravity-cli/brain/x",
        **more,
    }


ANTIGRAVITY = (
    Recorded("antigravity", "pre-invocation", _antigravity(invocationNum=0, initialNumSteps=2), {}),
    Recorded(
        "antigravity",
        "stop",
        _antigravity(terminationReason="NO_TOOL_CALL", error="", fullyIdle=True),
        {"reason": "NO_TOOL_CALL"},
    ),
)


def _cursor(name: str, **more: Any) -> dict[str, Any]:
    return {
        "conversation_id": UUID,
        "generation_id": "0b1c2d3e-0000-4000-8000-000000000001",
        "model": "default",
        "hook_event_name": name,
        "cursor_version": "2.4.21",
        "workspace_roots": ["@TREE@"],
        "user_email": None,
        "transcript_path": None,
        **more,
    }


CURSOR = (
    Recorded(
        "cursor",
        "session-start",
        _cursor("sessionStart", session_id=UUID, is_background_agent=False, composer_mode="agent"),
        {"transcript": ""},
    ),
    Recorded(
        "cursor",
        "prompt",
        _cursor("beforeSubmitPrompt", prompt="Mend the cart", attachments=[]),
        {"prompt": "Mend the cart"},
    ),
    Recorded(
        "cursor",
        "post-edit",
        _cursor(
            "afterFileEdit",
            file_path=FILE,
            edits=[{"old_string": "x = 2", "new_string": "x = 3"}],
        ),
        {"files": (FILE,), "added_text": "x = 3", "removed_text": "x = 2"},
    ),
    Recorded(
        "cursor",
        "post-command",
        _cursor("afterShellExecution", command="make", output="make: *** Error 2", duration=1234),
        {"command": "make", "output": "make: *** Error 2"},
    ),
    Recorded(
        "cursor",
        "pre-compact",
        _cursor("preCompact", trigger="auto", context_usage_percent=85, is_first_compaction=True),
        {"reason": "auto"},
    ),
    Recorded("cursor", "stop", _cursor("stop", status="completed", loop_count=0), {}),
    Recorded(
        "cursor",
        "session-end",
        _cursor("sessionEnd", session_id=UUID, reason="user_close", duration_ms=45_000),
        {"reason": "user_close"},
    ),
)


def _copilot(**more: Any) -> dict[str, Any]:
    return {"sessionId": UUID, "timestamp": 1_795_248_222_000, "cwd": "@TREE@", **more}


COPILOT = (
    Recorded(
        "copilot",
        "session-start",
        _copilot(source="new", initialPrompt="Mend the cart"),
        {"source": "new", "dialect": "camel"},
    ),
    Recorded("copilot", "prompt", _copilot(prompt="Mend the cart"), {"prompt": "Mend the cart"}),
    Recorded(
        "copilot",
        "post-tool",
        _copilot(
            toolName="edit",
            toolArgs=json.dumps({"path": FILE, "old_str": "x = 2", "new_str": "x = 3"}),
            toolResult={"resultType": "success", "textResultForLlm": "File updated."},
        ),
        {
            "tool": "edit",
            "files": (FILE,),
            "command": "",
            "added_text": "x = 3",
            "removed_text": "x = 2",
        },
        "edit",
    ),
    Recorded(
        "copilot",
        "post-tool",
        _copilot(
            toolName="bash",
            toolArgs={"command": "go test ./...", "description": "tests"},
            toolResult={
                "resultType": "success",
                "textResultForLlm": "FAIL shop/cart\n<shellId: 0 completed with exit code 1>",
            },
        ),
        {"command": "go test ./...", "failed": True, "files": ()},
        "command",
    ),
    Recorded(
        "copilot",
        "post-tool",
        _copilot(
            toolName="view",
            toolArgs={"path": FILE},
            toolResult={"resultType": "success", "textResultForLlm": "1. x = 2"},
        ),
        {"tool": "view", "files": (), "command": ""},
        "reading",
    ),
    Recorded(
        "copilot",
        "pre-compact",
        _copilot(transcriptPath="@HOME@/.copilot/x.jsonl", trigger="auto", customInstructions=""),
        {"reason": "auto"},
    ),
    Recorded(
        "copilot",
        "stop",
        _copilot(transcriptPath="@HOME@/.copilot/x.jsonl", stopReason="end_turn"),
        {"reason": "end_turn"},
    ),
    Recorded("copilot", "session-end", _copilot(reason="complete"), {"reason": "complete"}),
)


def _vscode(name: str, **more: Any) -> dict[str, Any]:
    return {
        "timestamp": "2026-11-21T08:03:42.000Z",
        "cwd": "@TREE@",
        "sessionId": UUID,
        "hookEventName": name,
        "transcript_path": "@HOME@/.config/Code/User/x.json",
        **more,
    }


# VS Code reads Copilot's file, so its payloads arrive under Copilot's name.
VSCODE = (
    Recorded(
        "copilot",
        "session-start",
        _vscode("SessionStart", source="new"),
        {"source": "new", "dialect": "pascal"},
        "from VS Code",
    ),
    Recorded(
        "copilot",
        "prompt",
        _vscode("UserPromptSubmit", prompt="Mend the cart"),
        {"prompt": "Mend the cart", "dialect": "pascal"},
        "from VS Code",
    ),
    Recorded(
        "copilot",
        "post-tool",
        _vscode(
            "PostToolUse",
            tool_name="multi_replace_string_in_file",
            tool_input={
                "explanation": "both",
                "replacements": [
                    {"filePath": FILE, "oldString": "x", "newString": "y"},
                    {"filePath": "@TREE@/README.md", "oldString": "a", "newString": "b"},
                ],
            },
            tool_use_id="tool-1",
            tool_response="The files were edited.",
        ),
        {
            "files": (FILE, "@TREE@/README.md"),
            "added_text": "y\nb",
            "removed_text": "x\na",
            "dialect": "pascal",
        },
        "edit from VS Code",
    ),
    Recorded(
        "copilot",
        "post-tool",
        _vscode(
            "PostToolUse",
            tool_name="run_in_terminal",
            tool_input={"command": "npm run build", "explanation": "", "isBackground": False},
            tool_use_id="tool-2",
            tool_response="Command exited with code 2\nerror TS2304: Cannot find name 'x'.",
        ),
        {"command": "npm run build", "failed": True},
        "command from VS Code",
    ),
    Recorded(
        "copilot",
        "session-start",
        {
            "hook_event_name": "SessionStart",
            "session_id": UUID,
            "timestamp": "2026-11-21T08:03:42.000Z",
            "cwd": "@TREE@",
            "source": "startup",
        },
        {"source": "startup", "dialect": "pascal"},
        "with VS Code's names",
    ),
)


def _opencode(**more: Any) -> dict[str, Any]:
    return {"sessionID": "ses_6fA0bC1dE2ffeGhIjKlMnOpQrS", "cwd": "@TREE@", **more}


OPENCODE = (
    Recorded("opencode", "session-start", _opencode(source="startup"), {"source": "startup"}),
    Recorded(
        "opencode",
        "post-edit",
        _opencode(
            tool="edit",
            callID="call_1",
            args={"filePath": FILE, "oldString": "x = 2", "newString": "x = 3"},
            title="src/cart/cart.py",
            metadata={"diff": "--- a\n+++ b\n", "diagnostics": {}},
        ),
        {"tool": "edit", "files": (FILE,), "added_text": "x = 3", "removed_text": "x = 2"},
    ),
    Recorded(
        "opencode",
        "post-edit",
        _opencode(
            tool="write", callID="call_2", title="src/cart/cart.py", metadata={"exists": True}
        ),
        {"tool": "write", "files": ("src/cart/cart.py",), "added_text": "", "removed_text": ""},
        "of an older version",
    ),
    Recorded(
        "opencode",
        "post-command",
        _opencode(
            tool="bash",
            callID="call_3",
            args={"command": "bun test", "description": "tests"},
            title="tests",
            metadata={"output": "1 fail\n", "exit": 1, "description": "tests"},
        ),
        {"command": "bun test", "output": "1 fail\n", "failed": True},
    ),
    Recorded("opencode", "prompt", _opencode(prompt="Mend the cart"), {"prompt": "Mend the cart"}),
    Recorded("opencode", "pre-compact", _opencode(), {}),
    Recorded("opencode", "stop", _opencode(), {}),
    Recorded("opencode", "session-end", _opencode(), {}),
)


def _windsurf(name: str, info: dict[str, Any]) -> dict[str, Any]:
    return {
        "agent_action_name": name,
        "trajectory_id": UUID,
        "execution_id": "0b1c2d3e-0000-4000-8000-000000000002",
        "timestamp": "2026-11-21T08:03:42Z",
        "model_name": "SWE-2",
        "tool_info": info,
    }


WINDSURF = (
    Recorded(
        "windsurf",
        "prompt",
        _windsurf("pre_user_prompt", {"user_prompt": "Mend the cart"}),
        {"prompt": "Mend the cart", "cwd": ""},
    ),
    Recorded(
        "windsurf",
        "post-edit",
        _windsurf(
            "post_write_code",
            {"file_path": FILE, "edits": [{"old_string": "x = 2", "new_string": "x = 3"}]},
        ),
        {"files": (FILE,), "cwd": "", "added_text": "x = 3", "removed_text": "x = 2"},
    ),
    Recorded(
        "windsurf",
        "post-command",
        _windsurf("post_run_command", {"command_line": "npm i", "cwd": "@TREE@"}),
        {"command": "npm i"},
    ),
    Recorded(
        "windsurf",
        "stop",
        _windsurf("post_cascade_response", {"response": "### Done\nThe cart works."}),
        {"message": "### Done\nThe cart works.", "cwd": ""},
    ),
)


def _kimi(name: str, **more: Any) -> dict[str, Any]:
    return {"hook_event_name": name, "session_id": UUID, "cwd": "@TREE@", **more}


KIMI = (
    Recorded(
        "kimi",
        "prompt",
        _kimi("UserPromptSubmit", prompt=[{"type": "text", "text": "Mend the cart"}]),
        {"prompt": "Mend the cart"},
    ),
    Recorded(
        "kimi",
        "post-edit",
        _kimi(
            "PostToolUse",
            tool_name="WriteFile",
            tool_input={"path": "src/cart/cart.py", "content": "x = 3\n"},
            tool_output="File successfully overwritten.",
            tool_call_id="WriteFile:0",
        ),
        {"files": ("src/cart/cart.py",), "added_text": "x = 3\n"},
    ),
    Recorded(
        "kimi",
        "post-command",
        _kimi(
            "PostToolUse",
            tool_name="Shell",
            tool_input={"command": "ruff check"},
            tool_output="Found 1 error.\nCommand failed with exit code: 1.",
            tool_call_id="Shell:1",
        ),
        {"command": "ruff check", "failed": True},
    ),
    Recorded(
        "kimi",
        "post-command",
        _kimi(
            "PostToolUseFailure",
            client_type="kimi_code_cli",
            tool_name="Bash",
            tool_input={"command": "make"},
            tool_call_id="call_3",
            error={
                "code": "internal",
                "message": "No rule to make target\nCommand failed with exit code: 2.",
                "retryable": False,
            },
        ),
        {"command": "make", "failed": True},
        "that failed",
    ),
    Recorded(
        "kimi",
        "pre-compact",
        _kimi("PreCompact", trigger="auto", token_count=1),
        {"reason": "auto"},
    ),
    Recorded("kimi", "stop", _kimi("Stop", stop_hook_active=False), {}),
    Recorded("kimi", "session-end", _kimi("SessionEnd", reason="exit"), {"reason": "exit"}),
)

ALL = (
    *(*CLAUDE, *CODEX, *GEMINI, *ANTIGRAVITY, *CURSOR, *COPILOT, *VSCODE, *OPENCODE),
    *(*WINDSURF, *KIMI),
)
