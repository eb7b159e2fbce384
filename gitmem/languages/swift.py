"""Swift."""

from __future__ import annotations

from gitmem.languages.record import Language

LANGUAGE = Language(
    name="swift",
    written="Swift",
    files="swift",
    programs="swift",
    wheel="tree_sitter_swift",
)
