"""Finding indexed files on the wrong side of `index.max_file_bytes` after it was changed.

A file that was too large has its size in its row and nothing else; one that was cut has chunks. So
a limit that moved is told by the rows, and only the files between the two limits are read again.
"""

from __future__ import annotations

TYPE_CHECKING = False  # a parser process needs the reason alone, and no database
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.store.db.connection import Database

# The reason in the row of a file that was refused for its size.
TOO_LARGE = "too large"
_MISJUDGED = (
    "FROM blobs WHERE (skipped = :reason AND bytes <= :most) OR (skipped = '' AND bytes > :most)"
)


def blobs_inconsistent_with_size_limit(
    database: Database, max_bytes: int
) -> frozenset[tuple[str, str]]:
    """(git blob id, chunker) of contents that a size limit of ``max_bytes`` judges otherwise.

    They were refused as too large and are not, or were indexed and are too large. A chunker is the
    name of the way they were split.
    """
    rows = database.rows(
        f"SELECT oid, cutter {_MISJUDGED}", {"reason": TOO_LARGE, "most": max_bytes}
    )
    return frozenset((row[0], row[1]) for row in rows)


def delete_blobs_inconsistent_with_size_limit(
    database: Database, max_bytes: int, only_blob_ids: Iterable[str]
) -> int:
    """Delete contents that a size limit of ``max_bytes`` judges otherwise; returns how many.

    Those were left out as too large but are not, or are indexed and too large. Only contents with a
    git blob id in ``only_blob_ids``, which the caller reads again.
    """
    values = {"reason": TOO_LARGE, "most": max_bytes}
    rows = database.rows(f"SELECT id, oid {_MISJUDGED}", values)
    oids = set(only_blob_ids) if rows else set()
    blobs = [row[0] for row in rows if row[1] in oids]
    if blobs:
        from gitmem.store.code.indexed_files import delete_blobs  # noqa: PLC0415 - as above

        delete_blobs(database, blobs)
    return len(blobs)
