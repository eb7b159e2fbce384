"""Turns of a conversation, indexed together with their neighbours.

A turn is often understood only with the turns just before and after it, so it is found by the words
of its neighbours too, in a column of less weight. Only memories of the kind ``conversation`` that
share a session are turns: separate facts noted in one session do not explain each other.
"""

from __future__ import annotations

from collections.abc import Sequence

from gitmem.model.frozen import dataclass
from gitmem.store.db.connection import Database, Row
from gitmem.text import json_reader

# Turns before and after that count. On LoCoMo two are better than one, and better than three.
REACH = 2


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    """A turn (one message of a conversation, stored as a memory) as it is made searchable.

    ``seq`` is the memory's row number, ``neighbour_text`` the text of the two turns on either side.
    """

    seq: int
    title: str
    content: str
    tags: tuple[str, ...]
    paths: tuple[str, ...]
    neighbour_text: str


def is_conversation_turn(kind: str, session: str) -> bool:
    """Whether a memory of this kind and session is a turn (message) of a conversation."""
    return kind == "conversation" and bool(session)


def add_conversation_turn(
    database: Database, row_number: int, session: str, spoken_ms: int
) -> None:
    """Record that the memory with this row number is a turn (message) of a session, and when."""
    database.connection.execute(
        "INSERT INTO memory_turns (seq, session, at) VALUES (?, ?, ?)",
        (row_number, session, spoken_ms),
    )


def rebuild_conversation_turns(database: Database) -> None:
    """Record which memories are turns (messages) of which session; the table must be empty."""
    database.connection.execute(
        "INSERT INTO memory_turns (seq, session, at) SELECT seq, session, created_at "
        "FROM memories WHERE kind = 'conversation' AND session <> ''"
    )


def has_conversation_turn(database: Database, row_numbers: Sequence[int]) -> bool:
    """Whether any memory with these row numbers is a turn (message) of a conversation."""
    marks = ",".join("?" * len(row_numbers))
    turn = database.value(
        f"SELECT 1 FROM memory_turns WHERE seq IN ({marks}) LIMIT 1", (*row_numbers,)
    )
    return turn is not None


def remove_conversation_turn(database: Database, row_number: int) -> list[ConversationTurn]:
    """Record that a memory is a turn (message) no more; returns the turns near it, as they are now.

    Those have new neighbours and are to be made searchable again. Empty if it was no turn.
    """
    place = database.row(
        "DELETE FROM memory_turns WHERE seq = ? RETURNING session, at, seq", (row_number,)
    )
    return [] if place is None else _turns(*_sides(database, place))


def turn_and_neighbours(database: Database, row_number: int) -> list[ConversationTurn]:
    """A turn (message of a conversation) and the two on either side, with each one's neighbours.

    Empty if the memory with this row number is no turn.
    """
    place = database.row("SELECT session, at, seq FROM memory_turns WHERE seq = ?", (row_number,))
    if place is None:
        return []
    own_rows = database.rows(f"SELECT {_COLUMNS} FROM memories AS m WHERE seq = ?", (row_number,))
    return _turns(*_sides(database, place), own_rows)


def text_of_neighbouring_turns(database: Database, row_number: int) -> str:
    """The text of the two turns (messages) on either side of one, in lines; empty if it is none."""
    place = database.row("SELECT session, at, seq FROM memory_turns WHERE seq = ?", (row_number,))
    if place is None:
        return ""
    before, after = _sides(database, place, REACH)
    return _joined([*before, *after])


def turn_lengths_and_neighbours(
    database: Database, row_numbers: Sequence[int]
) -> dict[int, tuple[int, list[int]]]:
    """A dict: row number of a turn (message) -> (characters of it, row numbers of those beside it).

    Memories that are no turns are left out.
    """
    marks = ",".join("?" * len(row_numbers))
    next_one = (
        "(SELECT o.seq FROM memory_turns AS o WHERE o.session = t.session "
        "AND (o.at, o.seq) {} (t.at, t.seq) ORDER BY o.at {}, o.seq {} LIMIT 1)"
    )
    rows = database.rows(
        f"SELECT t.seq, length(m.content), {next_one.format('<', 'DESC', 'DESC')}, "
        f"{next_one.format('>', 'ASC', 'ASC')} FROM memory_turns AS t "
        f"CROSS JOIN memories AS m ON m.seq = t.seq WHERE t.seq IN ({marks})",
        (*row_numbers,),
    )
    return {
        row[0]: (int(row[1]), [int(text) for text in row[2:] if text is not None]) for row in rows
    }


_COLUMNS = "m.seq, m.title, m.content, m.tags, m.paths"
_SIDE = (
    f"SELECT {_COLUMNS} FROM memory_turns AS t CROSS JOIN memories AS m ON m.seq = t.seq "
    "WHERE t.session = ? AND (t.at, t.seq) {} (?, ?) ORDER BY t.at {}, t.seq {} LIMIT ?"
)


def _sides(database: Database, place: Row, reach: int = 2 * REACH) -> tuple[list[Row], list[Row]]:
    """The turns just before and just after a place, each in the order they were said."""
    before = database.rows(_SIDE.format("<", "DESC", "DESC"), (*place, reach))
    after = database.rows(_SIDE.format(">", "ASC", "ASC"), (*place, reach))
    return before[::-1], after


def _turns(
    before: list[Row], after: list[Row], own: list[Row] | None = None
) -> list[ConversationTurn]:
    """The turns in reach of a place, and the one at it; the others are only their neighbours."""
    row = [*before, *(own or []), *after]
    first = max(len(before) - REACH, 0)
    last = len(row) - max(len(after) - REACH, 0)
    return [
        _turn(row[at], [*row[max(at - REACH, 0) : at], *row[at + 1 : at + 1 + REACH]])
        for at in range(first, last)
    ]


def _turn(row: Row, beside: list[Row]) -> ConversationTurn:
    seq, title, content, tags, paths = row
    return ConversationTurn(
        seq, title, content, _parse_list(tags), _parse_list(paths), _joined(beside)
    )


def _parse_list(text: str) -> tuple[str, ...]:
    try:
        return tuple(map(str, json_reader.loads(text)))
    except (ValueError, TypeError):  # a damaged neighbour is left out
        return ()


def _joined(rows: list[Row]) -> str:
    return "\n".join(row[2] for row in rows)
