"""Reading the chunks of indexed files: headers first, which have no text, then the text of a few.

A search weighs two hundred chunks and shows ten: reading the text of all would cost more than
finding them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitmem.model.frozen import dataclass
from gitmem.store.code.indexed_files import decode_path_from_database, encode_path_for_database
from gitmem.store.code.tree_state import IndexedFileStatistics
from gitmem.store.db.connection import Database, Row


@dataclass(frozen=True, slots=True)
class ChunkMetadata:
    """A chunk (part of an indexed file, some twenty lines) without its text.

    ``id`` and ``blob`` are row numbers of the chunk and the file content, ``path`` the first path
    that has it. ``context`` is what encloses the chunk (``class Config``, headings), ``symbol`` the
    names it defines, ``lines`` the length of the file.
    """

    id: int
    path: str
    language: str
    start_line: int
    end_line: int
    context: str
    symbol: str
    blob: int
    lines: int


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """An indexed file: path, row number of its content (``blob``), language, number of lines."""

    path: str
    blob: int
    language: str
    lines: int


_HEAD = (
    "SELECT c.id, min(p.path), p.language, c.start_line, c.end_line, c.context, c.symbol, c.blob, "
    "b.lines FROM chunks c CROSS JOIN blobs b ON b.id = c.blob "
    # The plus and the order: else SQLite walks through all paths of the tree (240 ms, not 2).
    "CROSS JOIN paths p ON p.blob = c.blob AND +p.tree = ? "
)
_OF_PATH = (
    "SELECT c.id, p.path, p.language, c.start_line, c.end_line, c.context, c.symbol, c.blob, "
    "b.lines FROM paths p CROSS JOIN blobs b ON b.id = p.blob CROSS JOIN chunks c "
    "ON c.blob = p.blob WHERE p.tree = ? AND p.path = ?"
)


def chunk_metadata_by_row_number(
    database: Database, worktree: str, chunk_row_numbers: Sequence[int]
) -> dict[int, ChunkMetadata]:
    """A dict: chunk's row number -> the chunk without its text.

    Chunks that no file of the worktree has are left out.
    """
    if not chunk_row_numbers:
        return {}
    marks = ",".join("?" * len(chunk_row_numbers))
    rows = database.rows(
        f"{_HEAD} WHERE c.id IN ({marks}) GROUP BY c.id", (worktree, *chunk_row_numbers)
    )
    return {
        row[0]: ChunkMetadata(row[0], decode_path_from_database(row[1]), *row[2:]) for row in rows
    }


def chunk_at_line(database: Database, worktree: str, path: str, line: int) -> ChunkMetadata | None:
    """The chunk, without its text, that contains a line of a file; None if no chunk does."""
    question = f"{_OF_PATH} AND c.start_line <= ? AND c.end_line >= ? LIMIT 1"
    return _head(database.row(question, (worktree, encode_path_for_database(path), line, line)))


def chunk_texts_by_line(
    database: Database, worktree: str, path: str, lines: Sequence[int]
) -> dict[int, str]:
    """A dict: first line -> text, of a file's chunks that start at one of these lines."""
    marks = ",".join("?" * len(lines))
    rows = database.rows(
        "SELECT c.start_line, c.text FROM paths p CROSS JOIN chunks c ON c.blob = p.blob "
        f"WHERE p.tree = ? AND p.path = ? AND c.start_line IN ({marks})",
        (worktree, encode_path_for_database(path), *lines),
    )
    return dict(rows)


def position_of_chunk_in_file(
    database: Database, worktree: str, path: str, start_line: int, end_line: int, chunk_text: str
) -> int | None:
    """The position (from 0) of a chunk among those of its file; None if the file lacks it.

    The chunk is the one with exactly these lines (from 1, inclusive) and ``chunk_text``.
    """
    row = database.row(
        "SELECT (SELECT count(*) FROM chunks o WHERE o.blob = c.blob AND o.id < c.id) "
        "FROM paths p CROSS JOIN chunks c ON c.blob = p.blob WHERE p.tree = ? AND p.path = ? "
        "AND c.start_line = ? AND c.end_line = ? AND c.text = ? ORDER BY c.id LIMIT 1",
        (worktree, encode_path_for_database(path), start_line, end_line, chunk_text),
    )
    return None if row is None else int(row[0])


def first_chunk(database: Database, worktree: str, path: str) -> ChunkMetadata | None:
    """The first chunk of a file, without its text; None if the file is not indexed."""
    return _head(
        database.row(
            f"{_OF_PATH} ORDER BY c.start_line LIMIT 1", (worktree, encode_path_for_database(path))
        )
    )


def _head(row: Row | None) -> ChunkMetadata | None:
    return (
        None if row is None else ChunkMetadata(row[0], decode_path_from_database(row[1]), *row[2:])
    )


def chunk_texts(database: Database, chunk_row_numbers: Sequence[int]) -> dict[int, str]:
    """A dict: chunk's row number -> the chunk's text, for the chunks with these numbers."""
    marks = ",".join("?" * len(chunk_row_numbers))
    return dict(
        database.rows(f"SELECT id, text FROM chunks WHERE id IN ({marks})", (*chunk_row_numbers,))
    )


def blob_row_number_and_id(database: Database, worktree: str, path: str) -> tuple[int, str] | None:
    """(row number, git blob id) of an indexed file's content; None if it is not indexed."""
    row = database.row(
        "SELECT b.id, b.oid FROM paths p JOIN blobs b ON b.id = p.blob "
        "WHERE p.tree = ? AND p.path = ?",
        (worktree, encode_path_for_database(path)),
    )
    return None if row is None else (row[0], row[1])


def chunks_of_file(database: Database, worktree: str, path: str) -> list[tuple[int, int, str, str]]:
    """The chunks of a file in order, each as (first line, last line, names defined, text)."""
    return database.rows(
        "SELECT c.start_line, c.end_line, c.symbol, c.text FROM paths p "
        "CROSS JOIN chunks c ON c.blob = p.blob WHERE p.tree = ? AND p.path = ? "
        "ORDER BY c.start_line, c.id",
        (worktree, encode_path_for_database(path)),
    )


def line_texts_of_blob(database: Database, blob_row_number: int) -> dict[int, str]:
    """A dict: line (from 1) -> text, of a stored file; blank lines between chunks are missing."""
    lines: dict[int, str] = {}
    rows = database.rows("SELECT start_line, text FROM chunks WHERE blob = ?", (blob_row_number,))
    for start, text in rows:
        if start in lines and "\n" not in text:
            text = _join(lines[start], text)
        lines.update(enumerate(text.split("\n"), start))
    return lines


def _join(line: str, piece: str) -> str:
    """A line of prose that was cut, with its next piece, which repeats its last words."""
    ends = range(max(0, len(line) - len(piece)), len(line))
    end = next((at for at in ends if piece.startswith(line[at:])), None)
    return f"{line} {piece}" if end is None else line[:end] + piece


def indexed_files_by_path(
    database: Database, worktree: str, paths: Iterable[str]
) -> dict[str, IndexedFile]:
    """A dict: path -> ``IndexedFile``, for those of ``paths`` that are indexed."""
    stored = [encode_path_for_database(path) for path in paths]
    marks = ",".join("?" * len(stored))
    rows = database.rows(
        "SELECT p.path, p.blob, p.language, b.lines FROM paths p JOIN blobs b ON b.id = p.blob "
        f"WHERE p.tree = ? AND p.path IN ({marks}) AND b.skipped = ''",
        (worktree, *stored),
    )
    return {
        decode_path_from_database(row[0]): IndexedFile(decode_path_from_database(row[0]), *row[1:])
        for row in rows
    }


def paths_with_file_names(database: Database, worktree: str, names: Iterable[str]) -> list[str]:
    """The paths of a worktree whose file name is one of these names."""
    paths: list[str] = []
    for name in map(encode_path_for_database, names):
        rows = database.rows(
            "SELECT path FROM paths WHERE tree = ? AND (path = ? OR path LIKE ? ESCAPE '!') "
            "ORDER BY path",
            (worktree, name, "%/" + name.replace("!", "!!").replace("_", "!_").replace("%", "!%")),
        )
        paths += [decode_path_from_database(row[0]) for row in rows]
    return paths


def paths_matching_patterns(
    database: Database, worktree: str, exact_or_prefix_patterns: Iterable[str]
) -> list[str]:
    """Paths of a worktree that equal a pattern, or start with a pattern that ends in ``*``."""
    paths: list[str] = []
    for pattern in exact_or_prefix_patterns:
        first, last = (
            (pattern[:-1], pattern[:-1] + chr(0x10FFFF))
            if pattern.endswith("*")
            else (pattern, pattern)
        )
        rows = database.rows(
            "SELECT path FROM paths WHERE tree = ? AND path BETWEEN ? AND ?",
            (worktree, first, last),
        )
        paths += [decode_path_from_database(row[0]) for row in rows]
    return paths


def paths_with_suffixes(
    database: Database, worktree: str, path_suffixes: Sequence[str], limit: int
) -> list[str]:
    """Paths of the worktree that end with one of these, or with which one of these ends.

    Only whole parts of a path count: ``src/app.py`` ends with ``app.py``, not with ``pp.py``. At
    most ``limit``, sorted.
    """
    values: list[object] = [worktree]
    clauses = []
    for path in path_suffixes:
        clauses.append(
            "path = ? OR substr(path, ?) = ? OR substr(?, -length(path) - 1) = '/' || path"
        )
        end = "/" + encode_path_for_database(path.lstrip("./"))
        values += [end[1:], -len(end), end, "/" + encode_path_for_database(path)]
    rows = database.rows(
        f"SELECT path FROM paths WHERE tree = ? AND ({' OR '.join(clauses) or '0'}) "
        "ORDER BY path LIMIT ?",
        (*values, limit),
    )
    return [decode_path_from_database(row[0]) for row in rows]


def paths_of_module(database: Database, worktree: str, module: str) -> list[str]:
    """Paths of files that may be the module ``a.b``: a/b.py, lib/a/b/__init__.py, a/b/index.js."""
    stem = encode_path_for_database("/" + module.replace(".", "/"))
    rows = database.rows(
        "SELECT path FROM paths WHERE tree = ? AND instr('/' || path, ?) ORDER BY path",
        (worktree, stem),
    )
    ends = (stem, f"{stem}/__init__", f"{stem}/index")
    return [
        decode_path_from_database(path)
        for (path,) in rows
        if f"/{path}".rpartition(".")[0].endswith(ends)
    ]


def main_language(database: Database, worktree: str) -> str:
    """The language of more than half of a worktree's files; empty if there is none."""
    row = database.row(
        "SELECT language, count(*) AS files, sum(count(*)) OVER () FROM paths WHERE tree = ? "
        "GROUP BY language ORDER BY files DESC LIMIT 1",
        (worktree,),
    )
    return row[0] if row is not None and 2 * row[1] > row[2] else ""


def languages_of_worktree(database: Database, worktree: str) -> list[str]:
    """The languages of a worktree's indexed files, each once (``python``), in no order."""
    return database.column("SELECT DISTINCT language FROM paths WHERE tree = ?", (worktree,))


def approximate_chunk_count(database: Database) -> int:
    """About how many chunks are stored, fast: the largest row number of a chunk, or 0."""
    return int(database.value("SELECT coalesce(max(id), 0) FROM chunks"))


def indexed_file_statistics(database: Database, worktree: str) -> list[IndexedFileStatistics]:
    """Of each indexed file path, language, numbers of chunks, lines, bytes; most chunks first."""
    rows = database.rows(
        "SELECT p.path, p.language, count(c.id) AS pieces, b.lines, b.bytes FROM paths p "
        "JOIN blobs b ON b.id = p.blob JOIN chunks c ON c.blob = b.id WHERE p.tree = ? "
        "GROUP BY p.path ORDER BY pieces DESC, p.path",
        (worktree,),
    )
    return [
        IndexedFileStatistics(decode_path_from_database(path), *counts) for path, *counts in rows
    ]


def paths_and_languages(database: Database, worktree: str) -> list[tuple[str, str]]:
    """(path, language) of every indexed file of a worktree, sorted by path."""
    rows = database.rows(
        "SELECT path, language FROM paths WHERE tree = ? ORDER BY path", (worktree,)
    )
    return [(decode_path_from_database(path), language) for path, language in rows]
