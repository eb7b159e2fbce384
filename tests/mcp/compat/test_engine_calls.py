"""What the arguments of Context Engine's calls do: in the text of an answer as in its data."""

from __future__ import annotations

from typing import Any

import pytest

from gitmem.errors import InvalidInput
from tests.mcp.agents import Agent, shop

STORED = {
    "kind": "pattern", "language": "python", "path": "src/part0.py", "tags": ["large", "python"],
    "priority": 9, "topic": "performance", "code": "yield line", "author": "Ada",
    "created_at": "2024-01-15T10:30:00Z", "source": "wiki", "link": "https://example.org/a",
    "repo": "shop", "expires_at": "2099-01-01T00:00:00Z",
}  # fmt: skip


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Agent:
    made = Agent(shop(tmp_path_factory.mktemp("engine")), "compat")
    made.data("store", information="Generators keep large files out of memory", metadata=STORED)
    made.data("store", information="Large files go to the bucket", metadata={"priority": 3})
    return made


def refused(agent: Agent, tool: str, **arguments: Any) -> str:
    with pytest.raises(InvalidInput) as error:
        agent(tool, **arguments)
    return error.value.as_sentences()


def test_every_field_of_a_stored_memory_is_found_again(agent: Agent) -> None:
    """CE-8: what is not a field of a memory is kept beside it, priority to the last digit."""
    first, second = agent.data("find", query="large files")["results"]
    assert {name: first["metadata"][name] for name in STORED} == STORED
    assert second["metadata"]["priority"] == 3
    for number in range(1, 11):
        id = agent.data("store", information=f"Ladder {number * 7} has rungs",
                        metadata={"priority": number})["id"]  # fmt: skip
        rungs = agent.data("find", query="ladder rungs", limit=100)["results"]
        assert [row["metadata"]["priority"] for row in rungs if row["id"] == id] == [number]
    agent.data("remember", text="The cellar has a wine rack", weight=2)
    assert agent.data("find", query="cellar rack")["results"][0]["metadata"]["priority"] == 4
    # A weight that was changed since counts more than the priority it was given by.
    agent.data("revise", id=id, weight=1)
    rungs = agent.data("find", query="ladder rungs", limit=100)["results"]
    assert [row["metadata"]["priority"] for row in rungs if row["id"] == id] == [2]


def test_filters_of_find_filter_by_what_was_stored(agent: Agent) -> None:
    """CE-8."""
    for arguments in ({"language": "Python"}, {"topic": "performance"}, {"priority_min": 9},
                      {"language": "python", "topic": "performance"}, {"kind": "pattern"},
                      ):  # fmt: skip
        found = agent.data("find", query="large files", **arguments)["results"]
        assert [row["metadata"]["topic"] for row in found] == ["performance"], arguments
    for arguments in ({"language": "go"}, {"topic": "perform"}, {"priority_min": 10},
                      {"language": "python", "topic": "design"}):  # fmt: skip
        assert agent.data("find", query="large files", **arguments)["results"] == [], arguments
        assert "Generators" not in agent.text("find", query="large files", **arguments), arguments
    assert "priority is 11" in refused(agent, "find", query="a", priority_min=11)


def test_the_text_of_a_filtered_answer_is_filtered_too(agent: Agent) -> None:
    """CE-9, CE-10: hosts give a model the text, or the data."""
    for tool, arguments, absent in (
        ("repo_search", {"query": "part", "not_glob": "src/part1.py"}, "part1.py"),
        ("repo_search", {"query": "part value", "limit": 1}, "part3"),
        ("context_search", {"query": "large files", "include_memories": False}, "Generators"),
        ("context_search", {"query": "part", "per_source_limits": {"code": 1}}, "part3"),
        ("find", {"query": "large files", "priority_min": 10}, "Generators"),
        ("context.recall", {"query": "large files", "filter": {"layers": [1]}}, "Generators"),
    ):  # fmt: skip
        text, data = agent.text(tool, **arguments), agent.data(tool, **arguments)
        assert absent not in text and absent not in str(data["results"]), (tool, arguments, text)


def test_care_of_the_index_is_told_in_its_own_words(agent: Agent) -> None:
    """CE-22: the numbers are those of our own verbs."""
    index = agent.desk.run("stats", files=True).index
    state = agent.data("qdrant_status")
    assert (state["count"], state["last_ingested_at"]["iso"]) == (index.pieces, index.at)
    assert (state["status"], state["exists"]) == ("healthy", True)
    (model,) = state["vectors_config"]
    vectors = agent.data("embedding_stats")
    ours = agent.desk.run("model status")
    assert (vectors["model"], vectors["vectors"]) == (model, ours.stored[0].vectors)
    (row,) = agent.data("qdrant_list")["collections"]
    assert (row["name"], row["points_count"]) == (state["collection"], index.pieces)
    assert agent.data("collection_map", collection=row["name"])["total"] == 1
    assert agent.data("collection_map", repo_name="other")["collections"] == []
    assert "Nothing passes the filters" in agent.text("collection_map", repo_name="other")


def test_a_default_of_the_session_counts_more_than_a_documented_one(agent: Agent) -> None:
    """CE-22: as long as a call does not give its own."""
    agent.data("session_defaults", limit=2)
    assert len(agent.data("repo_search", query="part")["results"]) == 2
    assert len(agent.data("repo_search", query="part", limit=3)["results"]) == 3
    agent.data("session_defaults", reset=True)
    assert len(agent.data("repo_search", query="part")["results"]) > 3
