"""The verbs that are served over HTTP, read from the table of operations.

A verb is served at ``/api/v1/`` and its name, spaces written as ``/``: ``session list`` is
``/api/v1/session/list``. What needs a person at a terminal is refused, with the command to run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from gitmem import operations
from gitmem.errors import InvalidInput
from gitmem.mcp.tools import schemas
from gitmem.mcp.tools.offer import OfferedTool
from gitmem.operations.registry import READ, Operation, RequestField, request_fields

PREFIX = "/api/v1"
# What a person decides at a terminal: it installs programs, gives trust, or replaces the store.
FOR_A_PERSON = frozenset(
    (
        *("init", "setup", "deinit", "trust", "purge", "watch", "config", "hooks install"),
        *("hooks uninstall", "restore-backup", "recover", "session import"),
        *("projects add", "projects remove", "projects normalise"),
    )
)
# Arguments that name a file of the machine, or belong to a terminal.
_LEFT_OUT = {
    "backup": ("target",),
    "export": ("target", "force"),
    "import": ("trust",),
    "report": ("html", "force"),
    "review": ("report",),
    "pr": ("saved",),
}
_TERMINAL = ("piped", "yes")
# Work that may take minutes: answered with a job.
LONG = frozenset(
    (
        *("index", "import", "import-docs", "adr import", "model use", "model pull", "model tune"),
        *("summarize", "pattern learn"),
    )
)
# Operations that start due upkeep, beside those that write.
BEGINNINGS = frozenset(("orient", "recall", "search"))


def verb_url_path(verb: str) -> str:
    """The URL path of a command: ``/api/v1/session/list`` for ``session list``."""
    return f"{PREFIX}/{verb.replace(' ', '/')}"


def served_verbs() -> list[str]:
    """The names of the verbs (commands) that are served over HTTP, in the order of the help."""
    return [name for name in operations.PLACES if name not in FOR_A_PERSON]


@cache
def verb_as_tool(verb: str) -> OfferedTool:
    """A command of gitmem, as a tool with the arguments that it takes over HTTP."""
    operation = operations.load_operation(verb)
    accepted = [
        field
        for field in request_fields(operation.request_class)
        if field.name not in (*_LEFT_OUT.get(verb, ()), *_TERMINAL)
    ]
    # An import takes the lines themselves, never a path.
    return operation_as_tool(operation, accepted, {"piped": True} if verb == "import" else {})


def operation_as_tool(
    operation: Operation,
    accepted_fields: Sequence[RequestField] | None = None,
    fixed_arguments: Mapping[str, Any] = {},
) -> OfferedTool:
    """An operation, as a tool with those of its arguments that may be given over HTTP.

    ``accepted_fields`` are these arguments (None: all); ``fixed_arguments`` have a value that no
    caller can change.
    """
    name = operation.name
    taken = request_fields(operation.request_class) if accepted_fields is None else accepted_fields
    return OfferedTool(
        operation,
        name,
        {field.name: field for field in taken},
        _not_a_tool,
        cache(lambda: schemas.input_model(taken, name.replace(" ", "_").replace("-", "_"))),
        operation.effect,
        fixed_arguments,
    )


def _not_a_tool() -> Any:
    raise AssertionError("a verb over HTTP is described by OpenAPI")


def is_read_only(operation: Operation) -> bool:
    """Whether an operation changes nothing, so that GET may call it."""
    return operation.effect == READ


def arguments_from_query(
    tool: OfferedTool, query_pairs: Iterable[tuple[str, str]]
) -> dict[str, Any]:
    """A dict of the arguments in a query string: texts, lists of texts for those with many values.

    ``query_pairs`` are (name, value). Raises InvalidInput for another name that is given twice.
    """
    values: dict[str, Any] = {}
    for name, value in query_pairs:
        field = tool.fields.get(name)
        if field is not None and field.many:
            values.setdefault(name, []).append(value)
        elif name in values:
            raise InvalidInput(f"The argument {name[:60]!r} is given twice.", "Give one value.")
        else:
            values[name] = value
    return values


def arguments_from_body(body: Any) -> Mapping[str, Any]:
    """Return a JSON body, the arguments. Raises InvalidInput unless it is an object."""
    if not isinstance(body, dict):
        raise InvalidInput(
            "The body is not a JSON object.", 'Send the arguments by name: {"query": "..."}.'
        )
    return body
