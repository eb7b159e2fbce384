"""The schema as SQL text: numbered steps for the canonical half, two files for the derived half.

A new canonical step is a new file and a new entry in ``STEPS``; old files never change. The
derived half is dropped and made again whenever ``DERIVED_VERSION`` changes.
"""

from __future__ import annotations

import os

STEPS = (
    "001_canonical.sql",
    "002_living.sql",
    "003_usage.sql",
    "004_seal.sql",
    "005_told.sql",
    "006_suggestions.sql",
)
VERSION = len(STEPS)
DERIVED_VERSION = 5

# What each full-text table keeps beside itself; SQLite writes their definitions.
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
FULL_TEXT = ("memory_text", "chunk_text", "commit_text", "commit_message")

# SHA-256 over every object gitmem defines (see ``store.migrate.fingerprint``). A store whose
# objects differ was changed by somebody else and is not trusted.
FINGERPRINT = "34b8c554a5c32fa1587d19c2255a4d6d9e9fbb6fcd74d5e2510461f1595ca264"


def text(name: str) -> str:
    """The SQL of one schema file."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()
