"""A few files as the code graph sees them: read by their grammars, resolved together."""

from __future__ import annotations

from collections.abc import Mapping

from gitmem import languages
from gitmem.graph import file_edges
from gitmem.graph.project import Project
from gitmem.graph.source_file import SourceFile
from gitmem.graph.values import CodeEdge, Definition
from gitmem.indexing.syntax.values import ParsedFile
from gitmem.languages.index import MANIFESTS, RESOLVED
from gitmem.languages.tree_paths import TreePaths
from tests.support.syntax import read


def project(files: Mapping[str, str]) -> Project:
    """A project of these files: path -> text."""
    read_files = {path: source(path, text) for path, text in files.items()}
    names: dict[str, list[tuple[str, Definition]]] = {}
    for path, file in read_files.items():
        for definition in file.definitions if file else ():
            names.setdefault(definition.name, []).append((path, definition))
    manifests = {path: text for path, text in files.items() if path.rpartition("/")[2] in MANIFESTS}
    tree = TreePaths(files, manifests)
    return Project(tree, read_files.get, lambda name: names.get(name, []))


def source(path: str, text: str) -> SourceFile | None:
    """One file, None where its language has no edges."""
    language = languages.language(path)
    if language not in RESOLVED:
        return None
    return source_file(path, language, read(language, path, text))


def source_file(path: str, language: str, parsed: ParsedFile) -> SourceFile:
    """What was read of a file, as the graph takes it."""
    definitions = [
        Definition(
            definition.name,
            definition.kind,
            definition.container,
            definition.start_line,
            definition.end_line,
            definition.signature,
            definition.exported,
        )
        for definition in parsed.definitions
    ]
    return SourceFile(path, language, definitions, parsed.uses)


def edges(files: Mapping[str, str], kind: str = "") -> list[CodeEdge]:
    """The edges of all files, of one kind where it is given."""
    made = project(files)
    found = [edge for path in sorted(files) for edge in file_edges.code_edges_of_file(made, path)]
    return [item for item in found if not kind or item.kind == kind]


def calls(files: Mapping[str, str]) -> dict[str, str]:
    """``path:line`` of each sure call -> what it calls, ``path:name``."""
    return {
        f"{edge.source_path}:{edge.line}": f"{edge.target_path}:{edge.target}"
        for edge in edges(files, "call")
        if edge.confidence >= 0.8
    }
