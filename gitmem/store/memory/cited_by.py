"""Finding the memories that cite a path, without reading the rest of their rows."""

from __future__ import annotations

import json

from gitmem.store.db.connection import Database
from gitmem.store.memory.filters import STATE_SQL


def all_citations(database: Database) -> list[tuple[str, tuple[str, ...]]]:
    """(id, citations) of all active or proposed memories with any, oldest first.

    Citations are texts such as ``src/app.py:40-60``.
    """
    return _those(database, "m.paths <> '[]'", ())


def memories_citing_path(database: Database, path: str) -> list[tuple[str, tuple[str, ...]]]:
    """(id, citations) of memories that cite a path, or a folder above it or below, oldest first.

    Citations are texts such as ``src/app.py:40-60``. A few others may be among them: check each.
    """
    parts = path.split("/")
    above = ["/".join(parts[:end]) for end in range(1, len(parts))]
    starts = [(path, end) for end in ('"', ":", "/")]
    starts += [(folder, end) for folder in above for end in ('"', '/"')]
    sought = [json.dumps(place, ensure_ascii=False)[:-1] + end for place, end in starts]
    return _those(database, " OR ".join(["instr(m.paths, ?)"] * len(sought)), tuple(sought))


def _those(
    database: Database, condition: str, values: tuple[str, ...]
) -> list[tuple[str, tuple[str, ...]]]:
    rows = database.rows(
        f"SELECT m.id, m.paths FROM memories AS m WHERE ({condition}) "
        f"AND ({STATE_SQL['active']} OR {STATE_SQL['proposed']}) ORDER BY m.id",
        values,
    )
    return [(id, _read(paths)) for id, paths in rows]


def _read(paths: str) -> tuple[str, ...]:
    try:
        cited = json.loads(paths)
    except ValueError:
        return ()  # damaged: reported when the whole memory is read
    return tuple(path for path in cited if isinstance(path, str)) if isinstance(cited, list) else ()
