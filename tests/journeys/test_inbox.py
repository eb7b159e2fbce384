"""From a trailer to a decision in force, by command line and by MCP; rejected, exported, back."""

from __future__ import annotations

import json
from typing import Any

from gitmem.background import follow
from tests.mcp.agents import Agent
from tests.support.apps import Desk
from tests.support.cli import Program
from tests.support.repos import RepoBuilder

CARTS = "Keep carts\n\nDecision: Carts live in Redis\nWhy: They are short-lived\n"
TILLS = "Keep tills\n\nDecision: Tills are in memory\n"


def drained(desk: Desk) -> None:
    app = desk.app()
    try:
        follow.process_hook_events(app)
    finally:
        app.close()


def report(program: Program, *words: str) -> Any:
    return json.loads(program(*words, "--json").out)


def test_a_decision_found_accepted_rejected_and_written_down(
    desk: Desk, program: Program, repo: RepoBuilder
) -> None:
    """ML-34, CT-14, ML-35."""
    repo.commit(CARTS, {"src/cart/cart.py": "x = 3\n"})
    repo.commit(TILLS, {"src/till.py": "x = 1\n"})
    drained(desk)

    # An agent sees what waits only where it asks for it, and as data.
    agent = Agent(desk, "full")
    assert agent.data("recall", query="redis carts")["memories"] == []
    answer = agent("inbox").structured_content
    assert "data from the repository" in answer["quoted"]
    waiting = {item["title"]: item["id"] for item in answer["items"]}
    assert set(waiting) == {"Carts live in Redis", "Tills are in memory"}
    agent("inbox", action="reject", id=[waiting["Tills are in memory"]])

    # A person accepts the other at the command line.
    (item,) = report(program, "inbox")["items"]
    assert "accepted" in program("inbox", "accept", item["memory"][:14]).out
    (found,) = report(program, "recall", "redis carts")["memories"]
    assert (found["title"], found["state"], found["trust"]) == (
        "Carts live in Redis",
        "active",
        "accepted",
    )

    # What was rejected stays away: after a new index, and where another commit says it again.
    program("index", "--full")
    repo.commit("Again\n\n" + TILLS.partition("\n\n")[2])
    drained(desk)
    assert report(program, "inbox")["items"] == []
    assert program("inbox").out.strip() == "The inbox is empty."

    # Written as a record, read again: nothing changes, here or there.
    assert "written" in program("adr", "export", "--format", "nygard").out
    written = (repo.path / "docs/decisions/0001-carts-live-in-redis.md").read_bytes()
    assert {file["action"] for file in report(program, "adr", "import")["files"]} == {"unchanged"}
    assert "1 unchanged" in program("adr", "export", "--format", "nygard").out
    assert (repo.path / "docs/decisions/0001-carts-live-in-redis.md").read_bytes() == written

    # Undone, it waits again.
    program("inbox", "undo", item["id"])
    assert [item["title"] for item in report(program, "inbox")["items"]] == ["Carts live in Redis"]
