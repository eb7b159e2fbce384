"""Claude Desktop: an MCP server for all projects, and nothing else."""

from __future__ import annotations

from gitmem.agents.hosts.host import (
    EMPTY,
    MCP,
    OPEN,
    USER,
    Host,
    HostDocumentation,
    HostSimulation,
)

HOST = Host(
    name="claude-desktop",
    title="Claude Desktop",
    folders=("{config}/Claude",),
    places={(MCP, USER): ("{config}/Claude/claude_desktop_config.json",)},
    has_cwd=False,
    notes={
        (MCP, USER): "Claude Desktop has one entry for all projects: list several with "
        "`gitmem config --user mcp.projects`; restart it."
    },
    live=HostSimulation(
        starts_from_desktop=True,
        why_silent="MCP only: its model sees memories when it calls a tool, never by itself",
    ),
    harmless={MCP: {"env": EMPTY}},
    facts=HostDocumentation(
        OPEN,
        "Nothing, but it has to be started anew.",
        (
            "MCP only: there are no hooks, so nothing is told unless the model asks.",
            "It starts its servers in no project: one entry serves your only project, and of "
            "several those that you list in `mcp.projects`. A call names one in `repo`; one that "
            "does not is told which there are.",
            "Its place on Linux is unverified.",
        ),
    ),
)
