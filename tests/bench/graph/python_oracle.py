"""What jedi says each call of a Python repository calls, as JSON lines.

``python -m tests.bench.graph.python_oracle FOLDER [--most N]``; needs ``pip install jedi``.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tests.bench.graph.tree import tracked

Place = tuple[str, int, int, str, bool]  # path, line, column, name, whether on something


def calls(root: Path) -> Iterator[Place]:
    """Every call by its name's position; lines from 1, columns from 0."""
    for path, node in _nodes(root):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name):
            yield path, node.func.lineno, node.func.col_offset, node.func.id, False
        elif isinstance(node.func, ast.Attribute):
            name = node.func.attr
            end = node.func.end_col_offset or 0
            yield path, node.func.end_lineno or 0, end - len(name), name, True


def imports(root: Path) -> Iterator[tuple[str, int, int, int]]:
    """Every imported name: path, the statement's line, the name's line and column."""
    for path, node in _nodes(root):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for name in node.names:
                if name.name != "*":
                    end = name.col_offset + len(name.name) - 1
                    yield path, node.lineno, name.lineno, end


def _nodes(root: Path) -> Iterator[tuple[str, ast.AST]]:
    """The syntax nodes of all tracked files that Python can parse, each with its path."""
    for path in tracked(root):
        if not path.endswith(".py"):
            continue
        try:
            tree = ast.parse((root / path).read_text())
        except (SyntaxError, UnicodeDecodeError):
            continue
        yield from ((path, node) for node in ast.walk(tree))


@cache
def defined(root: Path, path: str) -> set[str]:
    """The names of all functions and classes in a file."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    tree = ast.parse((root / path).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, kinds)}


def goto(script: Any, line: int, column: int) -> list[Any]:
    """What a name leads to; nothing where jedi fails, as it does on imports in a circle."""
    try:
        return list(script.goto(line, column, follow_imports=True))
    except Exception as error:
        print(f"{script.path}:{line}: {error!r}", file=sys.stderr)
        return []


def main() -> None:
    import jedi

    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    options.add_argument("--most", type=int, default=1_500)
    query = options.parse_args()
    root = query.folder.resolve()
    places = list(calls(root))
    random.Random(20).shuffle(places)
    project = jedi.Project(root, added_sys_path=[str(root / "src")])
    scripts: dict[str, jedi.Script] = {}

    def script_of(path: str) -> jedi.Script:
        if path not in scripts:
            scripts[path] = jedi.Script(path=root / path, project=project)
        return scripts[path]

    taken = list(imports(root))
    random.Random(20).shuffle(taken)
    for path, statement, line, column in sorted(taken[: query.most]):
        found = goto(script_of(path), line, column)
        inside = [item.module_path for item in found if item.module_path]
        files = [str(item.relative_to(root)) for item in inside if item.is_relative_to(root)]
        print(json.dumps({"path": path, "line": statement, "import": sorted(set(files))}))
    for path, line, column, name, on in sorted(places[: query.most]):
        found = goto(script_of(path), line, column)
        targets = []
        for item in found:
            place = item.module_path
            inside = place is not None and Path(place).is_relative_to(root)
            saved = inside and item.type in ("function", "class", "property")
            targets.append(
                [str(Path(place).relative_to(root)), item.name] if saved else ["", item.name]
            )
        if any(place and end not in defined(root, place) for place, end in targets):
            targets = []  # an import that jedi did not follow to its end
        row = {"path": path, "line": line, "name": name, "method": on, "targets": targets}
        print(json.dumps(row))


if __name__ == "__main__":
    main()
