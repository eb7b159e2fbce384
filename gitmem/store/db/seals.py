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
    """The seal (a keyed hash that proves who wrote it) of a memory's row, from its content hash."""
    return make_seal(database.key, "memories", content_hash)


def seal_of_row(database: Database, table: str, values: Sequence[object]) -> bytes:
    """The seal (a keyed hash that proves who wrote it) of a row, made from all its values."""
    return seal_of_values(database.key, table, values)


def is_memory_seal_valid(database: Database, content_hash: bytes, seal: object) -> bool:
    """Whether the seal of a memory's row was made with this store's key."""
    return database.unsealed or seal == seal_of_memory(database, content_hash)


def is_row_seal_valid(
    database: Database, table: str, values: Sequence[object], seal: object
) -> bool:
    """Whether the seal of a row of another table was made with this store's key."""
    return database.unsealed or seal == seal_of_row(database, table, values)


def seal_of_store(key: bytes, store_id: str) -> str:
    """The seal that a store keeps of its own key, to check whether a key fits."""
    return make_seal(key, "store", store_id.encode("utf-8", "surrogatepass")).hex()


def seal_of_session_hook_line(key: bytes, line: bytes) -> str:
    """The seal at the end of a line that a session hook wrote, made of the rest of the line."""
    return make_seal(key, "note", line).hex()


def seal_of_export(key: bytes, export_body: bytes) -> str:
    """The seal in the first line of an export, by which the store recognises its own exports."""
    return make_seal(key, "export", export_body).hex()


def shell_script_log_token(key: bytes) -> str:
    """The secret word that log lines of shell scripts begin with, since a script cannot make seals.

    Empty without a key.
    """
    return make_seal(key, "spool", b"").hex() if key else ""


def seal_of_values(key: bytes, table: str, values: Sequence[object]) -> bytes:
    """The seal of a row's values, made with a key."""
    texts = [f"{type(value).__name__}{len(str(value))}:{value}" for value in values]
    return make_seal(key, table, "".join(texts).encode("utf-8", "surrogatepass"))


def make_seal(key: bytes, table: str, content: bytes) -> bytes:
    """A keyed hash of some bytes for a table, which only the holder of the key can make."""
    # Without a key it would be a hash that everybody can compute.
    assert key, "a store is sealed with its key"
    return blake2b(content, key=key, digest_size=_BYTES, person=table.encode()).digest()
