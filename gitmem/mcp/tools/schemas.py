"""JSON Schemas, as small as possible, since a tool list costs tokens in every session.

pydantic makes those of arguments from the dataclasses that the command line reads; titles, empty
defaults and docstrings are removed. Those of answers only name the fields and require none: some
clients also check the structured content of an error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Literal

from gitmem.operations.registry import RequestField

if TYPE_CHECKING:
    from pydantic import BaseModel

Schema = dict[str, Any]
_OPTION = re.compile(r"""(?<![\w'"-])--([a-z][a-z-]*)""")
_OBJECT = {"type": "object"}
_ANY_OBJECT = {"type": "object", "additionalProperties": True}
_BOUNDS = frozenset({"default", "minimum", "maximum", "minItems"})


def input_model(accepted_fields: Sequence[RequestField], name: str) -> type[BaseModel]:
    """A pydantic model that checks the arguments of a tool; unknown arguments are refused."""
    from pydantic import ConfigDict, create_model  # noqa: PLC0415 - most calls need no model

    constraints = {field.name: _constraint(field) for field in accepted_fields}
    config = ConfigDict(extra="forbid")
    return create_model(name, __config__=config, **constraints)  # type: ignore[call-overload,no-any-return]


def _constraint(field: RequestField) -> tuple[Any, Any]:
    from pydantic import BeforeValidator  # noqa: PLC0415 - likewise
    from pydantic import Field as Constraint  # noqa: PLC0415

    arg = field.arg
    kind: Any = Literal[arg.choices] if arg.choices else field.type
    bounds = {"ge": arg.minimum, "le": arg.maximum, "description": field_description(field)}
    constraint: dict[str, Any] = {
        name: value for name, value in bounds.items() if value is not None
    }
    if field.many:
        kind = Annotated[tuple[kind, ...], BeforeValidator(_as_list)]
        constraint |= {"min_length": 1} if field.required else {}
    return kind, Constraint(... if field.required else field.default, **constraint)


def _as_list(value: Any) -> Any:
    """A string for a list as a list of one, or as the list that it is in JSON.

    Models sometimes write ``"[\\"web\\", \\"db\\"]"`` for a list.
    """
    if not isinstance(value, str):
        return value
    if value.startswith("["):
        with suppress(ValueError, RecursionError):
            items = json.loads(value)
            if isinstance(items, list) and all(isinstance(item, str | dict) for item in items):
                return items
    return (value,)


def field_description(field: RequestField) -> str:
    """The description of a tool's argument: its help, ``--re-anchor`` written as ``re_anchor``."""
    return write_options_as_arguments(field.arg.help)


def write_options_as_arguments(help_text: str) -> str:
    """The text with options (``--re-anchor``) written as arguments (``re_anchor``).

    Options in backticks or behind an opening quote stay, as part of a command or a quotation.
    """
    parts = help_text.split("`")
    parts[::2] = [
        _OPTION.sub(lambda match: match[1].replace("-", "_"), part) for part in parts[::2]
    ]
    return "`".join(parts)


def input_schema(model: type[BaseModel], listed_fields: Sequence[RequestField]) -> Schema:
    """The JSON Schema of a tool's arguments: of those in ``model``, only ``listed_fields``."""
    made_properties = model.model_json_schema().get("properties", {})
    properties = {
        field.name: _argument(field, made_properties[field.name]) for field in listed_fields
    }
    # Without additionalProperties: an unknown argument is refused anyway, and this saves tokens.
    schema: Schema = {"type": "object", "properties": properties}
    if required := [field.name for field in listed_fields if field.required]:
        schema["required"] = required
    return schema


def shorten_schema(schema: Schema, descriptions: Mapping[str, str]) -> Schema:
    """A copy of a tool's JSON Schema without defaults and bounds, and with other descriptions.

    ``descriptions`` are by argument; an empty one removes the description.
    """
    properties = {
        name: _shorten_property(property, descriptions.get(name))
        for name, property in schema["properties"].items()
    }
    return {**schema, "properties": properties}


def _shorten_property(schema: Schema, description: str | None) -> Schema:
    short = {key: value for key, value in schema.items() if key not in _BOUNDS}
    if description is not None:
        short.pop("description", None)
    return short | ({"description": description} if description else {})


def schema_of_action_tool(
    action_argument: str, default_action: str, action_schemas: Mapping[str, Schema]
) -> Schema:
    """The JSON Schema of a tool with several actions: the action, and the arguments of all.

    ``action_schemas`` are the schemas by action; ``action_argument`` is the argument that names it,
    empty if it is inferred from the others. ``default_action`` is named in the description.
    """
    properties: Schema = {}
    if action_argument:
        properties[action_argument] = {
            "enum": list(action_schemas),
            "description": f"What to do; default: inferred from the rest, or {default_action}",
        }
    for schema in action_schemas.values():
        for name, part in schema["properties"].items():
            before = properties.setdefault(name, part)
            if {**before, "description": ""} != {**part, "description": ""}:
                # They differ: the action's own schema checks it.
                properties[name] = {"description": before.get("description", "")}
    return {"type": "object", "properties": properties}


def _argument(field: RequestField, made: Schema) -> Schema:
    schema = {key: value for key, value in made.items() if key not in ("title", "default")}
    if schema.get("items") == _ANY_OBJECT:
        schema["items"] = dict(_OBJECT)
    if "enum" in schema:
        del schema["type"]  # the values imply it
    if field.default not in (None, "", (), False) and not field.required:
        schema["default"] = field.default
    return schema


def output_schema(result: type) -> Schema:
    """The JSON Schema of a dataclass, with only the names of its fields, for any values."""
    names: tuple[str, ...] = result.__match_args__  # type: ignore[attr-defined]
    return {"type": "object", "properties": {name: {} for name in names}}
