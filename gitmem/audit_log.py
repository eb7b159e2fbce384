"""The log of writes over HTTP: when, from which address, which agent, what, how it ended.

Never arguments, which may hold the text of a memory. It lies in the user's data folder, and starts
anew when it is large.
"""

from __future__ import annotations

import json
from contextlib import suppress

from gitmem.clock import SystemClock, format_iso
from gitmem.crashlog import append_to_log_file
from gitmem.model.frozen import dataclass
from gitmem.text.fence import one_line

_WIDTH = 64


def log_http_write(
    path: str,
    *,
    address: str,
    agent: str,
    operation: str,
    project: str,
    status: int,
    request_id: str,
) -> None:
    """Append a line about a request over HTTP that writes, even a refused one, to a log file.

    ``path`` is the file (empty: none), ``status`` the HTTP status, ``request_id`` the id in the
    answer. Never raises.
    """
    line = {
        "at": format_iso(SystemClock().now()),
        "address": address,
        "agent": one_line(agent, _WIDTH),
        "verb": operation,
        "project": project,
        "status": status,
        "request": request_id,
    }
    if path:
        append_to_log_file(path, json.dumps(line, ensure_ascii=False))


@dataclass(frozen=True, slots=True)
class LoggedHttpWrite:
    """A line of the log of writes over HTTP: when, from which address, which agent, what and where.

    ``at`` is ISO 8601 UTC, ``verb`` the operation, ``project`` its folder, ``status`` that of HTTP,
    ``request`` the id in the answer.
    """

    at: str
    address: str
    agent: str
    verb: str
    project: str
    status: int
    request: str


def read_newest_http_writes(path: str, max_writes: int | None = None) -> list[LoggedHttpWrite]:
    """Return the writes in the log at ``path``, newest first, at most ``max_writes`` (None: all).

    Lines that cannot be read are skipped.
    """
    writes: list[LoggedHttpWrite] = []
    for name in (path, f"{path}.old"):
        with suppress(OSError), open(name, encoding="utf-8", errors="replace") as file:
            writes += filter(None, map(_parse, reversed(file.readlines())))
        if max_writes is not None and len(writes) >= max_writes:
            break
    return writes[:max_writes]


def _parse(line: str) -> LoggedHttpWrite | None:
    try:
        return LoggedHttpWrite(**json.loads(line))
    except (ValueError, TypeError, RecursionError):
        return None
