"""Cursor: the CLI and the editor, which take text at a session's start only."""

from __future__ import annotations

from gitmem.agents.hosts.host import (
    EMPTY,
    HOOKS,
    MCP,
    NUMBER,
    OPEN,
    PROJECT,
    REPORTS,
    RULES,
    RULES_TOO,
    SOURCE,
    STDIO,
    SWITCH,
    USER,
    HookReplyFormat,
    Host,
    HostDocumentation,
    HostPlugin,
    HostSimulation,
    TranscriptLocation,
)

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gitmem.agents.hosts.scene import SampleSession

_MANIFEST = ".cursor-plugin/plugin.json"
_NAMES = {
    "session-start": "sessionStart",
    "prompt": "beforeSubmitPrompt",
    "post-edit": "afterFileEdit",
    "post-command": "afterShellExecution",
    "pre-compact": "preCompact",
    "stop": "stop",
    "session-end": "sessionEnd",
}


def _sample(event: str, scene: SampleSession) -> dict[str, Any]:
    payload = {
        "conversation_id": scene.session,
        "generation_id": f"{scene.session}-1",
        "model": "default",
        "hook_event_name": _NAMES.get(event, event),
        "cursor_version": "2.0.0",
        "workspace_roots": [scene.folder],
        "transcript_path": None,
    }
    more: dict[str, dict[str, Any]] = {
        "session-start": {"session_id": scene.session, "is_background_agent": False},
        "prompt": {"prompt": scene.prompt, "attachments": []},
        "post-edit": scene.edit_payload,
        "post-command": {"command": scene.command, "output": scene.printed, "duration": 12},
        "pre-compact": {"trigger": "manual"},
        "stop": {"status": "completed", "loop_count": 0},
        "session-end": {"session_id": scene.session, "reason": "completed"},
    }
    return payload | more.get(event, {})


def _plugin(
    about: dict[str, Any], shape: dict[str, Any], template: Callable[[str], str]
) -> list[tuple[str, Any]]:
    parts = {"mcpServers": "./mcp.json", "hooks": "./hooks/cursor.json", "rules": "./rules/"}
    rules = template("cursor.mdc").replace("@RULES@\n", template("rules.md"))
    return [
        (_MANIFEST, about | parts),
        ("hooks/cursor.json", shape[HOOKS]),
        ("mcp.json", shape[MCP]),
        ("rules/gitmem.mdc", rules),
    ]


HOST = Host(
    name="cursor",
    title="Cursor",
    programs=("cursor", "cursor-agent"),
    folders=("{home}/.cursor",),
    places={
        (MCP, PROJECT): ("{project}/.cursor/mcp.json",),
        (MCP, USER): ("{home}/.cursor/mcp.json",),
        (HOOKS, PROJECT): ("{project}/.cursor/hooks.json",),
        (HOOKS, USER): ("{home}/.cursor/hooks.json",),
        (RULES, PROJECT): ("{project}/.cursor/rules/gitmem.mdc",),
    },
    mark="CURSOR_AGENT",
    reply=HookReplyFormat(
        heard={"session-start": "sessionStart"},
        wrap=lambda _name, text, _dialect: {"additional_context": text},
        silence=b"{}",
        own_silence={"prompt": b'{"continue":true}'},
    ),
    live=HostSimulation(
        oriented_at="session-start",
        sample=_sample,
        reads=lambda _event, output: output.text_at_key("additional_context"),
        starts_from_desktop=True,
        transcripts=TranscriptLocation(
            "{home}/.cursor/projects", named_by_path=True, folder_is_proof=True
        ),
        reported="Its editor has dropped such texts at times (its CLI has not); the rules file "
        "helps.",
    ),
    harmless={
        MCP: {"type": STDIO, "env": EMPTY, "disabled": SWITCH},
        HOOKS: {"timeout": NUMBER},
    },
    plugin=HostPlugin(_MANIFEST, _plugin),
    facts=HostDocumentation(
        f"{SOURCE} and {REPORTS}; the IDE: {OPEN}",
        "Nothing that is known.",
        (
            "The CLI heeds what sessionStart answers. The IDE has dropped it for a race; one "
            f"report says that this is mended: {OPEN}. {RULES_TOO}",
            "beforeSubmitPrompt and stop do not fire in print mode.",
            "preCompact cannot speak to the model.",
            "Cursor can import Claude's hooks. A session is oriented once, whichever asks first.",
        ),
    ),
)
