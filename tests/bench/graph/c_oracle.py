"""What clang says each call of a C repository calls, as JSON lines.

``python -m tests.bench.graph.c_oracle FOLDER``; needs ``pip install libclang``. Without the
project's own build: headers that are not in the repository stay unknown.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.bench.graph.tree import tracked


def main() -> None:
    from clang import cindex

    root = Path(sys.argv[1]).resolve()
    paths = [path for path in tracked(root) if path.endswith((".c", ".h"))]
    folders = sorted({str((root / path).parent) for path in paths})
    options = [f"-I{folder}" for folder in folders]
    index = cindex.Index.create()
    calls: dict[tuple[str, int, str], tuple[str, bool]] = {}
    bodies: dict[str, set[str]] = {}
    for path in paths:
        if not path.endswith(".c"):
            continue
        unit = index.parse(str(root / path), args=options)
        for node in _walk(unit.cursor):
            place = _inside(root, node)
            if not place:
                continue
            if node.kind == cindex.CursorKind.FUNCTION_DECL and node.is_definition():
                bodies.setdefault(node.spelling, set()).add(place)
            elif node.kind == cindex.CursorKind.CALL_EXPR and node.spelling:
                target = node.referenced
                known = target is not None and target.kind == cindex.CursorKind.FUNCTION_DECL
                said = _inside(root, target) if known else ""
                calls[place, node.location.line, node.spelling] = (said, known)
    for (path, line, name), (declared, known) in sorted(calls.items()):
        places = bodies.get(name) or ({declared} if declared else set())
        targets = [[one, name] for one in places] if known and declared else [["", name]]
        row = {"path": path, "line": line, "name": name, "method": False, "targets": targets}
        print(json.dumps(row))


def _walk(node: object) -> Iterator[object]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(one.get_children())


def _inside(root: Path, node: object) -> str:
    file = node.location.file if node is not None else None
    if file is None:
        return ""
    place = Path(file.name).resolve()
    return str(place.relative_to(root)) if place.is_relative_to(root) else ""


if __name__ == "__main__":
    main()
