"""Indexed files: blobs split into chunks, and the paths of each worktree with their blobs.

Chunks belong to a blob (its git id and the way it was cut), so a rename, a branch or a second
worktree adds only rows of paths. The rows of a worktree are written before its state.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Sequence

from gitmem.model.frozen import dataclass, replace
from gitmem.store.code import tree_state
from gitmem.store.code.embedded_text import chunk_text_to_embed
from gitmem.store.code.tree_state import WorktreeIndexState as WorktreeIndexState
from gitmem.store.code.tree_state import indexed_worktrees as indexed_worktrees
from gitmem.store.code.tree_state import set_worktree_index_state as set_worktree_index_state
from gitmem.store.code.tree_state import worktree_index_state as worktree_index_state
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
    """A part of a file to be stored, with lines from 1, inclusive. ``symbol`` is what it defines.

    ``context`` is what encloses it; ``hash`` (16 bytes) that of the text of its vector.
    """

    start_line: int
    end_line: int
    context: str
    symbol: str
    text: str
    hash: bytes


def blob_ids_and_chunkers_by_path(
    database: Database, worktree: str, only_paths: Sequence[str] | None = None
) -> dict[str, tuple[str, str]]:
    """A dict: path -> (git blob id, chunker), of all indexed files or those in ``only_paths``.

    A chunker is the name of the way in which the content was split. Paths may be folders.
    """
    question = (
        "SELECT p.path, b.oid, b.cutter FROM paths p JOIN blobs b ON b.id = p.blob WHERE p.tree = ?"
    )
    rows = database.rows(question, (worktree,)) if only_paths is None else []
    for path in map(encode_path_for_database, only_paths or ()):
        # Below a folder: all that sorts between its name with "/" and with what comes after "/".
        below = " AND (p.path = ? OR p.path > ? AND p.path < ?)"
        rows += database.rows(question + below, (worktree, path, f"{path}/", f"{path}0"))
    return {decode_path_from_database(row[0]): (row[1], row[2]) for row in rows}


def blob_row_numbers_by_id_and_chunker(
    database: Database, only_blob_ids: Collection[str] | None = None
) -> dict[tuple[str, str], int]:
    """A dict: (git blob id, chunker) -> row number of the stored content.

    A chunker is the name of the way it was split. None for ``only_blob_ids``: of all.
    """
    question = "SELECT oid, cutter, id FROM blobs"
    if only_blob_ids is None:
        rows = database.rows(question)
    else:
        ids = "[" + ",".join(f'"{oid}"' for oid in only_blob_ids) + "]"
        rows = database.rows(f"{question} WHERE oid IN (SELECT value FROM json_each(?))", (ids,))
    return {(row[0], row[1]): row[2] for row in rows}


def find_blob_row_number(database: Database, blob_id: str, chunker: str) -> int | None:
    """The row number of a git blob's content as split by this chunker; None if not stored."""
    question = "SELECT id FROM blobs WHERE oid = ? AND cutter = ?"
    number: int | None = database.value(question, (blob_id, chunker))
    return number


def first_chunk_text(database: Database, blob_row_number: int) -> str:
    """The text of the first chunk of the content with this row number; empty without chunks."""
    question = "SELECT text FROM chunks WHERE blob = ? ORDER BY start_line LIMIT 1"
    text: str | None = database.value(question, (blob_row_number,))
    return text or ""


def indexing_refusal_reasons(
    database: Database, only_blob_row_numbers: Collection[int] | None = None
) -> dict[int, str]:
    """A dict: row number of a file's content -> why it was not indexed, in a few words.

    Only contents that were refused; None for ``only_blob_row_numbers``: of all.
    """
    question = "SELECT id, skipped FROM blobs WHERE skipped <> ''"
    if only_blob_row_numbers is not None:
        question += f" AND id IN ({','.join('?' * len(only_blob_row_numbers))})"
    return dict(database.rows(question, (*(only_blob_row_numbers or ()),)))


def paths_refused_by_indexer(
    database: Database, worktree: str, languages: Iterable[str], limit: int
) -> list[str]:
    """At most ``limit`` paths, sorted, in some languages that were not indexed (minified ...).

    Empty files are left out.
    """
    names = tuple(languages)
    rows = database.rows(
        "SELECT p.path FROM blobs b CROSS JOIN paths p ON p.blob = b.id AND p.tree = ? "
        f"WHERE b.skipped NOT IN ('', 'empty') AND p.language IN ({','.join('?' * len(names))}) "
        "ORDER BY p.path LIMIT ?",
        (worktree, *names, limit),
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
    """Store a file's content as chunks, without making it searchable; returns its row number.

    ``chunker`` is the name of the way it was split, ``refusal_reason`` why there are no chunks.
    ``redaction_gate`` has the file's text without secrets; without it all chunks are redacted
    again. ``rewrite_full_text_rows`` makes them searchable.
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
                chunk.start_line,
                chunk.end_line,
                chunk.context,
                chunk.symbol,
                chunk.text,
                chunk.hash,
            )
            for chunk in (_redacted(redaction_gate, chunk) for chunk in chunks)
        ],
    )
    return blob


def _redacted(gate: RedactionGate, piece: NewChunk) -> NewChunk:
    """The chunk without secrets, with the hash of the redacted text."""
    first, last = piece.start_line, piece.end_line
    parts = (
        gate.redact_text_of_file_parts(piece.context),
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
    """Set the contents of a worktree's paths; returns row numbers of contents whose paths changed.

    ``path_blob_language_rows`` are (path, content's row number, language). A path that holds a
    secret is not stored.
    """
    from gitmem.store.db.redaction_gate import contains_secret  # noqa: PLC0415 - as above

    changed: set[int] = set()
    for decoded_path, blob, language in path_blob_language_rows:
        path = encode_path_for_database(decoded_path)
        if contains_secret(path):
            continue
        old_number = database.value(
            "SELECT blob FROM paths WHERE tree = ? AND path = ?", (worktree, path)
        )
        changed |= {blob} if old_number is None else {blob, old_number}
        database.connection.execute(
            "INSERT OR REPLACE INTO paths (tree, path, blob, language) VALUES (?,?,?,?)",
            (worktree, path, blob, language),
        )
    return changed


def remove_paths(database: Database, worktree: str, paths: Iterable[str]) -> set[int]:
    """Remove paths of a worktree; returns the row numbers of the contents that they had."""
    blob_numbers: set[int] = set()
    for path in paths:
        row = database.row(
            "DELETE FROM paths WHERE tree = ? AND path = ? RETURNING blob",
            (worktree, encode_path_for_database(path)),
        )
        if row is not None:
            blob_numbers.add(row[0])
    return blob_numbers


def rewrite_full_text_rows(
    database: Database,
    blob_row_numbers: Iterable[int],
    new_blob_row_numbers: Container[int] = frozenset(),
) -> None:
    """Make the chunks of these contents searchable anew, by their text and by their files' paths.

    ``new_blob_row_numbers`` are those stored just now, which have no full-text rows to delete.
    """
    for blob in sorted(blob_row_numbers):
        rows = database.rows("SELECT id, symbol, context, text FROM chunks WHERE blob = ?", (blob,))
        paths = " ".join(
            row[0]
            for row in database.rows("SELECT DISTINCT path FROM paths WHERE blob = ?", (blob,))
        )
        if blob not in new_blob_row_numbers:
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
    """The first ``limit`` indexed paths with this prefix, sorted, in the form they are stored."""
    prefix = encode_path_for_database(path_prefix)
    return database.column(
        "SELECT path FROM paths WHERE tree = ? AND substr(path, 1, ?) = ? ORDER BY path LIMIT ?",
        (worktree, len(prefix), prefix, limit),
    )


def indexed_folders(database: Database, worktree: str) -> set[str]:
    """The folders with indexed files of a worktree, and the folders above; the root is empty."""
    folders = {""}
    for (path,) in database.rows("SELECT path FROM paths WHERE tree = ?", (worktree,)):
        folder = decode_path_from_database(path).rpartition("/")[0]
        while folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return folders


def encode_path_for_database(path: str) -> str:
    """A path as it is stored, with valid characters for bytes that are not UTF-8."""
    return path if path.isascii() else path.translate(_TO_TEXT)


def decode_path_from_database(path: str) -> str:
    """The path as the file system has it, from the stored form."""
    return path if path.isascii() else path.translate(_FROM_TEXT)


def delete_other_worktrees(database: Database, worktrees_to_keep: Iterable[str]) -> int:
    """Delete the index of every worktree but some; returns how many worktrees were deleted."""
    current = set(worktrees_to_keep)
    worktrees = [row[0] for row in database.rows("SELECT tree FROM trees") if row[0] not in current]
    for tree in worktrees:
        changed = remove_paths(database, tree, blob_ids_and_chunkers_by_path(database, tree))
        rewrite_full_text_rows(database, changed)
        tree_state.delete_worktree_index_state(database, tree)
        database.run("DELETE FROM graph_trees WHERE tree = ?", (tree,))
    return len(worktrees)


def unreferenced_blob_row_numbers(database: Database) -> dict[str, list[int]]:
    """A dict: git blob id -> row numbers of its stored contents that no path has."""
    numbers_by_id: dict[str, list[int]] = {}
    # EXCEPT walks through two indexes side by side: a sixth of what asking for each blob costs.
    for number, oid in database.rows(
        "SELECT id, oid FROM blobs WHERE id IN (SELECT id FROM blobs EXCEPT SELECT blob FROM paths)"
    ):
        numbers_by_id.setdefault(oid, []).append(number)
    return numbers_by_id


def delete_unreferenced_blobs(
    database: Database, blob_ids_to_keep: Container[str] = frozenset()
) -> int:
    """Delete the contents that no path has, with their chunks; returns how many were deleted.

    Those with a git blob id in ``blob_ids_to_keep`` stay.
    """
    unreferenced = unreferenced_blob_row_numbers(database)
    doomed = [
        number
        for oid, numbers in unreferenced.items()
        if oid not in blob_ids_to_keep
        for number in numbers
    ]
    delete_blobs(database, doomed)
    return len(doomed)


def delete_blobs(database: Database, blob_row_numbers: Iterable[int]) -> None:
    """Delete the contents with these row numbers, their chunks, and the paths that have them."""
    path_count = 0
    for blob in blob_row_numbers:
        path_count += len(database.rows("DELETE FROM paths WHERE blob = ? RETURNING 1", (blob,)))
        database.run(
            "DELETE FROM chunk_text WHERE rowid IN (SELECT id FROM chunks WHERE blob = ?)", (blob,)
        )
        database.run("DELETE FROM chunks WHERE blob = ?", (blob,))
        database.run("DELETE FROM blobs WHERE id = ?", (blob,))
    if path_count:
        tree_state.delete_all_changed_files_lists(database)


def merge_full_text_index(database: Database) -> bool:
    """Merge a part of the chunks' full-text index; returns whether more is left to merge.

    Merging removes the words of deleted chunks. Opens a transaction of its own, a short one.
    """
    with database.write():
        changes_before = database.connection.total_changes()
        merge = "INSERT INTO chunk_text (chunk_text, rank) VALUES ('merge', ?)"
        database.run(merge, (-_MERGED_PAGES,))
        return database.connection.total_changes() - changes_before >= 2


def paths_and_languages_by_chunk(
    database: Database, worktree: str, accepts_path_and_language: Callable[[str, str], bool]
) -> dict[int, tuple[str, str]]:
    """A dict: chunk's row number -> (path, language), of the files that the predicate accepts.

    Of the accepted paths that share a chunk the first one counts.
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
