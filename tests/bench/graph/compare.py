"""Edges of calls against an oracle's: precision, recall by kind of call, and what they disagree on.

``python -m tests.bench.graph.compare FOLDER ORACLE.jsonl [--show N]``

An oracle's line says of a call (path, line, name) which definitions it calls: pairs of path and
name, with an empty path for what is outside of the repository, none where it does not know. Judged
are the calls that it knows. A class and its constructor count as one. Of an import (path, line) it
says to which files of the repository it leads, none where it leads out of it.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gitmem.graph import file_edges
from gitmem.graph.values import IMPORTS, SURE, CodeEdge
from tests.bench.graph import tree

CONSTRUCTORS = ("__init__", "constructor", "__construct", "<init>", "new")


def edges(root: Path) -> list[CodeEdge]:
    """All edges of a folder."""
    project = tree.project(root)
    return [
        edge
        for path in sorted(project.tree.paths)
        for edge in file_edges.code_edges_of_file(project, path)
    ]


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    options.add_argument("oracle", type=Path)
    options.add_argument("--show", type=int, default=0)
    query = options.parse_args()
    ours: dict[tuple[str, int, str], list[CodeEdge]] = defaultdict(list)
    taken: dict[tuple[str, int], set[str]] = defaultdict(set)
    for edge in edges(query.folder):
        if edge.kind in IMPORTS and edge.confidence >= SURE:
            taken[edge.source_path, edge.line].add(edge.target_path)
        elif edge.kind == "call":
            ours[edge.source_path, edge.line, _called(edge)].append(edge)
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    missed: list[str] = []
    for row in map(json.loads, query.oracle.read_text().splitlines()):
        if "import" in row:
            _judge_import(row, taken, counts, wrong, missed)
        else:
            _judge(row, ours, counts, wrong, missed)
    _tell(counts)
    for title, lines in (("wrong", wrong), ("missed", missed)):
        for line in lines[:: max(len(lines) // max(query.show, 1), 1)][: query.show]:
            print(f"{title}: {line}")


def _called(edge: CodeEdge) -> str:
    """The name by which an edge's target is called: of a constructor the class."""
    parts = edge.target.split(".")
    return parts[-2] if len(parts) > 1 and parts[-1] in CONSTRUCTORS else parts[-1]


def _judge(
    row: dict[str, object],
    ours: dict[tuple[str, int, str], list[CodeEdge]],
    counts: Counter[str],
    wrong: list[str],
    missed: list[str],
) -> None:
    path, line, name = str(row["path"]), row["line"], str(row["name"])
    targets = {(place, message) for place, message in row["targets"]}  # type: ignore[attr-defined]
    assert isinstance(line, int)
    found = [item for item in ours.get((path, line, name), ()) if item.confidence >= SURE]
    place = f"{path}:{line} {name}"
    if not targets:
        counts["unjudged"] += bool(found)
        return
    right = [item for item in found if _right(item, targets)]
    if found:
        counts["told"] += 1
        counts["right"] += bool(right)
        if not right:
            wrong.append(f"{place} -> {found[0].target_path}:{found[0].target}, not {targets}")
    if any(place for place, _ in targets):
        kind = "method" if row["method"] else "direct"
        counts[f"{kind} there"] += 1
        counts[f"{kind} found"] += bool(right)
        if not right:
            missed.append(f"{kind} {place}: {targets}")


def _judge_import(
    row: dict[str, Any],
    taken: dict[tuple[str, int], set[str]],
    counts: Counter[str],
    wrong: list[str],
    missed: list[str],
) -> None:
    files = set(row["import"])
    found = taken.get((row["path"], row["line"]), set())
    place = f"import {row['path']}:{row['line']}"
    if found:
        counts["imports told"] += 1
        counts["imports right"] += bool(found & files)
        if not found & files:
            wrong.append(f"{place} -> {sorted(found)}, not {sorted(files)}")
    if files:
        counts["imports there"] += 1
        counts["imports found"] += bool(found & files)
        if not found & files:
            missed.append(f"{place}: {sorted(files)}")


def _right(edge: CodeEdge, targets: Iterable[tuple[str, str]]) -> bool:
    names = {_called(edge), edge.target.rpartition(".")[2]}
    return any(
        edge.target_path == place and (message in names or message in CONSTRUCTORS)
        for place, message in targets
    )


def _tell(counts: Counter[str]) -> None:
    def part(some: str, whole: str) -> str:
        return f"{counts[some] / counts[whole]:.1%}" if counts[whole] else "-"

    print(
        f"precision {part('right', 'told')} of {counts['told']}; recall direct "
        f"{part('direct found', 'direct there')} of {counts['direct there']}, methods "
        f"{part('method found', 'method there')} of {counts['method there']}; "
        f"{counts['unjudged']} edges the oracle knows nothing of"
    )
    if counts["imports there"]:
        print(
            f"imports: precision {part('imports right', 'imports told')} of "
            f"{counts['imports told']}, recall {part('imports found', 'imports there')} of "
            f"{counts['imports there']}"
        )


if __name__ == "__main__":
    main()
