"""Seals: hashes under the store's key, by which a row is known to have been written here.

The hash of a row says that it is whole, and anybody can compute it. The key lies in the user's data
folder (``store.file.registration``), so that a row which came with the file, or was slipped into a
copy of it, has no seal that fits. A seal holds for one table and one content: copied to another row
it does not fit.
"""

from __future__ import annotations

from gitmem.text.digest import blake2b

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.store.db.connection import Database

_BYTES = 16
# Notes of the store: of this log no line is believed any more that is not sealed. Until a drain has
# said so, what an older gitmem of the user's wrote there waits.
SESSIONS, SPOOL = "sealed_sessions", "sealed_spool"


def of_memory(database: Database, content_hash: bytes) -> bytes:
    """The seal of a memory's row, made of the hash of its content."""
    return seal(database.key, "memories", content_hash)


def of_row(database: Database, table: str, values: Sequence[object]) -> bytes:
    """The seal of a row of another table, made of all it says."""
    return seal_values(database.key, table, values)


def fits_memory(database: Database, content_hash: bytes, seal: object) -> bool:
    """Whether a memory's row was sealed in this store."""
    return database.unsealed or seal == of_memory(database, content_hash)


def fits_row(database: Database, table: str, values: Sequence[object], seal: object) -> bool:
    """Whether a row of another table was sealed in this store."""
    return database.unsealed or seal == of_row(database, table, values)


def of_store(key: bytes, store: str) -> str:
    """What the store itself notes of its key, so that a key that was given is known to be its."""
    return seal(key, "store", store.encode("utf-8", "surrogatepass")).hex()


def of_note(key: bytes, note: bytes) -> str:
    """What ends a line that a session's hook noted, made of the rest of it."""
    return seal(key, "note", note).hex()


def of_export(key: bytes, body: bytes) -> str:
    """What the first line of an export says of the rest, so that the store knows it again."""
    return seal(key, "export", body).hex()


def token(key: bytes) -> str:
    """The word before each line that was noted here and that a shell cannot seal; empty: no key."""
    return seal(key, "spool", b"").hex() if key else ""


def seal_values(key: bytes, table: str, values: Sequence[object]) -> bytes:
    """The seal of what a row says under a key."""
    texts = [f"{type(value).__name__}{len(str(value))}:{value}" for value in values]
    return seal(key, table, "".join(texts).encode("utf-8", "surrogatepass"))


def seal(key: bytes, table: str, content: bytes) -> bytes:
    """The seal of some bytes under a key, in one table."""
    # Without a key it would be a hash that everybody can compute.
    assert key, "a store is sealed with its key"
    return blake2b(content, key=key, digest_size=_BYTES, person=table.encode()).digest()
