"""Searching pieces for a literal text, which an index of words cannot find."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gitmem.model.frozen import dataclass
from gitmem.store.code.indexed_files import text_to_path
from gitmem.store.db.connection import Database

_ASCII = re.compile(r"[ -~]+")
_COLUMNS = "SELECT p.path, p.language, c.start_line, c.symbol, c.context, c.text "
_PIECES = "FROM paths p CROSS JOIN chunks c ON c.blob = p.blob WHERE p.tree = ? AND "


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a file with its text. Lines count from 1."""

    path: str
    language: str
    start_line: int
    symbol: str
    context: str
    text: str


def pieces_containing(database: Database, tree: str, text: str, *, case: bool) -> Iterator[Piece]:
    """The pieces of a worktree that may contain a text, ordered by path and line.

    ``case``: upper and lower case differ, and every piece given contains the text. Otherwise the
    pieces contain its longest run of ASCII characters, and the caller has to check them: SQLite
    ignores the case of ASCII letters only.
    """
    if case:
        question, value = "instr(c.text, ?) > 0", text
    else:
        run = max(_ASCII.findall(text), key=len, default="")
        escaped = re.sub(r"([!%_])", r"!\1", run)
        question, value = "c.text LIKE ? ESCAPE '!'", f"%{escaped}%"
    rows = database.rows(
        f"{_COLUMNS}{_PIECES}{question} ORDER BY p.path, c.start_line", (tree, value)
    )
    for row in rows:
        yield Piece(text_to_path(row[0]), *row[1:])


def pieces_with_word(database: Database, tree: str, word: str, most: int) -> Iterator[Piece]:
    """Up to ``most`` pieces that contain a word, by the full-text index."""
    quoted = word.replace('"', '""')
    rows = database.rows(
        f"{_COLUMNS}FROM chunk_text f CROSS JOIN chunks c ON c.id = f.rowid "
        "CROSS JOIN paths p ON p.blob = c.blob AND p.tree = ? WHERE chunk_text MATCH ? LIMIT ?",
        (tree, f'body : "{quoted}"', most),
    )
    for row in sorted(rows):
        yield Piece(text_to_path(row[0]), *row[1:])
