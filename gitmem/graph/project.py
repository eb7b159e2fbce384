"""The files of a tree for the code graph, read on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gitmem.graph.source_file import SourceFile
from gitmem.graph.values import Definition
from gitmem.languages import registry
from gitmem.languages.tree_paths import ImportTarget, TreePaths

# Definitions of one name that are looked at.
MOST_NAMED = 50

Load = Callable[[str], "SourceFile | None"]
Named = Callable[[str], "list[tuple[str, Definition]]"]


class Project:
    """A tree of source files, of which each is read and parsed when it is first asked for.

    ``load(path)`` reads a file, ``named(name)`` returns the definitions with a name, each with its
    path.
    """

    def __init__(self, tree: TreePaths, load: Load, named: Named) -> None:
        self.tree = tree
        self._load = load
        self._named = named
        self._files: dict[str, SourceFile | None] = {}
        self._names: dict[str, list[tuple[str, Definition]]] = {}
        self._found: dict[tuple[str, str, str], list[ImportTarget]] = {}
        self.cache: dict[object, object] = {}  # answers of ``names`` and ``receivers``

    def source_file(self, path: str) -> SourceFile | None:
        """The file at this path; None where its syntax is not known."""
        if path not in self._files:
            self._files[path] = self._load(path)
        return self._files[path]

    def definitions_named(self, name: str) -> list[tuple[str, Definition]]:
        """(path, definition) of definitions with this name in any file, at most 50."""
        if name not in self._names:
            self._names[name] = self._named(name)[:MOST_NAMED]
        return self._names[name]

    def preload_definitions(self, paths: Iterable[str]) -> None:
        """Read the definitions in these files at once; ``definitions_named`` then has only them."""
        names: dict[str, list[tuple[str, Definition]]] = {}
        for path in paths:
            if (file := self.source_file(path)) is not None:
                for definition in file.definitions:
                    names.setdefault(definition.name, []).append((path, definition))
        self._named = lambda name: names.get(name, [])

    def resolved_import(self, file: SourceFile, module: str, name: str) -> list[ImportTarget]:
        """What importing ``name`` from ``module`` may mean: files or packages, or [] if unknown."""
        key = (file.path if file.rules.paths else file.folder, module, name)
        known = self._found.get(key)
        if known is None:
            known = registry.resolve_import(self.tree, file.language, file.path, module, name)
            self._found[key] = known
        return known
