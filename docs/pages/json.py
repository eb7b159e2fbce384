"""The JSON that every operation answers, read off its result dataclasses."""

from __future__ import annotations

import types
import typing
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from docs.pages import mcp
from docs.pages.markdown import fenced, filled, prose, wrapped
from gitmem import operations

_OPENING = """\
# JSON results and MCP tools

`gitmem COMMAND --json` prints one object, and the MCP tool of the same operation answers the same
object as structured content. Under each command stand its fields, and the call of its tool: what
an argument means is what the option of that name does ([cli.md](cli.md)), `?` marks those that may
be left out, and [mcp.md](mcp.md) says which profile lists it.

Times are ISO 8601 in UTC such as `2026-11-21T08:03:42Z`. A text that does not apply is empty; what
is unknown or not so is `null` where the type says so. `[text]` is an array of texts,
`{name: integer}` an object with such values by name. A shape that is not spelled out beside a
command stands at the [end](#shapes-used-by-several)."""
_SHARED = "## Shapes used by several"
_AT_THE_END = "(#shapes-used-by-several)"
_ERROR = """\
## Errors

With `--json` a command that fails prints this object to standard error, nothing to standard
output, and exits with the status of its code ([cli.md](cli.md#exit-statuses))."""
_NAMES: dict[Any, str] = {str: "text", int: "integer", float: "number", bool: "boolean"}
_NAMES |= {Any: "any value", object: "any value", type(None): "null"}


def page() -> str:
    """The whole page."""
    shared = _shared()
    parts = [_OPENING]
    for group, entries in operations.GROUPS.items():
        parts.append(f"## {group}")
        for name, *_ in entries:
            parts += _operation(name, shared)
    shapes = sorted(shared, key=lambda shape: shape.__name__)
    parts += [_SHARED, "\n".join(map(_meaning, shapes))]
    parts += [fenced("\n".join(_fields(f"{shape.__name__} {{ ", shape) for shape in shapes))]
    parts += [_ERROR, fenced('{"error": {"code": "…", "message": "…", "hint": "…"}}', "json")]
    return "\n\n".join(parts)


def result(name: str) -> type:
    """The result dataclass of an operation."""
    found = typing.get_type_hints(operations.load_operation(name).run)["return"]
    assert is_dataclass(found) and isinstance(found, type)
    return found


def _operation(name: str, shared: set[type]) -> list[str]:
    shape = result(name)
    call = mcp.call(operations.load_operation(name))
    if shape in shared:
        answers = f"answers [{shape.__name__}]{_AT_THE_END}."
        if "\n" in call:
            return [f"### {name}", fenced(call), answers[0].upper() + answers[1:]]
        return [f"### {name}", f"`{call or f'gitmem {name} --json'}` {answers}"]
    inner = [part for part in _inside(shape) if part not in shared]
    lines = [*([call] if call else []), _fields("{ ", shape)]
    lines += [_fields(f"{part.__name__} {{ ", part) for part in inner]
    meanings = "\n".join([filled(prose(shape.__doc__)), *map(_meaning, inner)])
    return [f"### {name}", meanings, fenced("\n".join(lines))]


def _meaning(shape: type) -> str:
    """What a shape is, as an item of a list."""
    return f"- `{shape.__name__}`: {' '.join(prose(shape.__doc__).split())}"


def _fields(opening: str, shape: type) -> str:
    """The fields of a dataclass with their types, in order."""
    hints = typing.get_type_hints(shape)
    return wrapped(
        opening, (f"{one.name}: {_type(hints[one.name])}" for one in fields(shape)), " }"
    )


def _shared() -> set[type]:
    """Shapes that more than one operation uses."""
    counts: Counter[type] = Counter()
    for name in operations.PLACES:
        shape = result(name)
        counts.update({shape, *_inside(shape)})
    return {shape for shape, count in counts.items() if count > 1}


def _inside(shape: type) -> list[type]:
    """The dataclasses inside a dataclass at any depth, each once, in order."""
    found: dict[type, None] = {}
    for hint in typing.get_type_hints(shape).values():
        for one in _dataclasses(hint):
            found.update(dict.fromkeys((one, *_inside(one))))
    return list(found)


def _dataclasses(hint: Any) -> Iterator[type]:
    if isinstance(hint, type) and is_dataclass(hint):
        yield hint
    for inner in typing.get_args(hint):
        yield from _dataclasses(inner)


def _type(hint: Any) -> str:
    """A type in the words of JSON."""
    inner = typing.get_args(hint)
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(map(_type, inner))
    if origin in (tuple, list):
        return f"[{_type(inner[0])}]"
    if origin is dict:
        return f"{{name: {_type(inner[1])}}}"
    return _NAMES.get(hint) or hint.__name__
