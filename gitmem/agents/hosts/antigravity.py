"""Antigravity CLI: its hook runs before each call of the model, and answers once a conversation."""

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
    SWITCH,
    TEXTS,
    USER,
    HookReplyFormat,
    Host,
    HostDocumentation,
    HostSimulation,
)

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

    from gitmem.agents.hosts.output import HookOutput
    from gitmem.agents.hosts.scene import SampleSession

_LISTED = '`agy -p "/hooks" --output-format json` lists the hooks actually loaded.'


def _sample(event: str, scene: SampleSession) -> dict[str, Any]:
    payload = {
        "conversationId": scene.session,
        "transcriptPath": scene.transcript_path,
        "workspacePaths": [scene.folder],
    }
    return payload | ({"fullyIdle": True} if event == "stop" else {"invocationNum": 0})


def _reads(_event: str, output: HookOutput) -> str:
    from gitmem.agents.hosts.output import read_optional_text  # noqa: PLC0415 - not for a hook

    steps = output.json_object().get("injectSteps", [])
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        output.raise_invalid_output("injectSteps is not a list of objects")
    return "\n".join(read_optional_text(step.get("ephemeralMessage")) for step in steps)


HOST = Host(
    name="antigravity",
    title="Antigravity CLI",
    programs=("agy", "antigravity"),
    folders=(
        "{home}/.gemini/config",
        "{home}/.gemini/antigravity-cli",
        "{home}/.gemini/antigravity",
    ),
    places={
        (MCP, PROJECT): ("{project}/.agents/mcp_config.json",),
        (MCP, USER): ("{home}/.gemini/config/mcp_config.json",),
        (HOOKS, PROJECT): ("{project}/.agents/hooks.json",),
        (HOOKS, USER): ("{home}/.gemini/config/hooks.json",),
        (RULES, PROJECT): ("{project}/AGENTS.md",),
        (RULES, USER): ("{home}/.gemini/GEMINI.md",),
    },
    notes={(HOOKS, PROJECT): _LISTED, (HOOKS, USER): _LISTED},
    reply=HookReplyFormat(
        heard={"pre-invocation": "PreInvocation"},
        wrap=lambda _name, text, _dialect: {"injectSteps": [{"ephemeralMessage": text}]},
        silence=b"{}",
    ),
    live=HostSimulation(oriented_at="pre-invocation", sample=_sample, reads=_reads),
    harmless={
        MCP: {"env": EMPTY, "disabled": SWITCH, "disabledTools": TEXTS},
        HOOKS: {"timeout": NUMBER},
    },
    facts=HostDocumentation(
        f"{REPORTS}, changing monthly; paths: {OPEN}",
        f"Nothing. {_LISTED}",
        (
            "Other places of its files are seen in the wild.",
            "A file of Claude's shape makes the whole file unreadable: the keys at the top are the "
            "names of hooks.",
            "SessionStart may fire at each call of the model, so gitmem does not use it: "
            "PreInvocation speaks once for each conversation.",
            "Tool events came and went between builds. None is used.",
            "Errors go to a log only.",
        ),
    ),
)
