"""A line for each command in a log, where `log.level` asks for it: when, what, how long, its end.

Never its arguments, which may hold what somebody wanted to remember. At ``debug`` the sentence of a
refusal comes along, redacted.
"""

from __future__ import annotations

import os

from gitmem.clock import SystemClock, iso
from gitmem.crashlog import append
from gitmem.errors import GitmemError
from gitmem.settings import Settings
from gitmem.text.fence import one_line
from gitmem.text.redact import redact

_WIDTH = 300


def note(settings: Settings, command: str, seconds: float, error: BaseException | None) -> None:
    """Note a command that ended, by ``error`` if it did not end well. Never fails."""
    outcome = "done" if error is None else type(error).__name__
    if isinstance(error, GitmemError):
        outcome = error.code
        if settings.text("log.level") == "debug":
            outcome += f": {one_line(redact(error.message).text, _WIDTH)}"
    if path := settings.command_log:
        when, took = iso(SystemClock().now()), round(seconds * 1000)
        append(path, f"{when} {os.getpid()} {command} {took} ms {outcome}")
