"""Reading the arguments of a command without click, which takes long to import.

Reads command lines exactly as click would, or returns None and leaves them to click: anything
unusual (an abbreviation, ``--help``, a wrong value, a confirmation) is not worth a second
implementation. A test compares the two.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitmem import operations
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import Operation, RequestField, request_fields
from gitmem.operations.shared_fields import fields_by_option

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any


@dataclass(frozen=True, slots=True)
class ParsedCommand:
    """A command line that was read: ``values`` are the fields of the request that it gives.

    ``start_folder`` is the folder of ``-C``, ``start_project`` the name of ``-P`` (None: not
    given), ``timezone`` the zone for times in its text, empty for the one in the settings.
    """

    operation: Operation
    values: dict[str, Any]
    start_folder: str
    json: bool
    agent: str = ""
    timezone: str = ""
    start_project: str | None = None


def parse_command(arguments: Sequence[str]) -> ParsedCommand | None:
    """Return the call in a simple command line, or None for one that click has to read.

    ``arguments`` are the words after ``gitmem``.
    """
    name = _operation_name(arguments)
    operation = operations.load_operation(name) if name else None
    if operation is None or operation.confirm:
        return None
    fields = [field for field in request_fields(operation.request_class) if field.arg.cli]
    positional = [field for field in fields if field.arg.positional]
    options = fields_by_option(fields)
    values: dict[str, Any] = {}
    place, project, wants_json = ".", None, False
    offered = {"--agent": operation.has_agent_option, "--timezone": operation.shows_times}
    call_options: dict[str, str] = {}  # options of every command, not of the request
    loose: list[str] = []
    rest = iter(arguments[1 + name.count(" ") :])
    for word in rest:
        flag, equals, inline = word.partition("=")
        if word == "--json":
            wants_json = True
        elif word == "-C":
            place = next(rest, "")
        elif word == "-P":
            project = next(rest, "")
        elif offered.get(flag):
            text = inline if equals else next(rest, None)
            if text is None:
                return None
            call_options[flag] = text
        elif word.startswith("-") and word != "-":
            field = options.get(flag if flag.startswith("--") else word)
            if field is None or (equals and not flag.startswith("--")):
                return None
            if field.type is bool:
                if equals:
                    return None
                values[field.name] = True
                continue
            value = _value(field, inline if equals else next(rest, None))
            if value is None:
                return None
            values[field.name] = (*values.get(field.name, ()), value) if field.many else value
        else:
            loose.append(word)
    if not place or project == "" or not _fill_positional(positional, loose, values):
        return None
    if any(field.required and field.name not in values for field in fields):
        return None
    agent, zone = (call_options.get(flag, "") for flag in offered)
    return ParsedCommand(operation, values, place, wants_json, agent, zone, project)


def _operation_name(words: Sequence[str]) -> str:
    """The name of the operation at the beginning of a command line; empty if there is none."""
    if words[0] in operations.ALONE and all(word.startswith("-") for word in words[1:2]):
        return words[0]
    for count in (1, 2):
        name = " ".join(words[:count])
        is_operation = name in operations.PLACES or name in operations.HIDDEN
        if is_operation and " " not in words[0]:
            return name
    return ""


def _value(field: RequestField, raw: str | None) -> Any:
    """The value of an option, or None if click would refuse it."""
    if raw is None or (raw.startswith("-") and raw != "-" and field.type is str):
        # A value that looks like an option is left to click.
        return None
    try:
        value = field.type(raw)
    except ValueError:
        return None
    arg = field.arg
    if arg.choices and value not in arg.choices:
        return None
    if arg.minimum is not None and not value >= arg.minimum:
        return None
    if arg.maximum is not None and not value <= arg.maximum:
        return None
    return value


def _fill_positional(
    positional: Sequence[RequestField], loose: list[str], given: dict[str, Any]
) -> bool:
    """Assign loose words to the positional fields; False if they do not fit."""
    for field in positional:
        if not loose:
            if field.required:
                return False
            continue
        several = field.many or field.arg.words
        words, loose = (loose, []) if several else (loose[:1], loose[1:])
        choices = field.arg.choices
        if field.type is not str or (choices and not set(words) <= set(choices)):
            return False
        given[field.name] = tuple(words) if field.many else " ".join(words)
    return not loose
