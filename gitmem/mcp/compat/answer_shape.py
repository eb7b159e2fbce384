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
    """The template (shape) of a list in an answer: one item for each value of the list at ``path``.

    ``path`` is dotted (``memory.tags``), ``item`` the template of an item; at most ``max_items``
    values are used.
    """

    path: str
    item: Any
    max_items: int = 1000


@dataclass(frozen=True, slots=True)
class ConstantShape:
    """The template (shape) of an answer's field that always has the same ``value``."""

    value: Any


class ComputedShape:
    """The template (shape) of an answer's field whose value is returned by the function ``change``.

    It is called with the values of the templates ``parts``, mostly paths into a command's result,
    in their order.
    """

    __slots__ = ("change", "parts")

    def __init__(self, change: Callable[..., Any], *parts: Any) -> None:
        self.change = change
        self.parts = parts


@dataclass(frozen=True, slots=True)
class OptionalShape:
    """The template ``shape`` of an answer's field, left out if the value at ``path`` is empty."""

    path: str
    shape: Any


def value_at_path(path: str, item: Any, fallback: Mapping[str, Any]) -> Any:
    """The value at a dotted path (``memory.id``) in the dict ``item``, or ``fallback``; or None."""
    first, *rest = path.split(".")
    value: Any = item if isinstance(item, Mapping) and first in item else fallback
    for name in (first, *rest):
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def apply_shape(shape: Any, item: Any, whole_result: Mapping[str, Any]) -> Any:
    """Fill in ``shape``, the template of an answer or of a part of it; returns JSON values.

    A shape is a dotted path, a dict of field names to shapes, or a ``...Shape`` object. Paths are
    looked up in ``item``, else in ``whole_result``.
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
    """The JSON Schema of the object that ``shape``, a dict of fields to templates, describes."""
    fields = {name: _kind(part) for name, part in shape.items() if name != FACTS}
    return {"type": "object", "properties": fields}


def _kind(part: Any) -> dict[str, Any]:
    if isinstance(part, OptionalShape):
        return _kind(part.shape)
    if isinstance(part, ListShape):
        return {"type": "array"}
    return {"type": "object"} if isinstance(part, Mapping) else {}
