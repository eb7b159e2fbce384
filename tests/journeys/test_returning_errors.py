"""An error is met twice, by command line and over MCP; a month later what faded and what stayed."""

from __future__ import annotations

import json

from tests.mcp.agents import Agent
from tests.support.apps import DAY, Desk
from tests.support.cli import Program
from tests.support.repos import RepoBuilder

TRACE = """Error: Cannot find module './pricing'
Require stack:
- {root}/src/cart.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:{line}:15)
    at loadCart (/{root}/src/cart.js:{line}:17)
"""
OTHER = "TypeError: total is not a function\n    at checkout (/src/checkout.js:4:2)\n"


def test_an_error_met_on_the_command_line_is_known_there(program: Program) -> None:
    """What a build printed is piped in as it is; a second time it is known, and mended once."""
    first = program("event", "error_occurred", "--payload", "-", stdin=trace("a", 7).encode())
    assert "new error" in first.out
    assert "not seen before" in first.out
    fix = json.dumps({"error": trace("b", 70), "fix": "Add src/pricing.js"})
    assert "fix stored" in program("event", "error_occurred", "--payload", fix).out
    again = program(
        "event", "error_occurred", "--payload", "-", "--json", stdin=trace("c", 9).encode()
    ).json
    assert again["fix"]["text"] == "Add src/pricing.js"
    assert again["processed"]
    program.refused(2, "invalid", "event", "file_closed", "--payload", "{}")
    program.refused(2, "invalid", "event", "error_occurred", "--payload", "{")
    program.refused(2, "invalid", "remember", "x", "--fixed")


def trace(root: str, line: int) -> str:
    return TRACE.format(root=f"home/{root}", line=line)


def test_a_month_later_what_faded_and_what_stayed(desk: Desk, repo: RepoBuilder) -> None:
    desk.env |= {"GITMEM_BACKUP_INTERVAL_HOURS": "0", "GITMEM_COPY_MODE": "off"}
    # A process beside it would go by the clock of today.
    desk.env["GITMEM_NO_BACKGROUND"] = "1"
    agent = Agent(desk, "full")
    sha = repo.commit("Add the prices", {"src/pricing.js": "module.exports = {}\n"})
    agent.data("report_event", type="error_occurred", payload=trace("ann", 7))
    output = {"error": trace("bo", 8), "solution": "Add src/pricing.js", "commit": sha}
    fix = agent.data("report_event", type="error_occurred", payload=json.dumps(output))["memory_id"]
    once = agent.data("report_event", type="error_occurred", payload=OTHER)["memory_id"]
    agent.data("report_event", type="file_opened", payload='{"path": "src/pricing.js"}')
    agent.data("report_event", type="command_executed", payload='{"command": "npm test"}')
    decided = {"title": "Prices are a module", "why": "They are tested alone"}
    saved = agent.data("report_event", type="decision_made", payload=json.dumps(decided))
    note = agent.data("remember", text="Try the old parser", kind="scratchpad")["id"]
    vital = agent.data("remember", text="Never log a key", kind="scratchpad", importance=0.9)["id"]
    assert desk.run("list").total >= 5

    desk.clock.advance(30 * DAY)
    desk.run("upkeep")
    stay = {memory.id for memory in desk.run("list", limit=100).memories}
    assert stay == {fix, saved["memory_id"], vital}
    archived = {memory.id for memory in desk.run("list", state=("archived",), limit=100).memories}
    assert {once, note} <= archived

    known = agent.data("report_event", type="error_occurred", payload=trace("eve", 900))
    assert known["fix"]["text"] == "Add src/pricing.js"
    assert (known["fix"]["commit"], known["fix"]["subject"]) == (sha[:12], "Add the prices")
    assert known["seen"] == 2
    # Told to an agent it is data: somebody else may have written it.
    text = agent.text("report_event", type="error_occurred", payload=trace("eve", 901))
    assert text.startswith("<<<gitmem:")
    assert desk.run("show", id=once).memory.state == "archived"
    again = agent.data("report_event", type="error_occurred", payload=OTHER)
    assert (again["memory_id"], again["seen"], again["fix"]) == (once, 1, None)
    (before,) = agent.data("similar_bugs", text=trace("zoe", 1))["before"]
    assert (before["id"], before["type"]) == (fix, "fix")
