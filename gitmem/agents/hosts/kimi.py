"""Kimi Code: its session's start is deaf, so the orientation comes with the first prompt."""

from __future__ import annotations

from gitmem.agents.hosts.host import (
    HOOKS,
    MCP,
    PROJECT,
    SOURCE,
    USER,
    Facts,
    Host,
    Live,
    Reply,
    Session,
    Transcripts,
)

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

    from gitmem.agents.hosts.scene import Scene


def _sample(event: str, scene: Scene) -> dict[str, Any]:
    told = scene.common(event)
    if event == "prompt":
        told["prompt"] = [{"type": "text", "text": scene.prompt}]
    if event in ("post-edit", "post-command"):
        del told["tool_response"]
        told |= {"tool_output": scene.printed, "tool_call_id": "call:0"}
    return told


def _facts() -> Facts:
    return Facts(
        SOURCE,
        "Nothing that is known.",
        (
            "SessionStart only observes, so the orientation comes with the first prompt.",
            "What PreCompact answers is ignored.",
            "A key too many in `[[hooks]]` stops the whole configuration from loading: there are "
            "four, and gitmem writes no other.",
            "Hooks are in the user's file only: in a folder without gitmem they say nothing.",
            "The older kimi-cli (`~/.kimi`) is not wired.",
        ),
    )


HOST = Host(
    name="kimi",
    title="Kimi Code",
    programs=("kimi",),
    folders=("{home}/.kimi-code",),
    places={
        (MCP, PROJECT): ("{project}/.kimi-code/mcp.json",),
        (MCP, USER): ("{home}/.kimi-code/mcp.json",),
        (HOOKS, USER): ("{home}/.kimi-code/config.toml",),
    },
    reply=Reply(heard={"prompt": "UserPromptSubmit"}),
    session=Session(oriented_at_first_prompt=True),
    live=Live(
        told_at="prompt",
        sample=_sample,
        transcripts=Transcripts("{home}/.kimi-code/sessions"),
    ),
    facts=_facts,
)
