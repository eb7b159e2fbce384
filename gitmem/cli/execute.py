"""Running one command: reading standard input, printing the result, closing the stores."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from gitmem.app import App, resolve_start_folder
from gitmem.cli.quick import ParsedCommand
from gitmem.clock import SystemClock, local_zone
from gitmem.errors import PARTIAL, DiskFull, GitmemError, InvalidInput
from gitmem.operations import HIDDEN
from gitmem.operations.registry import READ, WRITE, Operation, request_fields
from gitmem.settings import Settings

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

    from gitmem.cli.progress import ProgressLine

# After these commands upkeep is started if it is due.
BEGINNINGS = frozenset(
    {"orient", "search", "remember", "decide", "import", "session start", "session end"}
)


def run(call: ParsedCommand) -> int:
    """Run the operation of a command line that was read, and print its result.

    Returns the exit status: 0, or ``PARTIAL`` if it failed for a part of the items. Raises
    GitmemError.
    """
    operation = call.operation
    request = operation.request_class(**_request_values(call))
    if operation.name in HIDDEN and operation.effect == WRITE:
        from gitmem.spool import lease  # noqa: PLC0415 - background processes only

        lease.become_background_process()
    settings = Settings.of_process(lenient=operation.name == "config")
    start = resolve_start_folder(call.start_folder)
    if call.start_project is not None:
        start = find_project_folder(call.start_project, start, call.agent)
    app = App(settings, SystemClock(), start, agent=call.agent)
    if call.timezone:
        app.requested_time_zone = local_zone.validate_zone_name(call.timezone)
    app.reads_index = operation.effect == READ and operation.name in BEGINNINGS
    bar = None
    # A first search on a terminal indexes first, and `ask` asks before anything leaves the machine.
    long = operation.effect != READ or operation.name in ("search", "ask")
    if long and sys.stderr is not None and sys.stderr.isatty():
        from gitmem.cli.progress import ProgressLine  # noqa: PLC0415 - on a terminal only

        app.progress = bar = ProgressLine()
    # `orient --format json` asks for the same as `--json`.
    wants_json = call.json or getattr(request, "format", "") == "json"
    if sys.stdin is not None and sys.stdin.isatty() and bar is not None:
        app.ask = lambda question, default: _ask(question, default, bar)
    app.say = lambda line: _say(line, bar, aside=wants_json)
    try:
        result = operation.run_request(app, request)
        if bar is not None:
            bar.clear()
        print_text(
            _json(app, operation, result)
            if wants_json
            else _drawing(app, operation, request, result) or _as_text(app, operation, result)
        )
        if not hasattr(result, "warnings"):
            _warn_of_mistakes(app)
        _warn_of_left_out(app)
        if operation.name not in HIDDEN:
            _tell_review(app)
        if operation.name in BEGINNINGS:
            _start_upkeep(app)
    except GitmemError:
        if not wants_json:
            _warn_of_mistakes(app)  # an ignored setting may be the reason
        raise
    finally:
        app.close()
    return PARTIAL if operation.count_failures(result) else 0


def _drawing(app: App, operation: Operation, request: Any, result: Any) -> str:
    """What ``--format`` asks for instead of the text, or ``--graph`` on a terminal; else empty."""
    if operation.drawings is None:
        return ""
    width = 0 if app.agent else _terminal_width()
    name = "graph" if width and getattr(request, "graph", False) else ""
    name = "sarif" if getattr(request, "sarif", False) else name
    draw = operation.drawings.get(name or getattr(request, "format", ""))
    return draw(result, width) if draw else ""


def find_project_folder(project: str, start_folder: str, agent: str) -> str:
    """Return the folder of the user's project that has this name, key or folder.

    Raises NotFound if there is none, and Conflict if ``agent`` is named (empty: a person asks) and
    may not use it.
    """
    from gitmem.branches import other_projects  # noqa: PLC0415 - only with -P

    app = App(Settings.of_process(), SystemClock(), start_folder, agent=agent)
    try:
        return other_projects.require_existing_root(
            other_projects.find_usable_project(app, project).root
        )
    finally:
        app.close()


def _as_text(app: App, operation: Operation, result: Any) -> str:
    """The result as text; for an agent, quotes of memories and history are framed as data."""
    if operation.shows_times and app.configured_time_zone not in ("", "UTC"):
        from gitmem.clock import local_times  # noqa: PLC0415 - for who set or named a zone

        result = local_times.with_local_times(result, app.configured_time_zone)
    if width := 0 if app.agent else _terminal_width():
        return _on_screen(operation, result, width, bold=not app.settings.is_plain_terminal)
    text = operation.view(result)
    if not (text and app.agent and operation.tool):
        return text
    from gitmem.text.fence import escape_for_model, fence_text  # noqa: PLC0415 - a person reads the text as it is

    if not operation.answer_quotes_stored_text:
        return escape_for_model(text)
    return fence_text(text, source=f"gitmem {operation.name}", delimiter=app.entropy(8).hex())


def _on_screen(operation: Operation, result: Any, width: int, *, bold: bool) -> str:
    from gitmem.text.wrapping import wrap  # noqa: PLC0415 - a pipe reads lines as they are

    screen = operation.view_for_terminal
    text = wrap(operation.view(result) if screen is None else screen(result, width), width)
    if operation.highlighted_words is None or not bold:
        return text
    from gitmem.text.wrapping import highlight  # noqa: PLC0415 - for searches on a terminal

    return highlight(text, operation.highlighted_words(result))


def _terminal_width() -> int:
    """The width of the terminal that shows the answer; 0 without one."""
    if sys.stdout is None or not sys.stdout.isatty():
        return 0
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:  # a terminal that does not know
        return 0


def _start_upkeep(app: App) -> None:
    # A global memory can be saved outside any repository, where there is no store.
    with suppress(GitmemError):
        if app.has_store:
            from gitmem.maintenance import schedule  # noqa: PLC0415 - not every command needs it

            schedule.start_background_work_if_due(app)


def _ask(question: str, default: bool, bar: ProgressLine) -> bool:
    """Whether the person at the terminal agrees; Enter means ``default``."""
    import click  # noqa: PLC0415 - hardly any command asks

    bar.clear()
    # On standard error: standard output may be piped into a file.
    return click.confirm(question, default=default, err=True)


def _warn_of_mistakes(app: App) -> None:
    if app.settings.mistakes and sys.stderr is not None:
        sys.stderr.write(
            "".join(f"gitmem: warning: {mistake}\n" for mistake in app.settings.mistakes)
        )


def _warn_of_left_out(app: App) -> None:
    if app.omitted_memory_reasons and sys.stderr is not None:
        from gitmem.maintenance import left_out  # noqa: PLC0415 - a damaged store only

        sys.stderr.write(
            f"gitmem: {left_out.describe_omitted_memories(app.omitted_memory_reasons)}\n"
        )


def _tell_review(app: App) -> None:
    """Print what a review found that went on after its git hook had ended."""
    with suppress(GitmemError):
        if sys.stderr is None or not app.has_store or app.layout.plain:
            return
        path = os.path.join(app.spool_folder, "review")
        if os.path.exists(path):
            from gitmem.githooks import review_note  # noqa: PLC0415 - few commands see one

            sys.stderr.write(
                "".join(f"gitmem: {line}\n" for line in review_note.take_review_note(app) or ())
            )


def _say(line: str, bar: ProgressLine | None, *, aside: bool) -> None:
    """Print a line before the result; ``aside``: on standard error, to keep JSON clean."""
    if bar is not None:
        bar.clear()
    if not aside:
        print_text(line)
    elif sys.stderr is not None:
        sys.stderr.write(line + "\n")
        sys.stderr.flush()


def print_text(text: str) -> None:
    """Print a text and a line end, always in UTF-8; nothing for an empty text."""
    if not text or sys.stdout is None:  # None: started with its output closed
        return
    try:
        # Not in the console's own encoding, which may lack characters.
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace") + b"\n")
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        # Python would try to flush the buffer again at the process's end, and fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise DiskFull(
            f"The answer could not be written: {error.strerror}.",
            "The command itself was done; only its output is lost.",
        ) from error


def _request_values(call: ParsedCommand) -> dict[str, Any]:
    """The values of the request, with ``-`` replaced by standard input."""
    values = dict(call.values)
    for field in request_fields(call.operation.request_class):
        if field.arg.max_stdin_mb and values.get(field.name) == "-":
            values[field.name] = read_input(
                field.arg.max_stdin_mb, keep_invalid_bytes=field.arg.raw
            )
            if "piped" in call.operation.request_class.__annotations__:
                values["piped"] = True
    return values


def read_input(max_megabytes: int, *, keep_invalid_bytes: bool = False) -> str:
    """Return the text on standard input.

    Raises InvalidInput if it has more than ``max_megabytes`` megabytes. Bytes that are not UTF-8
    become surrogates with ``keep_invalid_bytes``; otherwise they, and a NUL character, raise
    InvalidInput too.
    """
    if sys.stdin is None:
        raise InvalidInput(
            "Standard input is closed.", "Pipe the text in, or give it as an argument."
        )
    data = sys.stdin.buffer.read((max_megabytes << 20) + 1)
    if len(data) > max_megabytes << 20:
        raise InvalidInput(
            f"Standard input is larger than {max_megabytes} MB.",
            "Give the part that matters, as with `tail -c 100000`."
            if max_megabytes == 1
            else "Split it.",
        )
    if keep_invalid_bytes:
        return data.decode("utf-8", "surrogateescape")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"Standard input is not UTF-8: byte {data[error.start]:#04x} at {error.start}.",
            "Convert it first, for example with iconv.",
        ) from error
    if "\x00" in text:
        raise InvalidInput(
            "Standard input contains a NUL character.",
            "Give plain text; binary data cannot be stored.",
        )
    return text


def _json(app: App, operation: Operation, result: Any) -> str:
    import json  # noqa: PLC0415 - for `--json` only

    from gitmem.operations.result_json import result_as_json  # noqa: PLC0415 - as above

    data = result_as_json(app, operation, result, for_agent=bool(app.agent))
    return json.dumps(data, ensure_ascii=False, indent=2)
