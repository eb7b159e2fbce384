"""Seals: keyed hashes that prove that a row was written by this store.

A plain hash shows that a row is undamaged, and anybody can compute it. The key is in the user's
data folder (``store.file.registration``), so a row that came with a file, or was slipped into a
copy of it, has no valid seal. A seal holds for one table and one content: copied to another row it
is not valid.
"""

from __future__ import annotations

from gitmem.text.digest import blake2b

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.store.db.connection import Database

_BYTES = 16
# Notes of the store: of this log only sealed lines are accepted. Until a drain has set the note,
# lines that an older gitmem of the user wrote are accepted too.
SESSIONS, SPOOL = "sealed_sessions", "sealed_spool"


def seal_of_memory(database: Database, content_hash: bytes) -> bytes:
    """The seal of a memory's row: 16 bytes that prove that this store wrote this content."""
    return make_seal(database.key, "memories", content_hash)


def seal_of_row(database: Database, table: str, values: Sequence[object]) -> bytes:
    """The seal of a table's row: 16 bytes that prove that this store wrote these values."""
    return seal_of_values(database.key, table, values)


def is_memory_seal_valid(database: Database, content_hash: bytes, seal: object) -> bool:
    """Whether this store wrote a memory's row, by its seal; always if ``database.unsealed``."""
    return database.unsealed or seal == seal_of_memory(database, content_hash)


def is_row_seal_valid(
    database: Database, table: str, values: Sequence[object], seal: object
) -> bool:
    """Whether this store wrote a row, by its values and seal; always if ``database.unsealed``."""
    return database.unsealed or seal == seal_of_row(database, table, values)


def seal_of_store(key: bytes, store_id: str) -> str:
    """The text (hex) stored in a store to check whether a key is that of the store."""
    return make_seal(key, "store", store_id.encode("utf-8", "surrogatepass")).hex()


def seal_of_session_hook_line(key: bytes, line: bytes) -> str:
    """The proof of origin (hex) that a session hook writes after a line of its log."""
    return make_seal(key, "note", line).hex()


def seal_of_export(key: bytes, export_body: bytes) -> str:
    """The proof of origin (hex) for an export's first line, made from the lines below it."""
    return make_seal(key, "export", export_body).hex()


def derive_log_line_token(key: bytes) -> str:
    """The secret word (hex) that begins log lines of shell scripts; empty without a key."""
    return make_seal(key, "spool", b"").hex() if key else ""


def seal_of_values(key: bytes, table: str, values: Sequence[object]) -> bytes:
    """The seal of a table's row: 16 bytes that prove that the holder of ``key`` wrote it."""
    texts = [f"{type(value).__name__}{len(str(value))}:{value}" for value in values]
    return make_seal(key, table, "".join(texts).encode("utf-8", "surrogatepass"))


def make_seal(key: bytes, table: str, content: bytes) -> bytes:
    """A 16-byte keyed hash of ``content``, which only the holder of ``key`` can make.

    ``table`` tells different uses of a key apart. The key must not be empty.
    """
    # Without a key it would be a hash that everybody can compute.
    assert key, "a store is sealed with its key"
    return blake2b(content, key=key, digest_size=_BYTES, person=table.encode()).digest()
