"""Logging unexpected exceptions, with a message to show instead of the traceback.

All interfaces report them through here, so there is one log, always redacted. A server writes JSON
lines to its standard error too, which hosts keep and show.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from gitmem import __version__
from gitmem.clock import SystemClock, format_iso
from gitmem.errors import InternalError
from gitmem.settings import Settings

LARGEST = 1 << 20
# Whether this process is an MCP server.
serving = False


def record_crash(error: BaseException, command_words: Sequence[str]) -> InternalError:
    """Write the traceback of an unexpected error to the log; return the error to show instead.

    ``command_words`` are those of the command line; only the first is logged.
    """
    import platform  # noqa: PLC0415 - a server is ready to record, and hardly ever does
    import traceback  # noqa: PLC0415

    from gitmem.text.redact import redact  # noqa: PLC0415

    report = "\n".join(
        [
            f"== {format_iso(SystemClock().now())} gitmem {__version__}, "
            f"Python {sys.version.split()[0]}, {platform.platform()}",
            f"command: gitmem {command_words[0] if command_words else ''}",
            "".join(traceback.format_exception(error)),
        ]
    )
    path = _write(redact(report).text)
    if Settings.of_process(lenient=True).text("log.level") != "off":
        write_log_line("error", "internal_error", error=type(error).__name__, log=path)
    hint = f"The details are in {path}; please report them." if path else "Please report it."
    return InternalError(f"Something went wrong inside gitmem ({type(error).__name__}).", hint)


def write_log_line(level: str, event: str, **facts: object) -> None:
    """Write time, ``level``, ``event`` and ``facts`` to standard error as a line of JSON.

    Only in a server, else it does nothing. Never raises.
    """
    if not serving:
        return
    import json  # noqa: PLC0415 - as above

    when = format_iso(SystemClock().now())
    with suppress(OSError, ValueError):
        text = json.dumps({"time": when, "level": level, "event": event, **facts})
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def _write(report: str) -> str:
    settings = Settings.of_process(lenient=True)
    if settings.text("log.level") == "off":
        return ""
    import tempfile  # noqa: PLC0415 - likewise

    log = settings.log_file or os.path.join(tempfile.gettempdir(), "gitmem-errors.log")
    return log if append_to_log_file(log, report) else ""


def append_to_log_file(log_path: str, text: str) -> bool:
    """Append a text and a line end to the file ``log_path``; return whether it could be written.

    A file of more than 1 MiB is first renamed to ``LOG.old``.
    """
    try:
        os.makedirs(os.path.dirname(log_path), mode=0o700, exist_ok=True)
        if os.path.exists(log_path) and os.path.getsize(log_path) > LARGEST:
            os.replace(log_path, log_path + ".old")
        descriptor = os.open(log_path, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "a", encoding="utf-8", errors="replace") as file:
            file.write(text + "\n")
    except OSError:
        return False
    return True
