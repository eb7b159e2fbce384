"""A bug was met: keep what is needed to mend it, show a sentence."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Sequence

from gitmem import __version__
from gitmem.clock import SystemClock, iso
from gitmem.errors import InternalError
from gitmem.settings import Settings
from gitmem.text.redact import redact

LARGEST = 1 << 20


def record(error: BaseException, words: Sequence[str]) -> InternalError:
    """Write the traceback to the log; the error to show instead."""
    report = "\n".join(
        [
            f"== {iso(SystemClock().now())} gitmem {__version__}, Python {sys.version.split()[0]}, "
            f"{platform.platform()}",
            # The words may hold what somebody wanted to remember: only the command is kept.
            f"command: gitmem {words[0] if words else ''}",
            "".join(traceback.format_exception(error)),
        ]
    )
    path = _write(redact(report).text)
    hint = f"The details are in {path}; please report them." if path else "Please report it."
    return InternalError(f"Something went wrong inside gitmem ({type(error).__name__}).", hint)


def _write(report: str) -> str:
    log = Settings.of_process().log_file or os.path.join(tempfile.gettempdir(), "gitmem-errors.log")
    try:
        os.makedirs(os.path.dirname(log), mode=0o700, exist_ok=True)
        if os.path.exists(log) and os.path.getsize(log) > LARGEST:
            os.replace(log, log + ".old")
        descriptor = os.open(log, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "a", encoding="utf-8", errors="replace") as file:
            file.write(report + "\n")
    except OSError:
        return ""
    return log
