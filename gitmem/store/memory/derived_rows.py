"""Making the derived rows of memories from the canonical rows.

What is made from files and commits is in ``store.code``, and is made again by an index run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitmem.store.db import schema
from gitmem.store.db.content_hash import hash_text
from gitmem.store.db.full_text import identifier_parts
from gitmem.store.memory import conversation
from gitmem.text.quantity import quantity

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from gitmem.model.memory import Memory
    from gitmem.store.db.connection import Database


def index_memory(database: Database, memory: Memory) -> None:
    """Make a stored memory searchable: write its full-text row, tags and the hash of its text."""
    if conversation.is_conversation_turn(memory.kind, memory.session):
        conversation.add_conversation_turn(database, memory.seq, memory.session, memory.created_at)
        _write_turns(database, conversation.turn_and_neighbours(database, memory.seq))
    else:
        _write_text(database, memory.seq, memory, "")
    _write_rest(database, memory)


def _write_turns(database: Database, turns: Iterable[conversation.ConversationTurn]) -> None:
    """Rewrite the full-text rows of turns whose neighbours changed."""
    for turn in turns:
        database.connection.execute("DELETE FROM memory_text WHERE rowid = ?", (turn.seq,))
        _write_text(database, turn.seq, turn, turn.neighbour_text)


def _write_text(
    database: Database, seq: int, text: Memory | conversation.ConversationTurn, near: str
) -> None:
    parts = " ".join(identifier_parts(f"{text.title} {text.content} {' '.join(text.paths)}"))
    database.connection.execute(
        "INSERT INTO memory_text (rowid, title, body, tags, parts, near) VALUES (?,?,?,?,?,?)",
        (seq, text.title, text.content, " ".join(text.tags), parts, near),
    )


def _write_rest(database: Database, memory: Memory) -> None:
    database.connection.executemany(
        "INSERT INTO memory_tags (tag, seq) VALUES (?, ?)",
        [(tag, memory.seq) for tag in memory.tags],
    )
    database.connection.execute(
        "INSERT INTO memory_marks (seq, hash) VALUES (?, ?)",
        (memory.seq, hash_text(memory_text_to_embed(memory.title, memory.content))),
    )


def memory_text_to_embed(title: str, content: str) -> str:
    """The text of a memory from which its vector is made: title and content."""
    return f"{title}\n{content}".strip()


def delete_derived_rows(database: Database, row_number: int) -> None:
    """Make the memory with this row number unsearchable: delete its full-text row and tags."""
    neighbours = conversation.remove_conversation_turn(database, row_number)
    database.connection.execute("DELETE FROM memory_text WHERE rowid = ?", (row_number,))
    database.connection.execute("DELETE FROM memory_tags WHERE seq = ?", (row_number,))
    database.connection.execute("DELETE FROM memory_marks WHERE seq = ?", (row_number,))
    _write_turns(database, neighbours)


def rebuild_derived_rows(database: Database) -> int:
    """Make all memories searchable anew, from their rows; returns the number of memories.

    Verdicts on cited code and hidden memories are deleted, to be computed again.
    """
    from gitmem.store.memory import memories  # noqa: PLC0415 - memories writes through this module

    _remake(database, schema.OF_MEMORIES, schema.DERIVED_FILES[0])
    # All turns first: each is then written once, and not again with every neighbour.
    conversation.rebuild_conversation_turns(database)
    count = 0
    for memory in memories.all_memories(database):
        neighbour_text = ""
        if conversation.is_conversation_turn(memory.kind, memory.session):
            neighbour_text = conversation.text_of_neighbouring_turns(database, memory.seq)
        _write_text(database, memory.seq, memory, neighbour_text)
        _write_rest(database, memory)
        count += 1
    return count


def delete_indexed_files_and_commits(database: Database) -> None:
    """Delete all that is indexed of files and commits, and all vectors, to be made again."""
    _remake(database, schema.OF_SOURCES, schema.DERIVED_FILES[1])


def _remake(database: Database, tables: Sequence[str], file: str) -> None:
    for table in tables:
        database.connection.execute(f"DROP TABLE IF EXISTS {table}")
    database.connection.execute(schema.schema_sql(file))


def merge_memory_text_index(database: Database) -> None:
    """Merge the full-text index of memories, so that it has no words of deleted memories."""
    connection = database.connection
    connection.execute("INSERT INTO memory_text (memory_text) VALUES ('optimize')")


def derived_row_problems(database: Database, *, unreadable_memory_count: int = 0) -> list[str]:
    """A sentence for each way in which indexes do not fit the memories; empty if all fit.

    ``unreadable_memory_count`` memories are damaged: the index may have them or not.
    """
    problems = []
    total = database.value("SELECT count(*) FROM memories")
    indexed = database.value("SELECT count(*) FROM memory_text_docsize")
    if not total - unreadable_memory_count <= indexed <= total:
        rows = quantity(indexed, "row")
        problems.append(f"{quantity(total, 'memory')} but {rows} in the full-text index")
    total = database.value("SELECT count(*) FROM exchanges")
    indexed = database.value("SELECT count(*) FROM exchange_text_docsize")
    if total != indexed:
        rows = quantity(indexed, "row")
        problems.append(f"{quantity(total, 'exchange')} but {rows} in their full-text index")
    stray_count = database.value(
        "SELECT count(*) FROM memory_tags WHERE seq NOT IN (SELECT seq FROM memories)"
    )
    if stray_count:
        problems.append(f"{stray_count} tag rows belong to no memory")
    return problems
