"""An agent's session through MCP: context now, for a question, of a file, of the project."""

from __future__ import annotations

import pytest

from gitmem.text.token_ceiling import max_token_count
from tests.mcp.agents import Agent, shop
from tests.support.apps import DAY


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Agent:
    desk = shop(tmp_path_factory.mktemp("assembled"))
    return Agent(desk, "full")


def test_a_session_gets_what_it_needs_inside_its_budgets(agent: Agent) -> None:
    agent("session_start", goal="Move the server to another port")
    agent("decide", title="One port for all", why="Firewalls", path=["src/server.py"])
    agent("feature_set", name="new port")
    output = {
        "summary": agent.data("summary"),
        "file": agent.data("file_context", path="src/server.py", max_tokens=400),
        "question": agent.data("context", query="where is the port of the server", max_tokens=800),
        "now": agent.data("context", max_tokens=500),
        "next": agent.data("predict"),
    }
    for name, budget in (("question", 800), ("now", 500)):
        found = output[name]
        assert max_token_count(found["context"]) == found["token_count"] <= budget, name
    # The project, the file, and the lines that answer.
    assert "shop" in str(output["summary"])
    assert "def start" in str(output["file"]) and "One port for all" in str(output["file"])
    question = output["question"]
    assert question["sources"][0]["path"] == "src/server.py"
    assert "return port" in question["context"]
    assert [decision["title"] for decision in question["decisions"]] == ["One port for all"]
    assert question["confidence"]["level"] != "guess"
    # This moment knows the file that was just looked at, the question, and the feature.
    now = output["now"]
    assert now["now"]["active_file"] == "src/server.py"
    assert now["now"]["queries"] == ["where is the port of the server"]
    assert "feature: new port" in now["context"]
    assert output["next"]["path"] == "src/server.py"
    # Somebody who comes back the next day hears of it.
    agent.desk.clock.advance(DAY)
    again = agent.text("orient")
    assert "asked: where is the port of the server" in again
    assert "go on in src/server.py" in again
