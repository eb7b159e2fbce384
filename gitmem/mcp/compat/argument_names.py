"""Other systems' names of arguments: accepted everywhere, listed nowhere.

Agents are used to other memory servers. ``ALIASES`` maps each of their names to the fields that it
may mean; the first one that the operation has counts, unless the name is a field itself. Camel case
counts as snake case.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Mapping
from typing import Any

from gitmem.errors import InvalidInput

# The name that a value was given under, and the value.
_NamedValue = tuple[str, Any]

# Their names, and the fields that they may mean: the first that the operation has.
_NAMES = {
    # What to look for.
    "q question search search_query symbol name": "query",
    "query task": "plan",
    # What to save.
    "text": "query why plan",
    "content body": "text why",
    "information memory message note new_content": "text",
    "decision": "title",
    "description": "why plan",
    "rationale reasoning": "why",
    "reason": "why context",
    "replaces": "supersedes",
    "tags": "tag",
    "type": "kind relation",
    "types memory_types memory_type kinds symbol_kind": "kind",
    "priority": "weight",
    "pinned": "pin",
    "ttl_seconds expires_in": "ttl",
    "new_status": "status",
    "target_layer": "to",
    # Which one.
    "memory_id memory_ids ids decision_id": "id",
    "source_id from_id from_memory_id": "source",
    "target_id to_id to_memory_id": "target",
    "relationship_type relation_type relationship": "relation",
    "max_depth": "depth",
    # Which files.
    "path": "file",
    "anchor file file_context file_pattern path_glob under": "path",
    "paths files file_path file_paths": "path file",
    "not_glob": "not_path",
    "current_file active_file": "near path file",
    "language languages": "lang",
    "in source": "sources",
    # How many, how long.
    "n k top_k max_results count": "limit",
    "skip": "offset",
    "max_tokens token_budget target_tokens": "budget",
    # How, when, who.
    "search_mode": "mode",
    "min_score": "threshold",
    "scoring_profile": "profile",
    "include_superseded": "state",
    "after start_date": "since",
    "before end_date": "until",
    "agent_source": "agent",
    "session_id": "session",
    "current_goal": "goal",
    "timezone": "tz",
    "tz": "timezone",
    "time_zone": "timezone tz",
    "expr": "expression",
    "revision range": "revisions",
}
ALIASES: dict[str, tuple[str, ...]] = {
    name: tuple(fields.split()) for names, fields in _NAMES.items() for name in names.split()
}


def _replaced_too(value: Any) -> Any:
    if not isinstance(value, bool):
        return value
    return ["active", "proposed", "superseded"] if value else None


def _place(value: Any) -> Any:
    """``{"path": "a.py", "lines": "3-9"}`` as ``a.py:3-9``."""
    if not isinstance(value, Mapping) or not isinstance(value.get("path"), str):
        return value
    lines = value.get("lines")
    if isinstance(lines, list | tuple):
        lines = "-".join(str(line) for line in lines[:2])
    return f"{value['path']}:{lines}" if isinstance(lines, str | int) and lines else value["path"]


# Keys of an object ``metadata`` that are fields of a memory.
LIFTED = frozenset(
    ("title", "kind", "tag", "path", "weight", "importance", "ttl", "pin", "scope", "layer")
)
# Names whose values are converted too.
CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "ttl_seconds": lambda value: f"{int(value)}s" if _is_number(value) else value,
    # A priority of 1 to 10 as a weight of 1 to 5.
    "priority": lambda value: (
        (int(value) + 1) // 2 if _is_number(value) and 1 <= value <= 10 else value
    ),
    "include_superseded": _replaced_too,
    "file_context": _place,
}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12


def field_for_argument(argument_name: str, field_names: Container[str]) -> str:
    """The name in ``field_names`` that ``argument_name`` stands for; if none, ``argument_name``.

    It may be in camel case, or a name that other memory servers use: ``content`` means ``text``.
    """
    if argument_name in field_names:
        return argument_name
    snake = to_snake_case(argument_name)
    if snake in field_names:
        return snake
    return next((field for field in ALIASES.get(snake, ()) if field in field_names), argument_name)


def rename_to_own_fields(
    arguments: Mapping[str, Any], field_names: Container[str]
) -> dict[str, Any]:
    """Replace other memory servers' argument names by those in ``field_names``; returns a new dict.

    Keys of an object ``metadata`` that name a field, such as ``title``, are moved to it; the rest
    of the object becomes JSON text. Unknown names stay. Raises InvalidInput if two names for a
    field have different values.
    """
    given: dict[str, _NamedValue] = {}
    for name, value in arguments.items():
        if name == "metadata" and isinstance(value, Mapping) and name in field_names:
            rest = {
                key: fact for key, fact in value.items() if not _lift(given, key, fact, field_names)
            }
            if rest or not value:
                given[name] = (name, metadata_as_json(rest))
        else:
            add_field_value(
                given,
                field_for_argument(name, field_names),
                name,
                convert_foreign_argument_value(name, value),
            )
    return {field: value for field, (_, value) in given.items()}


def _lift(
    values_by_field: dict[str, _NamedValue], name: str, fact: Any, field_names: Container[str]
) -> bool:
    """Note a key of ``metadata`` as a field, if it is one; whether it is."""
    field = field_for_argument(name, field_names)
    if field not in LIFTED or field not in field_names or fact is None:
        return False
    add_field_value(values_by_field, field, name, convert_foreign_argument_value(name, fact))
    return True


def add_field_value(
    values_by_field: dict[str, _NamedValue], field: str, argument_name: str, value: Any
) -> None:
    """Set ``values_by_field[field]`` to ``(argument_name, value)``; None never replaces a value.

    Raises InvalidInput if the field has a different value already; JSON texts of ``metadata`` given
    under different names are joined.
    """
    if value is None and field != argument_name:
        return  # agents write null for an absent argument
    before = values_by_field.get(field)
    if before is not None and before[1] is not None:
        if value is None:
            return
        if field == "metadata" and argument_name != before[0]:
            # Each is an object with keys of its own: they are joined.
            value = metadata_as_json({**json.loads(before[1]), **json.loads(value)})
        else:
            refuse_conflicting_arguments(before, (argument_name, value))
    values_by_field[field] = (argument_name, value)


def convert_foreign_argument_value(argument_name: str, value: Any) -> Any:
    """The value as gitmem takes it, converted if the argument's name is another memory server's.

    ``ttl_seconds`` 90 becomes ``90s``, ``priority`` (1 to 10) a weight of 1 to 5,
    ``include_superseded`` a list of states, ``file_context`` ``path:lines``. Other values stay.
    """
    change = CONVERSIONS.get(to_snake_case(argument_name))
    return value if change is None else change(value)


def to_snake_case(name: str) -> str:
    """The name in snake case: ``maxResults`` becomes ``max_results``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name[:60]).lower()


def refuse_conflicting_arguments(first_argument: _NamedValue, second_argument: _NamedValue) -> None:
    """Raise InvalidInput if two pairs (argument name, value) of one field differ in value."""

    def as_list(value: Any) -> Any:
        return list(value) if isinstance(value, list | tuple) else [value]

    if as_list(first_argument[1]) != as_list(second_argument[1]):
        if first_argument[0] == second_argument[0]:  # of which one stands in an object
            message = f"{first_argument[0][:60]!r} has two different values."
            raise InvalidInput(message, "Give only one, inside of an object or beside it.")
        raise InvalidInput(
            f"{first_argument[0][:60]!r} and {second_argument[0][:60]!r} mean the same argument, "
            "but their values differ.",
            "Give only one of them.",
        )


def metadata_as_json(metadata: Mapping[str, Any]) -> str:
    """The metadata as JSON text. Raises InvalidInput if a value has no form in JSON."""
    try:
        return json.dumps(metadata, ensure_ascii=False)
    except (RecursionError, TypeError, ValueError) as error:
        raise InvalidInput(
            "The metadata cannot be stored as JSON.", "Give a flat object."
        ) from error
