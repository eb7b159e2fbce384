"""Claude Desktop: an MCP server for all projects, and nothing else."""

from __future__ import annotations

from gitmem.agents.hosts.host import EMPTY, MCP, OPEN, USER, Facts, Host, Live


def _facts() -> Facts:
    return Facts(
        OPEN,
        "Nothing, but it has to be started anew.",
        (
            "MCP only: there are no hooks, so nothing is told unless the model asks.",
            "It starts its servers in no project, so one entry serves all of your projects. Where "
            "you have more than one, a call names it in `repo`; one that does not is told which "
            "there are.",
            "Its place on Linux is unverified.",
        ),
    )


HOST = Host(
    name="claude-desktop",
    title="Claude Desktop",
    folders=("{config}/Claude",),
    places={(MCP, USER): ("{config}/Claude/claude_desktop_config.json",)},
    has_cwd=False,
    notes={(MCP, USER): "Claude Desktop serves all of your projects by one entry; restart it."},
    live=Live(
        starts_from_desktop=True,
        untold="MCP only: its model sees memories when it calls a tool, never by itself",
    ),
    harmless={MCP: {"env": EMPTY}},
    facts=_facts,
)
