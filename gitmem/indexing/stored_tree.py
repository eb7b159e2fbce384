"""The paths of a worktree as indexed, read one by one for runs that touch few files.

Whatever needs them all, such as iterating, reads every path once.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TypeVar

from gitmem.languages.tree_paths import TreePaths
from gitmem.store.code import graph_rows
from gitmem.store.db.connection import Database

Value = TypeVar("Value")


class _Stored(Mapping[str, Value]):
    """A mapping of which single keys are read one by one, and all of them at once."""

    @cached_property
    def _all(self) -> Mapping[str, Value]:
        raise NotImplementedError

    def items(self) -> ItemsView[str, Value]:
        """All (path, value) pairs of the mapping, read by one query."""
        return self._all.items()

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


class IndexedPaths(_Stored[tuple[int, str]]):
    """The indexed paths of a worktree as a mapping: path -> (row number of its content, language).

    ``tree`` is the worktree's path as the store has it. Rows are read when first asked for.
    """

    def __init__(self, database: Database, tree: str) -> None:
        self.database = database
        self.tree = tree
        self._known: dict[str, tuple[int, str] | None] = {}

    def preload(self, paths: Iterable[str]) -> None:
        """Read the rows of some paths with one query; looking them up then needs none."""
        if new := [path for path in paths if path not in self._known]:
            self._known |= dict.fromkeys(new) | graph_rows.blob_row_numbers_and_languages_by_path(
                self.database, self.tree, new
            )

    def __getitem__(self, path: str) -> tuple[int, str]:
        self.preload([path])
        row = self._known[path]
        if row is None:
            raise KeyError(path)
        return row

    @cached_property
    def _all(self) -> dict[str, tuple[int, str]]:
        return graph_rows.blob_row_numbers_and_languages_by_path(self.database, self.tree)


class IndexedTree(TreePaths):
    """The indexed paths of a worktree, for looking up paths by folder, name or last parts.

    ``read_manifests`` returns the text of each manifest (a file such as package.json) by path; it
    is called when a manifest is first needed.
    """

    def __init__(self, paths: IndexedPaths, read_manifests: Callable[[], dict[str, str]]) -> None:
        self.paths = self._stored = paths
        self.cache = {}
        self.folders = _Folders(paths)
        self._read_manifests = read_manifests
        self._stems = {}

    def first_existing(self, candidates: Iterable[str]) -> str:
        """The first of the candidate paths that exists, or ""."""
        paths = [*candidates]
        self._stored.preload(paths)
        return super().first_existing(paths)

    @cached_property
    def manifests(self) -> dict[str, str]:  # type: ignore[override]
        """The text of each manifest (a file such as package.json), by path."""
        return self._read_manifests()

    def paths_with_stem(self, name: str) -> list[str]:
        """The paths whose file name has this stem, the part before its first dot."""
        if name not in self._stems:
            paths = graph_rows.paths_containing_substring(
                self._stored.database, self._stored.tree, name
            )
            self._stems[name] = [
                path for path in paths if path.rpartition("/")[2].partition(".")[0] == name
            ]
        return self._stems[name]


class _Folders(_Stored[list[str]]):
    """Folder -> the paths that lie in it; the root is empty."""

    def __init__(self, paths: IndexedPaths) -> None:
        self._paths = paths
        self._known: dict[str, list[str] | None] = {}

    def __getitem__(self, folder: str) -> list[str]:
        if folder not in self._known:
            there = graph_rows.paths_in_folder(self._paths.database, self._paths.tree, folder)
            self._known[folder] = there
        paths = self._known[folder]
        if paths is None:
            raise KeyError(folder)
        return paths

    @cached_property
    def _all(self) -> Mapping[str, list[str]]:
        return TreePaths(self._paths).folders
