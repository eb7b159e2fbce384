"""The log of writes over HTTP: when, from which address, which agent, what, how it ended.

Never arguments, which may hold the text of a memory. It lies in the user's data folder, and starts
anew when it is large.
"""

from __future__ import annotations

import json
from contextlib import suppress

from gitmem.clock import SystemClock, format_iso
from gitmem.crashlog import append
from gitmem.model.frozen import dataclass
from gitmem.text.fence import one_line

_WIDTH = 64


def log_write(
    path: str, *, address: str, agent: str, verb: str, project: str, status: int, request: str
) -> None:
    """Append a write over HTTP, even a refused one, to the log at ``path``. Never raises."""
    line = {
        "at": format_iso(SystemClock().now()),
        "address": address,
        "agent": one_line(agent, _WIDTH),
        "verb": verb,
        "project": project,
        "status": status,
        "request": request,
    }
    if path:
        append(path, json.dumps(line, ensure_ascii=False))


@dataclass(frozen=True, slots=True)
class LoggedWrite:
    """A write over HTTP: when, from which address, by which agent, in which folder, how it ended.

    ``status`` is that of HTTP, ``request`` the id that the answer had.
    """

    at: str
    address: str
    agent: str
    verb: str
    project: str
    status: int
    request: str


def read_log(path: str, most: int | None = None) -> list[LoggedWrite]:
    """The newest writes, the newest first; lines that cannot be read are skipped."""
    writes: list[LoggedWrite] = []
    for name in (path, f"{path}.old"):
        with suppress(OSError), open(name, encoding="utf-8", errors="replace") as file:
            writes += filter(None, map(_parse, reversed(file.readlines())))
        if most is not None and len(writes) >= most:
            break
    return writes[:most]


def _parse(line: str) -> LoggedWrite | None:
    try:
        return LoggedWrite(**json.loads(line))
    except (ValueError, TypeError, RecursionError):
        return None
