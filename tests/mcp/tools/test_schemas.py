"""Small schemas: what is kept and what is dropped.

Without ``from __future__ import annotations``, as every module with a request is.
"""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from gitmem.mcp.tools import schemas
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import Annotated, Arg, as_json_values, request_fields
from tests.support.tables import table


@dataclass(frozen=True, slots=True)
class Part:
    """A docstring that costs tokens."""

    name: str


@dataclass(frozen=True, slots=True)
class Whole:
    """A docstring that costs tokens."""

    parts: tuple[Part, ...]
    one: Part
    maybe: int | None
    mixed: Part | None
    counts: dict[str, int]
    words: tuple[str, ...] = ()


@table(("given", "meant"), [
    ("web", ("web",)),
    ('["web", "db"]', ["web", "db"]),
    ('[{"tool": "recall"}]', [{"tool": "recall"}]),
    ("[]", []),
    ("[web]", ("[web]",)),
    ("[1, 2]", ("[1, 2]",)),
    ("[" * 100_000, ("[" * 100_000,)),
    (["web"], ["web"]),
    (None, None),
])  # fmt: skip
def test_a_list_may_come_as_one_text_or_as_json(given: Any, meant: Any) -> None:
    assert schemas._as_list(given) == meant


@pytest.mark.parametrize(("text", "expected"), [
    ("--re-anchor is for one.", "re_anchor is for one."),
    ("Run `gitmem index --all`, or give --changed.", "Run `gitmem index --all`, or give changed."),
    ("No commit is called '--stat'.", "No commit is called '--stat'."),
    ("a--b --1 -- x", "a--b --1 -- x"),
])  # fmt: skip
def test_options_are_reported_as_arguments(text: str, expected: str) -> None:
    assert schemas.write_options_as_arguments(text) == expected


@dataclass(frozen=True, slots=True)
class Request:
    """A request as an operation has it."""

    size: Annotated[int, Arg("How large", minimum=1, maximum=9)]
    scope: Annotated[str, Arg("Where", choices=("here", "there"))] = "here"
    tag: Annotated[tuple[str, ...], Arg("A tag")] = ()
    text: Annotated[str, Arg("The text", max_stdin_mb=1)] = ""


@pytest.fixture(scope="module")
def whole() -> dict[str, Any]:
    return schemas.output_schema(Whole)


def test_nothing_that_says_nothing_is_kept(whole: dict[str, Any]) -> None:
    output = json.dumps(whole)
    for dead in ("title", "docstring", "default", "required", "$defs", "$ref"):
        assert dead not in output


def test_an_answer_names_its_fields_alone(whole: dict[str, Any]) -> None:
    assert list(whole["properties"]) == ["parts", "one", "maybe", "mixed", "counts", "words"]
    Draft202012Validator(whole | {"additionalProperties": False}).validate(
        as_json_values(Whole((Part("a"),), Part("b"), None, Part("b"), {"a": 1}))
    )


def test_error_fits_every_schema_since_some_clients_check_it(whole: dict[str, Any]) -> None:
    Draft202012Validator(whole).validate({"error": {"code": "a", "message": "b", "hint": ""}})


def test_an_unknown_argument_is_refused_though_the_schema_does_not_say_so() -> None:
    """Saying it would cost every session; that one was mistyped must still not go unnoticed."""
    model = schemas.input_model(request_fields(Request), "request")
    model.model_validate({"size": 1})
    with pytest.raises(ValidationError, match="moon"):
        model.model_validate({"size": 1, "moon": 2})


def test_bounds_choices_and_defaults_that_matter_are_reported() -> None:
    known = request_fields(Request)
    schema = schemas.input_schema(schemas.input_model(known, "request"), known)
    assert schema == {
        "type": "object",
        "properties": {
            "size": {"type": "integer", "minimum": 1, "maximum": 9, "description": "How large"},
            "scope": {"enum": ["here", "there"], "default": "here", "description": "Where"},
            "tag": {"type": "array", "items": {"type": "string"}, "description": "A tag"},
            "text": {"type": "string", "description": "The text"},
        },
        "required": ["size"],
    }


def test_what_is_accepted_need_not_be_listed() -> None:
    known = request_fields(Request)
    schema = schemas.input_schema(schemas.input_model(known, "request"), known[1:2])
    assert list(schema["properties"]) == ["scope"]
    assert "required" not in schema


def test_options_of_the_command_line_are_reported_as_arguments() -> None:
    (field,) = request_fields(Options)
    assert schemas.field_description(field) == "With re_anchor or accept; one-line, not x--y."


@dataclass(frozen=True, slots=True)
class Options:
    """A request whose help names options."""

    one: Annotated[str, Arg("With --re-anchor or --accept; one-line, not x--y.")] = ""


def test_a_tool_that_is_one_of_several_takes_what_any_of_them_takes() -> None:
    text = {"type": "string", "description": "First."}
    parts = {
        "a": {"properties": {"same": text, "other": text}, "required": ["same"]},
        "b": {"properties": {"same": text | {"description": "B."}, "other": {"type": "integer"}}},
    }
    schema = schemas.schema_of_action_tool("action", "a", parts)
    assert "required" not in schema
    assert schema["properties"]["action"]["enum"] == ["a", "b"]
    assert schema["properties"]["same"] == text
    assert schema["properties"]["other"] == {"description": "First."}
    Draft202012Validator.check_schema(schema)
