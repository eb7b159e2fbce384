"""Indexed files: blobs split into chunks, and the paths of each worktree with their blobs.

Chunks belong to a blob (its git id and the way it was cut), so a rename, a branch or a second
worktree adds only rows of paths. The rows of a worktree are written before its state.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Sequence

from gitmem.model.frozen import dataclass, replace
from gitmem.store.code import tree_state
from gitmem.store.code.embedded_text import chunk_text_to_embed
from gitmem.store.code.tree_state import WorktreeState as WorktreeState
from gitmem.store.code.tree_state import indexed_worktrees as indexed_worktrees
from gitmem.store.code.tree_state import set_worktree_state as set_worktree_state
from gitmem.store.code.tree_state import worktree_state as worktree_state
from gitmem.store.db.connection import Database, Row
from gitmem.store.db.content_hash import hash_text
from gitmem.store.db.full_text import identifier_parts
from gitmem.text import identifiers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.store.code.redacted_source import RedactionGate

# A path may hold invalid UTF-8, which SQL texts may not: such bytes become private characters.
_TO_TEXT = {0xDC00 + byte: 0x10F700 + byte for byte in range(128, 256)}
# Pages of the full-text index that are merged at once: about 10 ms.
_MERGED_PAGES = 100
_FROM_TEXT = {char: byte for byte, char in _TO_TEXT.items()}


@dataclass(frozen=True, slots=True)
class NewChunk:
    """A chunk to store. ``hash`` (16 bytes) is that of the text to embed."""

    start_line: int
    end_line: int
    context: str
    symbol: str
    text: str
    hash: bytes


def blob_ids_and_chunkers_by_path(
    database: Database, worktree: str, only_paths: Sequence[str] | None = None
) -> dict[str, tuple[str, str]]:
    """Path -> (blob id, chunker), of all or only some files and folders of a worktree."""
    question = (
        "SELECT p.path, b.oid, b.cutter FROM paths p JOIN blobs b ON b.id = p.blob WHERE p.tree = ?"
    )
    rows = database.rows(question, (worktree,)) if only_paths is None else []
    for path in map(encode_path_for_database, only_paths or ()):
        # Below a folder: all that sorts between its name with "/" and with what comes after "/".
        below = " AND (p.path = ? OR p.path > ? AND p.path < ?)"
        rows += database.rows(question + below, (worktree, path, f"{path}/", f"{path}0"))
    return {decode_path_from_database(row[0]): (row[1], row[2]) for row in rows}


def blob_numbers_by_id_and_chunker(
    database: Database, only_blob_ids: Collection[str] | None = None
) -> dict[tuple[str, str], int]:
    """(blob id, chunker) -> row number, of all stored blobs, or of those with ``only_blob_ids``."""
    question = "SELECT oid, cutter, id FROM blobs"
    if only_blob_ids is None:
        rows = database.rows(question)
    else:
        ids = "[" + ",".join(f'"{oid}"' for oid in only_blob_ids) + "]"
        rows = database.rows(f"{question} WHERE oid IN (SELECT value FROM json_each(?))", (ids,))
    return {(row[0], row[1]): row[2] for row in rows}


def find_blob_number(database: Database, blob_id: str, chunker: str) -> int | None:
    """The row number of a blob as a chunker split it; None if it is not stored."""
    question = "SELECT id FROM blobs WHERE oid = ? AND cutter = ?"
    found: int | None = database.value(question, (blob_id, chunker))
    return found


def first_chunk_text(database: Database, blob_number: int) -> str:
    """The text of a blob's first chunk; empty if there is none."""
    question = "SELECT text FROM chunks WHERE blob = ? ORDER BY start_line LIMIT 1"
    found: str | None = database.value(question, (blob_number,))
    return found or ""


def indexing_refusal_reasons(
    database: Database, only_blob_numbers: Collection[int] | None = None
) -> dict[int, str]:
    """Row number -> why the blob was not split into chunks; of all, or of ``only_blob_numbers``."""
    question = "SELECT id, skipped FROM blobs WHERE skipped <> ''"
    if only_blob_numbers is not None:
        question += f" AND id IN ({','.join('?' * len(only_blob_numbers))})"
    return dict(database.rows(question, (*(only_blob_numbers or ()),)))


def paths_refused_by_indexer(
    database: Database, worktree: str, languages: Iterable[str], limit: int
) -> list[str]:
    """The paths in some languages whose files were not indexed, such as minified ones."""
    spoken = tuple(languages)
    rows = database.rows(
        "SELECT p.path FROM blobs b CROSS JOIN paths p ON p.blob = b.id AND p.tree = ? "
        f"WHERE b.skipped NOT IN ('', 'empty') AND p.language IN ({','.join('?' * len(spoken))}) "
        "ORDER BY p.path LIMIT ?",
        (worktree, *spoken, limit),
    )
    return [decode_path_from_database(row[0]) for row in rows]


def add_blob(
    database: Database,
    *,
    blob_id: str,
    chunker: str,
    chunks: Sequence[NewChunk],
    line_count: int,
    byte_count: int,
    refusal_reason: str = "",
    redaction_gate: RedactionGate | None = None,
) -> int:
    """Store a blob with its chunks, without their full-text rows; returns its row number.

    ``redaction_gate`` holds the redacted text that the chunks were cut from; without it all are
    redacted.
    """
    from gitmem.store.code import redacted_source  # noqa: PLC0415 - not for those who only read

    redaction_gate = redaction_gate or redacted_source.RedactionGate()
    database.connection.execute(
        "INSERT INTO blobs (oid, cutter, skipped, lines, bytes) VALUES (?,?,?,?,?)",
        (blob_id, chunker, refusal_reason, line_count, byte_count),
    )
    blob = database.connection.last_insert_rowid()
    database.connection.executemany(
        "INSERT INTO chunks (blob, start_line, end_line, context, symbol, text, hash) "
        "VALUES (?,?,?,?,?,?,?)",
        [
            (
                blob,
                piece.start_line,
                piece.end_line,
                piece.context,
                piece.symbol,
                piece.text,
                piece.hash,
            )
            for piece in (_redacted(redaction_gate, piece) for piece in chunks)
        ],
    )
    return blob


def _redacted(gate: RedactionGate, piece: NewChunk) -> NewChunk:
    """The chunk without secrets, with the hash of the redacted text."""
    first, last = piece.start_line, piece.end_line
    parts = (
        gate.redact_combined_text(piece.context),
        gate.redact_names(piece.symbol, first, last),
        gate.redact_lines(piece.text, first, last),
    )
    if parts == (piece.context, piece.symbol, piece.text):
        return piece
    context, symbol, text = parts
    return replace(
        piece,
        context=context,
        symbol=symbol,
        text=text,
        hash=hash_text(chunk_text_to_embed(*parts)),
    )


def set_blobs_of_paths(
    database: Database, worktree: str, path_blob_language_rows: Iterable[tuple[str, int, str]]
) -> set[int]:
    """Set the blobs of paths of a worktree; returns the blobs whose paths changed.

    ``path_blob_language_rows`` are (path, blob, language). A path is a key, so it is stored
    unredacted; a path that holds a secret is not stored.
    """
    from gitmem.store.db.redaction_gate import contains_secret  # noqa: PLC0415 - as above

    touched: set[int] = set()
    for shown, blob, language in path_blob_language_rows:
        path = encode_path_for_database(shown)
        if contains_secret(path):
            continue
        before = database.value(
            "SELECT blob FROM paths WHERE tree = ? AND path = ?", (worktree, path)
        )
        touched |= {blob} if before is None else {blob, before}
        database.connection.execute(
            "INSERT OR REPLACE INTO paths (tree, path, blob, language) VALUES (?,?,?,?)",
            (worktree, path, blob, language),
        )
    return touched


def remove_paths(database: Database, worktree: str, paths: Iterable[str]) -> set[int]:
    """Remove paths of a worktree; returns the blobs that they had."""
    touched: set[int] = set()
    for path in paths:
        row = database.row(
            "DELETE FROM paths WHERE tree = ? AND path = ? RETURNING blob",
            (worktree, encode_path_for_database(path)),
        )
        if row is not None:
            touched.add(row[0])
    return touched


def rewrite_full_text_rows(
    database: Database, blob_numbers: Iterable[int], new_blob_numbers: Container[int] = frozenset()
) -> None:
    """Rewrite the full-text rows of blobs, which include the paths that have the blobs.

    ``new_blob_numbers`` were just stored, so they have no rows to delete.
    """
    for blob in sorted(blob_numbers):
        rows = database.rows("SELECT id, symbol, context, text FROM chunks WHERE blob = ?", (blob,))
        paths = " ".join(
            row[0]
            for row in database.rows("SELECT DISTINCT path FROM paths WHERE blob = ?", (blob,))
        )
        if blob not in new_blob_numbers:
            database.connection.executemany(
                "DELETE FROM chunk_text WHERE rowid = ?", [(row[0],) for row in rows]
            )
        if paths:
            path_words = " ".join(identifiers.words_and_identifier_parts(paths))
            database.connection.executemany(
                "INSERT INTO chunk_text (rowid, path, symbol, context, body, parts) "
                "VALUES (?,?,?,?,?,?)",
                [_text_row(path_words, row) for row in rows],
            )


def _text_row(path_words: str, row: Row) -> tuple[object, ...]:
    number, symbol, context, text = row
    parts = " ".join(identifier_parts(f"{symbol} {text}"))
    return number, path_words, symbol, context, text, parts


def paths_with_prefix(database: Database, worktree: str, path_prefix: str, limit: int) -> list[str]:
    """The first ``limit`` indexed paths of a worktree that start with ``path_prefix``, in order."""
    prefix = encode_path_for_database(path_prefix)
    return database.column(
        "SELECT path FROM paths WHERE tree = ? AND substr(path, 1, ?) = ? ORDER BY path LIMIT ?",
        (worktree, len(prefix), prefix, limit),
    )


def indexed_folders(database: Database, worktree: str) -> set[str]:
    """The folders with indexed files of a worktree, and the folders above; the root is empty."""
    found = {""}
    for (path,) in database.rows("SELECT path FROM paths WHERE tree = ?", (worktree,)):
        folder = decode_path_from_database(path).rpartition("/")[0]
        while folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return found


def encode_path_for_database(path: str) -> str:
    """A path as it is stored: bytes that are not UTF-8 become private Unicode characters."""
    return path if path.isascii() else path.translate(_TO_TEXT)


def decode_path_from_database(path: str) -> str:
    """The path that ``encode_path_for_database`` was given."""
    return path if path.isascii() else path.translate(_FROM_TEXT)


def delete_other_worktrees(database: Database, worktrees_to_keep: Iterable[str]) -> int:
    """Remove the rows of all worktrees except ``worktrees_to_keep``; returns their number."""
    current = set(worktrees_to_keep)
    gone = [row[0] for row in database.rows("SELECT tree FROM trees") if row[0] not in current]
    for tree in gone:
        touched = remove_paths(database, tree, blob_ids_and_chunkers_by_path(database, tree))
        rewrite_full_text_rows(database, touched)
        tree_state.delete_worktree_state(database, tree)
        database.run("DELETE FROM graph_trees WHERE tree = ?", (tree,))
    return len(gone)


def unreferenced_blob_numbers(database: Database) -> dict[str, list[int]]:
    """The blobs that no path has, as git id -> row numbers."""
    found: dict[str, list[int]] = {}
    # EXCEPT walks through two indexes side by side: a sixth of what asking for each blob costs.
    for number, oid in database.rows(
        "SELECT id, oid FROM blobs WHERE id IN (SELECT id FROM blobs EXCEPT SELECT blob FROM paths)"
    ):
        found.setdefault(oid, []).append(number)
    return found


def delete_unreferenced_blobs(
    database: Database, blob_ids_to_keep: Container[str] = frozenset()
) -> int:
    """Remove the blobs that no path has, with their rows; returns their number.

    Blobs whose git id is in ``blob_ids_to_keep`` stay.
    """
    there = unreferenced_blob_numbers(database)
    gone = [
        number
        for oid, numbers in there.items()
        if oid not in blob_ids_to_keep
        for number in numbers
    ]
    delete_blobs(database, gone)
    return len(gone)


def delete_blobs(database: Database, blob_numbers: Iterable[int]) -> None:
    """Remove blobs with all their rows and paths."""
    shown = 0
    for blob in blob_numbers:
        shown += len(database.rows("DELETE FROM paths WHERE blob = ? RETURNING 1", (blob,)))
        database.run(
            "DELETE FROM chunk_text WHERE rowid IN (SELECT id FROM chunks WHERE blob = ?)", (blob,)
        )
        database.run("DELETE FROM chunks WHERE blob = ?", (blob,))
        database.run("DELETE FROM blobs WHERE id = ?", (blob,))
    if shown:
        tree_state.delete_all_differing_files_lists(database)


def merge_full_text_index(database: Database) -> bool:
    """Merge a part of the full-text index; returns whether more is left to merge.

    Merging removes the words of deleted rows. It is done in small parts, since nobody else can
    write to the store meanwhile.
    """
    with database.write():
        before = database.connection.total_changes()
        merge = "INSERT INTO chunk_text (chunk_text, rank) VALUES ('merge', ?)"
        database.run(merge, (-_MERGED_PAGES,))
        return database.connection.total_changes() - before >= 2


def paths_and_languages_by_chunk(
    database: Database, worktree: str, accepts_path_and_language: Callable[[str, str], bool]
) -> dict[int, tuple[str, str]]:
    """Chunk number -> (path, language), of the files that the predicate accepts.

    Of a chunk with several paths the first path counts.
    """
    question = "SELECT path, language, blob FROM paths WHERE tree = ? ORDER BY path"
    first: dict[int, tuple[str, str]] = {}
    for path, language, blob in database.rows(question, (worktree,)):
        if blob not in first and accepts_path_and_language(
            decode_path_from_database(path), language
        ):
            first[blob] = decode_path_from_database(path), language
    marks = "[" + ",".join(map(str, first)) + "]"
    rows = database.rows(
        "SELECT id, blob FROM chunks WHERE blob IN (SELECT value FROM json_each(?))", (marks,)
    )
    return {number: first[blob] for number, blob in rows}


# Path, language, lines, bytes.
FileSize = tuple[str, str, int, int]


def file_sizes(database: Database, worktree: str, folder: str = "") -> list[FileSize]:
    """(path, language, lines, bytes) of every indexed file of a worktree, or of one folder."""
    rows = database.rows(
        "SELECT p.path, p.language, b.lines, b.bytes FROM paths p JOIN blobs b ON b.id = p.blob "
        "WHERE p.tree = ?1 AND (?2 = '' OR substr(p.path, 1, length(?2)) = ?2) ORDER BY p.path",
        (worktree, f"{folder}/" if folder else ""),
    )
    return [
        (decode_path_from_database(path), language, lines, size)
        for path, language, lines, size in rows
    ]


def count_definitions(database: Database, worktree: str, folder: str = "") -> int:
    """The number of definitions in the indexed files of a worktree, or of one folder."""
    count: int = database.value(
        "SELECT count(*) FROM paths p JOIN symbols s ON s.blob = p.blob "
        "WHERE p.tree = ?1 AND (?2 = '' OR substr(p.path, 1, length(?2)) = ?2)",
        (worktree, f"{folder}/" if folder else ""),
    )
    return count
