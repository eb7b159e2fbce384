"""A folder of code as the graph sees it, without a store: parsed once, in this process."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from gitmem import languages
from gitmem.graph.project import Project
from gitmem.graph.source_file import SourceFile
from gitmem.graph.values import Definition
from gitmem.indexing.syntax import extract
from gitmem.languages.index import MANIFESTS, RESOLVED
from gitmem.languages.tree_paths import TreePaths
from tests.support.code_graph import source_file


def tracked(root: Path) -> list[str]:
    """The paths that git tracks in a folder."""
    run = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, check=True)
    return [path for path in run.stdout.decode().split("\0") if path]


def project(root: Path) -> Project:
    """All tracked files of a folder, read and resolved together."""
    paths = tracked(root)
    files = {file.path: file for file in _files(root, paths)}
    names: dict[str, list[tuple[str, Definition]]] = {}
    for path, file in files.items():
        for definition in file.definitions:
            names.setdefault(definition.name, []).append((path, definition))
    manifests = {
        path: (root / path).read_text(errors="replace")
        for path in paths
        if path.rpartition("/")[2] in MANIFESTS and (root / path).is_file()
    }
    tree = TreePaths(paths, manifests)
    return Project(tree, files.get, lambda name: names.get(name, []))


def source(path: str, data: bytes) -> SourceFile | None:
    """One file, None where nothing reads its language."""
    language = languages.language(path)
    if language not in RESOLVED:
        return None
    parsed = extract.parse_source_file(language, path, data)
    return None if parsed is None else source_file(path, language, parsed)


def _files(root: Path, paths: list[str]) -> Iterator[SourceFile]:
    for path in paths:
        known = languages.language(path) in RESOLVED
        if (
            known
            and (root / path).is_file()
            and (found := source(path, (root / path).read_bytes()))
        ):
            yield found
