"""The tool ``session_defaults``: arguments for all later calls of a connection.

A default replaces an argument that a call does not give, only in operations that read. Without
``from __future__ import annotations``, as every module with a request.
"""

from collections.abc import Container, Mapping
from typing import Any

from gitmem.mcp.tools.profiles import DEFAULTS
from gitmem.model.frozen import dataclass
from gitmem.operations.registry import READ, Annotated, Arg, Operation, as_json_values

COMPACT, FULL = "compact", "full"
# The lists of a result that contain memories, and the newest queries whose answers are noted.
_LISTS = ("memories", "decisions", "sources", "hits")
_QUERIES = 100


@dataclass(frozen=True, slots=True)
class SessionDefaultsRequest:
    """Arguments of the tool ``session_defaults``: defaults to set; those left out stay."""

    limit: Annotated[int | None, Arg("At most this many results", minimum=1, maximum=100)] = None
    path: Annotated[str, Arg("Only about files matching this")] = ""
    lang: Annotated[tuple[str, ...], Arg("search: only files in this language")] = ()
    sources: Annotated[tuple[str, ...], Arg("search: only code, notes, commits, memories")] = ()
    scope: Annotated[str, Arg("Which memories to search", choices=("all", "project", "global"))] = (
        ""
    )
    budget: Annotated[int | None, Arg("orient: token budget", minimum=200, maximum=20000)] = None
    format: Annotated[
        str,
        Arg("compact omits empty and default values, full does not", choices=(COMPACT, FULL)),
    ] = ""
    reset: Annotated[bool, Arg("Clear the defaults set before")] = False


@dataclass(frozen=True, slots=True)
class ActiveSessionDefaults:
    """The default value of each argument that has one now, and the format of answers."""

    defaults: dict[str, Any]
    format: str


class SessionState:
    """The default arguments and answer format of one connection. Use it in one thread at a time.

    ``repository`` is the default repository, a folder or project (empty: the server's).
    """

    __slots__ = ("_given", "format", "repository", "values")

    def __init__(self) -> None:
        self.format = COMPACT
        self.repository = ""
        self.values: dict[str, Any] = {}
        self._given: dict[str, list[str]] = {}

    def record_answer_memory_ids(self, query: object, answer_data: Mapping[str, Any]) -> None:
        """Remember the ids of the memories in the answer to a query, for later feedback on it."""
        if not isinstance(query, str) or not query.strip():
            return
        items = [item for name in _LISTS for item in answer_data.get(name) or ()]
        words = _words(query)
        ids = [*self._given.pop(words, ()), *(item.get("id") for item in items)]
        self._given[words] = list(dict.fromkeys(filter(None, ids)))
        if len(self._given) > _QUERIES:
            self._given.pop(next(iter(self._given)))

    @property
    def settings_comparison_key(self) -> str:
        """A text that is equal for connections with equal settings."""
        return repr((self.format, self.repository, sorted(self.values.items())))

    def copy_answer_memory_ids(self, other_session: "SessionState", query: object) -> None:
        """Copy the ids of the memories that another connection was given for a query."""
        if ids := other_session.answer_memory_ids(query):
            self._given[_words(str(query))] = list(ids)

    def answer_memory_ids(self, query: object) -> list[str]:
        """The ids of the memories in this connection's answer to a query; [] if there are none."""
        return self._given.get(_words(str(query or "")), [])


def _words(query: str) -> str:
    return " ".join(query.lower().split())


def set_defaults(state: SessionState, request: SessionDefaultsRequest) -> ActiveSessionDefaults:
    """Set defaults for later calls of this connection that read, or show them.

    A default is used for an argument that a call does not give.
    """
    if request.reset:
        state.format, state.values = COMPACT, {}
    state.format = request.format or state.format
    for name in ("limit", "path", "lang", "sources", "scope", "budget"):
        if value := getattr(request, name):
            state.values[name] = value
    return ActiveSessionDefaults(dict(sorted(as_json_values(state.values).items())), state.format)


def applicable_defaults(
    state: SessionState,
    field_names: Container[str],
    given_names: Container[str],
    operation_effect: str,
) -> dict[str, Any]:
    """The connection's defaults for arguments that an operation takes and a call does not give.

    ``field_names`` are those it takes. There are none unless ``operation_effect`` is ``read``.
    """
    if operation_effect != READ:
        return {}
    return {
        name: value
        for name, value in state.values.items()
        if name in field_names and name not in given_names
    }


def describe_defaults(values: Mapping[str, Any]) -> str:
    """Defaults as text: ``limit 5, lang python go``."""
    return ", ".join(f"{name} {_as_words(value)}" for name, value in values.items())


def view(result: ActiveSessionDefaults) -> str:
    """Return the line that shows the defaults: ``Defaults: limit 5. Answers: compact.``"""
    return f"Defaults: {describe_defaults(result.defaults) or 'none'}. Answers: {result.format}."


def _as_words(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


SET_DEFAULTS = Operation(DEFAULTS, set_defaults, view, READ, tool=DEFAULTS)
