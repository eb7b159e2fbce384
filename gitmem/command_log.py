"""The log of commands, where `log.level` asks for it: time, command, duration, outcome.

Never arguments, which may hold the text of a memory. At ``debug`` the message of an error is added,
redacted. A server writes the same as JSON to its standard error.
"""

from __future__ import annotations

import os

from gitmem.clock import SystemClock, iso
from gitmem.crashlog import append, line
from gitmem.errors import GitmemError
from gitmem.settings import Settings
from gitmem.text.fence import one_line
from gitmem.text.redact import redact

_WIDTH = 300


def note(settings: Settings, command: str, seconds: float, error: BaseException | None) -> None:
    """Log a finished command, with ``error`` if it failed. Never raises."""
    outcome = "done" if error is None else type(error).__name__
    if isinstance(error, GitmemError):
        outcome = error.code
        if settings.text("log.level") == "debug":
            outcome += f": {one_line(redact(error.message).text, _WIDTH)}"
    if path := settings.command_log:
        when, took = iso(SystemClock().now()), round(seconds * 1000)
        append(path, f"{when} {os.getpid()} {command} {took} ms {outcome}")
    line("info", "call", command=command, ms=round(seconds * 1000), outcome=outcome)
