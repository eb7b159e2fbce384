"""Qwen Code: an MCP server and rules. It has hooks, which gitmem does not use yet."""

from __future__ import annotations

from gitmem.agents.hosts import gemini
from gitmem.agents.hosts.host import (
    MCP,
    OPEN,
    PROJECT,
    RULES,
    SOURCE,
    USER,
    FolderEnvironmentVariable,
    Host,
    HostDocumentation,
    HostSimulation,
)

HOST = Host(
    name="qwen",
    title="Qwen Code",
    programs=("qwen",),
    folders=("{qwen}",),
    places={
        (MCP, PROJECT): ("{project}/.qwen/settings.json",),
        (MCP, USER): ("{qwen}/settings.json",),
        (RULES, PROJECT): ("{project}/AGENTS.md",),
    },
    notes={
        (MCP, PROJECT): "Qwen Code asks whether the project's server may run: approve gitmem.",
    },
    bases={"qwen": FolderEnvironmentVariable("QWEN_HOME", "{home}/.qwen")},
    live=HostSimulation(
        why_silent="its hooks are not used yet: its model reads the rules and asks over MCP"
    ),
    harmless={MCP: gemini.HOST.harmless[MCP]},  # it reads the format of Gemini CLI
    reads_servers_of=("claude-code",),
    facts=HostDocumentation(
        f"{SOURCE}; hooks: not used",
        "Qwen Code asks whether a project's MCP server may run, when it first sees it and whenever "
        "it changes: approve gitmem. Older versions may not ask. Where folder trust is switched "
        "on, files of a project also need the folder to be trusted.",
        (
            "MCP and rules only: hooks exist, but nobody has recorded what they are given, so "
            f"gitmem writes none. That they take and answer what Claude Code's do: {OPEN}.",
            "Newer versions write a project's servers to `.mcp.json` and still read "
            "`.qwen/settings.json`; of the same name in both, `.mcp.json` wins. There gitmem's "
            "entry for Claude Code has that name, and does the same.",
            f"Whether every version reads `AGENTS.md` beside `QWEN.md`: {OPEN}.",
            "gitmem does not read its approvals: `gitmem setup --status` cannot tell of them.",
        ),
    ),
)
