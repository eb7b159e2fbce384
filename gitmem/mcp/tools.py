"""Every operation that names a tool, as agents see it: made from the table, never by hand."""

from __future__ import annotations

from functools import cache
from typing import Any, get_type_hints

from mcp_types import Tool, ToolAnnotations
from pydantic import BaseModel, ValidationError

from gitmem import operations
from gitmem.errors import InvalidInput
from gitmem.mcp import schemas
from gitmem.model.value import dataclass
from gitmem.operations.registry import DELETE, READ, Operation, fields

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Offered:
    """An operation, what ``tools/list`` says about it, and the model of its arguments."""

    operation: Operation
    tool: Tool
    model: type[BaseModel]


@cache
def offered() -> dict[str, Offered]:
    """The tools by name, in the table's order. Made at the first call: a handshake needs none."""
    found = {}
    for name in operations.PLACES:
        operation = operations.load(name)
        if operation.tool:
            found[operation.tool] = _offer(operation)
    return found


def _offer(operation: Operation) -> Offered:
    model = schemas.input_model(operation.request, operation.tool)
    tool = Tool(
        name=operation.tool,
        description=description(operation),
        input_schema=schemas.input_schema(model, operation.request),
        output_schema=schemas.output_schema(get_type_hints(operation.run)["return"]),
        annotations=_annotations(operation.effect),
    )
    return Offered(operation, tool, model)


def _annotations(effect: str) -> ToolAnnotations:
    # What is left out has the value that the protocol assumes, or means nothing for a reader.
    if effect == READ:
        return ToolAnnotations(read_only_hint=True, open_world_hint=False)
    if effect == DELETE:
        return ToolAnnotations(destructive_hint=True, idempotent_hint=True, open_world_hint=False)
    return ToolAnnotations(destructive_hint=False, open_world_hint=False)


def description(operation: Operation) -> str:
    """The first paragraph of the help, which says it all in a line; the arguments say the rest."""
    return " ".join(operation.help.partition("\n\n")[0].split())


def request(offer: Offered, arguments: dict[str, Any]) -> Any:
    """The operation's request. Raises InvalidInput naming the argument that is wrong."""
    required = {field.name for field in fields(offer.operation.request) if field.required}
    # Agents say null where they mean nothing.
    given = {
        name: value
        for name, value in arguments.items()
        if value is not None or name in required or name not in offer.model.model_fields
    }
    try:
        checked = offer.model.model_validate(given)
    except ValidationError as error:
        raise _told(offer, error) from None
    values = {name: getattr(checked, name) for name in checked.model_fields_set}
    return offer.operation.request(**values)


def _told(offer: Offered, error: ValidationError) -> InvalidInput:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "arguments"
    known = offer.model.model_fields
    if first["type"] == "extra_forbidden":
        names = ", ".join(known) or "none"
        return InvalidInput(
            f"{offer.operation.tool} has no argument {name[:_SHOWN]!r}.", f"Arguments: {names}."
        )
    hint = known[name].description or "" if name in known else ""
    if first["type"] == "missing":
        return InvalidInput(f"The argument {name!r} is missing.", hint)
    return InvalidInput(f"The argument {name!r} is not acceptable: {first['msg']}.", hint)
