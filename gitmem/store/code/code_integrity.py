"""Checking vectors, chunks and commits against their checksums.

Structural checks miss a changed bit in a text or a vector, which would distort every search.
"""

from __future__ import annotations

import zlib

from gitmem.store.code import code_uses
from gitmem.store.code.embedded_text import chunk_text_to_embed, commit_text_to_embed
from gitmem.store.code.indexed_files import decode_path_from_database
from gitmem.store.db.connection import Database
from gitmem.store.db.content_hash import hash_text
from gitmem.text.quantity import quantity

# Texts redacted after their hash was computed are not damaged.
_REDACTED = "[redacted"
_CHUNKS = "SELECT hash, context, symbol, text FROM chunks"
_COMMITS = "SELECT hash, subject, body FROM commits"
_VECTORS = "SELECT v.crc, v.q8, b.bits FROM vectors AS v LEFT JOIN vector_bits AS b ON b.id = v.id"


def vector_checksum(vector: bytes, sign_bits: bytes) -> int:
    """The CRC-32 (an integer) of a stored vector followed by its sign bits, to detect damage."""
    return zlib.crc32(sign_bits, zlib.crc32(vector))


def checksum_problems(database: Database) -> list[str]:
    """Sentences ("2 vectors are damaged"), one for each kind of row with wrong checksums.

    Reads every chunk, commit and vector; empty if all checksums match.
    """
    counts = {
        "vector": sum(
            crc != vector_checksum(q8, bits or b"") for crc, q8, bits in database.rows(_VECTORS)
        ),
        "indexed chunk": sum(
            hash_text(chunk_text_to_embed(*texts)) != stored_hash
            for stored_hash, *texts in database.rows(_CHUNKS)
            if not any(_REDACTED in text for text in texts)
        ),
        "indexed commit": sum(
            hash_text(commit_text_to_embed(subject, body)) != stored_hash
            for stored_hash, subject, body in database.rows(_COMMITS)
        ),
    }
    return [
        quantity(count, f"{what} is damaged", f"{what}s are damaged")
        for what, count in counts.items()
        if count
    ]


def files_with_missing_index_rows(database: Database, worktree: str, limit: int) -> list[str]:
    """At most ``limit`` paths of indexed files some of whose rows are missing, sorted.

    Missing rows show as gaps in row numbers, or as a file with imports that has no edges (stored
    uses of other files), with defined names but no definitions, or with no chunks at all.
    """
    lost_rows = (
        "SELECT id FROM chunk_text_docsize WHERE id NOT IN (SELECT id FROM chunks) "
        f"ORDER BY id LIMIT {limit}"
    )
    blobs_beside = (
        f"SELECT (SELECT c.blob FROM chunks c WHERE c.id {sign} o.id ORDER BY c.id {way} LIMIT 1) "
        f"FROM ({lost_rows}) o"
        for sign, way in (("<", "DESC"), (">", "ASC"))
    )
    gaps = (
        f"SELECT blob FROM {table} GROUP BY blob HAVING max(id) - min(id) + 1 <> count(*)"
        for table in ("chunks", "symbols", "imports")
    )
    blobs_lacking_rows = (
        "SELECT id FROM blobs WHERE skipped = '' AND id NOT IN (SELECT blob FROM chunks)",
        "SELECT blob FROM chunks WHERE symbol <> '' AND blob NOT IN (SELECT blob FROM symbols)",
        "SELECT f.blob FROM graph_files f JOIN graph_trees t ON t.id = f.tree AND t.tree = ?1 "
        "WHERE f.blob IN (SELECT blob FROM imports) AND NOT EXISTS (SELECT 1 FROM graph_nodes n "
        "JOIN graph_edges e ON e.source = n.id WHERE n.tree = f.tree AND n.path = f.path)",
    )
    blobs = " UNION ".join((*blobs_beside, *gaps, *blobs_lacking_rows))
    rows = database.column(
        f"SELECT path FROM paths WHERE tree = ?1 AND blob IN ({blobs}) ORDER BY path LIMIT {limit}",
        (worktree,),
    )
    return [decode_path_from_database(path) for path in rows]


def line_ranges_definitions_and_counts(
    database: Database, blob_row_number: int
) -> tuple[list[tuple[int, int]], list[str], list[int]]:
    """(line ranges, definitions, counts) of what is indexed of a file's content.

    Line ranges are (first, last) of each chunk; definitions are texts ``kind first-last``; counts
    are the numbers of mentions of names, imports and uses. To compare with a new reading.
    """
    ranges = database.rows(
        "SELECT start_line, end_line FROM chunks WHERE blob = ?", (blob_row_number,)
    )
    rows = database.rows(
        "SELECT kind, start_line, end_line FROM symbols WHERE blob = ?", (blob_row_number,)
    )
    refs = database.value("SELECT count(*) FROM refs WHERE blob = ?", (blob_row_number,))
    imports = database.value("SELECT count(*) FROM imports WHERE blob = ?", (blob_row_number,))
    uses = len(code_uses.name_uses_of_blob(database, blob_row_number))
    return sorted(ranges), sorted(f"{kind} {a}-{b}" for kind, a, b in rows), [refs, imports, uses]
