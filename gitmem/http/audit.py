"""The log of writes over HTTP: when, from which address, which agent, what, how it ended.

Never arguments, which may hold the text of a memory. It lies in the user's data folder, and starts
anew when it is large.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from gitmem.clock import SystemClock, iso
from gitmem.crashlog import append
from gitmem.text.fence import one_line

_WIDTH = 64


def note(
    path: str, *, address: str, agent: str, verb: str, project: str, status: int, request: str
) -> None:
    """Append a write, even one that was refused. Never raises."""
    line = {
        "at": iso(SystemClock().now()),
        "from": address,
        "agent": one_line(agent, _WIDTH),
        "verb": verb,
        "project": project,
        "status": status,
        "request": request,
    }
    if path:
        append(path, json.dumps(line, ensure_ascii=False))


def read(path: str, most: int) -> Iterator[dict[str, Any]]:
    """The newest ``most`` writes, the newest first; lines that cannot be read are skipped."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.readlines()[-most:]
    except OSError:
        return
    for line in reversed(lines):
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            yield entry
