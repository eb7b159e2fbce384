"""Summaries that a model wrote of conversations and their parts, by the hash of its input."""

from __future__ import annotations

from gitmem.model.exchange import Conversation
from gitmem.model.frozen import replace
from gitmem.store.db.columns import insert_statement
from gitmem.store.db.redaction_gate import redact_text
from gitmem.store.db.sealed_rows import values_with_seal

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from gitmem.store.db.connection import Database

_ADD = insert_statement(
    "conversation_summaries", ("hash", "conversation", "text"), verb="INSERT OR REPLACE"
)


def summary_by_text_hash(database: Database, text_hash: bytes) -> str:
    """The summary that a model wrote of the text with this hash; empty if none is stored."""
    sql = "SELECT text FROM conversation_summaries WHERE hash = ?"
    return database.value(sql, (text_hash,)) or ""


def add_summary_of_text(
    database: Database, text_hash: bytes, conversation_id: str, summary: str
) -> None:
    """Store the summary of a part of a conversation under the hash of that part's text.

    Secrets are redacted. In a transaction of the caller.
    """
    database.run(_ADD, (text_hash, conversation_id, redact_text(summary)))


def set_conversation_summary(database: Database, conversation: Conversation, summary: str) -> None:
    """Store the summary of a whole conversation, secrets redacted. In a caller's transaction."""
    summarised = replace(conversation, summary=redact_text(summary))
    values = [getattr(summarised, name) for name in Conversation.__slots__]
    *_, seal = values_with_seal(database, "conversations", values)
    database.run(
        "UPDATE conversations SET summary = ?, seal = ? WHERE id = ?",
        (summarised.summary, seal, conversation.id),
    )
