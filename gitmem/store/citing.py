"""Which memories in use cite something, without reading the rest of them."""

from __future__ import annotations

import json

from gitmem.store.connection import Database
from gitmem.store.filters import STATE_SQL


def every(database: Database) -> list[tuple[str, tuple[str, ...]]]:
    """(id, what it cites, as it was said) of all that are active or proposed, oldest first."""
    rows = database.rows(
        "SELECT m.id, m.paths FROM memories AS m WHERE m.paths <> '[]' "
        f"AND ({STATE_SQL['active']} OR {STATE_SQL['proposed']}) ORDER BY m.id"
    )
    return [(id, _read(paths)) for id, paths in rows]


def _read(paths: str) -> tuple[str, ...]:
    try:
        found = json.loads(paths)
    except ValueError:
        return ()  # damaged; whoever reads the whole memory is told so
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else ()
