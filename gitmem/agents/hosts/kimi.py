"""Kimi Code: a session's start takes no text, so the orientation comes with the first prompt."""

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
    TEXTS,
    USER,
    FolderEnvironmentVariable,
    HookReplyFormat,
    Host,
    HostApprovals,
    HostDocumentation,
    HostSessionBehaviour,
    HostSimulation,
    TranscriptLocation,
)

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gitmem.agents.hosts.host import ToolStep
    from gitmem.agents.hosts.scene import SampleSession


_TRUST_NOTE = (
    'Kimi Code asks at its first start in a folder whether you trust it: choose "Trust this '
    'folder", else its server is not started there. Each folder is asked about by itself.'
)


def _sample(event: str, scene: SampleSession) -> dict[str, Any]:
    payload = scene.common_payload(event)
    if event == "prompt":
        payload["prompt"] = [{"type": "text", "text": scene.prompt}]
    if event in ("post-edit", "post-command"):
        del payload["tool_response"]
        payload |= {"tool_output": scene.printed, "tool_call_id": "call:0"}
    return payload


def _doubts(approvals: HostApprovals, setup_part: str, scope: str, _path: str) -> list[str]:
    """It keeps a file for each trusted folder; without it, no server of a project runs."""
    if (
        setup_part != MCP
        or scope != PROJECT
        or approvals.read(folder_trust_file_template(approvals.folder or approvals.project))
    ):
        return []
    return [
        'Kimi Code does not trust this folder yet: start kimi in it and choose "Trust this folder"'
    ]


def folder_trust_file_template(project_folder: str) -> str:
    """The path template of the file that exists if Kimi trusts the folder ``project_folder``.

    It begins with ``{kimi}``, for ``host_paths.expand_path_template``.
    """
    import re  # noqa: PLC0415 - not for a hook

    from gitmem.text.digest import sha256  # noqa: PLC0415 - as above

    root = project_folder.replace("\\", "/").rstrip("/")
    root = root.lower() if re.match(r"[A-Za-z]:/|//", root) else root
    name = re.sub(r"[^a-z0-9._-]+", "-", root.split("/")[-1].lower()).strip("-")[:40].strip("-")
    slug = "workspace" if name in ("", ".", "..") else name
    digest = sha256(root.encode("utf-8", "replace")).hexdigest()[:12]
    return f"{{kimi}}/workspace-trust/wd_{slug}_{digest}"


def _steps(row: dict[str, Any]) -> Iterator[ToolStep]:
    event = row["event"]
    if event["type"] == "tool.call":
        yield event["toolCallId"], event["name"], None
    elif event["type"] == "tool.result":
        yield event["toolCallId"], "", not event["result"].get("isError")


HOST = Host(
    name="kimi",
    title="Kimi Code",
    programs=("kimi",),
    folders=("{kimi}",),
    bases={"kimi": FolderEnvironmentVariable("KIMI_CODE_HOME", "{home}/.kimi-code")},
    places={
        # Found from any folder below; ``.kimi-code/mcp.json`` only from its own folder.
        (MCP, PROJECT): ("{project}/.mcp.json",),
        (MCP, USER): ("{kimi}/mcp.json",),
        (HOOKS, USER): ("{kimi}/config.toml",),
    },
    notes={(MCP, PROJECT): _TRUST_NOTE},
    also_read={(MCP, PROJECT): ("{project}/.kimi-code/mcp.json",)},
    skills={PROJECT: "{project}/.agents/skills", USER: "{home}/.agents/skills"},
    # It waits for no hook after a tool, and drops what such a hook prints.
    reply=HookReplyFormat(
        heard={"prompt": "UserPromptSubmit"}, heard_later=("post-edit", "post-command")
    ),
    session=HostSessionBehaviour(oriented_at_first_prompt=True),
    live=HostSimulation(
        oriented_at="prompt",
        sample=_sample,
        transcripts=TranscriptLocation("{kimi}/sessions", steps=_steps),
    ),
    doubts=_doubts,
    named_in=(("{kimi}/config.toml", ("permission",)),),
    harmless={
        MCP: {
            "transport": STDIO,
            # Keys of Claude Code, which reads the same file.
            "type": STDIO,
            "timeout": NUMBER,
            "env": EMPTY,
            "enabled": SWITCH,
            "startupTimeoutMs": NUMBER,
            "toolTimeoutMs": NUMBER,
            "enabledTools": TEXTS,
            "disabledTools": TEXTS,
        },
        HOOKS: {"timeout": NUMBER, "event": TEXT, "matcher": TEXT},
    },
    tags=(
        *("hook_result", "system", "system-reminder", "notification", "cron-fire"),
        *("skill-loaded", "git-context", "imported_context", "mcp_tool_result"),
        *("mcp-result-extras", "output-preview", "output-file", "plugin_session_start"),
        *("plugin-instructions", "tools_added", "tools_removed", "untrusted_objective"),
        *("untrusted_completion_criterion", "agent_swarm_result", "bash-input", "bash-stdout"),
        *("bash-stderr",),
    ),
    facts=HostDocumentation(
        f"{RUN} 2.1.0 (`kimi -p`)",
        'The folder: start `kimi` in it and choose "Trust this folder". Until then it starts no '
        "server of a project; hooks are the user's and run everywhere. It keeps a file for each "
        "trusted folder in `~/.kimi-code/workspace-trust/`, which gitmem reads and never writes.",
        (
            "SessionStart only observes, so the orientation comes with the first prompt.",
            "It waits for no hook after a tool and drops what such a hook prints (`fireAndForget` "
            "in its source): what an edit or a failed command calls for is told with the next "
            "prompt, and in a run of one prompt (`-p`) only noted.",
            "A tool that failed comes as PostToolUseFailure.",
            "The project's server stands in `.mcp.json`, which it finds from every folder below; "
            "`.kimi-code/mcp.json` it reads in the folder in which it is started only. Each folder "
            "in which it is started is trusted by itself.",
            "What PreCompact answers is ignored.",
            "SessionEnd fires in the TUI, not after `-p`: such a session counts as over when "
            "nothing was heard of it for a day.",
            "A key too many in `[[hooks]]` stops the whole configuration from loading: there are "
            "four, and gitmem writes no other.",
            "Hooks are in the user's file only: in a folder without gitmem they say nothing. "
            "`gitmem setup kimi --remove` leaves them there while another project uses gitmem.",
            "The older kimi-cli (`~/.kimi`) is not wired.",
        ),
    ),
)
