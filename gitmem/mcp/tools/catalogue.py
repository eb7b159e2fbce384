"""The tools of a profile, as agents see them: made from the tables, never by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, get_type_hints

from gitmem import operations
from gitmem.errors import NotFound
from gitmem.mcp.compat import answer_shape, tool_names
from gitmem.mcp.compat.documented_call import REPOSITORY, Call, Choice, Path, To
from gitmem.mcp.tools import call_arguments, profiles, schemas
from gitmem.mcp.tools.batch import BATCHED
from gitmem.mcp.tools.defaults import SET_DEFAULTS
from gitmem.mcp.tools.offer import Offered, refuse_huge
from gitmem.model.frozen import replace
from gitmem.operations.registry import DELETE, READ, WRITE, Field, Operation, fields
from gitmem.text.fence import NOTICE

if TYPE_CHECKING:
    from mcp_types import Tool, ToolAnnotations

_SHOWN = 60
# Of the connection, beside those of the repository.
OWN = (BATCHED, SET_DEFAULTS)


def offered(profile: str = "default") -> dict[str, Offered]:
    """The tools by name, in the table's order. Made at the first call: a handshake needs none.

    Raises InvalidInput for an unknown profile.
    """
    return _offered(profiles.check(profile))


@cache
def _offered(profile: str) -> dict[str, Offered]:
    found = dict(_own(profile))
    if profile == "compat":
        found |= {name: _renamed(name, found[ours]) for name, ours in tool_names.SAME.items()}
        found |= {name: _documented(name, call) for name, call in tool_names.CALLS.items()}
        found |= {name: _choice(one) for name, one in tool_names.CHOICES.items()}
    return found


def look_up(name: str, profile: str = "default") -> Offered | None:
    """The tool with this name; None where it is not offered. Of the default list no other is made.

    Raises InvalidInput for an unknown profile.
    """
    if profile != "default":
        return offered(profile).get(name)
    return _usual_tool(name) if name in profiles.DEFAULT else None


@cache
def _usual_tool(name: str) -> Offered | None:
    return next((_offer(one, "default") for one in _usual(name) if one.tool == name), None)


def find(name: str, profile: str = "default") -> Offered:
    """The tool with this name. Raises NotFound."""
    offer = look_up(name, profile)
    if offer is not None:
        return offer
    message = f"There is no tool {name[:_SHOWN]!r}."
    for verb in (name.replace("_", " "), name.replace("_", "-"), name.partition("_")[0]):
        if verb in operations.GONE:
            raise NotFound(message, operations.GONE[verb])
    if waits := tool_names.waits_for(name):
        raise NotFound(message, f"It waits: {waits}.")
    if ours := next((operation for operation in _operations() if operation.tool == name), None):
        command = "" if ours in OWN else f"`gitmem {ours.name}` does it, and "
        raise NotFound(message, f"{command}`gitmem mcp --profile full` offers it.")
    if name in tool_names.SAME or name in tool_names.CALLS or name in tool_names.CHOICES:
        raise NotFound(message, "It is available with `gitmem mcp --profile compat`.")
    raise NotFound(message, f"Tools: {', '.join(offered(profile))}.")


def _operations() -> Iterator[Operation]:
    """All that are tools."""
    found = (*map(operations.load, operations.PLACES), *OWN)
    return (operation for operation in found if operation.tool)


def _usual(*tools: str) -> Iterator[Operation]:
    """Those of the default list, or of these tools in it, and no other verb loaded.

    Their tools are named as their verbs.
    """
    listed = tools or profiles.DEFAULT
    usual = [name for name in operations.PLACES if name.replace(" ", "_") in listed]
    found = (*map(operations.load, usual), *OWN)
    return (operation for operation in found if operation.tool in profiles.DEFAULT)


def _own(profile: str) -> Iterator[tuple[str, Offered]]:
    for operation in _usual() if profile == "default" else _operations():
        name = operation.tool
        cut = profiles.cuts(profile).get(name)
        reads = operation.effect == READ or (cut is not None and cut.reads)
        if profile == profiles.READONLY and not reads and operation is not BATCHED:
            continue
        made = _usual_tool(name) if profile == "default" else None
        yield name, made or _offer(operation, profile)


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
        return _told(offer, lambda _: {"output_schema": _output_schema(operation)}, data=True)
    # Schemas of answers are a fifth of the list, and agents see the answer itself.
    said = profiles.USUAL.get(operation.tool, {})
    return _told(offer, lambda tool: {"input_schema": schemas.in_short(tool.input_schema, said)})


def _told(
    offer: Offered,
    says: Callable[[Tool], dict[str, Any]],
    *,
    name: str = "",
    data: bool = False,
) -> Offered:
    """The same tool, of which the list says something else."""

    @cache
    def describe() -> Tool:
        tool = offer.describe()
        return tool.model_copy(update=says(tool))

    return replace(
        offer, name=name or offer.name, describe=describe, has_data=data or offer.has_data
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
    check = cache(lambda: schemas.input_model(known, name))

    @cache
    def describe() -> Tool:
        from mcp_types import Tool  # noqa: PLC0415 - only for the list

        return Tool(
            name=name,
            description=description(operation),
            input_schema=schemas.input_schema(check(), listed),
            annotations=_annotations(effect),
        )

    return Offered(
        operation, name, {field.name: field for field in known}, describe, check, effect, fixed
    )


def _output_schema(operation: Operation) -> schemas.Schema:
    # A copy: many names of other systems share an operation.
    output = dict(_result_schema(operation.run))
    if operation.quotes:
        output["properties"] = {NOTICE: {"type": "string"}, **output["properties"]}
    return output


@cache
def _result_schema(run: Callable[[Any, Any], Any]) -> schemas.Schema:
    return schemas.output_schema(get_type_hints(run)["return"])


def _annotations(effect: str) -> ToolAnnotations:
    from mcp_types import ToolAnnotations  # noqa: PLC0415 - only for the list

    # What is left out has the value that the protocol assumes, or means nothing for a reader.
    if effect == READ:
        return ToolAnnotations(read_only_hint=True)
    if effect == DELETE:
        return ToolAnnotations(destructive_hint=True, idempotent_hint=True, open_world_hint=False)
    return ToolAnnotations(destructive_hint=False, open_world_hint=False)


def description(operation: Operation) -> str:
    """The first paragraph of the help, which says it all in a line; the arguments say the rest."""
    return " ".join(operation.help.partition("\n\n")[0].split())


# --- names of other systems ----------------------------------------------------------------------


def _renamed(name: str, ours: Offered) -> Offered:
    """One of our tools under another name."""
    return _told(ours, lambda _: {"name": name}, name=name)


def _documented(name: str, call: Call) -> Offered:
    """A call of theirs: its arguments and the fields of its answer as they are documented."""
    operation = operations.load(call.operation)
    given = {to.field for to in _all(call.takes)} | {
        one for one, value in call.fixed.items() if isinstance(value, Path)
    }
    fixed = {one: value for one, value in call.fixed.items() if not isinstance(value, Path)}
    known = [
        field
        for field in fields(operation.request)
        if field.name not in fixed and (field.name in given or _accepted(operation.tool, field))
    ]
    offer = _made(operation, name, known, known, _effect(operation, call), fixed)

    def says(tool: Tool) -> dict[str, Any]:
        return {
            "input_schema": call_arguments.schema(call.takes),
            "output_schema": _answer(operation, call),
            "description": call.says or tool.description,
        }

    return replace(_told(offer, says, data=True), call=call)


def _answer(operation: Operation, call: Call) -> schemas.Schema:
    if call.answers is None:
        return _output_schema(operation)
    told = answer_shape.schema(call.answers)
    return {**told, "properties": {NOTICE: {"type": "string"}, **told["properties"]}}


def _effect(operation: Operation, call: Call) -> str:
    steps = [operations.load(one.operation) for one in (*call.first.values(), *call.then.values())]
    return max((one.effect for one in (operation, *steps)), key=(READ, WRITE, DELETE).index)


def _all(takes: Mapping[str, To]) -> Iterator[To]:
    for to in takes.values():
        yield to
        yield from _all(to.inside)


def _choice(choice: Choice) -> Offered:
    parts = {action: _documented(choice.name, call) for action, call in choice.actions.items()}
    effects = {one.effect for one in parts.values()}
    effect = next((one for one in (DELETE, WRITE) if one in effects), READ)
    usual = parts[choice.otherwise]

    def says(tool: Tool) -> dict[str, Any]:
        said = {action: part.tool.input_schema for action, part in parts.items()}
        told: dict[str, Any] = {}
        for part in parts.values():
            told |= (part.tool.output_schema or {"properties": {}})["properties"]
        return {
            "description": f"One of: {', '.join(parts)}." if choice.by else tool.description,
            "input_schema": schemas.either_schema(choice.by, choice.otherwise, said),
            "output_schema": {"type": "object", "properties": told},
            "annotations": _annotations(effect),
        }

    offer = _told(usual, says)
    return replace(offer, effect=effect, choice=choice, parts=parts)


def part_of(offer: Offered, arguments: Mapping[str, Any]) -> tuple[Offered, dict[str, Any]]:
    """The tool that a call means, and the arguments that are left for it. Raises InvalidInput."""
    refuse_huge(arguments)
    if offer.choice is None:
        return offer, dict(arguments)
    action, rest = call_arguments.action(offer.choice, arguments)
    return offer.parts[action], rest


def with_repository(offer: Offered, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call with the repository it names under ``repo``. Raises InvalidInput."""
    calls = [part.call for part in offer.parts.values()] or [offer.call]
    takes = {name: to for call in calls if call for name, to in call.takes.items()}
    if any(to.field == REPOSITORY for to in _all(takes)):
        return call_arguments.with_repository(takes, arguments)
    return dict(arguments)
