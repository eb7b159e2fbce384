"""Indexed files on the wrong side of the size limit: those for which `index.max_file_bytes` moved.

A file that was too large has its size in its row and nothing else; one that was cut has pieces. So
a limit that moved is told by the rows, and only the files between the two limits are read again.
"""

from __future__ import annotations

TYPE_CHECKING = False  # a parser process needs the reason alone, and no database
if TYPE_CHECKING:
    from gitmem.store.db.connection import Database

# The reason in the row of a file that was refused for its size.
TOO_LARGE = "too large"
_MISJUDGED = (
    "FROM blobs WHERE (skipped = :reason AND bytes <= :most) OR (skipped = '' AND bytes > :most)"
)


def misjudged(database: Database, most: int) -> frozenset[tuple[str, str]]:
    """(blob id, cutter) of what was refused as too large and no longer is, or the other way."""
    rows = database.rows(f"SELECT oid, cutter {_MISJUDGED}", {"reason": TOO_LARGE, "most": most})
    return frozenset((row[0], row[1]) for row in rows)


def drop_misjudged(database: Database, most: int) -> int:
    """Take them out of the index, so that the run reads them again; how many."""
    wanted = {"reason": TOO_LARGE, "most": most}
    blobs = [row[0] for row in database.rows(f"SELECT id {_MISJUDGED}", wanted)]
    for blob in blobs:
        database.run("DELETE FROM paths WHERE blob = ?", (blob,))
        database.run(
            "DELETE FROM chunk_text WHERE rowid IN (SELECT id FROM chunks WHERE blob = ?)", (blob,)
        )
        database.run("DELETE FROM chunks WHERE blob = ?", (blob,))
        database.run("DELETE FROM blobs WHERE id = ?", (blob,))
    return len(blobs)
