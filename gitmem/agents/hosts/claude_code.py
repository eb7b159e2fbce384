"""Claude Code: text reaches the model at most events; a project's server needs approval."""

from __future__ import annotations

from gitmem.agents.hosts.host import (
    EMPTY,
    HOOKS,
    MCP,
    NUMBER,
    PROJECT,
    RUN,
    STDIO,
    SWITCH,
    TEXT,
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

_FAILED = "PostToolUseFailure"
_MANIFEST = ".claude-plugin/plugin.json"
_USER_FILE = "{claude_home}/.claude.json"
_SETTINGS = (
    "{claude}/settings.json",
    "{project}/.claude/settings.json",
    "{project}/.claude/settings.local.json",
    "{main}/.claude/settings.local.json",
)
_OWNER = {"name": "The gitmem authors"}
_UNTRUSTED = "Claude Code does not trust this folder yet: start claude here and say yes"


def _wrap(name: str, text: str, dialect: str) -> object:
    return hook_specific_output(f"{name}Failure" if dialect == "failure" else name, text, dialect)


def _doubts(approvals: HostApprovals, setup_part: str, scope: str, _path: str) -> list[str]:
    if scope != PROJECT:
        return []
    from gitmem.text import jsonc  # noqa: PLC0415 - not for a hook

    projects = jsonc.value_at_keys(approvals.read(_USER_FILE), ("projects",))
    doubts = [] if _trusts(projects, approvals.project) else [_UNTRUSTED]
    return doubts + (_check_approval(approvals, projects) if setup_part == MCP else [])


def _trusts(projects: Any, folder: str) -> bool:
    """Whether its user trusts the folder or one above it."""
    import os  # noqa: PLC0415 - not for a hook

    records = projects if isinstance(projects, dict) else {}
    for start in (folder, os.path.realpath(folder)):
        place, before = start, ""
        while place and place != before:
            record = records.get(place.replace(os.sep, "/"), records.get(place))
            if isinstance(record, dict) and record.get("hasTrustDialogAccepted") is True:
                return True
            place, before = os.path.dirname(place), place
    return False


def _check_approval(approvals: HostApprovals, projects: Any) -> list[str]:
    """Why the project's server may not run: servers are approved by name, in any settings."""
    from gitmem.text import jsonc  # noqa: PLC0415 - not for a hook

    sources = [jsonc.value_at_keys(projects, (approvals.project,))]
    sources += map(approvals.read, _SETTINGS)
    settings = [source for source in sources if isinstance(source, dict)]
    if any(_names_ours(source.get("disabledMcpjsonServers")) for source in settings):
        return ["the MCP server gitmem was refused in Claude Code: approve it under /mcp"]
    for source in settings:
        if source.get("enableAllProjectMcpServers") is True:
            return []
        if _names_ours(source.get("enabledMcpjsonServers")):
            return []
    return ["the MCP server waits for approval: start claude here and say yes"]


def _names_ours(value: object) -> bool:
    return value == "gitmem" or (isinstance(value, list) and "gitmem" in value)


def _sample(event: str, scene: SampleSession) -> dict[str, Any]:
    return scene.common_payload(event) | {
        "transcript_path": scene.transcript_path,
        "permission_mode": "default",
    }


def _reads(event: str, output: HookOutput) -> str:
    """Plain text counts at two events; text that begins with ``{`` has to be JSON."""
    if output.text.startswith("{"):
        # A failed command has an event with a name of its own.
        return output.additional_context(event, *((_FAILED,) if event == "post-command" else ()))
    return output.plain_text(event)


def _plugin(
    about: dict[str, Any], shape: dict[str, Any], _template: Callable[[str], str]
) -> list[tuple[str, Any]]:
    entry = {"source": "./", **about}
    market = {"name": about["name"], "owner": _OWNER, "plugins": [entry]}
    return [
        (_MANIFEST, about | {"author": _OWNER}),
        (".claude-plugin/marketplace.json", market),
        ("hooks/hooks.json", shape[HOOKS]),
        (".mcp.json", shape[MCP]),
    ]


def _steps(row: dict[str, Any]) -> Iterator[ToolStep]:
    for part in row["message"]["content"]:
        if part["type"] == "tool_use":
            yield part["id"], part["name"], None
        elif part["type"] == "tool_result":
            yield part["tool_use_id"], "", not part.get("is_error")


HOST = Host(
    name="claude-code",
    title="Claude Code",
    programs=("claude",),
    folders=("{claude}",),
    places={
        (MCP, PROJECT): ("{project}/.mcp.json",),
        (MCP, USER): (_USER_FILE,),
        # In a linked worktree it also reads the main worktree's file.
        (HOOKS, PROJECT): (
            "{main}/.claude/settings{local}.json",
            "{project}/.claude/settings{local}.json",
        ),
        (HOOKS, USER): ("{claude}/settings.json",),
    },
    skills={PROJECT: "{project}/.claude/skills", USER: "{claude}/skills"},
    notes={
        (MCP, PROJECT): (
            "Claude Code asks once whether the project's MCP server may run: approve gitmem."
        )
    },
    bases={
        "claude": FolderEnvironmentVariable("CLAUDE_CONFIG_DIR", "{home}/.claude"),
        "claude_home": FolderEnvironmentVariable("CLAUDE_CONFIG_DIR", "{home}"),
    },
    mark="CLAUDECODE",
    reply=HookReplyFormat(
        # Not the event before a compaction, whose text would be compacted with the rest.
        heard={
            "session-start": "SessionStart",
            "prompt": "UserPromptSubmit",
            # `gitmem setup` makes these two asynchronous. Their additionalContext still arrives,
            # with the next turn; plain text would be lost.
            "post-edit": "PostToolUse",
            "post-command": "PostToolUse",
            "stop": "Stop",
        },
        wrap=_wrap,
        # A failed tool has an event of its own, and its answer needs that event's name.
        dialect=lambda named: "failure" if named == _FAILED else "",
        cap=9_500,  # it shows 10,000 characters, and of longer output only a preview
    ),
    session=HostSessionBehaviour(starts_anew_after_compaction=True),
    live=HostSimulation(
        oriented_at="session-start",
        sample=_sample,
        reads=_reads,
        environment={"CLAUDE_PROJECT_DIR": "{project}", "CLAUDECODE": "1"},
        transcripts=TranscriptLocation("{claude}/projects", named_by_path=True, steps=_steps),
    ),
    doubts=_doubts,
    named_in=(
        (_USER_FILE, ("projects", "{project}", "enabledMcpjsonServers")),
        (_USER_FILE, ("projects", "{project}", "allowedTools")),
        *((file, ("enabledMcpjsonServers",)) for file in _SETTINGS),
        *((file, ("permissions", "allow")) for file in _SETTINGS),
    ),
    harmless={
        MCP: {"type": STDIO, "env": EMPTY, "timeout": NUMBER},
        HOOKS: {"timeout": NUMBER, "async": SWITCH, "statusMessage": TEXT},
    },
    plugin=HostPlugin(_MANIFEST, _plugin),
    tags=(
        *("system-reminder", "user-prompt-submit-hook", "command-name", "command-message"),
        *("command-args", "local-command-stdout", "local-command-stderr"),
        *("local-command-caveat", "task-notification", "total_tokens", "tool_use_error"),
        *("persisted-output", "pasted_content", "truncated-output", "bash-input"),
        *("bash-stdout", "bash-stderr", "ide_selection", "ide_opened_file", "new-diagnostics"),
        *("system-note", "mcp-resource", "mcp-server-note", "cross-session-message"),
        *("agent-message", "coordinator-task", "subagent_hand_back", "user_claude_md"),
        *("cc-memory", "webhook-payload", "non-user-message"),
    ),
    facts=HostDocumentation(
        f"{RUN} 2.1.330 (`claude -p`)",
        "Claude Code asks at its next start in this project whether you trust the folder, then "
        "whether the MCP server gitmem may run. Until the first its hooks do not run, until the "
        "second the server does not. `claude -p` asks neither, and runs both. Entries of the user "
        "(`--scope user`) need no approval.",
        (
            "Of a hook's output above 10,000 characters the model sees a preview only, without a "
            "word. gitmem stays below.",
            "PreCompact cannot speak to the model. SessionStart can, which fires after it with "
            "`compact`.",
            "SessionEnd is cut off after about 1.5 s. gitmem notes the end and leaves.",
            "`claude -p` ends asynchronous hooks after its last answer: a Stop is often lost, and "
            "an edit that was the very last step. SessionEnd is waited for and follows, so nothing "
            "else is. A session that is resumed keeps its orientation, and for half a day gets no "
            "second one.",
            "Tools are deferred: the first request has their names and what the server says of "
            "itself, not their arguments.",
            "In a linked worktree it takes the main one's `.claude/settings.local.json` as well: "
            "its hooks are heard there. `.mcp.json` it reads in the worktree.",
            "`--bare` and safe mode skip hooks.",
            "Copilot CLI and VS Code read `.claude/settings.json` too. A session is oriented once, "
            "whichever of them asks first.",
        ),
    ),
)
