"""Codex: it silently skips hooks until each is approved."""

from __future__ import annotations

from gitmem.agents.hosts.host import (
    EMPTY,
    HOOKS,
    MCP,
    NUMBER,
    OWN,
    PROJECT,
    RUN,
    SWITCH,
    TEXT,
    TEXTS,
    USER,
    AdditionalHooksFile,
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

_CONFIG = "{codex}/config.toml"
_MANIFEST = ".codex-plugin/plugin.json"
_TRUST = (
    "Codex skips new or changed hooks until you approve them: start codex, which asks by itself "
    "(before 0.169 type /hooks), and approve gitmem's; `codex exec` never asks and skips them "
    "without a word. Files of a project also need the project to be trusted."
)
_NO_FOLDER = "Codex reads no hooks in a worktree without a folder .codex: run `gitmem setup codex`"
_WAIT = "hooks wait for approval"
_CHANGED = "hooks were changed since they were approved, and are skipped without a word"
_OFF = "hooks are switched off"
_HASHED = ("type", "command", "timeout", "async", "statusMessage", "additionalContextLimit")
_DEFAULT_TIMEOUT = 600  # seconds, of a hook that names none
_KEYS = frozenset(
    {"continue", "stopReason", "suppressOutput", "systemMessage", "hookSpecificOutput"}
)
_INNER_KEYS = frozenset({"hookEventName", "additionalContext", "env"})


def _doubts(approvals: HostApprovals, setup_part: str, scope: str, path: str) -> list[str]:
    config = approvals.read(_CONFIG)
    doubts = _check_trust(config, approvals) if scope == PROJECT else []
    if setup_part == HOOKS and scope == PROJECT and _looks_nowhere(approvals):
        return [_NO_FOLDER, *doubts]
    return doubts + (_check_approvals(config, approvals, path) if setup_part == HOOKS else [])


def _looks_nowhere(approvals: HostApprovals) -> bool:
    """Whether it reads no hooks: in a linked worktree without ``.codex`` it reads none at all."""
    import os  # noqa: PLC0415 - not for a hook

    return bool(approvals.main) and not os.path.isdir(os.path.join(approvals.project, ".codex"))


def _check_trust(config: Any, approvals: HostApprovals) -> list[str]:
    """Why it does not trust the project; a linked worktree has the main one's trust by default."""
    from gitmem.text import jsonc  # noqa: PLC0415 - not for a hook

    folders = (approvals.project, approvals.main)
    levels = [
        jsonc.value_at_keys(config, ("projects", folder, "trust_level"))
        for folder in folders
        if folder
    ]
    if next((level for level in levels if level), "") == "trusted":
        return []
    return ["Codex does not trust this project yet: start codex in it and say yes"]


def _check_approvals(config: Any, approvals: HostApprovals, path: str) -> list[str]:
    """Hooks that are not approved: it keeps a hash by file, event, group and handler."""
    from gitmem.text import jsonc  # noqa: PLC0415 - not for a hook

    state = jsonc.value_at_keys(config, ("hooks", "state"))
    records = {
        key: value
        for key, value in (state.items() if isinstance(state, dict) else ())
        if isinstance(value, dict)
    }
    events = jsonc.value_at_keys(approvals.read(path), ("hooks",))
    counts = {_WAIT: 0, _CHANGED: 0, _OFF: 0}
    for key, digest in _hashes(approvals, path, events):
        record = records.get(key, {})
        if record.get("enabled") is False:
            counts[_OFF] += 1
        elif not (trusted := record.get("trusted_hash")):
            counts[_WAIT] += 1
        elif trusted != digest:
            counts[_CHANGED] += 1
    return [f"{count} {reason}: type /hooks in codex" for reason, count in counts.items() if count]


def _hashes(approvals: HostApprovals, path: str, events: Any) -> Iterator[tuple[str, str]]:
    """Key and hash of each of gitmem's hooks, as Codex computes them."""
    import re  # noqa: PLC0415 - not for a hook

    for event, groups in events.items() if isinstance(events, dict) else ():
        snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event).lower()
        for place, group in enumerate(groups if isinstance(groups, list) else ()):
            handlers = group.get("hooks") if isinstance(group, dict) else None
            for inner, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                if isinstance(handler, dict) and HOST.name in approvals.named(handler):
                    digest = _hash(snake, group.get("matcher"), handler)
                    yield f"{path}:{snake}:{place}:{inner}", digest


def _hash(event: str, matcher: Any, handler: dict[str, Any]) -> str:
    """The hash that an approval is for: of the event, the matcher and the handler.

    SHA-256 of JSON with sorted keys, with defaults filled in and without keys unknown to Codex: the
    ``currentHash`` of ``hooks/list`` in its ``app-server``.
    """
    import hashlib  # noqa: PLC0415 - not for a hook
    import json  # noqa: PLC0415

    fields = {key: handler[key] for key in _HASHED if handler.get(key) is not None}
    filled = {"async": False, "timeout": _DEFAULT_TIMEOUT} | fields
    if isinstance(filled["timeout"], int):
        filled["timeout"] = max(1, filled["timeout"])
    identity: dict[str, Any] = {"event_name": event, "hooks": [filled]}
    if isinstance(matcher, str):
        identity["matcher"] = matcher
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}"


def _sample(event: str, scene: SampleSession) -> dict[str, Any]:
    payload = scene.common_payload(event) | {
        "transcript_path": scene.transcript_path,
        "permission_mode": "default",
        "turn_id": "turn-1",
        "model": "default",
    }
    if event == "post-edit":
        patch = f"*** Begin Patch\n*** Update File: {scene.file}\n@@\n-x\n+y\n*** End Patch\n"
        payload |= {"tool_name": "apply_patch", "tool_input": {"command": patch}}
        payload["tool_response"] = "Success. Updated the following files:\nM README.md\n"
    elif event == "post-command":
        payload["tool_response"] = f"Exit code: 0\nOutput:\n{scene.printed}"
    return payload


def _reads(event: str, output: HookOutput) -> str:
    if not output.text.startswith(("{", "[")):
        return output.plain_text(event)
    value = output.json_object()
    inner = value.get("hookSpecificOutput")
    keys = _KEYS | {"decision", "reason"} if event == "stop" else _KEYS
    if set(value) - keys or (isinstance(inner, dict) and set(inner) - _INNER_KEYS):
        output.raise_invalid_output("Codex rejects output with unknown keys")
    return output.additional_context(event)


def _plugin(
    about: dict[str, Any], shape: dict[str, Any], _template: Callable[[str], str]
) -> list[tuple[str, Any]]:
    return [
        (_MANIFEST, about | {"mcpServers": "./.mcp.json", "hooks": "./hooks/codex.json"}),
        ("hooks/codex.json", shape[HOOKS]),
        (".mcp.json", {"mcpServers": shape[MCP]["mcp_servers"]}),
    ]


def _steps(row: dict[str, Any]) -> Iterator[ToolStep]:
    payload = row["payload"]
    item = payload.get("item", {})
    if item.get("type") == "McpToolCall":
        answered = item["status"] == "completed" and not item["result"].get("isError")
        yield item["id"], f"mcp__{item['server']}__{item['tool']}", answered
    elif payload["type"] == "mcp_tool_call_end":  # of older versions
        call = payload["invocation"]
        answered = not payload["result"]["Ok"].get("isError")
        yield payload["call_id"], f"mcp__{call['server']}__{call['tool']}", answered


HOST = Host(
    name="codex",
    title="Codex",
    programs=("codex",),
    folders=("{codex}",),
    places={
        (MCP, PROJECT): ("{project}/.codex/config.toml",),
        (MCP, USER): (_CONFIG,),
        (HOOKS, PROJECT): ("{main}/.codex/hooks.json",),
        (HOOKS, USER): ("{codex}/hooks.json",),
    },
    skills={PROJECT: "{project}/.agents/skills", USER: "{home}/.agents/skills"},
    notes={(HOOKS, PROJECT): _TRUST, (HOOKS, USER): _TRUST},
    bases={"codex": FolderEnvironmentVariable("CODEX_HOME", "{home}/.codex")},
    mark="CODEX_SANDBOX",
    reply=HookReplyFormat(
        heard={
            "session-start": "SessionStart",
            "prompt": "UserPromptSubmit",
            "post-edit": "PostToolUse",
            "post-command": "PostToolUse",
            "stop": "Stop",
        },
        wrap=hook_specific_output,
        # It takes 2,500 tokens, counted as bytes / 4; this is under that even at three bytes a
        # token.
        cap=7_500,
    ),
    session=HostSessionBehaviour(starts_anew_after_compaction=True),
    live=HostSimulation(
        oriented_at="session-start",
        sample=_sample,
        reads=_reads,
        transcripts=TranscriptLocation("{codex}/sessions", steps=_steps),
    ),
    # ``hooks.state`` is where it keeps what was approved.
    hooks_beside=AdditionalHooksFile("config.toml", frozenset({"state"})),
    doubts=_doubts,
    named_in=((_CONFIG, ("mcp_servers", "gitmem", "tools")),),
    harmless={
        MCP: {
            "enabled": SWITCH,
            "required": SWITCH,
            "startup_timeout_sec": NUMBER,
            "startup_timeout_ms": NUMBER,
            "tool_timeout_sec": NUMBER,
            "enabled_tools": TEXTS,
            "disabled_tools": TEXTS,
            "env": EMPTY,
            "default_tools_approval_mode": OWN,
            "tools": OWN,
        },
        HOOKS: {
            "timeout": NUMBER,
            "async": SWITCH,
            "statusMessage": TEXT,
            "additionalContextLimit": NUMBER,
        },
    },
    plugin=HostPlugin(_MANIFEST, _plugin),
    tags=(
        *("environment_context", "permission_profile", "workspace_roots", "current_date"),
        *("permissions instructions", "skills_instructions", "plugins_instructions"),
        *("environments_instructions", "managed_developer_instructions", "model_instructions"),
        *("user_instructions", "INSTRUCTIONS", "developer", "user_shell_command", "user_query"),
        *("turn_aborted", "subagent_notification", "multi_agent_mode", "multi_agent_role"),
        *("collaboration_mode", "model_switch", "current_time_reminder"),
        *("context_window_reminder", "codex_internal_context", "codex_delegation"),
        *("startup_context", "transcript_delta", "untrusted_objective", "recommended_plugins"),
    ),
    facts=HostDocumentation(
        f"{RUN} 0.169.0 (`codex exec`)",
        "Every hook: start `codex`, which asks at its start (before 0.169 type `/hooks`), and "
        "approve gitmem's. `codex exec` skips new and changed hooks **without a word** until then. "
        "In a linked worktree hooks are read from the main one, and what was approved or trusted "
        "there counts. Files of a project also need the project to be "
        "trusted, which Codex asks at its first start there. An approval holds for one event, "
        "matcher, command and limit: of a hook that changed, also by `gitmem setup` from another "
        "place, doctor says so. gitmem reads these approvals, and never writes one. An upgrade of "
        "gitmem needs none: the command holds no version.",
        (
            "About 2,500 tokens of hook output reach the model.",
            "Output is held against a strict schema: one unknown key, and the hook fails.",
            "Hooks in `config.toml` and in `hooks.json` beside it give a warning: where some stand "
            "in `config.toml` already, gitmem's go there too.",
            "An MCP server has about 10 s to start.",
            "Tools are deferred: the first request has the first line of what the server says of "
            "itself, and `tool_search` finds the rest.",
        ),
    ),
)
