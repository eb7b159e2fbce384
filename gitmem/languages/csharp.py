"""C#: types are known by their namespace, whatever the folder; documentation in XML."""

from __future__ import annotations

from re import match

from gitmem.languages.binding_patterns import MADE, TYPE_FIRST
from gitmem.languages.record import ALL, ImportedName, Language
from gitmem.languages.tree_paths import find_no_import_targets


def _read_import(words: str, module: str, _before: str) -> list[ImportedName]:
    """``using A.B;``, ``using static A.B.C;`` and ``using C = A.B.C;``."""
    alias = match(r"(?:global\s+)?using\s+(\w+)\s*=", words)
    if alias:
        space, _, name = module.rpartition(".")
        return [(space, name, alias[1])]
    static = match(r"(?:global\s+)?using\s+static\s", words)
    return [(module, "static *" if static else ALL, "")]


LANGUAGE = Language(
    name="csharp",
    written="C#",
    files="cs csx",
    also="c#",
    wheel="tree_sitter_c_sharp",
    # Of a tag that stands for a name, that name is text.
    noise=r'<(?:see|seealso|paramref|typeparamref)\s+\w+="(?=[^"<>]*"\s*/>)|"\s*/>|</?\w[^<>]*>',
    # Of `#if` in a list of bases or of arguments the grammar makes types and calls.
    blanked=rb"(?m)^[ \t]*#[ \t]*(?:if|elif|else|endif|region|endregion|pragma|nullable)\b[^\n]*",
    calls={"invocation_expression": ("function",), "object_creation_expression": ("type",)},
    members=frozenset({"member_access_expression"}),
    resolve=find_no_import_targets,
    read_import=_read_import,
    bindings=(TYPE_FIRST, MADE),
    shared="namespace",
    packages=True,
    scattered=True,
    bare_members=True,
    type_first=True,
)
