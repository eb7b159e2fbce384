"""The tools as the table of operations gives them, and what their arguments become."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator
from mcp_types import ListToolsResult

from gitmem import operations
from gitmem.errors import InvalidInput
from gitmem.mcp import tools
from gitmem.operations.registry import DELETE, READ, fields
from gitmem.operations.remember import Remember
from gitmem.operations.retire import Ids

MOST_TOKENS = 3000


def ask(tool: str, **arguments: object) -> object:
    return tools.request(tools.offered()[tool], arguments)


def refused(tool: str, **arguments: object) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        ask(tool, **arguments)
    return caught.value


def test_every_operation_that_names_a_tool_is_one() -> None:
    named = [operations.load(name).tool for name in operations.PLACES]
    assert list(tools.offered()) == [name for name in named if name]


def test_whole_list_stays_small_enough_for_every_session(
    capsys: pytest.CaptureFixture[str],
) -> None:
    listed = ListToolsResult(tools=[offer.tool for offer in tools.offered().values()])
    wire = listed.model_dump(by_alias=True, exclude_none=True, mode="json")["tools"]
    cost = len(json.dumps(wire, separators=(",", ":"))) / 4
    with capsys.disabled():
        print(f"[tools/list: {len(wire)} tools, {cost:.0f} tokens]", end=" ")
    assert cost <= MOST_TOKENS


@pytest.mark.parametrize("name", list(tools.offered()))
def test_tool_tells_what_it_takes_and_does(name: str) -> None:
    offer = tools.offered()[name]
    tool, effect = offer.tool, offer.operation.effect
    assert tool.description and len(tool.description) <= 120
    for schema in (tool.input_schema, tool.output_schema):
        assert schema
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
    known = [field.name for field in fields(offer.operation.request) if field.arg.mcp]
    assert list(tool.input_schema["properties"]) == known
    assert all(one["description"] for one in tool.input_schema["properties"].values())
    assert tool.annotations
    assert bool(tool.annotations.read_only_hint) == (effect == READ)
    assert bool(tool.annotations.destructive_hint) == (effect == DELETE)
    assert tool.annotations.open_world_hint is False


def test_nothing_of_the_command_line_is_told_to_agents() -> None:
    told = json.dumps([offer.tool.input_schema for offer in tools.offered().values()])
    assert "standard input" not in told
    assert "may be repeated" not in told
    assert '"piped"' not in told


def test_arguments_become_the_request_and_the_rest_keeps_its_defaults() -> None:
    assert ask("remember", text="Redis", tag=["db"], weight=4) == Remember(
        text="Redis", tag=("db",), weight=4
    )


def test_one_string_where_a_list_belongs_is_a_list_of_one() -> None:
    assert ask("forget", id="01AB") == Ids(id=("01AB",)) == ask("forget", id=["01AB"])


def test_null_means_not_given_where_something_may_be_left_out() -> None:
    assert ask("remember", text="Redis", tag=None, weight=None) == Remember(text="Redis")


def test_dash_is_only_a_dash() -> None:
    assert ask("remember", text="-") == Remember(text="-")


@pytest.mark.parametrize(
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
