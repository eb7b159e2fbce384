"""Other systems' names of arguments are taken in every profile (CE-13, CT-16, CF-39)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.errors import InvalidInput
from gitmem.mcp.compat import argument_names
from gitmem.mcp.tools import catalogue
from tests.mcp import agents
from tests.support.tables import table


def known() -> dict[str, set[str]]:
    """The fields of each tool."""
    return {name: set(offer.fields) for name, offer in catalogue.offered_tools("full").items()}


def every() -> set[str]:
    return set().union(*known().values())


def message(tool: str, profile: str = "full", /, **arguments: Any) -> Any:
    return agents.request(catalogue.offered_tools(profile)[tool], arguments)


@table("alias", argument_names.ALIASES)
def test_each_alias_means_fields_that_exist(alias: str) -> None:
    assert set(argument_names.ALIASES[alias]) <= every()
    used = [
        tool
        for tool, names in known().items()
        if argument_names.field_for_argument(alias, names) != alias
    ]
    assert used, "no tool takes it"


@table("tool", known)
def test_no_alias_shadows_a_field_of_the_operation(tool: str) -> None:
    names = known()[tool]
    for name in names:
        assert argument_names.field_for_argument(name, names) == name


def test_names_in_the_tables_are_folded_and_fields_that_are_lifted_exist() -> None:
    assert all(name == name.lower() for name in argument_names.ALIASES)
    assert set(argument_names.CONVERSIONS) <= set(argument_names.ALIASES)
    assert known()["remember"] >= argument_names.LIFTED


def test_no_schema_tells_an_alias() -> None:
    for tool, offer in catalogue.offered_tools().items():
        assert set(offer.list_entry.input_schema["properties"]) <= known()[tool]


@table(("tool", "given", "expected"), [
    ("recall", {"q": "a"}, {"query": "a"}),
    ("recall", {"text": "a", "top_k": 3}, {"query": "a", "limit": 3}),
    ("recall", {"query": "a", "n": "3", "types": ["fix"]}, {"limit": 3, "kind": ("fix",)}),
    ("recall", {"query": "a", "includeSuperseded": True},
     {"state": ("active", "proposed", "superseded")}),
    ("recall", {"query": "a", "include_superseded": False}, {"state": ()}),
    ("recall", {"query": "a", "asOf": "v1"}, {"as_of": "v1"}),
    ("search", {"query": "a", "language": "python", "under": "src"},
     {"lang": ("python",), "path": "src"}),
    ("search", {"query": "a", "in": "code", "currentFile": "a.py"},
     {"sources": ("code",), "near": "a.py"}),
    ("search", {"query": "a", "symbolKind": "class", "type": None}, {"kind": ("class",)}),
    ("remember", {"content": "a", "type": "fix", "tags": ["x"]}, {"text": "a", "tag": ("x",)}),
    ("remember", {"information": "a", "ttl_seconds": 60}, {"text": "a", "ttl": "60s"}),
    ("remember", {"text": "a", "priority": 10, "pinned": True}, {"weight": 5, "pin": True}),
    ("remember", {"text": "a", "fileContext": {"path": "a.py", "lines": [3, 9]}},
     {"path": ("a.py:3-9",)}),
    ("decide", {"decision": "a", "rationale": "b", "files": ["a.py"]},
     {"title": "a", "why": "b", "path": ("a.py",)}),
    ("show", {"memoryId": "01"}, {"id": ("01",)}),
    ("verify", {"ids": ["01"]}, {"id": ("01",)}),
    ("session_note", {"note": "a", "path": "a.py"}, {"text": "a", "file": ("a.py",)}),
    ("orient", {"max_tokens": 500}, {"budget": 500}),
    ("affected", {"range": "a..b"}, {"revisions": "a..b"}),
])  # fmt: skip
def test_their_names_mean_our_fields(
    tool: str, given: dict[str, Any], expected: dict[str, Any]
) -> None:
    request = message(tool, **given)
    assert {name: getattr(request, name) for name in expected} == expected


@pytest.mark.parametrize("profile", ["default", "full", "readonly", "compat"])
def test_they_are_taken_in_every_profile(profile: str) -> None:
    assert message("recall", profile, q="a", k=2).limit == 2


def test_two_names_that_differ_are_refused_and_both_are_named() -> None:
    with pytest.raises(InvalidInput) as caught:
        message("recall", query="a", q="b")
    assert "'query'" in caught.value.message and "'q'" in caught.value.message


def test_two_names_that_say_the_same_are_no_conflict() -> None:
    assert message("remember", text="a", tag="x", tags=["x"]).tag == ("x",)
    assert message("recall", query="a", q=None, limit=None, top_k=2).limit == 2


def test_facts_in_metadata_become_fields_and_the_rest_stays_metadata() -> None:
    """CE-8: what Context Engine's clients send."""
    facts = {"kind": "snippet", "tags": ["db"], "language": "python", "topic": "redis", "text": "x"}
    request = message("remember", information="a", metadata=facts)
    assert (request.text, request.kind, request.tag) == ("a", "snippet", ("db",))
    assert json.loads(request.metadata) == {"language": "python", "topic": "redis", "text": "x"}


def test_null_in_metadata_still_removes_a_fact() -> None:
    request = message("revise", "full", id="01", metadata={"ticket": None, "title": None})
    assert json.loads(request.metadata) == {"ticket": None, "title": None}


def test_metadata_in_metadata_conflicts_like_any_two_names() -> None:
    with pytest.raises(InvalidInput, match="'kind' and 'type'"):
        message("remember", text="a", kind="fix", metadata={"type": "note"})


def test_metadata_nested_deeper_than_json_goes_is_refused() -> None:
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InvalidInput, match="metadata"):
        message("remember", text="a", metadata={"deep": deep})


@pytest.mark.parametrize("arguments", [
    {"query": "a", "colour": "red"},
    {"query": "a", "project_id": "x"},
    {"query": "a", "description": "x"},
])  # fmt: skip
def test_a_name_that_means_nothing_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="has no argument"):
        message("recall", **arguments)


@table(("tool", "arguments"), [
    ("remember", {"text": "a", "ttl_seconds": [1]}),
    ("remember", {"text": "a", "priority": {"a": 1}}),
    ("remember", {"text": "a", "priority": 11}),
    ("remember", {"text": "a", "fileContext": {"lines": 3}}),
    ("recall", {"query": "a", "include_superseded": {"a": 1}}),
    ("recall", {"q": {"a": 1}}),
])  # fmt: skip
def test_a_value_that_cannot_be_meant_is_refused_as_any(
    tool: str, arguments: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput, match="is not valid"):
        message(tool, **arguments)


def named() -> list[str]:
    return [*argument_names.ALIASES, *sorted(every()), "metadata", "x"]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(
    st.deferred(lambda: st.sampled_from(sorted(catalogue.offered_tools("compat")))),
    st.dictionaries(st.deferred(lambda: st.sampled_from(named())), VALUES),
)
def test_any_arguments_make_a_request_or_an_error(tool: str, arguments: dict[str, Any]) -> None:
    offer = catalogue.offered_tools("compat")[tool]
    try:
        request = agents.request(offer, arguments)
    except InvalidInput as error:
        assert error.message
    else:
        assert request is not None
