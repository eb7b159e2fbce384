"""Windsurf: hooks only record events, since nothing reaches the model but the rules file."""

from __future__ import annotations

from gitmem.agents.hosts.host import (
    EMPTY,
    HOOKS,
    MCP,
    PROJECT,
    RULES,
    SOURCE,
    SWITCH,
    TEXTS,
    USER,
    Host,
    HostDocumentation,
    HostSimulation,
)

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

    from gitmem.agents.hosts.output import HookOutput
    from gitmem.agents.hosts.scene import SampleSession

_NAMES = {
    "prompt": "pre_user_prompt",
    "post-edit": "post_write_code",
    "post-command": "post_run_command",
    "stop": "post_cascade_response",
}


def _sample(event: str, scene: SampleSession) -> dict[str, Any]:
    happened: dict[str, dict[str, Any]] = {
        "prompt": {"user_prompt": scene.prompt},
        "post-edit": scene.edit_payload,
        "post-command": {"command_line": scene.command, "cwd": scene.folder},
        "stop": {"response": scene.note},
    }
    return {
        "agent_action_name": _NAMES.get(event, event),
        "trajectory_id": scene.session,
        "execution_id": f"{scene.session}-1",
        "timestamp": "2026-01-31T09:00:00Z",
        "tool_info": happened.get(event, {}),
    }


def _reads(_event: str, output: HookOutput) -> str:
    length = len(output.text)
    output.raise_invalid_output(
        f"Windsurf shows output to nobody, and it wrote {length} characters"
    )


HOST = Host(
    name="windsurf",
    title="Windsurf",
    programs=("windsurf",),
    folders=("{home}/.codeium/windsurf",),
    places={
        (MCP, USER): ("{home}/.codeium/windsurf/mcp_config.json",),
        (HOOKS, PROJECT): ("{project}/.windsurf/hooks.json",),
        (HOOKS, USER): ("{home}/.codeium/windsurf/hooks.json",),
        (RULES, PROJECT): ("{project}/.windsurf/rules/gitmem.md",),
    },
    has_cwd=False,
    notes={
        (MCP, USER): "Windsurf has one file for MCP: list several projects with "
        "`gitmem config --user mcp.projects`."
    },
    live=HostSimulation(
        sample=_sample,
        reads=_reads,
        starts_from_desktop=True,
        why_silent="its hooks cannot reach the model: it reads the rules and asks over MCP",
    ),
    rules_cap=6_000,
    harmless={
        MCP: {"env": EMPTY, "disabled": SWITCH, "disabledTools": TEXTS},
        HOOKS: {"show_output": SWITCH},
    },
    facts=HostDocumentation(
        SOURCE,
        "Nothing that is known.",
        (
            "No event starts a session and none speaks to the model: hooks note what happened, the "
            "rules file is all that the model reads.",
            "One file for MCP, of the user: its entry serves your only project, and of several "
            "those that you list in `mcp.projects`. A call names one in `repo`; one that does not "
            "is told which there are.",
            "Transcripts are encrypted, so `gitmem doctor --live` cannot observe anything here.",
        ),
    ),
)
