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
class ListShape:
    """A shape for a list: the shape ``item`` for each value at ``path``, for ``most`` at most."""

    path: str
    item: Any
    max_items: int = 1000


@dataclass(frozen=True, slots=True)
class ConstantShape:
    """A shape that is always ``value``."""

    value: Any


class ComputedShape:
    """A field of an answer, computed by calling ``change`` with the values of other fields.

    ``parts`` are the shapes that give these values, mostly paths into the result of the verb.
    """

    __slots__ = ("change", "parts")

    def __init__(self, change: Callable[..., Any], *parts: Any) -> None:
        self.change = change
        self.parts = parts


@dataclass(frozen=True, slots=True)
class OptionalShape:
    """A shape for a field that is present only if the value at ``path`` is not empty."""

    path: str
    shape: Any


def value_at_path(path: str, item: Any, fallback: Mapping[str, Any]) -> Any:
    """The value at a dotted path, first looked for in ``item``, then in ``fallback``; or None."""
    first, *rest = path.split(".")
    value: Any = item if isinstance(item, Mapping) and first in item else fallback
    for name in (first, *rest):
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def apply_shape(shape: Any, item: Any, whole_result: Mapping[str, Any]) -> Any:
    """The answer that a shape describes, with values from gitmem's result (as JSON values).

    ``item`` is the current item of a list, ``whole_result`` the result with those of other steps.
    """
    if isinstance(shape, str):
        return value_at_path(shape, item, whole_result)
    if isinstance(shape, ConstantShape):
        return shape.value
    if isinstance(shape, ComputedShape):
        return shape.change(*(apply_shape(part, item, whole_result) for part in shape.parts))
    if isinstance(shape, ListShape):
        items = value_at_path(shape.path, item, whole_result) or []
        return [apply_shape(shape.item, row, whole_result) for row in items[: shape.max_items]]
    if isinstance(shape, OptionalShape):
        return apply_shape(shape.shape, item, whole_result)
    facts = value_at_path(shape[FACTS], item, whole_result) if FACTS in shape else {}
    fields = {
        name: apply_shape(part, item, whole_result)
        for name, part in shape.items()
        if name != FACTS
        and (not isinstance(part, OptionalShape) or value_at_path(part.path, item, whole_result))
    }
    return {**(facts or {}), **fields}


def schema_of_shape(shape: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON Schema of the answer that a shape describes: its fields, lists and objects."""
    fields = {name: _kind(part) for name, part in shape.items() if name != FACTS}
    return {"type": "object", "properties": fields}


def _kind(part: Any) -> dict[str, Any]:
    if isinstance(part, OptionalShape):
        return _kind(part.shape)
    if isinstance(part, ListShape):
        return {"type": "array"}
    return {"type": "object"} if isinstance(part, Mapping) else {}
