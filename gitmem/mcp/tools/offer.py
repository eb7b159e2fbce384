"""A tool as it is offered, and its arguments checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from gitmem.errors import InvalidInput
from gitmem.mcp.compat.documented_call import Call, Choice
from gitmem.mcp.tools import schemas
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import Field, Operation, fields

if TYPE_CHECKING:
    from mcp_types import Tool
    from pydantic import BaseModel, ValidationError

_SHOWN = 60
# Characters and items in the arguments of a call: a hundred long memories.
MOST = 1_000_000
# What pydantic says of Python, and what it is in JSON.
_WORDS = {"Tuple": "List", "tuple": "list", "dictionary": "object", " after validation": ""}


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool: its operation, and the ``fields`` that may be given, by name.

    ``describe`` makes what ``tools/list`` says of it, ``check`` the model of its arguments: most
    calls need neither. ``has_data``: the list promises data beside the text of an answer.
    ``effect`` is the operation's, or less where a profile cuts it down; ``fixed`` arguments have
    one value. A ``call`` is one that another system documents; a ``choice`` has ``parts`` by action
    instead, and its operation is the usual one.
    """

    operation: Operation
    name: str
    fields: Mapping[str, Field]
    describe: Callable[[], Tool]
    check: Callable[[], type[BaseModel]]
    effect: str
    fixed: Mapping[str, Any]
    has_data: bool = False
    call: Call | None = None
    choice: Choice | None = None
    parts: Mapping[str, Offered] = {}

    @property
    def tool(self) -> Tool:
        """What ``tools/list`` says of it."""
        return self.describe()


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
    return next(
        (field.arg.most for field in fields(offer.operation.request) if field.name == name), None
    )


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
    given = _apart(offer, given)
    values = _undoubted(offer, given)
    if values is None:
        values = _by_model(offer, given, names or {})
    return offer.operation.request(**values, **offer.fixed)


def _by_model(offer: Offered, given: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    from pydantic import ValidationError  # noqa: PLC0415 - costs more than most calls

    try:
        model = offer.check().model_validate(given)
    except ValidationError as error:
        raise _told(offer, error, names) from None
    return {name: getattr(model, name) for name in model.model_fields_set}


def _undoubted(offer: Offered, given: Mapping[str, Any]) -> dict[str, Any] | None:
    """The values, where each has just the type and the bounds that the model asks for.

    None where anything is missing, unknown, wrong or of another type: the model decides.
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
        if not all(_fits(field, one) for one in (value if several else (value,))):
            return None
        values[name] = tuple(value) if several else value
    return values


def _fits(field: Field, value: Any) -> bool:
    kind: Any = field.type
    arg, of = field.arg, type(value)
    if kind not in (str, int, bool) or of is not kind:
        return False
    if arg.choices:
        return value in arg.choices
    if kind is str:  # half a character is none: a model says so
        return not any("\ud800" <= letter <= "\udfff" for letter in value)
    return (arg.least is None or value >= arg.least) and (arg.most is None or value <= arg.most)


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
    known = offer.fields
    if first["type"] == "extra_forbidden":
        told = ", ".join(known) or "none"
        return InvalidInput(
            f"{offer.name} has no argument {name[:_SHOWN]!r}.", f"Arguments: {told}."
        )
    hint = schemas.told(known[name]) if name in known else ""
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
