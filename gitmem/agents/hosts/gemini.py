"""Gemini CLI: one JSON object for every answer, and limits in milliseconds."""

from __future__ import annotations

from gitmem.agents.hosts.host import (
    EMPTY,
    HOOKS,
    MCP,
    NUMBER,
    OWN,
    PROJECT,
    RUN,
    STDIO,
    TEXT,
    TEXTS,
    USER,
    FolderEnvironmentVariable,
    HookReplyFormat,
    Host,
    HostApprovals,
    HostDocumentation,
    HostPlugin,
    HostSessionBehaviour,
    HostSimulation,
    TranscriptLocation,
    hook_specific_output,
)

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from gitmem.agents.hosts.host import ToolStep
    from gitmem.agents.hosts.output import HookOutput
    from gitmem.agents.hosts.scene import SampleSession

_MANIFEST = "gemini-extension.json"
_SETTINGS = "{home}/.gemini/settings.json"
_TRUSTED = "{gemini_trust}"
_VARIABLE = "GEMINI_CLI_TRUSTED_FOLDERS_PATH"
_TRUST, _PARENT, _REFUSED = "TRUST_FOLDER", "TRUST_PARENT", "DO_NOT_TRUST"
_UNTRUSTED = "Gemini CLI does not trust this folder yet: start gemini here and say yes"
_TRUST_NOTE = (
    "Gemini CLI asks at its first start in a folder whether you trust it: say yes, else nothing of "
    "this runs. It reads the file when it is started in this very folder: for sub-folders use "
    "--scope user."
)
_DENIED = "Gemini CLI was told not to trust this folder: type /permissions in gemini"
_INVALID = "Gemini CLI does not start: correct the level {level!r} in its trustedFolders.json"
_OWN_NAMES = {
    "prompt": "BeforeAgent",
    "post-edit": "AfterTool",
    "post-command": "AfterTool",
    "pre-compact": "PreCompress",
    "stop": "AfterAgent",
}


def _doubts(approvals: HostApprovals, setup_part: str, scope: str, _path: str) -> list[str]:
    """In a folder that is not trusted it reads no project files and connects no server."""
    if scope == USER and setup_part != MCP:
        return []
    from gitmem.text import jsonc  # noqa: PLC0415 - not for a hook

    asks = ("security", "folderTrust", "enabled")
    if jsonc.value_at_keys(approvals.read(_SETTINGS), asks) is False:
        return []
    rules = approvals.read(_TRUSTED)
    rules = rules if isinstance(rules, dict) else {}
    for level in rules.values():
        if level not in (_TRUST, _PARENT, _REFUSED):
            return [_INVALID.format(level=level)]
    level = _level(rules, approvals.project)
    return [] if level in (_TRUST, _PARENT) else [_DENIED if level else _UNTRUSTED]


def _level(rules: dict[str, str], folder: str) -> str:
    """The level of the rule with the longest path that contains the folder; empty for none."""
    import os  # noqa: PLC0415 - not for a hook

    real_folder, level = os.path.realpath(folder), ""
    for path in sorted(rules, key=len):
        place = os.path.realpath(os.path.dirname(path) if rules[path] == _PARENT else path)
        if real_folder == place or real_folder.startswith(place.rstrip(os.sep) + os.sep):
            level = rules[path]
    return level


def _fires(event: str, matcher: str) -> bool:
    """A matcher is a pattern for tools only; for other events it has to be the exact word."""
    tools = ("post-edit", "post-command")
    if event in tools or matcher in ("", "*"):
        return True
    return matcher == {"session-start": "startup", "pre-compact": "manual"}.get(event)


def _sample(event: str, scene: SampleSession) -> dict[str, Any]:
    payload = scene.common_payload(event)
    payload |= {
        "hook_event_name": _OWN_NAMES.get(event, payload["hook_event_name"]),
        "transcript_path": scene.transcript_path,
        "timestamp": "2026-01-31T09:00:00.000Z",
    }
    names = {"post-edit": "replace", "post-command": "run_shell_command"}
    if event in names:
        payload |= {"tool_name": names[event], "tool_response": {"llmContent": scene.printed}}
    if event == "stop":
        payload["prompt_response"] = payload.pop("last_assistant_message")
    return payload


def _reads(event: str, output: HookOutput) -> str:
    events = ("prompt", "post-edit", "post-command")
    return output.additional_context(
        event, names_by_event={event: _OWN_NAMES[event] for event in events}
    )


def _plugin(
    about: dict[str, Any], shape: dict[str, Any], template: Callable[[str], str]
) -> list[tuple[str, Any]]:
    return [
        (_MANIFEST, about | {"contextFileName": "GEMINI.md"} | shape[MCP]),
        ("hooks/hooks.json", shape[HOOKS]),
        ("GEMINI.md", template("rules.md")),
    ]


def _steps(row: dict[str, Any]) -> Iterator[ToolStep]:
    for call in row["toolCalls"]:
        yield call["id"], call["name"], call["status"] == "success"


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
    only_there=(MCP, HOOKS),
    skills={PROJECT: "{project}/.agents/skills", USER: "{home}/.agents/skills"},
    notes={(HOOKS, PROJECT): _TRUST_NOTE},
    bases={
        "gemini_trust": FolderEnvironmentVariable(_VARIABLE, "{home}/.gemini/trustedFolders.json")
    },
    mark="GEMINI_CLI",
    reply=HookReplyFormat(
        heard={
            "session-start": "SessionStart",
            "prompt": "BeforeAgent",
            "post-edit": "AfterTool",
            "post-command": "AfterTool",
            "stop": "AfterAgent",
        },
        wrap=hook_specific_output,
        silence=b"{}",
        cap=9_500,
    ),
    session=HostSessionBehaviour(repeats_before_prompt=("<hook_context>", "</hook_context>")),
    live=HostSimulation(
        oriented_at="session-start",
        sample=_sample,
        reads=_reads,
        fires=_fires,
        environment={"GEMINI_CLI": "1"},
        transcripts=TranscriptLocation(
            "{home}/.gemini/tmp", root_file=".project_root", steps=_steps
        ),
    ),
    doubts=_doubts,
    timeouts_per_second=1000,
    named_in=(
        (_SETTINGS, ("mcp", "allowed")),
        (_SETTINGS, ("tools", "allowed")),
        ("{project}/.gemini/settings.json", ("mcp", "allowed")),
        ("{project}/.gemini/settings.json", ("tools", "allowed")),
        ("{home}/.gemini/policies/auto-saved.toml", ("rule",)),
    ),
    harmless={
        MCP: {
            "type": STDIO,
            "env": EMPTY,
            "timeout": NUMBER,
            "trust": OWN,  # all tools of the server run without asking
            "description": TEXT,
            "includeTools": TEXTS,
            "excludeTools": TEXTS,
        },
        HOOKS: {"timeout": NUMBER, "description": TEXT},
    },
    plugin=HostPlugin(_MANIFEST, _plugin),
    tags=(
        *("hook_context", "untrusted_context", "session_context", "loaded_context"),
        *("project_context", "extension_context", "global_context", "user_project_memory"),
        *("user_instructions", "available_skills", "activated_skill", "available_resources"),
        *("available_subagents", "state_snapshot", "background_output", "system_note"),
        *("tool_output_masked", "original_user_request"),
    ),
    facts=HostDocumentation(
        f"{RUN} 0.61.0 (`gemini -p`)",
        "The folder: Gemini CLI asks at its first start there whether you trust it. Until then it "
        "reads none of the project's settings and starts no server; without a screen it does not "
        "start at all (`--skip-trust`, or `GEMINI_CLI_TRUST_WORKSPACE=true`). gitmem reads "
        "`~/.gemini/trustedFolders.json`, and never writes to it.",
        (
            "It reads `.gemini/settings.json` of the folder in which it is started and of no "
            "folder above: for sub-folders `gitmem setup gemini --scope user`.",
            "Time limits are milliseconds here.",
            "A hook must print one JSON object and nothing else.",
            "SessionEnd is best effort: it may be cut off.",
            "What a hook says is given to the model with `<` and `>` as entities.",
            "With `-p` the first prompt's text begins with what hooks said at the start "
            "(`<hook_context>`), which is not the user's and not searched for.",
            "With a damaged `trustedFolders.json` it does not start.",
            "The matcher of an event that is no tool's is compared as a whole: `startup|resume` "
            "never fires. So SessionStart has none.",
            "PreCompress fires before every call of the model (`compress` in its source asks "
            "for the threshold afterwards): gitmem hears of `/compress` only (`manual`), and what "
            "it compresses by itself is not noticed.",
            "After `/compress` the orientation comes again with the next prompt or tool.",
        ),
    ),
)
