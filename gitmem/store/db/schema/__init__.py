"""The schema as SQL: numbered steps for canonical tables, two files for derived ones.

A new canonical step is a new file and a new entry in ``STEPS``; old files never change. The
derived half is dropped and made again whenever ``DERIVED_VERSION`` changes.
"""

from __future__ import annotations

import os

from gitmem.text.digest import sha256

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from apsw import Connection

STEPS = (
    "001_canonical.sql",
    "002_living.sql",
    "003_usage.sql",
    "004_seal.sql",
    "005_told.sql",
    "006_suggestions.sql",
    "007_sync.sql",
    "008_transcripts.sql",
    "009_review.sql",
    "010_summaries.sql",
)
VERSION = len(STEPS)
DERIVED_VERSION = 10

# The shadow tables of a full-text table, which SQLite defines.
SHADOWS = ("_data", "_idx", "_docsize", "_config", "_content")
# The derived half in two parts, in the order in which their tables can be dropped: what is made
# from the memories, and what is made from files and commits.
OF_MEMORIES = (
    "memory_text",
    "memory_turns",
    "memory_tags",
    "memory_marks",
    "verdicts",
    "elsewhere",
    "elsewhere_of",
)
OF_SOURCES = (
    "graph_edges",
    "graph_evidence",
    "graph_nodes",
    "graph_files",
    "graph_trees",
    "code_uses",
    "chunk_text",
    "paths",
    "chunks",
    "symbols",
    "refs",
    "imports",
    "blobs",
    "commit_text",
    "commit_message",
    "commit_issues",
    "commits",
    "trees",
    "vector_bits",
    "vectors",
    "vector_parts",
)
DERIVED_TABLES = (*OF_MEMORIES, *OF_SOURCES)
DERIVED_FILES = ("derived_memories.sql", "derived_sources.sql")
# Tables of transcripts: no copy outside the file has them, and they are read again from the files
# of agents' hosts.
OF_TRANSCRIPTS = (
    *("conversations", "exchanges", "exchange_paths", "exchange_text"),
    "conversation_summaries",
)
FULL_TEXT = ("memory_text", "chunk_text", "commit_text", "commit_message", "exchange_text")

# SHA-256 over every object gitmem defines (``schema_fingerprint``). A store whose objects
# differ was changed by another program and is not trusted.
FINGERPRINT = "92352e019c0bc29d4c50bfc498f5fe45b8558ba7f7db2d64b1a5efce41b05e1a"


def schema_sql(file_name: str) -> str:
    """The SQL in a file of this folder, such as ``001_canonical.sql``."""
    with open(os.path.join(os.path.dirname(__file__), file_name), encoding="utf-8") as file:
        return file.read()


def schema_fingerprint(connection: Connection) -> str:
    """The SHA-256 (hex) of all that a store's file defines: tables, indexes and so on.

    It shows whether the file has objects that gitmem did not make. Those that SQLite makes itself
    are left out.
    """
    shadows = {table + suffix for table in FULL_TEXT for suffix in SHADOWS}
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
