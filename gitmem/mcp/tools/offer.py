"""A tool as it is offered, and its arguments checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_types import Tool
from pydantic import BaseModel, ValidationError

from gitmem.errors import InvalidInput
from gitmem.mcp.compat.documented_call import Call, Choice
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import Operation, fields

_SHOWN = 60
# Characters and items in the arguments of a call: a hundred long memories.
MOST = 1_000_000
# What pydantic says of Python, and what it is in JSON.
_WORDS = {"Tuple": "List", "tuple": "list", "dictionary": "object", " after validation": ""}


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool: its operation, what ``tools/list`` says about it, the model of its arguments.

    ``effect`` is the operation's, or less where a profile cuts it down; ``fixed`` arguments have
    one value. A ``call`` is one that another system documents; a ``choice`` has ``parts`` by action
    instead, and its operation is the usual one.
    """

    operation: Operation
    tool: Tool
    model: type[BaseModel]
    effect: str
    fixed: Mapping[str, Any]
    call: Call | None = None
    choice: Choice | None = None
    parts: Mapping[str, Offered] = {}

    @property
    def fields(self) -> Mapping[str, Any]:
        """What may be given, by name."""
        return self.model.model_fields


def refuse_huge(arguments: Mapping[str, Any]) -> None:
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


def most(offer: Offered, name: str) -> Any:
    """The greatest value that a field of ours may have; None where it has no bound."""
    return next((one.arg.most for one in fields(offer.operation.request) if one.name == name), None)


def checked(
    offer: Offered, arguments: Mapping[str, Any], names: Mapping[str, str] | None = None
) -> Any:
    """The request with arguments under our names. Raises InvalidInput, naming the wrong one.

    ``names`` are those that they came under, where those are others.
    """
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
        raise _told(offer, error, names or {}) from None
    values = {name: getattr(model, name) for name in model.model_fields_set}
    return offer.operation.request(**values, **offer.fixed)


def _apart(offer: Offered, given: dict[str, Any]) -> dict[str, Any]:
    """A list given as the one question of a tool that takes several: all behind the first."""
    asked = given.get("query")
    if "queries" not in offer.fields or not isinstance(asked, list) or not asked:
        return given
    more = given.get("queries") or []
    return {**given, "query": asked[0], "queries": [*asked[1:], *more]}


def _told(offer: Offered, error: ValidationError, names: Mapping[str, str]) -> InvalidInput:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    name = str(first["loc"][0]) if first["loc"] else "arguments"
    known = offer.model.model_fields
    if first["type"] == "extra_forbidden":
        told = ", ".join(known) or "none"
        return InvalidInput(
            f"{offer.tool.name} has no argument {name[:_SHOWN]!r}.", f"Arguments: {told}."
        )
    hint = known[name].description or "" if name in known else ""
    if first["type"] == "missing":
        return InvalidInput(f"The argument {_theirs(offer, name)!r} is missing.", hint)
    if names.get(name, name) != name:
        name, hint = names[name][:_SHOWN], f"It means {name!r}. {hint}".strip()
    message = first["msg"]
    for theirs, ours in _WORDS.items():
        message = message.replace(theirs, ours)
    return InvalidInput(f"The argument {name!r} is not valid: {message}.", hint)


def _theirs(offer: Offered, name: str) -> str:
    """What the documents of a call name a field of ours."""
    takes = offer.call.takes if offer.call else {}
    return next((theirs for theirs, to in takes.items() if to.field == name), name)
