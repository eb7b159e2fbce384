"""Which file of the program imports which, read from the text of each: imports in functions too."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from docs.pages.program import modules

_TEXTS = re.compile(r'"""(?:[^\\]|\\.)*?"""', re.DOTALL)
_IMPORT = re.compile(r"^[ \t]*((?:from|import) [^(\n]*(?:\([^)]*\))?)", re.MULTILINE)


@cache
def graph() -> dict[str, frozenset[str]]:
    """Module -> the modules of the program that it imports anywhere in its text."""
    return {name: frozenset(_imported(name, path)) for name, path in modules().items()}


def circles(imports: Mapping[str, frozenset[str]]) -> list[list[str]]:
    """Groups of modules that reach each other (Tarjan), each in order of the alphabet."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    waiting: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        number[name] = lowest[name] = len(number)
        waiting.append(name)
        for other in sorted(imports.get(name, ())):
            if other not in number:
                visit(other)
            if other in waiting:
                lowest[name] = min(lowest[name], lowest[other])
        if lowest[name] == number[name]:
            at = waiting.index(name)
            group = sorted(waiting[at:])
            del waiting[at:]
            if len(group) > 1 or name in imports.get(name, ()):
                found.append(group)

    for name in sorted(imports):
        if name not in number:
            visit(name)
    return sorted(found)


def _imported(name: str, path: Path) -> Iterator[str]:
    known = modules()
    text = _TEXTS.sub("", path.read_text(encoding="utf-8"))
    imports = "\n".join(_IMPORT.findall(text))  # parsing all the rest costs two seconds
    for node in ast.parse(imports).body:
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module in known:
            inner = [f"{node.module}.{name.name}" for name in node.names]
            files = [item for item in inner if item in known]
            yield from files
            # A name that is no module comes from the package's own file. Importing a module of a
            # package runs that file too, but asks nothing of it.
            if len(files) < len(inner) and node.module != name:
                yield node.module
