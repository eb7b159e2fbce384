"""Whether a host would run what was written: it asks its user first, and skips until then.

Only read. gitmem never writes down an approval in the user's name.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from gitmem.agents.hosts import host_paths
from gitmem.agents.hosts.host import Approvals
from gitmem.agents.wiring import file_pieces
from gitmem.agents.wiring.safe_write import MOST_BYTES
from gitmem.agents.wiring.templates import marks
from gitmem.errors import GitmemError
from gitmem.text import jsonc, toml

if TYPE_CHECKING:
    from gitmem.agents.hosts.host import Host
    from gitmem.agents.hosts.host_paths import Bases


def doubts(bases: Bases, host: Host, part: str, scope: str, path: str) -> list[str]:
    """Why the host would not run a part that stands in ``path``; empty where nothing says so."""

    def read(place: str) -> Any:
        return _read(host_paths.path(bases, host, place) if place.startswith("{") else place)

    return host.doubts(Approvals(bases.project, read, marks), part, scope, path)


def _read(path: str) -> Any:
    """A host's file; nothing where it cannot be read."""
    parse = toml.parse if path.endswith(".toml") else jsonc.parse
    try:
        # A link that came with a clone may lead to a pipe or a device, which never ends.
        if not os.path.isfile(path) or os.path.getsize(path) > MOST_BYTES:
            return {}
        with open(path, "rb") as file:
            return parse(file_pieces.decoded(file.read()).text)
    except (OSError, GitmemError):
        return {}
