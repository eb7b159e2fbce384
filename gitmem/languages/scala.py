"""Scala: names are known by their package, which a file declares whatever its folder."""

from __future__ import annotations

from gitmem.languages.binding_patterns import COLON
from gitmem.languages.record import ALL, ImportedName, Language
from gitmem.languages.tree_paths import find_no_import_targets


def _read_import(words: str, _module: str, _before: str) -> list[ImportedName]:
    """``import a.b.C``, ``a.b._``, ``a.b.{C, D => E, F as G, H => _}``; several by commas."""
    body = words.partition("import")[2]
    found: list[ImportedName] = []
    while body.strip(", \n"):
        path, brace, rest = body.strip(", \n").partition("{")
        if not brace or "," in path:
            clause, _, body = body.strip(", \n").partition(",")
            space, _, name = clause.strip().rpartition(".")
            found += _selected(space, name)
            continue
        listed, _, body = rest.partition("}")
        for part in listed.split(","):
            found += _selected(path.strip().rstrip("."), part.strip())
    return found


def _selected(space: str, part: str) -> list[ImportedName]:
    name, *alias = part.replace("=>", " as ").split(" as ")
    name, here = name.strip(), (alias[0].strip() if alias else name.strip())
    if name in ("_", "*", "given"):
        return [(space, ALL, "")]
    return [(space, name, here)] if space and name and here != "_" else []


LANGUAGE = Language(
    name="scala",
    written="Scala",
    files="scala sc sbt",
    programs="scala",
    wheel="tree_sitter_scala",
    exports="open",
    calls={"call_expression": ("function",)},
    members=frozenset({"field_expression"}),
    resolve=find_no_import_targets,
    read_import=_read_import,
    bindings=(
        COLON,
        rb"\b(?:val|var)[ \t]+(?P<name>NAME)[ \t]*=[ \t]*new[ \t]+(?P<value>PATH)(?P<call>)",
    ),
    shared="namespace",
    packages=True,
    bare_members=True,
    family="jvm",
)
