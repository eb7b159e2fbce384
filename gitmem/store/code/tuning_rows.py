"""Data for tuning a model: chunks with vectors, documented definitions, commits."""

from __future__ import annotations

from gitmem.model.frozen import dataclass
from gitmem.store.code.vectors import find_vector_set_id
from gitmem.store.db.connection import Database


@dataclass(frozen=True, slots=True)
class ChunkVector:
    """A chunk of a file with its vector, a signed byte for each dimension.

    ``blob`` is the row number of the file's content, ``context`` what encloses the chunk.
    """

    path: str
    language: str
    blob: int
    start_line: int
    end_line: int
    context: str
    vector: bytes


def chunks_with_vectors(database: Database, worktree: str, model: str) -> list[ChunkVector]:
    """All chunks of a worktree with a vector by a model (its identity), by path and line."""
    rows = database.rows(
        "SELECT p.path, p.language, c.blob, c.start_line, c.end_line, c.context, v.q8 "
        "FROM paths p JOIN chunks c ON c.blob = p.blob "
        "JOIN vectors v ON v.hash = c.hash AND v.part = ? WHERE p.tree = ? "
        "ORDER BY p.path, c.start_line",
        (find_vector_set_id(database, model, "chunk"), worktree),
    )
    return [ChunkVector(*row) for row in rows]


def documented_definitions(database: Database, worktree: str) -> list[tuple[int, int, str]]:
    """(content's row number, first line, documentation) of each documented definition."""
    return [
        (row[0], row[1], row[2])
        for row in database.rows(
            "SELECT DISTINCT s.blob, s.start_line, s.doc FROM symbols s "
            "JOIN paths p ON p.blob = s.blob WHERE p.tree = ? AND s.doc <> '' "
            "ORDER BY p.path, s.start_line",
            (worktree,),
        )
    ]


def commit_subjects(database: Database) -> list[tuple[str, list[str]]]:
    """(subject, changed paths) of every indexed commit, oldest first."""
    rows = database.rows("SELECT subject, paths FROM commits ORDER BY at, id")
    return [(subject, paths.split("\n") if paths else []) for subject, paths in rows]
