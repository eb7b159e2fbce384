"""The log of commands, where `log.level` asks for it: time, command, duration, outcome.

Then the agent, its running session and the id of the request, as far as there are any.
Never arguments, which may hold the text of a memory. At ``debug`` the message of an error is added,
redacted. A server writes the same as JSON to its standard error.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from gitmem.clock import SystemClock, format_iso
from gitmem.crashlog import append_to_log_file, write_log_line
from gitmem.errors import GitmemError
from gitmem.settings import Settings
from gitmem.text.fence import one_line
from gitmem.text.redact import redact

_WIDTH, _LONGEST = 300, 80


def log_command(
    settings: Settings,
    command: str,
    seconds: float,
    error: BaseException | None,
    caller: Mapping[str, str] | None = None,
) -> None:
    """Append a line about a finished command to the log of commands. Never raises.

    ``seconds`` is how long it took, ``error`` what it raised (None: nothing); ``caller`` maps
    "agent", "session" and "request" to their names or ids.
    """
    outcome = "done" if error is None else type(error).__name__
    if isinstance(error, GitmemError):
        outcome = error.code
        if settings.text("log.level") == "debug":
            outcome += f": {one_line(redact(error.message).text, _WIDTH)}"
    if path := settings.command_log:
        when, took = format_iso(SystemClock().now()), round(seconds * 1000)
        who = "".join(
            f" {name}={one_line(redact(value).text.replace(' ', '_'), _LONGEST)}"
            for name, value in (caller or {}).items()
            if value
        )
        append_to_log_file(path, f"{when} {os.getpid()} {command} {took} ms {outcome}{who}")
    facts = {name: redact(value).text for name, value in (caller or {}).items() if value}
    write_log_line(
        "info", "call", command=command, ms=round(seconds * 1000), outcome=outcome, **facts
    )
