"""Reading the arguments of a documented call: by their names and types into ours. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

from gitmem.errors import InvalidInput
from gitmem.mcp.compat import argument_names
from gitmem.mcp.compat.documented_call import REPOSITORY, Call, Choice, Sift, To
from gitmem.mcp.compat.sifts import skip
from gitmem.model.frozen import dataclass

_SHOWN = 60
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
class Reading:
    """What a call says: ``values`` by our names, ``asked`` by theirs with their defaults.

    ``names`` has for each of our fields the name that it came under; ``sifts`` are applied to the
    items in this order, then ``offset`` of them are left out.
    """

    values: dict[str, Any]
    asked: dict[str, Any]
    names: dict[str, str]
    sifts: tuple[tuple[Sift, Any], ...]
    offset: int = 0


def action(choice: Choice, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The action that is meant, and the other arguments. Raises InvalidInput for an unknown one."""
    rest = dict(arguments)
    said = rest.pop(choice.by, None) if choice.by else None
    if said is None:
        found = next((to for sign, to in choice.detect if _given(sign, rest)), "")
        if not found and choice.guess is not None:
            found = choice.guess(rest)
        return found or choice.otherwise, rest
    if not isinstance(said, str) or said not in choice.actions:
        raise InvalidInput(
            f"The argument {choice.by!r} is not valid.", f"Use one of: {', '.join(choice.actions)}."
        )
    return said, rest


def _given(sign: str, arguments: Mapping[str, Any]) -> bool:
    name, _, wanted = sign.partition("=")
    value = next((value for key, value in arguments.items() if _same(key, name)), None)
    if not wanted:
        return value is not None
    return str(value).lower() == wanted


def _same(name: str, other: str) -> bool:
    return name == other or argument_names.folded(name) == argument_names.folded(other)


def with_repository(takes: Mapping[str, To], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with the repository that they name, also in an object, under ``repo``.

    Raises InvalidInput where two of them name different ones.
    """
    rest: dict[str, Any] = {}
    said: tuple[str, Any] | None = None
    for name, value in arguments.items():
        to = _documented(takes, name)
        if to is not None and to.inside and isinstance(value, Mapping):
            inner = with_repository(to.inside, value)
            found = inner.pop(REPOSITORY, None)
            rest[name] = inner
        elif name == REPOSITORY or (to is not None and to.field == REPOSITORY):
            found = _one(value)
        else:
            rest[name], found = value, None
        if found is None:
            continue
        if said is not None and said[1] != found:
            argument_names.refuse_two(said, (name, found))
        said = (name, found)
    return rest if said is None else {**rest, REPOSITORY: said[1]}


def _one(value: Any) -> Any:
    """A list of one repository is that one."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def read(call: Call, arguments: Mapping[str, Any], known: Container[str]) -> Reading:
    """What a call says. Raises InvalidInput, naming arguments as the caller does.

    ``known`` are our fields that may be given under our names, or what others call them.
    """
    said: dict[str, tuple[str, Any]] = {}
    asked = {name: to.default for name, to in _flat(call.takes)}
    sifts: list[tuple[Sift, Any]] = []
    _take(call, call.takes, arguments, known, said, asked, sifts)
    for name, to in _flat(call.takes):
        # What has a field of ours is asked for where that is checked.
        if to.needed and not to.field and asked[name] is None:
            raise InvalidInput(f"The argument {name!r} is missing.", to.why)
        if to.default is None or (to.field and to.field in said):
            continue
        if to.field:
            said[to.field] = (name, to.default if to.change is None else to.change(to.default))
        elif to.sift is not None and not any(sift is to.sift for sift, _ in sifts):
            sifts.append((to.sift, to.default))
    return Reading(
        {field: value for field, (_, value) in said.items()},
        asked,
        {field: name for field, (name, _) in said.items()},
        tuple(sift for sift in sifts if sift[0] is not skip),
        next((value for sift, value in sifts if sift is skip), 0),
    )


def _flat(takes: Mapping[str, To]) -> Iterator[tuple[str, To]]:
    for name, to in takes.items():
        yield name, to
        yield from _flat(to.inside)


def _take(
    call: Call,
    takes: Mapping[str, To],
    arguments: Mapping[str, Any],
    known: Container[str],
    said: dict[str, tuple[str, Any]],
    asked: dict[str, Any],
    sifts: list[tuple[Sift, Any]],
) -> None:
    """Take the arguments of a call, or the fields of an object in it."""
    for name, value in arguments.items():
        to = _documented(takes, name)
        if value is None:
            continue  # agents say null where they mean nothing
        if to is None:
            field = _take_ours(call, name, value, known, said)
            asked |= {theirs: value for theirs, to in takes.items() if to.field == field}
            continue
        value = _typed(name, to, value)
        asked[_their_name(takes, name)] = value
        if to.inside:
            kept = {key: one for key, one in value.items() if _documented(to.inside, key) is None}
            inner = {key: one for key, one in value.items() if key not in kept}
            _take(call, to.inside, inner, known, said, asked, sifts)
            if kept and not to.field:
                _refuse(call, next(iter(kept)))
            if to.field and (kept or not inner):
                argument_names.say(said, to.field, name, argument_names.as_text(kept))
        elif to.field == REPOSITORY:
            raise InvalidInput(
                f"{name!r} cannot be given here.",
                "Give it with the whole call, not in a part of it.",
            )
        elif to.field:
            argument_names.say(said, to.field, name, _changed(name, to, value))
        elif to.sift is not None:
            sifts.append((to.sift, value))


def _changed(name: str, to: To, value: Any) -> Any:
    """A value of theirs as ours."""
    if to.change is None:
        return value
    try:
        return to.change(value)
    except (AttributeError, OverflowError, TypeError, ValueError) as error:
        hint = to.why or "The list of tools says what it takes."
        raise InvalidInput(f"The argument {name[:_SHOWN]!r} is not valid.", hint) from error


def _take_ours(
    call: Call, name: str, value: Any, known: Container[str], said: dict[str, tuple[str, Any]]
) -> str:
    """An argument by our name for it, or a name that all tools understand; which field it is."""
    field = argument_names.meaning(name, known)
    if field not in known:
        _refuse(call, name)
    argument_names.say(said, field, name, argument_names.converted(name, value))
    return field


def _refuse(call: Call, name: str) -> None:
    tool = call.names[0] if call.names else "This tool"
    names = ", ".join(call.takes) or "none"
    raise InvalidInput(f"{tool} has no argument {name[:_SHOWN]!r}.", f"Arguments: {names}.")


def _documented(takes: Mapping[str, To], name: str) -> To | None:
    known = _their_name(takes, name)
    return takes.get(known)


def _their_name(takes: Mapping[str, To], name: str) -> str:
    """The documented name: camel case counts as snake case."""
    if name in takes:
        return name
    return next((take for take in takes if _same(take, name)), name)


def _typed(name: str, to: To, value: Any) -> Any:
    """The value, if it is of the documented type; numbers may come as text."""
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
    if number is None or abs(number) > 1e12 or number != number:
        return None if number is not None else value
    return (
        int(number)
        if number.is_integer() and (kind == "integer" or isinstance(value, int))
        else (value if kind == "integer" else number)
    )


def schema(takes: Mapping[str, To]) -> dict[str, Any]:
    """The JSON Schema of the arguments, as their documents show them."""
    found: dict[str, Any] = {"type": "object", "properties": {}}
    for name, to in takes.items():
        one: dict[str, Any] = {} if to.type == "any" else {"type": to.type}
        if to.inside:
            one |= {"properties": schema(to.inside)["properties"]}
        if to.choices:
            one |= {"enum": list(to.choices)}
        if to.default is not None:
            one |= {"default": to.default}
        if to.why:
            one |= {"description": to.why}
        found["properties"][name] = one
    if must := [name for name, to in takes.items() if to.needed]:
        found["required"] = must
    return found
