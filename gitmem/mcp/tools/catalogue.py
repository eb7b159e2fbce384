"""The tools of a profile, as agents see them: made from the tables, never by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_type_hints

from mcp_types import Tool, ToolAnnotations
from pydantic import BaseModel, ValidationError

from gitmem import operations
from gitmem.errors import InvalidInput, NotFound
from gitmem.mcp.compat import argument_names, tool_names
from gitmem.mcp.compat.tool_names import Gateway, Route
from gitmem.mcp.tools import profiles, schemas
from gitmem.mcp.tools.batch import BATCHED
from gitmem.mcp.tools.defaults import SET_DEFAULTS
from gitmem.model.frozen import dataclass, replace
from gitmem.operations.registry import DELETE, READ, WRITE, Field, Operation, fields
from gitmem.text.fence import NOTICE

_SHOWN = 60
# Characters and items in the arguments of a call: a hundred long memories.
MOST = 1_000_000
# What pydantic says of Python, and what it is in JSON.
_WORDS = {"Tuple": "List", "tuple": "list", "dictionary": "object", " after validation": ""}
# Of the connection, beside those of the repository.
OWN = (BATCHED, SET_DEFAULTS)


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool: its operation, what ``tools/list`` says about it, the model of its arguments.

    ``effect`` is the operation's, or less where a profile cuts it down; ``fixed`` arguments have
    one value. A gateway has ``parts`` by action instead, and its operation is the usual one.
    """

    operation: Operation
    tool: Tool
    model: type[BaseModel]
    effect: str
    fixed: Mapping[str, Any]
    gateway: Gateway | None = None
    parts: Mapping[str, Offered] = {}

    @property
    def fields(self) -> Mapping[str, Any]:
        """What may be given, by name."""
        return self.model.model_fields


def offered(profile: str = "default") -> dict[str, Offered]:
    """The tools by name, in the table's order. Made at the first call: a handshake needs none.

    Raises InvalidInput for an unknown profile.
    """
    return _offered(profiles.check(profile))


@cache
def _offered(profile: str) -> dict[str, Offered]:
    found = dict(_own(profile))
    if profile == "compat":
        found |= {name: _routed(name, route, found) for name, route in tool_names.SAME.items()}
        found |= {name: _gateway(name, one, found) for name, one in tool_names.GATEWAYS.items()}
    return found


def find(name: str, profile: str = "default") -> Offered:
    """The tool with this name. Raises NotFound."""
    offer = offered(profile).get(name)
    if offer is not None:
        return offer
    message = f"There is no tool {name[:_SHOWN]!r}."
    if any(name in names for names in tool_names.LATER.values()):
        raise NotFound(message, "It will come in a later version.")
    if name in tool_names.SAME or name in tool_names.GATEWAYS:
        raise NotFound(message, "It is available with `gitmem mcp --profile compat`.")
    if any(name == operation.tool for operation in _operations()):
        raise NotFound(message, "It is available with `gitmem mcp --profile full`.")
    raise NotFound(message, f"Tools: {', '.join(offered(profile))}.")


def _operations() -> Iterator[Operation]:
    """All that are tools."""
    found = [*(operations.load(name) for name in operations.PLACES), *OWN]
    return (operation for operation in found if operation.tool)


def _own(profile: str) -> Iterator[tuple[str, Offered]]:
    for operation in _operations():
        name = operation.tool
        if profile == "default" and name not in profiles.DEFAULT:
            continue
        cut = profiles.cuts(profile).get(name)
        reads = operation.effect == READ or (cut is not None and cut.reads)
        if profile == profiles.READONLY and not reads and operation is not BATCHED:
            continue
        yield name, _offer(operation, profile)


def _offer(operation: Operation, profile: str) -> Offered:
    cut = profiles.cuts(profile).get(operation.tool)
    known = [field for field in fields(operation.request) if _accepted(operation.tool, field)]
    effect, fixed = operation.effect, {}
    if cut is not None:
        known = [field for field in known if field.name in cut.only]
        effect, fixed = READ if cut.reads else effect, dict(cut.fixed)
    if operation is BATCHED and profile == profiles.READONLY:
        effect = READ
    listed = [one for one in known if _listed(operation.tool, one, profile)]
    offer = _made(operation, operation.tool, known, listed, effect, fixed)
    if profile != "default":
        return offer
    # Schemas of answers are a fifth of the list, and agents see the answer itself.
    said = profiles.USUAL.get(operation.tool, {})
    told = schemas.in_short(offer.tool.input_schema, said)
    return replace(
        offer, tool=offer.tool.model_copy(update={"input_schema": told, "output_schema": None})
    )


def _listed(tool: str, field: Field, profile: str) -> bool:
    if profile == "default" and tool in profiles.USUAL:
        return field.name in profiles.USUAL[tool]
    return field.arg.mcp or profile in ("full", "compat")


def _accepted(tool: str, field: Field) -> bool:
    return field.arg.mcp or field.name in profiles.MORE.get(tool, ())


def _made(
    operation: Operation,
    name: str,
    known: list[Field],
    listed: list[Field],
    effect: str,
    fixed: Mapping[str, Any],
) -> Offered:
    model = schemas.input_model(known, name)
    output = schemas.output_schema(get_type_hints(operation.run)["return"])
    if operation.quotes:
        output["properties"] = {NOTICE: {"type": "string"}, **output["properties"]}
    tool = Tool(
        name=name,
        description=description(operation),
        input_schema=schemas.input_schema(model, listed),
        output_schema=output,
        annotations=_annotations(effect),
    )
    return Offered(operation, tool, model, effect, fixed)


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


# --- names of other systems ----------------------------------------------------------------------


def _routed(name: str, route: Route, own: Mapping[str, Offered]) -> Offered:
    """One of our tools under another name, without the arguments that are settled."""
    target = own[route.tool]
    wanted = [one for one in fields(target.operation.request) if one.name in target.fields]
    known = [one for one in wanted if one.name not in route.fixed]
    fixed = {**target.fixed, **route.fixed}
    return _made(target.operation, name, known, known, target.effect, fixed)


def _gateway(name: str, gateway: Gateway, own: Mapping[str, Offered]) -> Offered:
    parts = {action: _routed(name, route, own) for action, route in gateway.actions.items()}
    effects = {one.effect for one in parts.values()}
    effect = next((one for one in (DELETE, WRITE) if one in effects), READ)
    usual = parts[gateway.otherwise]
    said = {action: part.tool.input_schema for action, part in parts.items()}
    tool = Tool(
        name=name,
        description=f"One of: {', '.join(parts)}.",
        input_schema=schemas.either_schema(gateway.by, gateway.otherwise, said),
        annotations=_annotations(effect),
    )
    return replace(usual, tool=tool, effect=effect, gateway=gateway, parts=parts)


def meant(offer: Offered, arguments: Mapping[str, Any]) -> tuple[Offered, dict[str, Any]]:
    """The tool that a call means, and its arguments under our names. Raises InvalidInput."""
    _refuse_huge(arguments)
    if offer.gateway is None:
        return offer, argument_names.resolve(arguments, offer.fields)
    action, rest = _action(offer, arguments)
    part = offer.parts[action]
    return part, argument_names.resolve(rest, part.fields)


def _action(offer: Offered, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    gateway = offer.gateway
    assert gateway is not None
    rest = dict(arguments)
    said = rest.pop(gateway.by, None)
    if said is None:
        given = {name for name, value in rest.items() if value is not None}
        known = {field for part in offer.parts.values() for field in part.fields}
        given |= {argument_names.meaning(name, known) for name in given}
        return next((to for name, to in gateway.detect if name in given), gateway.otherwise), rest
    if not isinstance(said, str) or said not in gateway.actions:
        raise InvalidInput(
            f"The argument {gateway.by!r} is not valid.",
            f"Use one of: {', '.join(gateway.actions)}.",
        )
    return said, rest


# --- arguments -----------------------------------------------------------------------------------


def _refuse_huge(arguments: Mapping[str, Any]) -> None:
    """Raise InvalidInput for arguments that would keep everybody waiting."""
    room, left = MOST, [arguments]
    while left and room >= 0:
        value: Any = left.pop()
        room -= len(value) if isinstance(value, str | list | tuple | dict) else 1
        if isinstance(value, dict):
            left += [*value, *value.values()]
        elif isinstance(value, list | tuple):
            left += value
    if room < 0:
        raise InvalidInput(
            f"The arguments have more than {MOST:,} characters.", "Split it into several calls."
        )


def checked(offer: Offered, arguments: Mapping[str, Any]) -> Any:
    """The request with arguments under our names. Raises InvalidInput, naming the wrong one."""
    known = {field.name: field for field in fields(offer.operation.request)}
    # Agents say null where they mean nothing.
    given = {
        name: value
        for name, value in arguments.items()
        if value is not None or name not in offer.fields or known[name].required
    }
    try:
        model = offer.model.model_validate(_apart(offer, given))
    except ValidationError as error:
        raise _told(offer, error) from None
    values = {name: getattr(model, name) for name in model.model_fields_set}
    return offer.operation.request(**values, **offer.fixed)


def _apart(offer: Offered, given: dict[str, Any]) -> dict[str, Any]:
    """A list given as the one question of a tool that takes several: all behind the first."""
    asked = given.get("query")
    if "queries" not in offer.fields or not isinstance(asked, list) or not asked:
        return given
    more = given.get("queries") or []
    return {**given, "query": asked[0], "queries": [*asked[1:], *more]}


def _told(offer: Offered, error: ValidationError) -> InvalidInput:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "arguments"
    known = offer.model.model_fields
    if first["type"] == "extra_forbidden":
        names = ", ".join(known) or "none"
        return InvalidInput(
            f"{offer.tool.name} has no argument {name[:_SHOWN]!r}.", f"Arguments: {names}."
        )
    hint = known[name].description or "" if name in known else ""
    if first["type"] == "missing":
        return InvalidInput(f"The argument {name!r} is missing.", hint)
    message = first["msg"]
    for theirs, ours in _WORDS.items():
        message = message.replace(theirs, ours)
    return InvalidInput(f"The argument {name!r} is not valid: {message}.", hint)
