"""A hash of a store's schema, by which objects that gitmem did not make are noticed."""

from __future__ import annotations

import apsw

from gitmem.store.db import schema
from gitmem.text.digest import sha256


def fingerprint(connection: apsw.Connection) -> str:
    """SHA-256 over the definition of every object in the file.

    Without the shadow tables of full-text indexes, which SQLite defines, and automatic indexes.
    """
    shadows = {table + suffix for table in schema.FULL_TEXT for suffix in schema.SHADOWS}
    lines = []
    for kind, name, table, sql in connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
    ):
        if kind == "table" and name in shadows:
            continue
        if sql is None and name.startswith("sqlite_autoindex_"):
            continue
        lines.append(f"{kind}\0{name}\0{table}\0{sql}")
    return sha256("\1".join(lines).encode("utf-8", "surrogatepass")).hexdigest()
