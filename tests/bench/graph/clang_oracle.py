"""What clang says each call and each ``#include`` of a C or C++ repository leads to, as JSON lines.

``python -m tests.bench.graph.clang_oracle FOLDER [-I FOLDER] [-D NAME] [--below FOLDER]``; needs
``pip install libclang``. A file that does not compile here is read as far as clang understands it.
What stands in code that the preprocessor leaves out is not judged.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.bench.graph.tree import tracked

ENDINGS = (".c", ".cc", ".cpp", ".cxx")
Place = tuple[str, int, str]


class Reader:
    """Calls, includes and definitions of translation units, each place once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.known = set(tracked(root))
        self.calls: dict[Place, tuple[bool, set[str]]] = {}
        self.declared: dict[str, str] = {}  # what is called -> the file that declares it
        self.includes: dict[tuple[str, int], str] = {}
        self.defined: dict[str, set[tuple[str, str]]] = defaultdict(set)

    def read(self, unit: Any) -> None:
        """Take in what one translation unit says."""
        for include in unit.get_includes():
            if include.depth and (source := self.inside(include.source)):
                self.includes[source, include.location.line] = self.inside(include.include)
        todo = [unit.cursor]
        while todo:
            cursor = todo.pop()
            todo += [child for child in cursor.get_children() if self._here(cursor, child)]
            self._take(cursor)

    def _here(self, above: Any, cursor: Any) -> bool:
        # Of a unit itself the system's headers hold most: they are not read.
        return above.kind.name != "TRANSLATION_UNIT" or bool(self.inside(cursor.location.file))

    def inside(self, file: Any) -> str:
        """The path of a file in the repository, "" of one outside."""
        if file is None:
            return ""
        path = os.path.relpath(os.path.realpath(file.name), self.root)
        return path if path in self.known else ""

    def _take(self, cursor: Any) -> None:
        kind = cursor.kind.name
        if kind in ("MACRO_DEFINITION", *FUNCTIONS) and (
            kind == "MACRO_DEFINITION" or cursor.is_definition()
        ):
            if path := self.inside(cursor.location.file):
                self.defined[cursor.get_usr()].add((path, cursor.spelling))
        elif kind == "MACRO_INSTANTIATION" and self._called(cursor):
            self._note(cursor, cursor.location, method=False)
        elif kind == "CALL_EXPR" and cursor.referenced is not None and cursor.spelling:
            for child in list(cursor.get_children())[:1]:
                method = cursor.referenced.kind.name == "CXX_METHOD"
                self._note(cursor, self._named(child, cursor.spelling), method=method)

    def _named(self, callee: Any, name: str) -> Any:
        """Where the name of what is called stands."""
        tokens = [token for token in callee.get_tokens() if token.spelling == name]
        return tokens[-1].location if tokens else None

    def _called(self, macro: Any) -> bool:
        return any(token.spelling == "(" for token in list(macro.get_tokens())[1:2])

    def _note(self, cursor: Any, location: Any, *, method: bool) -> None:
        target = cursor.referenced
        path = self.inside(location.file) if location is not None else ""
        if not path or target is None or target.kind.name not in CALLED:
            return
        self.declared[target.get_usr()] = self.inside(target.location.file)
        key = (path, location.line, cursor.spelling)
        self.calls.setdefault(key, (method, set()))[1].add(target.get_usr())


FUNCTIONS = ("FUNCTION_DECL", "CXX_METHOD", "CONSTRUCTOR", "FUNCTION_TEMPLATE")
CALLED = (*FUNCTIONS, "MACRO_DEFINITION")


def rows(reader: Reader) -> Iterator[dict[str, object]]:
    """A line for each call and each include."""
    for (path, line, name), (method, usrs) in sorted(reader.calls.items()):
        targets = sorted({(place, name) for usr in usrs for place in _places(reader, usr, method)})
        yield {"path": path, "line": line, "name": name, "method": method, "targets": targets}
    for (path, line), target in sorted(reader.includes.items()):
        yield {"path": path, "line": line, "import": [target] if target else []}


def _places(reader: Reader, usr: str, method: bool) -> set[str]:
    """The files that define what is called; of a method the one with its class as well."""
    bodies = {path for path, _ in reader.defined.get(usr, ())}
    declared = reader.declared[usr]
    return bodies | {declared} if method or not bodies else bodies


def system_headers(language: str) -> list[str]:
    """The folders that the compiler of this machine looks for headers in."""
    run = subprocess.run(
        ["gcc", "-E", "-x", language, "-v", os.devnull], capture_output=True, text=True, check=True
    )
    listed = run.stderr.partition("<...> search starts here:")[2].partition("End of search")[0]
    return [word for item in listed.split() for word in ("-isystem", item)]


def main() -> None:
    from clang import cindex

    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    options.add_argument("-I", dest="headers", action="append", default=[])
    options.add_argument("-D", dest="names", action="append", default=[])
    options.add_argument("--below", default="")
    query = options.parse_args()
    root = query.folder.resolve()
    reader = Reader(root)
    index = cindex.Index.create()
    for path in sorted(reader.known):
        if not path.endswith(ENDINGS) or not path.startswith(query.below):
            continue
        language = "c" if path.endswith(".c") else "c++"
        standard = ["-std=gnu11"] if language == "c" else ["-std=c++17"]
        flags = [f"-I{root / header}" for header in query.headers] + [
            f"-D{name}" for name in query.names
        ]
        arguments = ["-x", language, *standard, *flags, *system_headers(language)]
        unit = index.parse(
            str(root / path),
            args=arguments,
            options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD,
        )
        reader.read(unit)
    for row in rows(reader):
        print(json.dumps(row))


if __name__ == "__main__":
    main()
