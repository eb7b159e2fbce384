"""What an operation is: a request, a function, a result and its view.

A verb imports all of it from here, with what ``shared_fields`` has to describe a request.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from gitmem.model.frozen import dataclass, replace
from gitmem.operations.shared_fields import (
    Annotated,
    Arg,
    RequestField,
    Texts,
    positional_arg,
    request_fields,
    unquoted_words_arg,
)

__all__ = [
    "DELETE",
    "READ",
    "WRITE",
    "Annotated",
    "Arg",
    "RequestField",
    "EmptyRequest",
    "Operation",
    "Texts",
    "request_fields",
    "positional_arg",
    "as_json_values",
    "unquoted_words_arg",
]

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

READ, WRITE, DELETE = "read", "write", "delete"
# Tools that write and whose answers quote memories.
_QUOTING = frozenset(
    (
        *("verify", "decay", "summarize", "doctor", "inbox", "index"),
        *("batch", "projects list", "report_event", "review"),
    )
)


@dataclass(frozen=True, slots=True)
class EmptyRequest:
    """The request of a command that takes no arguments."""


@dataclass(frozen=True, slots=True)
class Operation:
    """A command of gitmem: the function that runs it, and what shows its result.

    ``run(app, request)`` returns a result dataclass whose fields are its JSON, ``run_uncounted``
    does the same without counting the memories shown as used. ``view(result)`` is the result as
    text, ``view_for_terminal(result, width)`` a shorter text for a terminal of ``width`` columns,
    ``highlighted_words(result)`` the words to highlight in it, ``drawings`` further formats by name
    (sarif, mermaid). ``effect`` is READ, WRITE or DELETE. ``sample`` are the arguments of the
    example in its help, ``tool`` its name as an MCP tool (empty if it is none), ``failed_field``
    the field of the result that counts failed items. ``confirm`` is a question for a person before
    it runs, asked only with the option ``confirm_if`` if that is set; a dry run asks nothing, and
    without a terminal ``--yes`` is needed. ``shows_times``: its text has times, shown in the time
    zone of the settings or of ``--timezone``. ``everyday`` names the options that its help shows
    first, if it has many.
    """

    name: str
    run: Callable[[Any, Any], Any]
    view: Callable[[Any], str]
    effect: str
    sample: str = ""
    tool: str = ""
    failed_field: str = "failed"
    confirm: str = ""
    confirm_if: str = ""
    view_for_terminal: Callable[[Any, int], str] | None = None
    highlighted_words: Callable[[Any], tuple[str, ...]] | None = None
    shows_times: bool = False
    everyday: tuple[str, ...] = ()
    run_uncounted: Callable[[Any, Any], Any] | None = None
    drawings: dict[str, Callable[[Any, int], str]] | None = None

    @property
    def request_class(self) -> type:
        """The class of the request that ``run`` takes as its second argument."""
        _app, request, *_result = self.run.__annotations__.values()
        return request  # type: ignore[no-any-return]

    @property
    def example_command_line(self) -> str:
        """A command line that shows how the command is used: ``gitmem decay --dry-run``."""
        return f"gitmem {self.name} {self.sample}".rstrip()

    def count_failures(self, result: Any) -> int:
        """Return the number of failed items in a result; 0 if results do not count them."""
        count: int = getattr(result, self.failed_field, 0)
        return count

    def run_request(self, app: Any, request: Any) -> Any:
        """Run the operation with a request whose paths may be relative to the current folder.

        Returns the result of ``run``. Raises InvalidInput for a path outside the repository and for
        text that is not UTF-8, and what ``run`` raises.
        """
        begin = perf_counter()
        try:
            result = self._run(app, self.make_request_paths_relative(app, request))
        except BaseException as error:
            refused = _refusal(request, error)
            self._note(app, begin, refused or error)
            if refused:
                raise refused from error
            raise
        self._note(app, begin, None)
        return result

    def _run(self, app: Any, request: Any) -> Any:
        project = getattr(request, "project", "")
        if not project:
            return self.run(app, request)
        from gitmem.branches import subprojects  # noqa: PLC0415 - most name none

        place = subprojects.enter_subproject(app, project, for_writing=self.effect != READ)
        try:
            return self.run(place, request)
        finally:
            if place is not app:
                place.close()

    def _note(self, app: Any, begin: float, error: BaseException | None) -> None:
        # Afterwards: the settings of a repository are read while it runs. Verbs of a server's
        # session have no settings.
        settings = getattr(app, "settings", None)
        if settings is not None and settings.text("log.level") in ("info", "debug"):
            from gitmem import command_log  # noqa: PLC0415 - only if a log is wanted

            command_log.log_command(
                settings, self.name, perf_counter() - begin, error, _caller(app)
            )

    def make_request_paths_relative(self, app: Any, request: Any) -> Any:
        """Return a copy of the request in which paths are relative to the repository's root."""
        paths = {}
        for name, annotation in self.request_class.__annotations__.items():
            place = annotation.__args__[1].path_kind
            if place and (value := getattr(request, name)):
                paths[name] = _relative(app, value, place)
        return replace(request, **paths) if paths else request

    @property
    def help(self) -> str:
        """The help text: the docstring of ``run``, a first line and, after a blank line, more."""
        return (self.run.__doc__ or "").strip()

    @property
    def has_agent_option(self) -> bool:
        """Whether the command has the option ``--agent``: it writes, and is not about agents."""
        return self.effect != READ and "agents" not in self.request_class.__annotations__

    @property
    def answer_quotes_stored_text(self) -> bool:
        """Whether its results quote memories or history, which an agent must be told is data."""
        reads = bool(self.tool) and self.effect == READ
        return reads or (self.tool or self.name) in _QUOTING


def _caller(app: Any) -> dict[str, str]:
    """The agent of a command, its running session and the id of an MCP request, for the log."""
    from gitmem.errors import GitmemError  # noqa: PLC0415 - only if a log is wanted
    from gitmem.sessions.current_session import current_session  # noqa: PLC0415 - as above

    try:
        running = current_session(app) if app.has_store else None
    except GitmemError:  # outside a repository, or a store that cannot be read
        running = None
    return {"agent": app.agent, "session": running.id if running else "", "request": app.request}


def _refusal(request: Any, error: BaseException) -> Exception | None:
    """The gitmem error for a ValueError or OSError that no verb handles; None for others."""
    if isinstance(error, ValueError):
        return _invalid_text(request)
    if isinstance(error, OSError):
        from gitmem.errors import unavailable_from_os_error  # noqa: PLC0415 - only when it failed

        return unavailable_from_os_error(error)
    return None


def _invalid_text(request: Any) -> Exception | None:
    """The error for an argument that SQLite and git cannot take; None if all are valid.

    Checked only after a failure: most verbs can handle a path with bytes that are not UTF-8, and
    each text has its own checks.
    """
    for name in request.__annotations__:
        value = getattr(request, name)
        for text in value if isinstance(value, tuple) else (value,):
            if isinstance(text, str) and any(c == "\0" or "\ud800" <= c <= "\udfff" for c in text):
                from gitmem.errors import InvalidInput  # noqa: PLC0415 - only when it failed

                return InvalidInput(
                    f"{name} contains a NUL character or is not UTF-8.", "Give plain text."
                )
    return None


def _relative(app: Any, value: Any, place: str) -> Any:
    # Imported here: most commands name no path.
    from gitmem.errors import NotARepository  # noqa: PLC0415
    from gitmem.files import repository_path  # noqa: PLC0415

    try:
        root = app.worktree
    except NotARepository:  # a global memory can be saved anywhere
        return value

    def to_relative(path: str) -> str:
        if not path.strip():
            return path
        return repository_path.to_repository_path(
            path, root, app.start, is_glob_pattern=place == "glob"
        )

    if isinstance(value, str):
        return to_relative(value)
    # A single empty one takes paths away, as in `gitmem revise --path ""`.
    if len(value) > 1 and not all(path.strip() for path in value):
        from gitmem.errors import InvalidInput  # noqa: PLC0415 - only when one is empty

        raise InvalidInput("One of the paths is empty.", "Give it a name, or leave it out.")
    return tuple(map(to_relative, value))


def as_json_values(value: Any) -> Any:
    """Return a result as JSON values: values with fields become dicts, lists and tuples lists."""
    if names := getattr(type(value), "__match_args__", None):
        return {name: as_json_values(getattr(value, name)) for name in names}
    if isinstance(value, list | tuple):
        return [as_json_values(item) for item in value]
    if isinstance(value, dict):
        return {key: as_json_values(item) for key, item in value.items()}
    return value
