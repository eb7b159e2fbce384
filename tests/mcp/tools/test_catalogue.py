"""The tools as the table of operations gives them, and what their arguments become."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator

from gitmem import operations
from gitmem.errors import InvalidInput, NotFound
from gitmem.mcp.tools import catalogue, profiles
from gitmem.mcp.tools.offer import OfferedTool
from gitmem.operations.outcomes import MemoryIdsRequest
from gitmem.operations.registry import DELETE, READ, request_fields
from gitmem.operations.remember.remember import RememberRequest
from tests.mcp import agents
from tests.support.tables import table


def full() -> dict[str, OfferedTool]:
    return catalogue.offered_tools("full")


def ask(tool: str, **arguments: object) -> object:
    return agents.request(full()[tool], arguments)


def refused(tool: str, **arguments: object) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        ask(tool, **arguments)
    return caught.value


def test_the_default_list_loads_no_verb_that_it_does_not_offer() -> None:
    """All verbs are a quarter of a second of CPU, which the first call of a session would pay."""
    script = "import sys; from gitmem.mcp.tools import catalogue; catalogue.offered_tools(); "
    words = [sys.executable, "-P", "-c", script + "print(*sys.modules)"]
    loaded = subprocess.run(words, capture_output=True, check=True, text=True).stdout.split()
    assert "gitmem.operations.find.search" in loaded
    assert not {f"gitmem.operations.{item}" for item in ("start.init", "skills.skill_write")} & {
        *loaded
    }


def test_every_operation_that_names_a_tool_is_one() -> None:
    named = [operations.load_operation(name).tool for name in operations.PLACES]
    own = [profiles.BATCH, profiles.DEFAULTS]
    assert list(full()) == [*(name for name in named if name), *own]


@table("name", full)
def test_tool_tells_what_it_takes_and_does(name: str) -> None:
    offer = full()[name]
    tool = offer.list_entry
    assert tool.description and len(tool.description) <= 120
    for schema in (tool.input_schema, tool.output_schema):
        assert schema
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
    more, cut = profiles.MORE.get(name, ()), profiles.EVERYWHERE.get(name)
    known = [
        field.name
        for field in request_fields(offer.operation.request_class)
        if (field.arg.mcp or field.name in more) and (cut is None or field.name in cut.only)
    ]
    assert list(tool.input_schema["properties"]) == known
    assert all(item["description"] for item in tool.input_schema["properties"].values())
    assert tool.annotations
    assert bool(tool.annotations.read_only_hint) == (offer.effect == READ)
    assert bool(tool.annotations.destructive_hint) == (offer.effect == DELETE)
    # What only reads is known by that alone.
    assert tool.annotations.open_world_hint is (None if offer.effect == READ else False)


def test_nothing_of_the_command_line_is_reported_to_agents() -> None:
    output = json.dumps([offer.list_entry.input_schema for offer in full().values()])
    assert "standard input" not in output
    assert "may be repeated" not in output
    assert '"piped"' not in output
    assert " --" not in output


def test_arguments_become_the_request_and_the_rest_keeps_its_defaults() -> None:
    assert ask("remember", text="Redis", tag=["db"], weight=4) == RememberRequest(
        text="Redis", tag=("db",), weight=4
    )


def test_one_string_where_a_list_belongs_is_a_list_of_one() -> None:
    assert ask("forget", id="01AB") == MemoryIdsRequest(id=("01AB",)) == ask("forget", id=["01AB"])


def test_null_means_not_given_where_something_may_be_left_out() -> None:
    assert ask("remember", text="Redis", tag=None, weight=None) == RememberRequest(text="Redis")


def test_dash_is_only_a_dash() -> None:
    assert ask("remember", text="-") == RememberRequest(text="-")


@table(
    ("arguments", "name"),
    [
        ({}, "text"),
        ({"text": None}, "text"),
        ({"text": 7}, "text"),
        ({"text": ["a"]}, "text"),
        ({"text": "a", "weight": 6}, "weight"),
        ({"text": "a", "weight": 10**5000}, "weight"),
        ({"text": "a", "tag": 7}, "tag"),
        ({"text": "a", "tag": ["a", 7]}, "tag"),
        ({"text": "a", "scope": "moon"}, "scope"),
        ({"text": "a", "colour": "red"}, "colour"),
        ({"text": "a", "colour": None}, "colour"),
        ({"text": "a", "piped": True}, "piped"),
    ],
)  # fmt: skip
def test_wrong_argument_is_refused_by_name(arguments: dict[str, object], name: str) -> None:
    error = refused("remember", **arguments)
    assert error.code == "invalid"
    assert repr(name) in error.message
    assert error.hint


def test_forgetting_nothing_is_refused() -> None:
    assert "'id'" in refused("forget", id=[]).message


def test_a_tool_is_found_by_its_name_and_any_other_is_refused() -> None:
    assert catalogue.find_tool("recall") is catalogue.offered_tools()["recall"]
    with pytest.raises(NotFound, match="'teleport'"):
        catalogue.find_tool("teleport", "compat")


def test_arguments_that_hold_too_much_are_refused_before_anything_reads_them() -> None:
    assert "1,000,000 characters" in refused("recall", query="x" * 1_000_001).message
    assert "1,000,000" in refused("remember", text="a", tag=["t"] * 600_000).message
    assert (
        "1,000,000"
        in refused("remember", text="a", metadata={"x" * 600_000: ["y" * 600_000]}).message
    )


def test_a_list_of_questions_is_several_of_them() -> None:
    for given, first, more in (
        (["a", "b"], "a", ("b",)),
        (["a"], "a", ()),
        ("a", "a", ()),
        ('["a"]', '["a"]', ()),
    ):
        for profile in ("default", "full", "readonly"):
            result = agents.request(catalogue.offered_tools(profile)["search"], {"query": given})
            assert (result.query, result.queries) == (first, more), (profile, given)
    both = ask("search", query=["a", "b"], queries=["c"], not_glob="docs", minScore=0.2)
    assert (both.query, both.queries) == ("a", ("b", "c"))  # type: ignore[attr-defined]
    assert (both.not_path, both.threshold) == (("docs",), 0.2)  # type: ignore[attr-defined]
    assert "'query'" in refused("search", query=[1]).message
    assert "'query'" in refused("recall", query=["a", "b"]).message


@pytest.mark.parametrize("name", ["entity_neighbors", "entity_timeline", "route"])
def test_a_tool_that_went_is_answered_with_what_took_its_place(name: str) -> None:
    for profile in ("default", "full", "compat"):
        with pytest.raises(NotFound) as raised:
            catalogue.find_tool(name, profile)
        assert raised.value.hint in operations.GONE.values()
