"""Copilot CLI and cloud agent; VS Code reads its hooks file too, with payloads of its own."""

from __future__ import annotations

from gitmem.agents.hosts.host import (
    EMPTY,
    HOOKS,
    MCP,
    NUMBER,
    PROJECT,
    RULES,
    RULES_TOO,
    RUN,
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
    hook_specific_output,
)

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gitmem.agents.hosts.host import ToolStep
    from gitmem.agents.hosts.scene import SampleSession


_REMEMBER = "choose 2, to remember the folder: 1 trusts it for that session only"
_TRUST_NOTE = (
    f"Copilot CLI asks at its first start in a folder whether you trust it: {_REMEMBER}. "
    "Until then nothing of this runs."
)


def _wrap(name: str, text: str, dialect: str) -> object:
    return (
        {"additionalContext": text}
        if dialect == "camel"
        else hook_specific_output(name, text, dialect)
    )


def _sample(event: str, scene: SampleSession) -> dict[str, Any]:
    payload = {"sessionId": scene.session, "timestamp": 1_769_850_000_000, "cwd": scene.folder}
    more: dict[str, dict[str, Any]] = {
        "session-start": {"source": "startup", "initialPrompt": ""},
        "prompt": {"prompt": scene.prompt},
        "post-tool": {
            "toolName": "bash",
            "toolArgs": f'{{"command": "{scene.command}"}}',
            "toolResult": {"resultType": "success", "textResultForLlm": scene.printed},
        },
        "pre-compact": {"trigger": "manual"},
        "stop": {"stopReason": "end_turn"},
        "session-end": {"reason": "complete"},
    }
    return payload | more.get(event, {})


def _doubts(approvals: HostApprovals, setup_part: str, scope: str, _path: str) -> list[str]:
    """Servers and hooks of a project run only in trusted folders and below them."""
    if setup_part not in (MCP, HOOKS) or scope != PROJECT:
        return []
    from gitmem.text import jsonc  # noqa: PLC0415 - not for a hook

    config = approvals.read("{copilot}/config.json")
    trusted = jsonc.value_at_keys(config, ("trustedFolders",))
    folders = trusted if isinstance(trusted, list) else []
    if any(_holds(folder, approvals.project) for folder in folders if isinstance(folder, str)):
        return []
    return [f"Copilot CLI does not trust this folder yet: start copilot in it and {_REMEMBER}"]


def _holds(folder: str, project: str) -> bool:
    top = folder.rstrip("/\\")
    return bool(top) and (project == top or project.startswith((f"{top}/", f"{top}\\")))


def _steps(row: dict[str, Any]) -> Iterator[ToolStep]:
    data = row["data"]
    if row["type"] == "tool.execution_start":
        yield data["toolCallId"], data["toolName"], None
    elif row["type"] == "tool.execution_complete":
        yield data["toolCallId"], "", data["success"]


HOST = Host(
    name="copilot",
    title="Copilot CLI",
    programs=("copilot",),
    folders=("{copilot}",),
    places={
        (MCP, PROJECT): ("{project}/.github/mcp.json",),
        (MCP, USER): ("{copilot}/mcp-config.json",),
        (HOOKS, PROJECT): ("{project}/.github/hooks/gitmem.json",),
        (HOOKS, USER): ("{copilot}/hooks/gitmem.json",),
        (RULES, PROJECT): ("{project}/.github/instructions/gitmem.instructions.md",),
    },
    notes={(HOOKS, PROJECT): _TRUST_NOTE},
    bases={"copilot": FolderEnvironmentVariable("COPILOT_HOME", "{home}/.copilot")},
    reply=HookReplyFormat(
        heard={
            "session-start": "SessionStart",
            "prompt": "UserPromptSubmit",
            "post-tool": "PostToolUse",
        },
        # Copilot forgets the start's text when a session is resumed; what VS Code does with an
        # answer at a prompt is not known.
        heard_in={"camel": ("prompt", "post-tool"), "pascal": ("session-start", "post-tool")},
        wrap=_wrap,
        silence=b"{}",
        # VS Code names the event in its payload; Copilot does if the file uses VS Code's names.
        dialect=lambda named: "pascal" if named else "camel",
        cap=9_500,
    ),
    session=HostSessionBehaviour(oriented_at_first_prompt=True),
    live=HostSimulation(
        oriented_at="prompt",
        sample=_sample,
        reads=lambda _event, output: output.text_at_key("additionalContext"),
        transcripts=TranscriptLocation("{copilot}/session-state", steps=_steps),
    ),
    speaks_for_shared_files=True,
    doubts=_doubts,
    harmless={
        MCP: {"type": ("local", "stdio"), "env": EMPTY, "tools": TEXTS, "timeout": NUMBER},
        HOOKS: {"timeoutSec": NUMBER, "comment": TEXT},
    },
    tags=(
        *("current_datetime", "environment_context", "session_context", "system_notification"),
        *("available_skills", "custom_instruction", "code_change_instructions"),
        *("environment_limitations", "prohibited_actions", "version_information"),
        *("model_information",),
    ),
    facts=HostDocumentation(
        f"{RUN} 1.0.102 (`copilot -p`)",
        f"The folder: start `copilot` in it and {_REMEMBER}; or add it to `trustedFolders` in "
        "`~/.copilot/config.json`, or start with `--trust-folder`. Folders below a trusted one are "
        "trusted. Until then it starts no server and fires no hook of a project. gitmem reads that "
        "file, and never writes it.",
        (
            "Before 1.0.11 it ignored what sessionStart answers, before 1.0.51 what postToolUse "
            f"does, before 1.0.65 what userPromptSubmitted does. {RULES_TOO}",
            "There is one event for all tools. A command that failed arrives as a success whose "
            "output ends with its exit code.",
            "It compacts in the background while the work goes on. The orientation comes again "
            "with the next tool or prompt, and stays.",
            "The cloud agent runs on Linux, takes files from the default branch and has no home "
            "folder: share the files with `--command gitmem` and install gitmem in its setup "
            "steps.",
            "It calls the hooks of the start and of the first prompt at once. What is said at the "
            "start is gone when the session is resumed; what is said at a prompt stays in its "
            "history. So the orientation comes with the first prompt, once for all resumptions.",
            "VS Code reads `.github/hooks/` too, and it reads Claude Code's hooks and drops what "
            "those answer. A session is oriented once.",
        ),
    ),
)
