"""What the arguments of Context Engine's calls do: in the text of an answer as in its data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitmem.errors import InvalidInput, NotFound
from gitmem.mcp.compat import context_engine_answers
from tests.mcp.agents import Agent, shop
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder

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


def test_a_text_stored_again_has_the_metadata_of_both(agent: Agent) -> None:
    """CE-8: what was stored first, what came later, and of the same key the heavier or later."""
    text = {"information": "The lighthouse blinks twice"}
    stored = ({"priority": 3, "topic": "sea", "author": "Ada"}, {"priority": 9, "source": "wiki"},
              {"priority": 2, "topic": "coast", "link": "https://example.org/b"})  # fmt: skip
    assert len({agent.data("store", **text, metadata=facts)["id"] for facts in stored}) == 1
    (hit,) = agent.data("find", query="lighthouse", limit=1)["results"]
    facts = {"priority": 9, "topic": "sea", "author": "Ada", "source": "wiki"}
    facts["link"] = "https://example.org/b"
    assert {name: hit["metadata"][name] for name in facts} == facts


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
    assert "priority cannot be 11" in refused(agent, "find", query="a", priority_min=11)


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


def test_care_of_the_index_is_reported_in_its_own_words(agent: Agent) -> None:
    """CE-22: the numbers are those of our own verbs."""
    index = agent.desk.run("stats", files=True).index
    state = agent.data("qdrant_status")
    assert (state["count"], state["last_ingested_at"]["iso"]) == (index.pieces, index.at)
    assert (state["status"], state["exists"]) == ("healthy", True)
    (model,) = state["vectors_config"]
    both = ("builtin:static:256:4fff", "contextual:minilm-l6:384:8f8a")  # CE-2
    stored = [{"identity": identity, "in_use": True} for identity in both]
    assert context_engine_answers.vector_dimensions(stored) == dict(
        zip(both, (256, 384), strict=True)
    )
    vectors = agent.data("embedding_stats")
    # A command has no caches; those of a server have their use.
    uses = [{"name": "results", "hits": 3, "misses": 1, "evicted": 2, "kept": 1, "most": 64}]
    assert vectors["caches"] == [] and context_engine_answers.cache_statistics(uses) == [
        {"name": "results", "hits": 3, "misses": 1, "hit_rate": 0.75, "size": 1, "max_size": 64,
         "evictions": 2}
    ]  # fmt: skip
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


def test_filters_by_code_keep_what_they_say(agent: Agent) -> None:
    """CE-9: symbol and kind are of definitions, import and comment of the lines that answer."""

    def hits(tool: str = "repo_search", **arguments: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = agent.data(tool, **arguments)["results"]
        return found

    server = "src/server.py"
    assert [hit["path"] for hit in hits(query="Server", symbol="Server")] == [server]
    assert [hit["path"] for hit in hits(query="Server", kind="class")] == [server]
    assert {hit["metadata"]["kind"] for hit in hits(query="part", kind="function")} == {"function"}
    assert [hit["path"] for hit in hits(query="Server", kind="import")] == ["tests/test_server.py"]
    assert [hit["path"] for hit in hits(query="Redis", kind="comment")] == [server]
    assert hits(query="Server", symbol="Listener") == []
    assert "server.py" not in agent.text("repo_search", query="Server", symbol="Listener")
    assert "'verse'" in refused(agent, "repo_search", query="Server", kind="verse")
    item, two = (hits(query="part", path_glob=glob) for glob in
                ("src/part1.py", ["src/part1.py", "src/part2.py"]))  # fmt: skip
    assert [hit["path"] for hit in item] == ["src/part1.py"]
    assert {hit["path"] for hit in two} == {"src/part1.py", "src/part2.py"}
    tests = {"tests/test_server.py"}
    for tool in ("repo_search", "code_search"):
        assert {hit["path"] for hit in hits(tool, query="server", profile="tests")} == tests
        assert not tests & {hit["path"] for hit in hits(tool, query="server", profile="code")}
    for wrong in ({"case": "sensitive"}, {"output_format": "xml"}, {"profile": "vendor"}):
        (name,) = wrong
        assert f"'{name}'" in refused(agent, "repo_search", query="Server", **wrong)


@pytest.mark.parametrize(
    ("tool", "named"),
    [
        ("repo_search", "query"), ("context_search", "query"), ("context_answer", "query"),
        ("search_tests_for", "query"), ("search_config_for", "query"), ("find", "query"),
        ("search_callers_for", "query"), ("search_importers_for", "query"),
        ("search_commits_for", "query"), ("symbol_graph", "symbol"), ("graph_query", "symbol"),
    ],
)  # fmt: skip
def test_each_search_takes_a_format_and_a_collection(agent: Agent, tool: str, named: str) -> None:
    """CE-22, CE-33: the format changes nothing, the collection chooses a project."""
    name = {named: "Server"}

    def results(**more: str) -> list[tuple[Any, Any]]:
        answer = agent.data(tool, **name, **more)
        items = answer["citations"] if tool == "context_answer" else answer["results"]
        return [(item.get("path"), item.get("start_line")) for item in items]

    assert results(output_format="toon") == results()
    # A collection is looked up by the connection, which this agent has none of.
    assert "has no argument" not in refused(agent, tool, **name, collection="nowhere")


def test_arguments_of_what_is_shown_mean_what_they_say(agent: Agent) -> None:
    """CE-9, CE-10: snippets, highlights, lines around, weights and limits of a source."""
    first = agent.data("repo_search", query="cookie is signed")["results"][0]
    narrow = agent.data("repo_search", query="cookie is signed", context_lines=0)["results"][0]
    assert len(first["snippet"].split("\n")) > len(narrow["snippet"].split("\n"))
    assert first["highlights"] and set(first["components"]) == {
        "dense_score", "lexical_score", "final_score"
    }  # fmt: skip
    for arguments in ({"include_snippet": False}, {"compact": True}):
        hit = agent.data("repo_search", query="cookie is signed", **arguments)["results"][0]
        assert (hit["snippet"], hit["highlights"]) == ("", [])
        assert "signed" not in agent.text("repo_search", query="cookie is signed", **arguments)
    marked = agent.data("repo_search", query="cookie is signed", highlight_snippet=False)
    assert marked["results"][0]["highlights"] == [] and marked["results"][0]["snippet"]
    heavy = agent.data("context_search", query="large files server", memory_weight=5.0)["results"]
    assert [hit["score"] for hit in heavy] == sorted((hit["score"] for hit in heavy), reverse=True)
    light = agent.data("context_search", query="large files server", memory_weight=0)["results"]
    assert (heavy[0]["source"], light[0]["source"]) == ("memory", "code")
    assert heavy[0]["metadata"]["priority"] == 9
    few = agent.data("context_search", query="part of large files", limit=50,
                     per_source_limits={"code": 2, "memory": 1})  # fmt: skip
    assert [hit["source"] for hit in few["results"]].count("memory") == 1
    assert few["total"] == 3
    for arguments, part in (
        ({"per_source_limits": {"codes": 1}}, "'codes'"),
        ({"per_source_limits": {"code": "many"}}, "many"),
        ({"memory_weight": -1}, "memory_weight cannot be -1"),
    ):
        assert part in refused(agent, "context_search", query="part", **arguments)


def test_a_query_has_a_thousand_characters_at_most(agent: Agent) -> None:
    """CE-36."""
    long = "port " * 201
    for tool, name in (("repo_search", "query"), ("context_answer", "query"), ("find", "query"),
                       ("info_request", "info_request"), ("search_tests_for", "query"),
                       ):  # fmt: skip
        for query in (long, [long]) if tool in ("repo_search", "context_answer") else (long,):
            error = refused(agent, tool, **{name: query})
            assert "it has 1,005 characters. Give at most 1,000" in error
    agent("repo_search", query=long[:1000])


def test_an_answer_has_the_budget_mode_and_relations_that_were_asked_for(agent: Agent) -> None:
    """CE-11, CE-12."""
    query = "Which port does the server listen on?"
    whole = agent.data("context_answer", query=query)
    small, packed = (
        agent.data("context_answer", query=query, budget_tokens=20, mode=mode)
        for mode in ("stitch", "pack")
    )
    assert small["used_context_tokens"] <= 20 < whole["used_context_tokens"]
    assert len(small["citations"]) < len(packed["citations"]) < len(whole["citations"])
    assert "notes" not in whole and "Left out to stay within" in small["notes"][0]
    bare = agent.data("context_answer", query=query, include_snippet=False)
    assert {row["snippet"] for row in bare["citations"]} == {""}
    assert len(agent.data("context_answer", query=query, max_tokens=1)["answer"].split("\n")) == 1
    tests = agent.data("context_answer", query=query, under="tests/", language="python")
    assert {row["path"] for row in tests["citations"]} == {"tests/test_server.py"}
    for wrong in ({"mode": "glue"}, {"budget_tokens": 0}, {"temperature": 9}, {"max_tokens": "x"}):
        (name,) = wrong
        assert f"'{name}'" in refused(agent, "context_answer", query=query, **wrong)
    for more in ({}, {"include_explanation": True}):
        output = agent.data("info_request", info_request=query, include_relationships=True, **more)
        assert {
            "source": "tests/test_server.py:1-2", "type": "imports", "target": "src/server.py:1-11",
            "symbol": "Server", "line": 1,
        } in output["relationships"]  # fmt: skip
    assert "relationships" not in agent.data("info_request", info_request=query)


def test_a_symbol_graph_is_that_of_the_graph_and_filtered(tmp_path: Path) -> None:
    """CE-14: each place with its name and kind, counted before the limit."""
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", {
        "src/till.py": "class Till:\n    def add(self, item):\n        return item\n\n\n"
        "def total(items):\n    return sum(items)\n",
        "src/sale.py": "from src.till import total\n\n\ndef sell(items):\n    return total(items)\n"
        "\n\ndef refund(items):\n    return -total(items)\n",
        "tests/test_sale.py": "from src.till import total\n\n\ndef test_total():\n"
        "    assert total([1]) == 1\n",
    })  # fmt: skip
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_hooks=True)
    agent = Agent(desk, "compat")
    whole = agent.data("symbol_graph", symbol="total")
    assert [(row["symbol_path"], row["start_line"], row["kind"]) for row in whole["results"]] == [
        ("sell", 5, "call"), ("refund", 9, "call"), ("test_total", 5, "call")
    ]  # fmt: skip
    cut = agent.data("symbol_graph", symbol="total", limit=1)
    assert (len(cut["results"]), cut["count"]) == (1, 3)
    tests = agent.data("symbol_graph", symbol="total", under="tests/", limit=1)
    assert ([row["symbol_path"] for row in tests["results"]], tests["count"]) == (["test_total"], 1)
    text = agent.text("symbol_graph", symbol="total", under="tests/")
    assert "total: 1 caller\n" in text and "more" not in text
    importers = agent.data("symbol_graph", symbol="total", query_type="importers", under="src")
    assert [row["path"] for row in importers["results"]] == ["src/sale.py"]
    assert agent.data("symbol_graph", symbol="total", language="go")["results"] == []
    method = agent.data("symbol_graph", symbol="add", query_type="definition", language="py")
    (place,) = method["results"]
    assert (place["symbol_path"], place["kind"], place["start_line"]) == ("Till.add", "method", 2)
    with pytest.raises(NotFound, match="nothing_like_it"):
        agent("symbol_graph", symbol="nothing_like_it")
    assert "klingon" in refused(agent, "symbol_graph", symbol="total", language="klingon")


def test_a_commit_is_found_with_its_whole_message(tmp_path: Path) -> None:
    """CE-17: its body too, and 500 characters at most."""
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit(
        "Round the total\n\nCents were lost on Sundays. " + "More of it. " * 60, {"a.py": "a = 1"}
    )
    desk = Desk(repo.path, repo.home)
    desk.run("init", no_hooks=True)
    (commit,) = Agent(desk, "compat").data("search_commits_for", query="round total")["results"]
    assert commit["message"].startswith("Round the total\n\nCents were lost on Sundays.")
    assert len(commit["message"]) == 500
