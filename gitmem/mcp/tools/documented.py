"""A documented call of another system carried out: read, done by our operations, told as theirs."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from gitmem import operations
from gitmem.app import App
from gitmem.errors import InvalidInput, NotARepository
from gitmem.mcp.compat import answer_shape
from gitmem.mcp.compat.documented_call import Call, Path, Step
from gitmem.mcp.tools.call_arguments import Reading
from gitmem.memory import decision_wording
from gitmem.operations.registry import Operation, fields, plain


def look_up_fixed(call: Call, reading: Reading, describe_call: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a call with those that the table finds elsewhere."""
    looked_up = {
        name: _look_up(value, describe_call)
        for name, value in call.fixed.items()
        if isinstance(value, Path) and name not in reading.values
    }
    return {**reading.values, **looked_up}


def _look_up(value: Any, describe_call: Mapping[str, Any]) -> Any:
    if not isinstance(value, Path):
        return value
    item = answer_shape.look_up(value.at, describe_call, describe_call)
    if item is None and value.other:
        item = answer_shape.look_up(value.other, describe_call, describe_call)
    if value.each:
        return [item[value.each] for item in item or () if item[value.each]][: value.most]
    cut = value.most and isinstance(item, str)
    return decision_wording.title(item, value.most) if cut else item


def describe_call(app: App, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """What every shape may look into: what was asked, and where; the time has no project."""
    here: dict[str, Any] = {}
    with suppress(NotARepository):
        here |= {"project": app.identity.key, "worktree": app.worktree}
    return {"asked": dict(arguments), "here": here}


def take_steps(
    app: App, steps: Mapping[str, Step], item: Mapping[str, Any], known: dict[str, Any]
) -> None:
    """Do the operations beside the one that does the work; what they tell is ``known`` after."""
    for name, step in steps.items():
        look = {**known, **item}
        if step.where and not answer_shape.look_up(step.where, look, look):
            continue
        gives = {field: _look_up(value, look) for field, value in step.gives.items()}
        operation = operations.load(step.operation)
        many = {field.name for field in fields(operation.request) if field.many}
        given = {
            field: (tuple(value) if isinstance(value, list | tuple) else (value,))
            if field in many
            else value
            for field, value in gives.items()
            if value is not None
        }
        known[name] = plain(operation.answer(app, operation.request(**given)))


def sift(call: Call, reading: Reading, data: dict[str, Any], limit: int) -> dict[str, Any]:
    """The result with the items that were asked for; ``found`` counts them before the cut."""
    if not call.page:
        return data
    items = data[call.page]
    for sift, value in (*call.sifts, *reading.sifts):
        try:
            items = sift(items, value)
        except (TypeError, ValueError) as error:
            raise InvalidInput(
                f"An argument has a value that cannot be compared: {str(value)[:60]!r}."
            ) from error
    end = reading.offset + limit
    return {**data, call.page: items[reading.offset : end], "found": len(items)}


def how_many(call: Call, reading: Reading, limit: int, most: int) -> int:
    """How many items have to be looked at, so that ``limit`` may be told of them."""
    return most if call.sifts or reading.sifts else min(most, reading.offset + limit)


def quoting_operation(call: Call, operation: Operation) -> Operation:
    """The operation whose answer quotes memories, if any of those in the call does."""
    parts = (
        operations.load(step.operation) for step in (*call.first.values(), *call.then.values())
    )
    return next((candidate for candidate in (operation, *parts) if candidate.quotes), operation)
