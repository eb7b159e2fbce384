"""OpenCode: a JavaScript plugin starts gitmem and puts its answer in the system prompt."""

from __future__ import annotations

from gitmem.agents.hosts.host import (
    EMPTY,
    HOOKS,
    MCP,
    NUMBER,
    PROJECT,
    RUN,
    SWITCH,
    USER,
    HookReplyFormat,
    Host,
    HostDocumentation,
    HostSimulation,
    SessionBehaviour,
)

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

    from gitmem.agents.hosts.scene import SampleSession


def _sample(event: str, scene: SampleSession) -> dict[str, Any]:
    payload: dict[str, Any] = {"sessionID": scene.session, "cwd": scene.folder}
    more: dict[str, dict[str, Any]] = {
        "session-start": {"source": "startup"},
        "prompt": {"prompt": scene.prompt},
        "post-edit": {
            "tool": "edit",
            "args": {"filePath": scene.file},
            "title": "",
            "metadata": {},
        },
        "post-command": {
            "tool": "bash",
            "args": {"command": scene.command},
            "title": scene.command,
            "metadata": {"exit": 0, "output": scene.printed},
        },
    }
    return payload | more.get(event, {})


HOST = Host(
    name="opencode",
    title="OpenCode",
    programs=("opencode",),
    folders=("{xdg}/opencode",),
    places={
        (MCP, PROJECT): ("{project}/opencode.json", "{project}/opencode.jsonc"),
        (MCP, USER): ("{xdg}/opencode/opencode.json", "{xdg}/opencode/opencode.jsonc"),
        (HOOKS, PROJECT): ("{project}/.opencode/plugins/gitmem.js",),
        (HOOKS, USER): ("{xdg}/opencode/plugins/gitmem.js",),
    },
    # If a project has a folder ``.opencode``, OpenCode installs 63 MB of packages there.
    for_user=(HOOKS,),
    skills={PROJECT: "{project}/.agents/skills", USER: "{home}/.agents/skills"},
    mark="OPENCODE",
    reply=HookReplyFormat(
        heard={event: event for event in ("session-start", "prompt", "post-edit", "post-command")},
        cap=9_500,
    ),
    session=SessionBehaviour(
        starts_anew_after_compaction=True,
        forgets_with_its_process=True,
        keeps_text_in_system_prompt=True,
    ),
    live=HostSimulation(oriented_at="session-start", sample=_sample, environment={"OPENCODE": "1"}),
    script_events=(
        ("experimental.chat.system.transform", "session-start"),
        ("chat.message", "prompt"),
        ("experimental.session.compacting", "pre-compact"),
        ("tool.execute.after", "post-edit"),
        ("tool.execute.after", "post-command"),
        ("session.idle", "stop"),
        ("session.deleted", "session-end"),
        ("dispose", "session-end"),
    ),
    named_in=(
        ("{xdg}/opencode/opencode.json", ("permission",)),
        ("{project}/opencode.json", ("permission",)),
    ),
    harmless={MCP: {"enabled": SWITCH, "timeout": NUMBER, "environment": EMPTY}},
    tags=(
        *("system-reminder", "system-update", "skill_content", "skill_files"),
        *("available_skills", "available_references", "mcp_instructions", "shell_metadata"),
        *("github_action_context", "recent-context", "prior-summary"),
        *("conversation-checkpoint",),
    ),
    facts=HostDocumentation(
        f"{RUN} 1.18.33 (`opencode run`)",
        "Nothing.",
        (
            "Hooks are a plugin in JavaScript that starts gitmem and passes its answer on. It "
            "stands in the user's own folder and says nothing in folders without gitmem: where a "
            "project has a folder `.opencode`, OpenCode installs 63 MB of packages into it at its "
            "first start. `--scope project` writes it there all the same. `gitmem setup opencode "
            "--remove` leaves it while another project uses gitmem.",
            "It writes `$schema` into `opencode.json`; a file that gitmem made goes with it.",
            "The orientation goes into the system prompt, with the same bytes for a whole session: "
            "other bytes would empty the cache of the prompt. Requests for titles and summaries "
            "do not get it: the plugin knows them by the prompts of OpenCode's hidden agents.",
            "What is said after an edit or a command stands below what the tool printed, what is "
            "said at a prompt in a part of its message; at a session's first prompt, which also "
            "makes the title, below the orientation.",
            "A session ends when OpenCode disposes of its plugins: at the end of `run`, and when "
            "the TUI is left.",
            "`opencode` is a program that npm's script puts in place: where scripts are off, start "
            "the one in `opencode-linux-x64`.",
            "The events named experimental may change with any version.",
        ),
    ),
)
