"""Kotlin: packages and imports as in Java; functions may stand outside the type they extend."""

from __future__ import annotations

from gitmem.languages import java
from gitmem.languages.binding_patterns import COLON, MADE
from gitmem.languages.record import Language

LANGUAGE = Language(
    name="kotlin",
    written="Kotlin",
    files="kt kts",
    programs="kotlin",
    wheel="tree_sitter_kotlin",
    exports="open",
    resolve=java.resolve_java_import,
    read_import=java.parse_java_import,
    bindings=(COLON, MADE),
    shared="folder",
    source_root=java.LANGUAGE.source_root,
    packages=True,
    scattered=True,
    bare_members=True,
    family="jvm",
)
