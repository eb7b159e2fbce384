"""The tools of each profile, generated from the table of operations and those of other systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, get_type_hints

from gitmem import operations
from gitmem.errors import NotFound
from gitmem.mcp.compat import answer_template, tool_names
from gitmem.mcp.compat.emulated_tool import (
    REPOSITORY,
    ArgumentMapping,
    ArgumentValuePath,
    EmulatedMultiActionTool,
    EmulatedTool,
)
from gitmem.mcp.tools import call_arguments, profiles, schemas
from gitmem.mcp.tools.batch import BATCHED
from gitmem.mcp.tools.defaults import SET_DEFAULTS
from gitmem.mcp.tools.offer import OfferedTool, refuse_oversized_arguments
from gitmem.model.frozen import replace
from gitmem.operations.registry import DELETE, READ, WRITE, Operation, RequestField, request_fields
from gitmem.text.fence import NOTICE

if TYPE_CHECKING:
    from mcp_types import Tool, ToolAnnotations

_SHOWN = 60
# Tools of the connection, in addition to the operations.
OWN = (BATCHED, SET_DEFAULTS)


def offered_tools(profile: str = "default") -> dict[str, OfferedTool]:
    """The tools of a profile (a named set of tools) as a dict by name, in the order of the list.

    Raises InvalidInput for an unknown profile.
    """
    return _build_offers(profiles.check_profile(profile))


@cache
def _build_offers(profile: str) -> dict[str, OfferedTool]:
    tools = dict(_own_offers(profile))
    if profile == "compat":
        tools |= {name: _rename(name, tools[ours]) for name, ours in tool_names.SAME.items()}
        tools |= {name: _documented_offer(name, call) for name, call in tool_names.CALLS.items()}
        tools |= {name: _choice_offer(choice) for name, choice in tool_names.CHOICES.items()}
    return tools


def find_tool_or_none(name: str, profile: str = "default") -> OfferedTool | None:
    """The tool with this name; None if the profile (a named set of tools) does not have it.

    Raises InvalidInput for an unknown profile.
    """
    if profile != "default":
        return offered_tools(profile).get(name)
    return _default_offer(name) if name in profiles.DEFAULT else None


@cache
def _default_offer(name: str) -> OfferedTool | None:
    return next(
        (
            _make_offer(operation, "default")
            for operation in _default_operations(name)
            if operation.tool == name
        ),
        None,
    )


def find_tool(name: str, profile: str = "default") -> OfferedTool:
    """The tool with this name in a profile (a named set of tools).

    Raises NotFound if the profile has no such tool; the hint says which profile or command has it.
    """
    offer = find_tool_or_none(name, profile)
    if offer is not None:
        return offer
    message = f"There is no tool {name[:_SHOWN]!r}."
    for verb in (name.replace("_", " "), name.replace("_", "-"), name.partition("_")[0]):
        if verb in operations.GONE:
            raise NotFound(message, operations.GONE[verb])
    if waits := tool_names.why_tool_unavailable(name):
        raise NotFound(message, f"It cannot be answered yet: {waits}.")
    if ours := next((operation for operation in _operations() if operation.tool == name), None):
        command = "" if ours in OWN else f"`gitmem {ours.name}` does it, and "
        raise NotFound(message, f"{command}`gitmem mcp --profile full` offers it.")
    if name in tool_names.SAME or name in tool_names.CALLS or name in tool_names.CHOICES:
        raise NotFound(message, "It is available with `gitmem mcp --profile compat`.")
    raise NotFound(message, f"Tools: {', '.join(offered_tools(profile))}.")


def _operations() -> Iterator[Operation]:
    """All operations that are tools."""
    loaded = (*map(operations.load_operation, operations.PLACES), *OWN)
    return (operation for operation in loaded if operation.tool)


def _default_operations(*tools: str) -> Iterator[Operation]:
    """The operations of the default list, or of ``tools`` in it, without loading others.

    The names of their tools are those of their verbs.
    """
    listed = tools or profiles.DEFAULT
    usual = [name for name in operations.PLACES if name.replace(" ", "_") in listed]
    loaded = (*map(operations.load_operation, usual), *OWN)
    return (operation for operation in loaded if operation.tool in profiles.DEFAULT)


def _own_offers(profile: str) -> Iterator[tuple[str, OfferedTool]]:
    for operation in _default_operations() if profile == "default" else _operations():
        name = operation.tool
        cut = profiles.restricted_tools(profile).get(name)
        reads = operation.effect == READ or (cut is not None and cut.reads)
        if profile == profiles.READONLY and not reads and operation is not BATCHED:
            continue
        default_tool = _default_offer(name) if profile == "default" else None
        yield name, default_tool or _make_offer(operation, profile)


def _make_offer(operation: Operation, profile: str) -> OfferedTool:
    cut = profiles.restricted_tools(profile).get(operation.tool)
    accepted = [
        field
        for field in request_fields(operation.request_class)
        if _is_accepted(operation.tool, field)
    ]
    effect, fixed = operation.effect, {}
    if cut is not None:
        accepted = [field for field in accepted if field.name in cut.only]
        effect, fixed = READ if cut.reads else effect, dict(cut.fixed)
    if operation is BATCHED and profile == profiles.READONLY:
        effect = READ
    listed = [field for field in accepted if _is_listed(operation.tool, field, profile)]
    offer = _build(operation, operation.tool, accepted, listed, effect, fixed)
    if profile != "default":
        return _redescribe(offer, lambda _: {"output_schema": _output_schema(operation)}, data=True)
    # Without output schemas: they would be a fifth of the list, and agents see the answers.
    descriptions = profiles.USUAL.get(operation.tool, {})
    return _redescribe(
        offer,
        lambda tool: {"input_schema": schemas.shorten_schema(tool.input_schema, descriptions)},
    )


def _redescribe(
    offer: OfferedTool,
    changed_fields: Callable[[Tool], dict[str, Any]],
    *,
    name: str = "",
    data: bool = False,
) -> OfferedTool:
    """The same tool with another description, or another name, in the list."""

    @cache
    def make_tool_list_entry() -> Tool:
        tool = offer.describe()
        return tool.model_copy(update=changed_fields(tool))

    return replace(
        offer,
        name=name or offer.name,
        describe=make_tool_list_entry,
        has_data=data or offer.has_data,
    )


def _is_listed(tool: str, field: RequestField, profile: str) -> bool:
    if profile == "default" and tool in profiles.USUAL:
        return field.name in profiles.USUAL[tool]
    return field.arg.mcp or profile in ("full", "compat")


def _is_accepted(tool: str, field: RequestField) -> bool:
    return field.arg.mcp or field.name in profiles.MORE.get(tool, ())


def _build(
    operation: Operation,
    name: str,
    known: list[RequestField],
    listed: list[RequestField],
    effect: str,
    fixed: Mapping[str, Any],
) -> OfferedTool:
    check = cache(lambda: schemas.input_model(known, name))

    @cache
    def make_tool_list_entry() -> Tool:
        from mcp_types import Tool  # noqa: PLC0415 - only for the list

        return Tool(
            name=name,
            description=tool_description(operation),
            input_schema=schemas.input_schema(check(), listed),
            annotations=_annotations(effect),
        )

    return OfferedTool(
        operation,
        name,
        {field.name: field for field in known},
        make_tool_list_entry,
        check,
        effect,
        fixed,
    )


def _output_schema(operation: Operation) -> schemas.Schema:
    # A copy, since several tools share an operation.
    output = dict(_result_schema(operation.run))
    if operation.answer_quotes_stored_text:
        output["properties"] = {NOTICE: {"type": "string"}, **output["properties"]}
    return output


@cache
def _result_schema(run: Callable[[Any, Any], Any]) -> schemas.Schema:
    return schemas.output_schema(get_type_hints(run)["return"])


def _annotations(effect: str) -> ToolAnnotations:
    from mcp_types import ToolAnnotations  # noqa: PLC0415 - only for the list

    # Hints left out have the protocol's default, or no meaning for tools that only read.
    if effect == READ:
        return ToolAnnotations(read_only_hint=True)
    if effect == DELETE:
        return ToolAnnotations(destructive_hint=True, idempotent_hint=True, open_world_hint=False)
    return ToolAnnotations(destructive_hint=False, open_world_hint=False)


def tool_description(operation: Operation) -> str:
    """A tool's description: the first paragraph of its help, in one line."""
    return " ".join(operation.help.partition("\n\n")[0].split())


# --- names of other systems ----------------------------------------------------------------------


def _rename(name: str, ours: OfferedTool) -> OfferedTool:
    """A tool of ours under another name."""
    return _redescribe(ours, lambda _: {"name": name}, name=name)


def _documented_offer(name: str, call: EmulatedTool) -> OfferedTool:
    """The tool for another system's call, with documented arguments and fields of the answer."""
    operation = operations.load_operation(call.operation)
    given = {to.field for to in _flatten(call.takes)} | {
        argument for argument, value in call.fixed.items() if isinstance(value, ArgumentValuePath)
    }
    fixed = {
        argument: value
        for argument, value in call.fixed.items()
        if not isinstance(value, ArgumentValuePath)
    }
    accepted = [
        field
        for field in request_fields(operation.request_class)
        if field.name not in fixed and (field.name in given or _is_accepted(operation.tool, field))
    ]
    offer = _build(operation, name, accepted, accepted, _effect(operation, call), fixed)

    def changed_list_entry_fields(tool: Tool) -> dict[str, Any]:
        return {
            "input_schema": call_arguments.arguments_schema(call.takes),
            "output_schema": _answer_schema(operation, call),
            "description": call.says or tool.description,
        }

    return replace(_redescribe(offer, changed_list_entry_fields, data=True), call=call)


def _answer_schema(operation: Operation, call: EmulatedTool) -> schemas.Schema:
    if call.answers is None:
        return _output_schema(operation)
    schema = answer_template.json_schema_of_template(call.answers)
    return {**schema, "properties": {NOTICE: {"type": "string"}, **schema["properties"]}}


def _effect(operation: Operation, call: EmulatedTool) -> str:
    steps = [
        operations.load_operation(step.operation)
        for step in (*call.first.values(), *call.then.values())
    ]
    return max(
        (candidate.effect for candidate in (operation, *steps)), key=(READ, WRITE, DELETE).index
    )


def _flatten(takes: Mapping[str, ArgumentMapping]) -> Iterator[ArgumentMapping]:
    for to in takes.values():
        yield to
        yield from _flatten(to.inside)


def _choice_offer(choice: EmulatedMultiActionTool) -> OfferedTool:
    parts = {
        action: _documented_offer(choice.name, call) for action, call in choice.actions.items()
    }
    effects = {part.effect for part in parts.values()}
    effect = next((candidate for candidate in (DELETE, WRITE) if candidate in effects), READ)
    usual = parts[choice.otherwise]

    def changed_list_entry_fields(tool: Tool) -> dict[str, Any]:
        inputs = {action: part.list_entry.input_schema for action, part in parts.items()}
        outputs: dict[str, Any] = {}
        for part in parts.values():
            outputs |= (part.list_entry.output_schema or {"properties": {}})["properties"]
        return {
            "description": f"One of: {', '.join(parts)}." if choice.by else tool.description,
            "input_schema": schemas.schema_of_action_tool(choice.by, choice.otherwise, inputs),
            "output_schema": {"type": "object", "properties": outputs},
            "annotations": _annotations(effect),
        }

    offer = _redescribe(usual, changed_list_entry_fields)
    return replace(offer, effect=effect, choice=choice, parts=parts)


def tool_for_action(
    tool: OfferedTool, arguments: Mapping[str, Any]
) -> tuple[OfferedTool, dict[str, Any]]:
    """The tool for the action that a call's arguments choose, and a dict of the other arguments.

    A tool without actions is returned itself. Raises InvalidInput for an unknown action, or for
    over a million characters of arguments.
    """
    refuse_oversized_arguments(arguments)
    if tool.choice is None:
        return tool, dict(arguments)
    action, rest = call_arguments.choose_action(tool.choice, arguments)
    return tool.parts[action], rest


def normalise_repository_argument(
    tool: OfferedTool, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """A copy of the arguments in which the repository's name or folder is the argument ``repo``.

    Raises InvalidInput if two arguments name different repositories, or a required one is missing.
    """
    calls = [part.call for part in tool.parts.values()] or [tool.call]
    takes = {name: to for call in calls if call for name, to in call.takes.items()}
    if any(to.field == REPOSITORY for to in _flatten(takes)):
        return call_arguments.normalise_repository_argument(takes, arguments)
    return dict(arguments)
