"""Scala."""

from __future__ import annotations

from gitmem.languages.record import Language

LANGUAGE = Language(
    name="scala",
    written="Scala",
    files="scala sc sbt",
    programs="scala",
    wheel="tree_sitter_scala",
    exports="open",
    calls={"call_expression": ("function",)},
    members=frozenset({"field_expression"}),
    family="jvm",
)
