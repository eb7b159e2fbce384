"""Gemini CLI: one JSON object for every answer, and limits in milliseconds."""

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
    Plugin,
    Reply,
    specific,
)

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gitmem.agents.hosts.output import Output
    from gitmem.agents.hosts.scene import Scene

_MANIFEST = "gemini-extension.json"
_SETTINGS = "{home}/.gemini/settings.json"
_OWN_NAMES = {
    "prompt": "BeforeAgent",
    "post-edit": "AfterTool",
    "post-command": "AfterTool",
    "pre-compact": "PreCompress",
    "stop": "AfterAgent",
}


def _sample(event: str, scene: Scene) -> dict[str, Any]:
    told = scene.common(event)
    told |= {
        "hook_event_name": _OWN_NAMES.get(event, told["hook_event_name"]),
        "transcript_path": scene.transcript,
        "timestamp": "2026-01-31T09:00:00.000Z",
    }
    names = {"post-edit": "replace", "post-command": "run_shell_command"}
    if event in names:
        told |= {"tool_name": names[event], "tool_response": {"llmContent": scene.printed}}
    if event == "stop":
        told["prompt_response"] = told.pop("last_assistant_message")
    return told


def _reads(event: str, output: Output) -> str:
    told = ("prompt", "post-edit", "post-command")
    return output.specific(event, names={one: _OWN_NAMES[one] for one in told})


def _plugin(
    about: dict[str, Any], shape: dict[str, Any], template: Callable[[str], str]
) -> list[tuple[str, Any]]:
    return [
        (_MANIFEST, about | {"contextFileName": "GEMINI.md"} | shape[MCP]),
        ("hooks/hooks.json", shape[HOOKS]),
        ("GEMINI.md", template("rules.md")),
    ]


def _facts() -> Facts:
    return Facts(
        SOURCE,
        "Nothing that is known.",
        (
            "Time limits are milliseconds here.",
            "A hook must print one JSON object and nothing else.",
            "SessionEnd is best effort: it may be cut off.",
            "No session starts anew after compression: the orientation waits for the next prompt.",
        ),
    )


HOST = Host(
    name="gemini",
    title="Gemini CLI",
    programs=("gemini",),
    folders=(_SETTINGS,),
    places={
        (MCP, PROJECT): ("{project}/.gemini/settings.json",),
        (MCP, USER): (_SETTINGS,),
        (HOOKS, PROJECT): ("{project}/.gemini/settings.json",),
        (HOOKS, USER): (_SETTINGS,),
    },
    mark="GEMINI_CLI",
    reply=Reply(
        heard={
            "session-start": "SessionStart",
            "prompt": "BeforeAgent",
            "post-edit": "AfterTool",
            "post-command": "AfterTool",
        },
        wrap=specific,
        silence=b"{}",
        cap=9_500,
    ),
    live=Live(
        told_at="session-start",
        sample=_sample,
        reads=_reads,
        environment={"GEMINI_CLI": "1"},
    ),
    timeouts_per_second=1000,
    plugin=Plugin(_MANIFEST, _plugin),
    facts=_facts,
)
