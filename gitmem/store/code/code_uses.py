"""The imports, calls and bindings of a file, stored with its blob for making the code graph.

One row for each file, since it is only read as a whole; compressed to a fifth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gitmem.store.db.connection import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.store.code.symbol_rows import UseRow


def add_name_uses(database: Database, blob_row_number: int, name_uses: Iterable[UseRow]) -> None:
    """Store a file's uses of names, (line, kind, three texts) as in ``indexing.syntax.values``."""
    from zlib import compress  # noqa: PLC0415 - only where files are indexed

    rows = list(name_uses)
    text = "\n".join([f"{use[0]}\t{use[1]}\t{use[2]}\t{use[3]}\t{use[4]}" for use in rows])
    if (text.count("\t"), text.count("\n")) != (4 * len(rows), len(rows) - 1) or "\r" in text:
        text = "\n".join("\t".join(map(_field, use)) for use in rows)
    database.connection.execute(
        "INSERT OR REPLACE INTO code_uses (blob, uses) VALUES (?,?)",
        (blob_row_number, compress(text.encode("utf-8", "replace"), 1)),
    )


def name_uses_of_blob(database: Database, blob_row_number: int) -> list[UseRow]:
    """A file's uses of names as (line, kind, three texts), see ``indexing.syntax.values``."""
    packed = database.value("SELECT uses FROM code_uses WHERE blob = ?", (blob_row_number,))
    return list(_unpacked(packed)) if packed else []


def _unpacked(packed: bytes) -> Iterator[UseRow]:
    from zlib import decompress  # noqa: PLC0415 - as above

    for row in decompress(packed).decode().split("\n"):
        line, kind, first, second, third = row.split("\t")
        yield int(line), kind, first, second, third


def _field(value: object) -> str:
    return str(value).replace("\t", " ").replace("\n", " ").replace("\r", " ")
