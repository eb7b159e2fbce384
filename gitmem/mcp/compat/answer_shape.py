"""Shapes: values that describe where each field of a documented answer comes from.

A mapping from their names to shapes is an object; a text is a path into our result (``memory.id``).
Paths begin in the current item, or else in the call's arguments and the results of other steps.
Under ``FACTS`` an object has the path to a mapping; it has the fields of that too, behind its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gitmem.model.frozen import dataclass

FACTS = ".."


@dataclass(frozen=True, slots=True)
class Each:
    """A shape for a list: the shape ``item`` for each value at ``path``, ``most`` at most."""

    path: str
    item: Any
    most: int = 1000


@dataclass(frozen=True, slots=True)
class Const:
    """A constant."""

    value: Any


class As:
    """A field of an answer, computed by calling ``change`` with the values of other fields.

    ``parts`` are the shapes that give these values, mostly paths into the result of the verb.
    """

    __slots__ = ("change", "parts")

    def __init__(self, change: Callable[..., Any], *parts: Any) -> None:
        self.change = change
        self.parts = parts


@dataclass(frozen=True, slots=True)
class When:
    """A shape for a field that is present only if the value at ``path`` is not empty."""

    path: str
    shape: Any


def look_up(path: str, item: Any, around: Mapping[str, Any]) -> Any:
    """The value at a dotted path, or None."""
    first, *rest = path.split(".")
    value: Any = item if isinstance(item, Mapping) and first in item else around
    for name in (first, *rest):
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def apply(shape: Any, item: Any, around: Mapping[str, Any]) -> Any:
    """The answer, or part of it, that a shape makes from our result (as JSON values)."""
    if isinstance(shape, str):
        return look_up(shape, item, around)
    if isinstance(shape, Const):
        return shape.value
    if isinstance(shape, As):
        return shape.change(*(apply(part, item, around) for part in shape.parts))
    if isinstance(shape, Each):
        items = look_up(shape.path, item, around) or []
        return [apply(shape.item, row, around) for row in items[: shape.most]]
    if isinstance(shape, When):
        return apply(shape.shape, item, around)
    facts = look_up(shape[FACTS], item, around) if FACTS in shape else {}
    fields = {
        name: apply(part, item, around)
        for name, part in shape.items()
        if name != FACTS and (not isinstance(part, When) or look_up(part.path, item, around))
    }
    return {**(facts or {}), **fields}


def schema(shape: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON Schema with the fields of the answer, and which are lists or objects."""
    fields = {name: _kind(part) for name, part in shape.items() if name != FACTS}
    return {"type": "object", "properties": fields}


def _kind(part: Any) -> dict[str, Any]:
    if isinstance(part, When):
        return _kind(part.shape)
    if isinstance(part, Each):
        return {"type": "array"}
    return {"type": "object"} if isinstance(part, Mapping) else {}
