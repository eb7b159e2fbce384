"""C#: documentation in XML."""

from __future__ import annotations

from gitmem.languages.binding_patterns import MADE, TYPE_FIRST
from gitmem.languages.record import Language

LANGUAGE = Language(
    name="csharp",
    written="C#",
    files="cs csx",
    also="c#",
    wheel="tree_sitter_c_sharp",
    noise=r"</?\w[^<>]*>",
    calls={"invocation_expression": ("function",), "object_creation_expression": ("type",)},
    members=frozenset({"member_access_expression"}),
    bindings=(TYPE_FIRST, MADE),
)
