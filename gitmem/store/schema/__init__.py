"""The schema as SQL text: numbered steps for the canonical half, one file for the derived half.

A new canonical step is a new file and a new entry in ``STEPS``; old files never change. The
derived half is dropped and made again whenever ``DERIVED_VERSION`` changes.
"""

from __future__ import annotations

import os

STEPS = ("001_canonical.sql",)
VERSION = len(STEPS)
DERIVED_VERSION = 1

# What each full-text table keeps beside itself; SQLite writes their definitions.
SHADOWS = ("_data", "_idx", "_docsize", "_config", "_content")
FULL_TEXT = ("memory_text",)
DERIVED_TABLES = ("memory_text", "memory_tags")

# SHA-256 over every object gitmem defines (see ``store.migrate.fingerprint``). A store whose
# objects differ was changed by somebody else and is not trusted.
FINGERPRINT = "084a3164571c76e6fda61da97bdec681640011aade558a625a74b56d0974dd82"


def text(name: str) -> str:
    """The SQL of one schema file."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()
