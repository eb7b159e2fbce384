"""Claude Desktop: an MCP server for one repository, and nothing else."""

from __future__ import annotations

from gitmem.agents.hosts.host import MCP, OPEN, USER, Facts, Host, Live


def _facts() -> Facts:
    return Facts(
        OPEN,
        "Nothing, but it has to be started anew.",
        (
            "MCP only: there are no hooks, so nothing is told unless the model asks.",
            "It starts its servers in no project. The entry names one repository, the one in which "
            "setup ran last.",
            "Its place on Linux is unverified.",
        ),
    )


HOST = Host(
    name="claude-desktop",
    title="Claude Desktop",
    folders=("{config}/Claude",),
    places={(MCP, USER): ("{config}/Claude/claude_desktop_config.json",)},
    has_cwd=False,
    notes={
        (MCP, USER): "Claude Desktop serves one repository, the one named after -C; restart it."
    },
    live=Live(
        starts_from_desktop=True,
        untold="MCP only: its model sees memories when it calls a tool, never by itself",
    ),
    facts=_facts,
)
