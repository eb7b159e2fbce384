"""Searching chunks for a literal text, which an index of words cannot find."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitmem.model.frozen import dataclass
from gitmem.store.code.indexed_files import decode_path_from_database
from gitmem.store.db.connection import Database

_ASCII = re.compile(r"[ -~]+")
_COLUMNS = "SELECT p.path, p.language, c.start_line, c.symbol, c.context, c.text "
_PIECES = "FROM paths p CROSS JOIN chunks c ON c.blob = p.blob WHERE p.tree = ? AND "


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A chunk (part of an indexed file) with its text, from ``start_line``, which counts from 1.

    ``symbol`` is what it defines, ``context`` what encloses it (``class Config``).
    """

    path: str
    language: str
    start_line: int
    symbol: str
    context: str
    text: str


def chunks_containing(
    database: Database, worktree: str, text: str, *, case_sensitive: bool
) -> Iterator[TextChunk]:
    """Yield the chunks of a worktree that may contain a text, by path and line.

    If ``case_sensitive``, every chunk does contain it. Otherwise it contains the text's longest run
    of ASCII characters in any case, and the caller has to check it for the whole text.
    """
    if case_sensitive:
        question, value = "instr(c.text, ?) > 0", text
    else:
        run = max(_ASCII.findall(text), key=len, default="")
        escaped = re.sub(r"([!%_])", r"!\1", run)
        question, value = "c.text LIKE ? ESCAPE '!'", f"%{escaped}%"
    rows = database.rows(
        f"{_COLUMNS}{_PIECES}{question} ORDER BY p.path, c.start_line", (worktree, value)
    )
    for row in rows:
        yield TextChunk(decode_path_from_database(row[0]), *row[1:])


def chunks_with_word(
    database: Database, worktree: str, word: str, limit: int
) -> Iterator[TextChunk]:
    """Yield at most ``limit`` chunks whose text has a word or phrase, also inflected, by path."""
    quoted = word.replace('"', '""')
    rows = database.rows(
        f"{_COLUMNS}FROM chunk_text f CROSS JOIN chunks c ON c.id = f.rowid "
        "CROSS JOIN paths p ON p.blob = c.blob AND p.tree = ? WHERE chunk_text MATCH ? LIMIT ?",
        (worktree, f'body : "{quoted}"', limit),
    )
    for row in sorted(rows):
        yield TextChunk(decode_path_from_database(row[0]), *row[1:])
