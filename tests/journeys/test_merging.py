"""One memory of one fact: by command line and by MCP, merged, refused, asked about, taken apart."""

from __future__ import annotations

import json
from typing import Any

from tests.mcp.agents import Agent
from tests.support.apps import DAY, SECOND, Desk
from tests.support.cli import Program

FACT = "The integration tests need a Redis on port 6380"
MORE = "The integration tests need a running Redis on port 6380"


def report(program: Program, *words: str) -> Any:
    return json.loads(program(*words, "--json").out)


def test_a_duplicate_a_contradiction_a_refusal_that_lasts_and_a_merge_undone(
    desk: Desk, program: Program
) -> None:
    """CF-44, CT-10, CT-13, CT-14."""
    agent = Agent(desk, "full")

    # The same said again is no second memory; what an agent says more fully joins the first.
    first = agent.data("remember", text=FACT)
    assert agent.data("remember", text=FACT)["action"] == "reinforced"
    assert agent.data("remember", text=MORE)["action"] == "merged"
    assert [memory["content"] for memory in report(program, "list")["memories"]] == [MORE]

    # A person's words are only asked about, and so is what contradicts them.
    queue = report(program, "remember", "Release notes are written by hand in the docs folder")
    desk.clock.advance(SECOND)
    again = report(
        program, "remember", "Release notes are carefully written by hand in the docs folder"
    )
    assert again["action"] == "suggested"
    assert again["duplicate_of"] == queue["id"]
    for text in ("Always run the linter before pushing", "Never run the linter before pushing"):
        message = agent.data("remember", text=text)
        desk.clock.advance(SECOND)
    assert message["action"] == "suggested"
    kinds = {item["kind"]: item["id"] for item in report(program, "inbox")["items"]}
    assert set(kinds) == {"merge", "contradiction"}

    # What is rejected stays away: said again, and looked for a day later.
    agent("inbox", action="reject", id=[kinds["merge"]])
    program("remember", "Release notes are carefully written by hand in the docs folder")
    desk.clock.advance(DAY)
    desk.run("upkeep")
    assert [item["kind"] for item in report(program, "inbox")["items"]] == ["contradiction"]

    # The later of the two that contradict each other is let stand.
    program("inbox", "accept", kinds["contradiction"])
    standing = [memory["content"] for memory in report(program, "list")["memories"]]
    assert "Never run the linter before pushing" in standing
    assert "Always run the linter before pushing" not in standing

    # The log tells what was merged; taken back, both are there.
    merges = [item for item in report(program, "inbox", "log")["log"] if item["kind"] == "merge"]
    (joined,) = [merge for merge in merges if merge["target"] == first["id"]]
    assert "two memories again" in program("inbox", "undo", joined["id"]).out
    standing = [memory["content"] for memory in report(program, "list")["memories"]]
    assert FACT in standing and MORE in standing
    logged = agent.data("inbox", action="log")["log"]
    assert [item["state"] for item in logged if item["id"] == joined["id"]] == ["undone"]
