"""A tool of a profile, and checking its arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from gitmem.errors import InvalidInput
from gitmem.mcp.compat.emulated_tool import EmulatedMultiActionTool, EmulatedTool
from gitmem.mcp.tools import schemas
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import Operation, RequestField, request_fields

if TYPE_CHECKING:
    from mcp_types import Tool
    from pydantic import BaseModel, ValidationError

_SHOWN = 60
# Characters and items in the arguments of a call: a hundred long memories.
MOST = 1_000_000
# Words for Python types in pydantic's messages, and those of JSON.
_WORDS = {"Tuple": "List", "tuple": "list", "dictionary": "object", " after validation": ""}


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool that the server offers: an operation of gitmem, with the arguments that it accepts.

    ``fields`` are these by name; arguments in ``fixed`` always have that value. ``describe`` makes
    the tool's entry in ``tools/list``, ``check`` the pydantic model of its arguments. ``effect`` is
    read, write or delete. ``has_data``: answers have data besides their text. ``call`` is set if
    another system documents the tool. If it has several actions, ``choice`` says how arguments
    choose one, ``parts`` are the tools by action, and ``operation`` is that of the default one.
    """

    operation: Operation
    name: str
    fields: Mapping[str, RequestField]
    describe: Callable[[], Tool]
    check: Callable[[], type[BaseModel]]
    effect: str
    fixed: Mapping[str, Any]
    has_data: bool = False
    call: EmulatedTool | None = None
    choice: EmulatedMultiActionTool | None = None
    parts: Mapping[str, OfferedTool] = {}

    @property
    def list_entry(self) -> Tool:
        """The tool's entry in the answer to ``tools/list``."""
        return self.describe()


def refuse_oversized_arguments(arguments: Mapping[str, Any]) -> None:
    """Raise InvalidInput if the arguments have over 1,000,000 characters and items in all."""
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
            f"The arguments have more than {MOST:,} characters.", "Split the call into several."
        )


def maximum_argument_value(tool: OfferedTool, field_name: str) -> Any:
    """The greatest value that a tool's argument allows; None if there is no limit."""
    return next(
        (
            field.arg.maximum
            for field in request_fields(tool.operation.request_class)
            if field.name == field_name
        ),
        None,
    )


def check_arguments(
    tool: OfferedTool,
    arguments: Mapping[str, Any],
    names_by_field: Mapping[str, str] | None = None,
) -> Any:
    """Check the arguments of a call; returns the request (dataclass) of the tool's operation.

    ``names_by_field`` maps gitmem's fields to the names that the caller used. Raises InvalidInput,
    naming the wrong argument as the caller does.
    """
    fields = {field.name: field for field in request_fields(tool.operation.request_class)}
    # Agents write null for an absent argument.
    given = {
        name: value
        for name, value in arguments.items()
        if value is not None or name not in tool.fields or fields[name].required
    }
    given = _split_queries(tool, given)
    values = _check_quickly(tool, given)
    if values is None:
        values = _check_by_model(tool, given, names_by_field or {})
    return tool.operation.request_class(**values, **tool.fixed)


def _check_by_model(
    offer: OfferedTool, given: dict[str, Any], names: Mapping[str, str]
) -> dict[str, Any]:
    from pydantic import ValidationError  # noqa: PLC0415 - costs more than most calls

    try:
        model = offer.check().model_validate(given)
    except ValidationError as error:
        raise _explain(offer, error, names) from None
    return {name: getattr(model, name) for name in model.model_fields_set}


def _check_quickly(offer: OfferedTool, given: Mapping[str, Any]) -> dict[str, Any] | None:
    """The values if each has exactly the required type and bounds, without building the model.

    None if anything is missing, unknown, wrong or of another type: then the model decides.
    """
    if any(field.required and name not in given for name, field in offer.fields.items()):
        return None
    values = {}
    for name, value in given.items():
        field = offer.fields.get(name)
        if field is None:
            return None
        several = field.many and type(value) is list
        if not value if several else field.many:
            return None
        if not all(_fits(field, item) for item in (value if several else (value,))):
            return None
        values[name] = tuple(value) if several else value
    return values


def _fits(field: RequestField, value: Any) -> bool:
    kind: Any = field.type
    arg, of = field.arg, type(value)
    if kind not in (str, int, bool) or of is not kind:
        return False
    if arg.choices:
        return value in arg.choices
    if kind is str:  # the model refuses lone surrogates
        return not any("\ud800" <= letter <= "\udfff" for letter in value)
    return (arg.minimum is None or value >= arg.minimum) and (
        arg.maximum is None or value <= arg.maximum
    )


def _split_queries(offer: OfferedTool, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments with a list in ``query`` split into ``query`` and ``queries``."""
    question = given.get("query")
    if "queries" not in offer.fields or not isinstance(question, list) or not question:
        return given
    more = given.get("queries") or []
    return {**given, "query": question[0], "queries": [*question[1:], *more]}


def _explain(offer: OfferedTool, error: ValidationError, names: Mapping[str, str]) -> InvalidInput:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "arguments"
    fields = offer.fields
    if first["type"] == "extra_forbidden":
        listing = ", ".join(fields) or "none"
        return InvalidInput(
            f"{offer.name} has no argument {name[:_SHOWN]!r}.", f"Arguments: {listing}."
        )
    hint = schemas.field_description(fields[name]) if name in fields else ""
    if first["type"] == "missing":
        return InvalidInput(f"The argument {_their_name(offer, name)!r} is missing.", hint)
    if names.get(name, name) != name:
        name, hint = names[name][:_SHOWN], f"It means {name!r}. {hint}".strip()
    message = first["msg"]
    for theirs, ours in _WORDS.items():
        message = message.replace(theirs, ours)
    return InvalidInput(f"The argument {name!r} is not valid: {message}.", hint)


def _their_name(offer: OfferedTool, name: str) -> str:
    """The documented name of a field of ours."""
    takes = offer.call.takes if offer.call else {}
    return next((theirs for theirs, to in takes.items() if to.field == name), name)
