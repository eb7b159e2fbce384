"""Which name of a module an import makes known, and under which name it is known in the file.

The query tells the module and where the statement stands; what it is called here (``as``) stands
in the statement's own words.
"""

from __future__ import annotations

from re import DOTALL, compile

from gitmem.indexing.syntax import import_time
from gitmem.languages import registry
from gitmem.languages.record import ALL, Taken

_STATEMENT = 64_000
_COMMENT = compile(r"#[^\n]*|//[^\n]*|/\*.*?\*/", DOTALL)


def taken(
    grammar: str, data: bytes, span: tuple[int, int], module: str, kind: str
) -> list[tuple[str, Taken]]:
    """(kind, (module, name in it, name here)) for each name that a statement makes known.

    ``span`` has the first and last byte of the statement, ``kind`` is how it stands there; what is
    a type alone by its words is a type-import. The name is "" for the module itself and ``*`` for
    all of its names; the name here is "" where there is none.
    """
    start, stop = span
    words = data[start : min(stop, start + _STATEMENT)].decode("utf-8", "replace")
    language = registry.find(grammar)
    if language.read_import is None:
        return [(kind, (module, ALL, ""))]
    words = _COMMENT.sub(" ", words)
    before = data[max(0, start - 400) : start].decode("utf-8", "replace")
    names = language.read_import(words, module, before)
    if not language.exports_alone:
        return [(kind, one) for one in names]
    types = import_time.types_of(words.lstrip())
    return [(import_time.TYPES if types is None or one[2] in types else kind, one) for one in names]
