"""The shape of a documented answer: a value that says where each of its fields comes from.

An object is a mapping from their names to shapes, a text is a path into our result (``memory.id``).
Paths begin in the item that is being shaped, else in what was asked and what other steps answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gitmem.model.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Each:
    """A list: one item for each of those at ``path``, at most so many."""

    path: str
    item: Any
    most: int = 1000


@dataclass(frozen=True, slots=True)
class Const:
    """Always the same."""

    value: Any


class As:
    """What a pure function makes of the values at some paths."""

    __slots__ = ("change", "paths")

    def __init__(self, change: Callable[..., Any], *paths: str) -> None:
        self.change = change
        self.paths = paths


@dataclass(frozen=True, slots=True)
class When:
    """A field that is there only where something is at ``path``."""

    path: str
    shape: Any


def look_up(path: str, item: Any, around: Mapping[str, Any]) -> Any:
    """What is at a dotted path; None where nothing is."""
    first, *rest = path.split(".")
    value: Any = item if isinstance(item, Mapping) and first in item else around
    for name in (first, *rest):
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def apply(shape: Any, item: Any, around: Mapping[str, Any]) -> Any:
    """The answer, or the part of it, that a shape makes of our result as JSON values."""
    if isinstance(shape, str):
        return look_up(shape, item, around)
    if isinstance(shape, Const):
        return shape.value
    if isinstance(shape, As):
        return shape.change(*(look_up(path, item, around) for path in shape.paths))
    if isinstance(shape, Each):
        items = look_up(shape.path, item, around) or []
        return [apply(shape.item, row, around) for row in items[: shape.most]]
    if isinstance(shape, When):
        return apply(shape.shape, item, around)
    return {
        name: apply(part, item, around)
        for name, part in shape.items()
        if not isinstance(part, When) or look_up(part.path, item, around)
    }


def schema(shape: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON Schema that names the fields of the answer, and which are lists or objects."""
    return {"type": "object", "properties": {name: _kind(part) for name, part in shape.items()}}


def _kind(part: Any) -> dict[str, Any]:
    if isinstance(part, When):
        return _kind(part.shape)
    if isinstance(part, Each):
        return {"type": "array"}
    return {"type": "object"} if isinstance(part, Mapping) else {}
