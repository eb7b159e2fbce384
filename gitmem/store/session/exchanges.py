"""What was said in sessions of agents' hosts: conversations and their exchanges.

A conversation is always replaced whole. Its words are in ``exchange_text``, its vectors in the part
``exchange`` (``store.code.vectors``), by the hash of the embedded text. Functions that write run
inside a transaction of the caller (``Database.write``).
"""

from __future__ import annotations

from gitmem.model.exchange import Conversation, Exchange, ToolCall
from gitmem.model.ids import largest_id_with_prefix
from gitmem.store.db.columns import insert_statement, json_array
from gitmem.store.db.content_hash import hash_text
from gitmem.store.db.redaction_gate import redact_text
from gitmem.store.db.sealed_rows import (
    SEALED,
    rows_with_valid_seal,
    sealed_columns,
    values_with_seal,
)
from gitmem.store.memory import derived_rows, memory_writes
from gitmem.text import json_reader

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.store.db.connection import Database, Row

# Characters of either side that are embedded; ``vectors.TEXTS`` cuts off the same. With 2000 of
# both, BEAM loses .03 of NDCG@10: in a long answer the question is lost.
OF_USER, OF_ASSISTANT = 1000, 200
_ADD = insert_statement("conversations", (*SEALED["conversations"], "seal", "stamp"))
_ADD_EXCHANGE = insert_statement("exchanges", (*SEALED["exchanges"], "seal", "hash"))
_ADD_TEXT = insert_statement("exchange_text", ("rowid", "user", "assistant", "paths", "parts"))
_TABLE, _COLUMNS = "conversations", sealed_columns("exchanges")


def conversation_ids_and_stamps_by_source(
    database: Database, agent_program: str
) -> dict[str, tuple[str, str]]:
    """A dict: source (file or row) of an agent's conversation -> (conversation's id, stamp).

    The stamp is a text that tells whether the source changed since it was read.
    """
    rows = database.rows(
        "SELECT source, id, stamp FROM conversations WHERE host = ?", (agent_program,)
    )
    return {source: (id, stamp) for source, id, stamp in rows}


def set_conversation_source_stamp(
    database: Database, conversation_id: str, source_stamp: str
) -> None:
    """Record the stamp (state) of a conversation's source, which was read and has nothing new."""
    database.run("UPDATE conversations SET stamp = ? WHERE id = ?", (source_stamp, conversation_id))


def replace_conversation(
    database: Database, conversation: Conversation, exchanges: Iterable[Exchange], source_stamp: str
) -> int:
    """Store a conversation instead of what its source held before; returns its number of exchanges.

    Secrets are redacted. ``source_stamp`` is a text that changes when the source does.
    """
    place = (conversation.id, conversation.source)
    _, before = _remove(database, "id = ?1 OR source = ?2", place)
    values = [_clean(getattr(conversation, name)) for name in Conversation.__slots__]
    database.run(_ADD, (*values_with_seal(database, "conversations", values), source_stamp))
    count = 0
    for exchange in exchanges:
        _add(database, exchange)
        count += 1
    _drop_vectors(database, before)
    return count


def _clean(value: object) -> object:
    return redact_text(value) if isinstance(value, str) else value


def _add(database: Database, exchange: Exchange) -> None:
    user, assistant = redact_text(exchange.user), redact_text(exchange.assistant)
    tools = [
        (redact_text(call.name), [redact_text(path) for path in call.paths], call.outcome)
        for call in exchange.tools
    ]
    values = (
        *(exchange.conversation, exchange.number, user, assistant, _as_json(tools)),
        *(exchange.at, redact_text(exchange.parent), redact_text(exchange.model)),
    )
    sealed = values_with_seal(database, "exchanges", values)
    run = database.connection.execute
    run(_ADD_EXCHANGE, (*sealed, hash_text(exchange_text_to_embed(user, assistant))))
    paths = sorted({path for _, paths, _ in tools for path in paths})
    seq = database.connection.last_insert_rowid()
    database.connection.executemany(
        "INSERT INTO exchange_paths (path, exchange) VALUES (?, ?)", [(path, seq) for path in paths]
    )
    _add_text(database, seq, user, assistant, paths)


def _as_json(value: object) -> str:
    import json  # noqa: PLC0415 - 2 ms, and readers have no need

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def exchange_text_to_embed(user: str, assistant: str) -> str:
    """The text of an exchange of which its vector is made: the beginning of question and answer."""
    return "\n".join(text for text in (user[:OF_USER], assistant[:OF_ASSISTANT]) if text)


def _add_text(
    database: Database, seq: int, user: str, assistant: str, paths: Sequence[str]
) -> None:
    from gitmem.store.db.full_text import identifier_parts  # noqa: PLC0415 - for writers alone

    named = " ".join(paths)
    parts = " ".join(identifier_parts(f"{user} {assistant} {named}"))
    database.connection.execute(_ADD_TEXT, (seq, user, assistant, named, parts))


def delete_conversations(database: Database, conversation_ids: Iterable[str]) -> int:
    """Delete conversations, and memories only proposed from them; returns the number of the former.

    Call ``merge_exchange_text_index`` afterwards: only then are the words gone from the file.
    """
    listed = json_array(conversation_ids)
    inside = "IN (SELECT value FROM json_each(?))"
    count, hashes = _remove(database, f"id {inside}", (listed,))
    database.run(f"DELETE FROM conversation_summaries WHERE conversation {inside}", (listed,))
    # What was proposed from them and not accepted is as personal as they are.
    source = "substr(json_extract(metadata, '$.transcript'), 1, 26)"
    proposed = f"SELECT id FROM memories WHERE status = 'proposed' AND {source} {inside}"
    for id in database.column(proposed, (listed,)):
        memory_writes.remove_memory(database, id)
    _drop_vectors(database, hashes)
    return count


def _remove(database: Database, where: str, values: tuple[str, ...]) -> tuple[int, list[bytes]]:
    """Delete the rows of conversations; returns their number and the hashes of their exchanges."""
    ids = database.column(f"SELECT id FROM conversations WHERE {where}", values)
    if not ids:
        return 0, []
    listed = (json_array(ids),)
    inside = "conversation IN (SELECT value FROM json_each(?))"
    hashes = database.column(f"SELECT DISTINCT hash FROM exchanges WHERE {inside}", listed)
    database.run(
        f"DELETE FROM exchange_text WHERE rowid IN (SELECT seq FROM exchanges WHERE {inside})",
        listed,
    )
    database.run("DELETE FROM conversations WHERE id IN (SELECT value FROM json_each(?))", listed)
    return len(ids), hashes


def _drop_vectors(database: Database, hashes: Iterable[bytes]) -> None:
    """Delete the vectors of texts that no exchange has any more."""
    database.connection.executemany(
        "DELETE FROM vectors WHERE hash = ?1 AND part IN (SELECT id FROM vector_parts "
        "WHERE source = 'exchange') AND NOT EXISTS (SELECT 1 FROM exchanges WHERE hash = ?1)",
        [(hash,) for hash in hashes],
    )


def merge_exchange_text_index(database: Database) -> None:
    """Merge the full-text indexes of memories and exchanges, so that no deleted words remain."""
    derived_rows.merge_memory_text_index(database)
    database.connection.execute("INSERT INTO exchange_text (exchange_text) VALUES ('optimize')")


def rebuild_exchange_text_index(database: Database) -> None:
    """Make all exchanges (questions and answers) searchable anew, from their rows."""
    definition = database.value("SELECT sql FROM sqlite_schema WHERE name = 'exchange_text'")
    database.run("DROP TABLE exchange_text")
    database.run(definition)
    last = 0
    while rows := database.rows(
        "SELECT seq, user, assistant, tools FROM exchanges WHERE seq > ? ORDER BY seq LIMIT 200",
        (last,),
    ):
        for seq, user, assistant, tools in rows:
            paths = sorted({path for call in parse_tool_calls(tools) for path in call.paths})
            _add_text(database, seq, user, assistant, paths)
        last = rows[-1][0]


# --- reading ------------------------------------------------------------------------------------


def read_conversations(database: Database, conversation_ids: Iterable[str]) -> list[Conversation]:
    """The conversations with exactly these ids, sorted by id, which is by when they began."""
    return _conversations(
        database,
        "WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
        (json_array(conversation_ids),),
    )


def conversations_by_prefix(
    database: Database, id_prefix: str, limit: int = 6
) -> list[Conversation]:
    """Conversations whose id, or whose id in the agent program, begins with ``id_prefix``."""
    return _conversations(
        database,
        "WHERE id BETWEEN ?1 AND ?2 OR substr(session, 1, length(?3)) = ?3 ORDER BY id LIMIT ?4",
        (id_prefix.upper(), largest_id_with_prefix(id_prefix.upper()), id_prefix, limit),
    )


def recent_conversations(
    database: Database, limit: int, *, host: str = "", session: str = ""
) -> list[Conversation]:
    """At most ``limit`` conversations that have any exchange, the last begun first.

    ``host`` limits them to an agent program (``codex``), ``session`` to its session of this id.
    """
    return _conversations(
        database,
        "WHERE ?1 IN ('', host) AND ?2 IN ('', session) AND EXISTS "
        "(SELECT 1 FROM exchanges WHERE conversation = id) ORDER BY started_at DESC, id LIMIT ?3",
        (host, session, limit),
    )


def conversations_without_session(
    database: Database, limit: int, *, agent: str = ""
) -> list[Conversation]:
    """At most ``limit`` conversations of which gitmem has no session, the last active first.

    ``agent`` limits them to an agent program; empty: any.
    """
    return _conversations(
        database,
        "WHERE ?1 IN ('', host) AND session NOT IN (SELECT client_id FROM sessions) AND EXISTS "
        "(SELECT 1 FROM exchanges WHERE conversation = id) ORDER BY ended_at DESC, id LIMIT ?2",
        (agent, limit),
    )


def _conversations(database: Database, rest: str, values: tuple[object, ...]) -> list[Conversation]:
    rows = database.rows(f"SELECT {sealed_columns(_TABLE)} FROM {_TABLE} {rest}", values)
    return [Conversation(*row) for row in rows_with_valid_seal(database, _TABLE, rows)]


def read_exchanges(
    database: Database, conversation_id: str, first_number: int = 1, last_number: int = 1 << 60
) -> list[Exchange]:
    """The exchanges (question and answer) of a conversation with the given numbers, in order.

    Both ends are included; they are numbered from 1.
    """
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM exchanges WHERE conversation = ? AND number BETWEEN ? AND ? "
        "ORDER BY number",
        (conversation_id, first_number, last_number),
    )
    return [exchange_from_row(row) for row in rows_with_valid_seal(database, "exchanges", rows)]


def exchanges_by_row(database: Database, row_numbers: Iterable[int]) -> dict[int, Exchange]:
    """A dict: row number -> exchange (question and answer), for the row numbers that exist."""
    listed = ",".join(map(str, row_numbers))
    exchanges: dict[int, Exchange] = {}
    for seq, *row in database.rows(
        f"SELECT seq, {_COLUMNS} FROM exchanges "
        "WHERE seq IN (SELECT value FROM json_each(?)) ORDER BY seq",
        (f"[{listed}]",),
    ):
        for accepted in rows_with_valid_seal(database, "exchanges", [tuple(row)]):
            exchanges[seq] = exchange_from_row(accepted)
    return exchanges


def exchange_from_row(row: Row) -> Exchange:
    """The exchange in a row of the columns of ``Exchange``, without a seal (proof of origin)."""
    id, number, user, assistant, tools, at, parent, model = row
    return Exchange(id, number, user, assistant, parse_tool_calls(tools), at, parent, model)


def parse_tool_calls(json_text: str) -> tuple[ToolCall, ...]:
    """The tool calls in a JSON text: a list of [name, paths, outcome]."""
    return tuple(
        ToolCall(name, tuple(paths), outcome)
        for name, paths, outcome in json_reader.loads(json_text)
    )


def count_exchanges_of_conversation(database: Database, conversation_id: str) -> int:
    """The number of exchanges (question and answer) of a conversation."""
    return int(
        database.value("SELECT count(*) FROM exchanges WHERE conversation = ?", (conversation_id,))
    )
