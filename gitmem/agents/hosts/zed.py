"""Zed: an MCP server and rules; it has no hooks."""

from __future__ import annotations

from gitmem.agents.hosts.host import (
    EMPTY,
    MCP,
    NUMBER,
    OPEN,
    PROJECT,
    RULES,
    SWITCH,
    USER,
    FolderEnvironmentVariable,
    Host,
    HostDocumentation,
    HostSimulation,
)

HOST = Host(
    name="zed",
    title="Zed",
    programs=("zed", "zeditor"),
    folders=("{zed}",),
    places={
        (MCP, PROJECT): ("{project}/.zed/settings.json",),
        (MCP, USER): ("{zed}/settings.json",),
        (RULES, PROJECT): ("{project}/AGENTS.md",),
    },
    bases={"zed": FolderEnvironmentVariable("", "{xdg}/zed", on_windows="{config}/Zed")},
    live=HostSimulation(
        starts_from_desktop=True,
        why_silent="has no hooks: its model reads the rules and asks over MCP",
    ),
    harmless={
        MCP: {"source": ("custom",), "env": EMPTY, "enabled": SWITCH, "timeout": NUMBER},
    },
    facts=HostDocumentation(
        OPEN,
        "Zed asks whether to trust a project before it starts the project's servers.",
        ("MCP and rules only: there are no hooks.",),
    ),
)
