"""VS Code: it runs Copilot's hooks (``gitmem hook copilot``); payloads tell the two apart."""

from __future__ import annotations

from gitmem.agents.hosts.host import (
    EMPTY,
    HOOKS,
    MCP,
    NUMBER,
    OPEN,
    PROJECT,
    RULES,
    RULES_TOO,
    SOURCE,
    STDIO,
    TEXT,
    USER,
    HookReplyFormat,
    Host,
    HostDocumentation,
    HostSimulation,
    hook_specific_output,
)

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

    from gitmem.agents.hosts.scene import SampleSession


def _sample(event: str, scene: SampleSession) -> dict[str, Any]:
    event = "post-command" if event == "post-tool" else event
    return {
        "sessionId": scene.session,
        "timestamp": "2026-01-31T09:00:00.000Z",
        "cwd": scene.folder,
        "hookEventName": scene.common_payload(event)["hook_event_name"],
        "transcript_path": scene.transcript_path,
    } | scene.event_fields(event)


HOST = Host(
    name="vscode",
    title="VS Code",
    programs=("code",),
    folders=("{config}/Code",),
    places={
        (MCP, PROJECT): ("{project}/.vscode/mcp.json",),
        (MCP, USER): ("{config}/Code/User/mcp.json",),
        (HOOKS, PROJECT): ("{project}/.github/hooks/gitmem.json",),
        (RULES, PROJECT): ("{project}/.github/instructions/gitmem.instructions.md",),
    },
    reply=HookReplyFormat(
        heard={"session-start": "SessionStart", "post-tool": "PostToolUse"},
        wrap=hook_specific_output,
        silence=b"{}",
        dialect=lambda _named: "pascal",
        cap=9_500,
    ),
    live=HostSimulation(
        oriented_at="session-start",
        sample=_sample,
        reads=lambda event, output: (
            output.additional_context(event) or output.text_at_key("additionalContext")
        ),
        starts_from_desktop=True,
        reported="Versions of spring 2026 ignored such texts; the instructions file helps.",
    ),
    harmless={
        MCP: {"type": STDIO, "env": EMPTY},
        HOOKS: {"timeoutSec": NUMBER, "comment": TEXT},
    },
    facts=HostDocumentation(
        f"{SOURCE}; whether it is heard: {OPEN}",
        "VS Code asks whether to trust an MCP server before its first start.",
        (
            "It shares `.github/hooks/gitmem.json` with Copilot CLI, so its hooks say `copilot`; "
            "gitmem tells the two apart by what they send.",
            "Whether SessionStart reaches the model: missing in spring 2026, later reported to "
            f"work up to about 10 KB: {OPEN}. {RULES_TOO}",
            "There is no user file for hooks and rules; it also reads Claude Code's.",
        ),
    ),
)
