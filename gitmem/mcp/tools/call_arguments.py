"""Converting the arguments of another system's tool into those of an operation. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

from gitmem.errors import InvalidInput
from gitmem.mcp.compat import argument_names
from gitmem.mcp.compat.emulated_tool import (
    REPOSITORY,
    ArgumentMapping,
    EmulatedMultiActionTool,
    EmulatedTool,
    ItemFilter,
)
from gitmem.mcp.compat.item_filters import skip_first_items
from gitmem.model.frozen import dataclass

_SHOWN = 60
_GREATEST = 1e15  # milliseconds since 1970 are numbers too
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple, str),
    "object": (dict,),
}
_ARTICLES = {"integer": "a whole number", "array": "a list", "object": "an object"}


@dataclass(frozen=True, slots=True)
class ParsedCallArguments:
    """The arguments of a call to another system's tool, converted to those of gitmem.

    ``values`` are gitmem's fields, ``theirs`` the arguments under documented names, with defaults.
    ``names`` maps fields to the names that the call used, ``given`` are the fields that it gave.
    ``sifts`` (filter, value) filter the items of the result in this order; then ``offset`` items
    are skipped.
    """

    values: dict[str, Any]
    theirs: dict[str, Any]
    names: dict[str, str]
    sifts: tuple[tuple[ItemFilter, Any], ...]
    given: tuple[str, ...]
    offset: int = 0


def choose_action(
    multi_action_tool: EmulatedMultiActionTool, arguments: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """The name of the action that a call's arguments choose, and a dict of the others.

    Raises InvalidInput for an unknown action.
    """
    rest = dict(arguments)
    given = rest.pop(multi_action_tool.by, None) if multi_action_tool.by else None
    if given is None and multi_action_tool.by and rest.get("action") in multi_action_tool.actions:
        given = rest.pop("action")  # documented beside the other name
    if given is None:
        match = next((to for sign, to in multi_action_tool.detect if _is_given(sign, rest)), "")
        if not match and multi_action_tool.guess is not None:
            match = multi_action_tool.guess(rest)
        return match or multi_action_tool.otherwise, rest
    if not isinstance(given, str) or given not in multi_action_tool.actions:
        raise InvalidInput(
            f"The argument {multi_action_tool.by!r} is not valid.",
            f"Use one of: {', '.join(multi_action_tool.actions)}.",
        )
    return given, rest


def _is_given(sign: str, arguments: Mapping[str, Any]) -> bool:
    name, _, expected = sign.partition("=")
    value = next((value for key, value in arguments.items() if _same(key, name)), None)
    if not expected:
        return value is not None
    return str(value).lower() == expected


def _same(name: str, other: str) -> bool:
    return name == other or argument_names.to_snake_case(name) == argument_names.to_snake_case(
        other
    )


def normalise_repository_argument(
    argument_mappings: Mapping[str, ArgumentMapping], arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """A copy of the arguments in which the repository's name or folder is the argument ``repo``.

    ``argument_mappings`` say which arguments name it. Raises InvalidInput if two arguments name
    different repositories, or a required one is missing.
    """
    rest, named = _without_repository(argument_mappings, arguments, REPOSITORY)
    for name, to in argument_mappings.items():
        if to.needed and to.field == REPOSITORY and named is None:
            raise InvalidInput(f"The argument {name!r} is missing.", to.why)
    return rest if named is None else {**rest, REPOSITORY: named[1]}


def _without_repository(
    takes: Mapping[str, ArgumentMapping], arguments: Mapping[str, Any], ours: str = ""
) -> tuple[dict[str, Any], tuple[str, Any] | None]:
    """The other arguments, and the repository with the name it was given under.

    ``ours`` names one as well; in an object that is a fact of its writer.
    """
    rest: dict[str, Any] = {}
    named: tuple[str, Any] | None = None
    for name, value in arguments.items():
        to, given = _find_argument(takes, name), None
        if to is not None and to.inside and isinstance(value, Mapping):
            rest[name], given = _without_repository(to.inside, value)
        elif name == ours or (to is not None and to.field == REPOSITORY):
            repository = value[0] if isinstance(value, list) and len(value) == 1 else value
            given = None if repository is None else (name, repository)
        else:
            rest[name] = value
        if given is not None and named is not None and named[1] != given[1]:
            argument_names.refuse_conflicting_arguments(named, given)
        named = given or named
    return rest, named


def convert_tool_arguments(
    emulated_tool: EmulatedTool, arguments: Mapping[str, Any], own_field_names: Container[str]
) -> ParsedCallArguments:
    """Convert the arguments of a call to another system's tool into gitmem's.

    ``own_field_names`` are gitmem's fields that may be given as well. Raises InvalidInput for a
    missing, unknown or wrong argument, by the name that the caller used.
    """
    values: dict[str, tuple[str, Any]] = {}
    theirs = {name: to.default for name, to in _flatten(emulated_tool.takes)}
    sifts: list[tuple[ItemFilter, Any]] = []
    _take(emulated_tool, emulated_tool.takes, arguments, own_field_names, values, theirs, sifts)
    given = tuple(values)
    for name, to in _flatten(emulated_tool.takes):
        if to.needed and _is_missing(emulated_tool, name, to, values, theirs):
            raise InvalidInput(f"The argument {name!r} is missing.", to.why)
        if to.default is None or (to.field and to.field in values):
            continue
        if to.field:
            values[to.field] = (name, to.default if to.change is None else to.change(to.default))
        elif to.sift is not None and not any(sift is to.sift for sift, _ in sifts):
            sifts.append((to.sift, to.default))
    offset = next((value for sift, value in sifts if sift is skip_first_items), 0)
    if offset < 0:
        raise InvalidInput(f"The offset cannot be {offset}.", "Give 0 or more.")
    return ParsedCallArguments(
        {field: value for field, (_, value) in values.items()},
        theirs,
        {field: name for field, (name, _) in values.items()},
        tuple(sift for sift in sifts if sift[0] is not skip_first_items),
        given,
        offset,
    )


def _is_missing(
    call: EmulatedTool,
    name: str,
    to: ArgumentMapping,
    values: Mapping[str, Any],
    theirs: Mapping[str, Any],
) -> bool:
    if not to.field:
        return theirs[name] is None
    # A repository is taken out of the arguments, and the object around a field may be absent.
    return to.field not in (REPOSITORY, *values) and name in call.takes


def _flatten(takes: Mapping[str, ArgumentMapping]) -> Iterator[tuple[str, ArgumentMapping]]:
    for name, to in takes.items():
        yield name, to
        yield from _flatten(to.inside)


def _take(
    call: EmulatedTool,
    takes: Mapping[str, ArgumentMapping],
    arguments: Mapping[str, Any],
    known: Container[str],
    values: dict[str, tuple[str, Any]],
    theirs: dict[str, Any],
    sifts: list[tuple[ItemFilter, Any]],
) -> None:
    """Read the arguments of a call, or the fields of an object in it, into the other parameters."""
    for name, value in arguments.items():
        documented = _documented_name(takes, name, known)
        to = takes.get(documented)
        if value is None:
            continue  # agents write null for an absent argument
        if to is None:
            field = _take_ours(call, name, value, known, values)
            theirs |= {theirs: value for theirs, to in takes.items() if to.field == field}
            continue
        value = _check_type(name, to, value)
        lists = (call.operation, to.field) == ("recall", "query")  # what it does without words
        if to.needed and isinstance(value, str) and not (value.strip() or lists):
            raise InvalidInput(f"The argument {name[:_SHOWN]!r} is empty.", to.why)
        theirs[documented] = value
        if to.inside:
            fields = {key: _find_argument(to.inside, key) for key in value}
            inner = {key: item for key, item in value.items() if fields[key] is not None}
            _take(call, to.inside, inner, known, values, theirs, sifts)
            facts = {key: value[key] for key, field in fields.items() if field is None}
            if facts and (to.only or not to.field):
                key, names = next(iter(facts)), ", ".join(to.inside)
                raise InvalidInput(f"{name!r} has no field {key[:_SHOWN]!r}.", f"Fields: {names}.")
            facts |= {
                key: value[key]
                for key, field in fields.items()
                if field is not None and field.stays and value[key] is not None
            }
            if to.field and (facts or not inner):
                argument_names.add_field_value(
                    values, to.field, name, argument_names.metadata_as_json(facts)
                )
        elif to.field == REPOSITORY:
            raise InvalidInput(
                f"{name!r} cannot be given here.",
                "Give this argument once for the whole call.",
            )
        elif not to.field:
            _convert(name, to, value)  # which may refuse it
        else:
            converted = _convert(name, to, value)
            if to.adds and to.field in values:
                converted = [*values.pop(to.field)[1], *converted]
            argument_names.add_field_value(values, to.field, name, converted)
        if to.sift is not None:
            sifts.append((to.sift, value))


def _convert(name: str, to: ArgumentMapping, value: Any) -> Any:
    """Their value converted to ours."""
    if to.change is None:
        return value
    try:
        return to.change(value)
    except (AttributeError, OverflowError, TypeError, ValueError) as error:
        hint = to.why or "The list of tools says what it takes."
        raise InvalidInput(f"The argument {name[:_SHOWN]!r} is not valid.", hint) from error


def _take_ours(
    call: EmulatedTool,
    name: str,
    value: Any,
    known: Container[str],
    values: dict[str, tuple[str, Any]],
) -> str:
    """Read an argument under our name or a common alias; returns its field."""
    field = argument_names.field_for_argument(name, known)
    if field not in known:
        _refuse(call, name)
    argument_names.add_field_value(
        values, field, name, argument_names.convert_foreign_argument_value(name, value)
    )
    return field


def _refuse(call: EmulatedTool, name: str) -> None:
    tool = call.names[0] if call.names else "This tool"
    names = ", ".join(call.takes) or "none"
    raise InvalidInput(f"{tool} has no argument {name[:_SHOWN]!r}.", f"Arguments: {names}.")


def _find_argument(takes: Mapping[str, ArgumentMapping], name: str) -> ArgumentMapping | None:
    documented = _their_name(takes, name)
    return takes.get(documented)


def _their_name(takes: Mapping[str, ArgumentMapping], name: str) -> str:
    """The documented name: camel case counts as snake case."""
    if name in takes:
        return name
    return next((take for take in takes if _same(take, name)), name)


def _documented_name(takes: Mapping[str, ArgumentMapping], name: str, known: Container[str]) -> str:
    """The documented name; for an alias too, if that argument fills another field than ours."""
    documented, usual = _their_name(takes, name), argument_names.field_for_argument(name, takes)
    if documented in takes or usual not in takes or name in known:
        return documented
    ours = argument_names.field_for_argument(name, known)
    return documented if takes[usual].field == ours else usual


def _check_type(name: str, to: ArgumentMapping, value: Any) -> Any:
    """The value if it has the documented type; numbers may be given as text."""
    if to.type == "any":
        return value
    value = _as_number(to.type, value)
    kinds = _TYPES[to.type]
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        what = _ARTICLES.get(to.type, f"a {to.type}")
        raise InvalidInput(
            f"The argument {name[:_SHOWN]!r} is not valid: it should be {what}.", to.why
        )
    if to.choices and value not in to.choices:
        raise InvalidInput(
            f"The argument {name[:_SHOWN]!r} is not valid.", f"Use one of: {', '.join(to.choices)}."
        )
    return [value] if to.type == "array" and isinstance(value, str) else value


def _as_number(kind: str, value: Any) -> Any:
    if kind not in ("integer", "number") or isinstance(value, bool):
        return value
    try:
        number = float(value) if isinstance(value, str | int | float) else None
    except (ValueError, OverflowError):
        return value
    if number is None or abs(number) > _GREATEST or number != number:
        return None if number is not None else value
    return (
        int(number)
        if number.is_integer() and (kind == "integer" or isinstance(value, int))
        else (value if kind == "integer" else number)
    )


def arguments_schema(argument_mappings: Mapping[str, ArgumentMapping]) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments; ``argument_mappings`` say how each is read."""
    properties: dict[str, Any] = {"type": "object", "properties": {}}
    for name, to in argument_mappings.items():
        property: dict[str, Any] = {} if to.type == "any" else {"type": to.type}
        if to.inside:
            property |= {"properties": arguments_schema(to.inside)["properties"]}
        if to.choices:
            property |= {"enum": list(to.choices)}
        # A default of another type stands for a rule that ``why`` tells.
        if to.default is not None and isinstance(to.default, _TYPES.get(to.type, (object,))):
            property |= {"default": to.default}
        if to.why:
            property |= {"description": to.why}
        properties["properties"][name] = property
    if must := [name for name, to in argument_mappings.items() if to.needed]:
        properties["required"] = must
    return properties
