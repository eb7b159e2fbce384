"""Templates: values that describe where each field of a documented answer comes from.

A mapping from their names to templates is an object; a text is a path into our result
(``memory.id``). Paths begin in the current item, or else in the call's arguments and the results of
other steps. Under ``FACTS`` an object has the path to a mapping; it has the fields of that too,
behind its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gitmem.model.frozen import dataclass

FACTS = ".."


@dataclass(frozen=True, slots=True)
class ListTemplate:
    """The template of a list in an answer: one item for each value of the list at ``path``.

    ``path`` is dotted (``memory.tags``), ``item`` the template of an item; at most ``max_items``
    values are used.
    """

    path: str
    item: Any
    max_items: int = 1000


@dataclass(frozen=True, slots=True)
class ConstantTemplate:
    """The template of an answer's field that always has the same ``value``."""

    value: Any


class ComputedValueTemplate:
    """The template of an answer's field whose value is returned by the function ``change``.

    It is called with the values of the templates ``parts``, mostly paths into a command's result,
    in their order.
    """

    __slots__ = ("change", "parts")

    def __init__(self, change: Callable[..., Any], *parts: Any) -> None:
        self.change = change
        self.parts = parts


@dataclass(frozen=True, slots=True)
class OptionalFieldTemplate:
    """The ``template`` of an answer's field, left out if the value at ``path`` is empty."""

    path: str
    template: Any


def value_at_dotted_path(dotted_path: str, item: Any, fallback_item: Mapping[str, Any]) -> Any:
    """The value at a dotted path (``memory.id``) in ``item``, else ``fallback_item``; or None."""
    first, *rest = dotted_path.split(".")
    value: Any = item if isinstance(item, Mapping) and first in item else fallback_item
    for name in (first, *rest):
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


def fill_answer_template(template: Any, item: Any, whole_result: Mapping[str, Any]) -> Any:
    """Fill in ``template``, the template of an answer or of a part of it; returns JSON values.

    A template is a dotted path, a dict of field names to templates, or a ``...Template`` object.
    Paths are looked up in ``item``, else in ``whole_result``.
    """
    if isinstance(template, str):
        return value_at_dotted_path(template, item, whole_result)
    if isinstance(template, ConstantTemplate):
        return template.value
    if isinstance(template, ComputedValueTemplate):
        return template.change(
            *(fill_answer_template(part, item, whole_result) for part in template.parts)
        )
    if isinstance(template, ListTemplate):
        items = value_at_dotted_path(template.path, item, whole_result) or []
        return [
            fill_answer_template(template.item, row, whole_result)
            for row in items[: template.max_items]
        ]
    if isinstance(template, OptionalFieldTemplate):
        return fill_answer_template(template.template, item, whole_result)
    facts = value_at_dotted_path(template[FACTS], item, whole_result) if FACTS in template else {}
    fields = {
        name: fill_answer_template(part, item, whole_result)
        for name, part in template.items()
        if name != FACTS
        and (
            not isinstance(part, OptionalFieldTemplate)
            or value_at_dotted_path(part.path, item, whole_result)
        )
    }
    return {**(facts or {}), **fields}


def json_schema_of_template(template: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of the object that ``template``, a dict of fields to templates, describes."""
    fields = {name: _kind(part) for name, part in template.items() if name != FACTS}
    return {"type": "object", "properties": fields}


def _kind(part: Any) -> dict[str, Any]:
    if isinstance(part, OptionalFieldTemplate):
        return _kind(part.template)
    if isinstance(part, ListTemplate):
        return {"type": "array"}
    return {"type": "object"} if isinstance(part, Mapping) else {}
