"""Any other agent: the rules that many read in ``AGENTS.md``."""

from __future__ import annotations

from gitmem.agents.hosts.host import PROJECT, RULES, Host, HostDocumentation, HostSimulation

HOST = Host(
    name="generic",
    title="any other agent",
    places={(RULES, PROJECT): ("{project}/AGENTS.md",)},
    notes={(RULES, PROJECT): "Any agent that speaks MCP starts the server with: gitmem mcp"},
    live=HostSimulation(
        why_silent="an agent that reads this file is asked to look; it is told nothing by itself",
    ),
    speaks_for_shared_files=True,
    facts=HostDocumentation(
        "many agents read `AGENTS.md`",
        "Nothing.",
        (
            "Whether an agent reads `AGENTS.md` is up to it.",
            "Any agent that speaks MCP starts the server with `gitmem mcp`.",
        ),
    ),
)
