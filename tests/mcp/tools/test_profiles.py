"""Which tools each profile offers, and at what price (ML-21, CT-16, CE-8, CE-13, CE-22)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from mcp_types import ListToolsResult

from gitmem import operations
from gitmem.errors import InvalidInput
from gitmem.mcp import handlers
from gitmem.mcp.compat import tool_names
from gitmem.mcp.tools import catalogue, profiles
from gitmem.operations.registry import READ, request_fields
from tests.mcp import agents
from tests.mcp.agents import Agent, shop
from tests.support.tables import table

MOST_TOKENS = 1_000
# A person's acts, and what has no place in a conversation.
NEVER = (
    "purge",
    "trust",
    "import",
    "setup",
    "init",
    "deinit",
    "watch",
    "backup",
    "restore-backup",
    "config",
)


def cost(profile: str) -> float:
    """Tokens of the tool list: characters of the compact JSON / 4, output schemas included."""
    listed = ListToolsResult(
        tools=[offer.list_entry for offer in catalogue.offered_tools(profile).values()]
    )
    wire = listed.model_dump(by_alias=True, exclude_none=True, mode="json")["tools"]
    return len(json.dumps(wire, separators=(",", ":"), ensure_ascii=False)) / 4


def test_default_list_has_ten_tools_and_stays_small(capsys: pytest.CaptureFixture[str]) -> None:
    """ML-21: what every session pays for."""
    with capsys.disabled():
        for name in profiles.NAMES:
            print(
                f"[{name}: {len(catalogue.offered_tools(name))} tools, {cost(name):.0f} tokens]",
                end=" ",
            )
    assert sorted(catalogue.offered_tools()) == sorted(profiles.DEFAULT)
    assert len(catalogue.offered_tools()) <= 10
    assert cost("default") <= MOST_TOKENS


def test_what_agents_are_instructed_to_call_is_in_the_default_list() -> None:
    folder = Path(__file__).parents[3] / "hooks" / "agents"
    rules = [item.read_text(encoding="utf-8") for item in sorted(folder.glob("*.md*"))]
    skills = [item.read_text(encoding="utf-8") for item in sorted((folder / "skills").glob("*.md"))]
    called = set(re.findall(r"MCP tool `([a-z_]+)`", "\n".join(rules)))
    called |= set(re.findall(r"(?m)^\|[^|]*\| `([a-z_]+)` \|", "\n".join(skills)))
    called |= set(re.findall(r"`([a-z_]+)`", handlers.INSTRUCTIONS)) - {"repo", "supersedes"}
    assert {"orient", "recall", "context", "remember"} <= called <= set(profiles.DEFAULT)


def test_each_longer_list_holds_the_shorter_one() -> None:
    assert (
        set(catalogue.offered_tools())
        < set(catalogue.offered_tools("full"))
        < set(catalogue.offered_tools("compat"))
    )


@table("name", NEVER)
def test_what_is_no_agents_business_is_no_tool(name: str) -> None:
    assert operations.load_operation(name).tool == ""


def test_readonly_offers_nothing_that_writes() -> None:
    offers = catalogue.offered_tools("readonly")
    assert {offer.effect for offer in offers.values()} == {READ}
    for name, offer in offers.items():
        assert offer.list_entry.annotations and offer.list_entry.annotations.read_only_hint, name
        harmless = offer.operation.effect == READ or name in {*profiles.READING, profiles.BATCH}
        assert harmless, name
    assert {"orient", "recall", "search", "show", "verify", "affected"} <= set(offers)
    assert not {"remember", "decide", "revise", "forget", "link", "session_note"} & set(offers)


@table(("tool", "arguments"), [
    ("verify", {"id": "01M", "accept": True}),
    ("verify", {"id": "01M", "retire": True}),
    ("verify", {"id": "01M", "correct": "x"}),
    ("index", {"full": True}),
    ("index", {"dry_run": False}),
    ("decay", {"dry_run": False}),
    ("doctor", {"fix": True}),
])  # fmt: skip
def test_what_a_profile_cuts_off_cannot_be_given(tool: str, arguments: dict[str, object]) -> None:
    with pytest.raises(InvalidInput, match="has no argument"):
        agents.request(catalogue.offered_tools("readonly")[tool], arguments)


def test_decay_only_looks_in_every_profile() -> None:
    request = agents.request(catalogue.offered_tools("full")["decay"], {})
    assert request.dry_run is True


def test_arguments_of_the_long_list_are_taken_though_the_short_one_does_not_tell_them() -> None:
    short, long = catalogue.offered_tools()["recall"], catalogue.offered_tools("full")["recall"]
    assert "as_of" not in short.list_entry.input_schema["properties"]
    assert "as_of" in long.list_entry.input_schema["properties"]
    assert agents.request(short, {"query": "x", "as_of": "v1"}).as_of == "v1"


def test_what_is_reported_in_the_long_list_only_exists_and_is_kept_from_the_short_one() -> None:
    for name, more in profiles.MORE.items():
        known = {
            field.name: field
            for field in request_fields(
                catalogue.offered_tools("full")[name].operation.request_class
            )
        }
        assert all(not known[item].arg.mcp for item in more), name


def test_the_default_list_tells_the_usual_arguments_in_short_and_takes_all_others() -> None:
    assert set(profiles.USUAL) == set(profiles.DEFAULT)
    for name, offer in catalogue.offered_tools().items():
        whole, result = catalogue.offered_tools("full")[name], offer.list_entry.input_schema
        assert list(result["properties"]) == [
            item
            for item in whole.list_entry.input_schema["properties"]
            if item in profiles.USUAL[name]
        ]
        assert set(result["properties"]) == set(profiles.USUAL[name]), name
        assert result.get("required", []) == whole.list_entry.input_schema.get("required", []), name
        assert set(offer.fields) == set(whole.fields), name
        assert offer.list_entry.output_schema is None
        assert whole.list_entry.output_schema
        for item, schema in result["properties"].items():
            assert schema.get("description", "") == profiles.USUAL[name][item]
            assert schema.keys() <= {"type", "items", "enum", "description"}
    assert (
        agents.request(catalogue.offered_tools()["remember"], {"text": "x", "weight": 4}).weight
        == 4
    )
    with pytest.raises(InvalidInput, match="limit"):
        agents.request(catalogue.offered_tools()["recall"], {"query": "x", "limit": 101})


def test_cuts_name_arguments_that_exist() -> None:
    for name, cut in {**profiles.EVERYWHERE, **profiles.READING}.items():
        known = {
            field.name
            for field in request_fields(
                catalogue.offered_tools("full")[name].operation.request_class
            )
        }
        assert {*cut.only, *cut.fixed} <= known


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(InvalidInput, match="'everything'"):
        catalogue.offered_tools("everything")


# --- names of other systems ----------------------------------------------------------------------


def test_no_name_of_another_system_hides_one_of_ours() -> None:
    """CT-16, CE-8, CE-13, ML-21. One waits since ours has its name."""
    theirs = {*tool_names.SAME, *tool_names.CALLS, *tool_names.CHOICES}
    later = [name for names in tool_names.WAITING.values() for name in names]
    assert not theirs & set(later)
    full, compat = catalogue.offered_tools("full"), catalogue.offered_tools("compat")
    for name in theirs & set(full):  # one that says all that ours does hides nothing
        ours, both = (
            set((item[name].list_entry.output_schema or {})["properties"])
            for item in (full, compat)
        )
        assert (name, ours - both) == ("why_broke", set())
    assert set(later) & set(catalogue.offered_tools("full")) == {"search"}
    assert set(catalogue.offered_tools("compat")) == {*catalogue.offered_tools("full"), *theirs}


def test_a_name_that_is_chosen_finds_out_only_actions_that_it_has() -> None:
    for name, choice in tool_names.CHOICES.items():
        assert {*(to for _, to in choice.detect), choice.otherwise} <= set(choice.actions), name
        listed = catalogue.offered_tools("compat")[name].list_entry.input_schema["properties"]
        if choice.by:
            assert listed[choice.by]["enum"] == list(choice.actions)
        else:
            assert "" not in listed, name


def test_every_schema_of_every_profile_is_one() -> None:
    tools = [
        o.list_entry for name in profiles.NAMES for o in catalogue.offered_tools(name).values()
    ]
    schemas = [schema for tool in tools for schema in (tool.input_schema, tool.output_schema)]
    # Profiles share most of their tools, and many tools answer alike.
    for schema in {json.dumps(schema, sort_keys=True) for schema in schemas if schema}:
        Draft202012Validator.check_schema(json.loads(schema))


def test_habits_of_the_five_systems_work(tmp_path: Path) -> None:
    """CT-16, ML-21, CE-8, CE-13: calls as their clients make them."""
    agent = Agent(shop(tmp_path), "compat")
    item = agent.data("store_memory", content="Redis is on 6380", type="fact", tags=["db"])
    item = item["memory"]["id"]
    two = agent.data(
        "store", information="The cart is per worker", metadata={"kind": "pattern", "priority": 9}
    )["id"]
    three = agent.data("memory_record", title="Keep SQLite", content="One file.")["id"]
    assert agent.data("show", id=two)["memory"]["weight"] == 5
    assert agent.data("get_memory", memory_id=three)["type"] == "decision"
    agent("update_memory", memory_id=item, content="Redis is on 6381")
    agent("create_relationship", from_id=item, to_id=two, relationship_type="REQUIRES")
    assert agent.data("get_related_memories", memory_id=item)["memories"][0]["id"] == two
    assert agent.data("recall_memories", q="redis", top_k=3)["results"][0]["memory"]["id"] == item
    assert agent.data("find", query="cart", limit=1)["results"][0]["id"] == two
    assert agent.data("code_search", query="Server")["results"][0]["path"] == "src/server.py"
    hits = agent.data("symbol_graph", symbol="Server", query_type="definition")["results"]
    assert hits[0]["path"] == "src/server.py"
    assert agent.data("memory_query", symbol="Server")["symbols"][0]["file"] == "src/server.py"
    agent("delete_memory", memory_id=two)
    assert agent.data("show", id=two)["memory"]["state"] == "archived"


def test_an_action_that_there_is_not_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="'action'") as caught:
        Agent(shop(tmp_path), "compat")("memory_query", action="teleport")
    assert "search" in caught.value.hint
