"""Updating the code graph when files of a worktree change.

The edges of a file are made again when its content changed, when the interface of a file it builds
on changed, or when a path or a name it refers to was added or removed. An edit inside a function
touches the edges of its own file only.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from re import compile

from gitmem.git import listing
from gitmem.graph import file_edges, names
from gitmem.graph.project import MOST_NAMED, Project
from gitmem.graph.source_file import CALLABLE, CLASSES, SourceFile, Use
from gitmem.graph.values import IMPORTS, CodeEdge, Definition
from gitmem.indexing.stored_tree import IndexedPaths, IndexedTree
from gitmem.languages import language, registry
from gitmem.languages.index import MANIFESTS, RESOLVED
from gitmem.languages.tree_paths import TreePaths
from gitmem.store.code import code_uses, graph_rows
from gitmem.store.db.connection import Database
from gitmem.text.digest import blake2b

# Raised when the rules of `gitmem.graph` change: edges by other rules are made again, all of them.
RULES = b"\x03"
# Stands for the manifests while a run makes the edges of some files.
_OPEN = RULES + b"open"
# Files whose edges are written in one transaction, and seconds between two.
BATCH = 100
BREATH = 0.003
# With more changed files than this, all definitions are read at once.
MANY = 200
# Changed names and paths that are looked up one by one; with more, all edges are made again.
FEW = 40
_MANIFEST = 256 * 1024
_TAKEN = frozenset({*IMPORTS, "inherit"})
_WORD = compile(r"[\w$]+")
_MOST_MANIFESTS = 500


def update_code_edges(
    database: Database,
    worktree: str,
    worktree_folder: str,
    candidate_paths: Sequence[str] | None = None,
) -> int:
    """Update the stored edges (imports and calls between files) of changed files.

    Returns the number of files whose edges were made again. ``worktree`` is the worktree's path as
    the store has it, ``worktree_folder`` the folder where manifests such as package.json are read.
    ``candidate_paths`` are the only files that may have changed since the last update; None: any
    may.
    """
    before = _before(database, worktree)
    if not before or (
        candidate_paths and any(path.rpartition("/")[2] in MANIFESTS for path in candidate_paths)
    ):
        candidate_paths = None
    changed = graph_rows.files_with_outdated_edges(database, worktree, RESOLVED, candidate_paths)
    gone = graph_rows.removed_paths_with_edges(database, worktree, candidate_paths)
    if not changed and not gone:
        return 0
    few = candidate_paths is not None and len(changed) + len(gone) <= FEW
    paths: Mapping[str, tuple[int, str]]
    if few:
        paths, stamp = (stored := IndexedPaths(database, worktree)), before
        places: TreePaths = IndexedTree(stored, lambda: _manifests(worktree_folder, stored))
    else:
        paths = graph_rows.blob_row_numbers_and_languages_by_path(database, worktree)
        manifests = _manifests(worktree_folder, paths)
        places, stamp = TreePaths(paths, manifests), _stamp(manifests)
        if before not in (b"", stamp):
            delete_code_edges(database, worktree)
            changed = graph_rows.files_with_outdated_edges(database, worktree, RESOLVED)
    whole = not few and _resolved(paths) <= changed.keys()
    with database.write():
        # _OPEN marks an unfinished run, after which all edges are made again.
        number = graph_rows.save_package_manifests_hash(
            database, worktree, stamp if whole else _OPEN
        )
    project = _project(database, worktree, paths, places, many=len(changed) > MANY)
    altered = _altered(database, number, project, changed, gone)
    first = set(changed)
    if not whole:
        first |= _dependents(database, worktree, number, paths, altered, project)
    with database.write():
        for path in gone:
            graph_rows.delete_file_edges(database, number, path)
    run = _EdgeUpdate(database, number, project, paths)
    run.make_edges({path for path in first if path in paths})
    if few or not _resolved(paths) <= run.made:
        run.update_dependants(altered)
    if not whole:
        with database.write():
            graph_rows.save_package_manifests_hash(database, worktree, stamp)
    return len(run.made)


def _resolved(paths: Mapping[str, tuple[int, str]]) -> set[str]:
    """The paths whose imports and calls are resolved."""
    return {path for path, (_, language) in paths.items() if language in RESOLVED}


def files_with_outdated_edges(
    database: Database, worktree: str, worktree_folder: str, candidate_paths: Iterable[str]
) -> list[str]:
    """Those of ``candidate_paths`` whose stored edges are not the imports and calls in the code.

    ``worktree`` is the worktree's path as the store has it, ``worktree_folder`` the folder where
    manifests such as package.json are read. Empty if a manifest changed, or the rules for edges:
    then ``update_code_edges`` makes all edges again anyhow.
    """
    number = graph_rows.find_worktree_row_number(database, worktree) or 0
    paths = graph_rows.blob_row_numbers_and_languages_by_path(database, worktree)
    manifests = _manifests(worktree_folder, paths)
    if graph_rows.package_manifests_hash(database, worktree) != _stamp(manifests):
        return []
    project = _project(database, worktree, paths, TreePaths(paths, manifests), many=False)
    found = []
    for path in candidate_paths:
        if paths.get(path, (0, ""))[1] not in RESOLVED:
            continue
        made = {
            (edge.kind, edge.target_path, edge.target, edge.line, edge.source)
            for edge in file_edges.code_edges_of_file(project, path)
        }
        known = graph_rows.blob_row_number_and_interface_hash(database, number, path)
        if known is None or made != set(graph_rows.edges_from_file(database, number, path)):
            found.append(path)
    return found


def delete_code_edges(database: Database, worktree: str) -> None:
    """Delete all stored edges (imports and calls between files) of the worktree with this path."""
    with database.write():
        graph_rows.delete_worktree_edges(
            database, graph_rows.find_worktree_row_number(database, worktree) or 0
        )


def _before(database: Database, tree: str) -> bytes:
    """The stamp of the stored edges; those of other rules or of an unfinished run are deleted."""
    stamp = graph_rows.package_manifests_hash(database, tree)
    if stamp == _OPEN or (stamp and not stamp.startswith(RULES)):
        delete_code_edges(database, tree)
        return b""
    return stamp


class _EdgeUpdate:
    """One update: the files whose edges were made, and the files that see others through them.

    The interface of an unchanged file may change with what it re-exports, inherits from or makes
    its values of. Its dependants are then updated too, and so on.
    """

    def __init__(
        self,
        database: Database,
        number: int,
        project: Project,
        paths: Mapping[str, tuple[int, str]],
    ) -> None:
        self._database = database
        self._number = number
        self._project = project
        self._paths = paths
        self.made: set[str] = set()
        self._before: dict[str, set[tuple[str, str, str]]] = {}

    def make_edges(self, paths: Collection[str]) -> None:
        """Make and store the edges of the files at these paths, except those already made."""
        waiting = sorted(set(paths) - self.made)
        self.made |= set(waiting)
        for start in range(0, len(waiting), BATCH):
            if start:
                time.sleep(BREATH)
            batch = waiting[start : start + BATCH]
            made = [(path, *_made(self._project, path)) for path in batch]
            with self._database.write():
                for path, shown, edges in made:
                    self._before[path] = self._taken(path)
                    blob, rows = self._paths[path][0], map(_row, edges)
                    graph_rows.replace_file_edges(
                        self._database, self._number, path, blob, shown, rows
                    )

    def update_dependants(self, altered: _Altered) -> None:
        """Make the edges of files again that see ``altered`` files or names through other files."""
        moved, reshaped = set(altered.paths), set(altered.reshaped)
        front = self.made - moved
        while front:
            self.make_edges(front)
            passing = {path for path in front if self._passes_on(path, moved, reshaped)}
            moved |= passing
            reshaped |= passing
            behind = graph_rows.paths_with_edges_to(self._database, self._number, passing)
            front = {path for path in behind - moved if path in self._paths}

    def _taken(self, path: str) -> set[tuple[str, str, str]]:
        """What a file imports and inherits from."""
        edges = graph_rows.edges_from_file(self._database, self._number, path)
        return {edge[:3] for edge in edges if edge[0] in _TAKEN}

    def _passes_on(self, path: str, moved: Collection[str], reshaped: Collection[str]) -> bool:
        """Whether a file's interface changed because what it builds on did."""
        if self._taken(path) != self._before[path]:
            return True
        file = self._project.source_file(path)
        if file is None:
            return False
        if any(self._leads(file, module, "*", reshaped) for module in file.everything):
            return True
        edges = graph_rows.edges_from_file(self._database, self._number, path)
        into = [edge for edge in edges if edge[1] in moved]
        if any(kind == "inherit" for kind, *_ in into):
            return True
        lines = {line for kind, _, _, line, _ in into if kind == "call"}
        names = {name.partition(".")[0] for kind, _, name, *_ in into if kind in IMPORTS}
        words = {found[0] for use in _shown(file) if (found := _WORD.match(use[3]))}
        return any(use[0] in lines for use in _shown(file)) or any(
            self._of(file, word, names, moved) for word in words
        )

    def _of(
        self, file: SourceFile, word: str, names: Collection[str], moved: Collection[str]
    ) -> bool:
        """Whether a word names something in a file whose interface changed."""
        ways = file.here.get(word, ())
        return bool(ways) and (
            word in names or any(self._leads(file, module, name, moved) for module, name in ways)
        )

    def _leads(self, file: SourceFile, module: str, name: str, to: Collection[str]) -> bool:
        return any(
            found.path in to for found in names.resolve_import(self._project, file, module, name)
        )


def _made(project: Project, path: str) -> tuple[bytes, list[CodeEdge]]:
    file = project.source_file(path)
    if file is None:
        return b"", []
    edges = file_edges.code_edges_of_file(project, path)
    file.calls.clear()  # needed once only: those of a large tree would fill the memory
    return interface_hash(file), edges


def _row(edge: CodeEdge) -> graph_rows.EdgeRow:
    ends = edge.source, edge.target_path, edge.target
    return (*ends, edge.kind, edge.line, round(edge.confidence * 100), edge.evidence)


def interface_hash(file: SourceFile) -> bytes:
    """A hash of what other files can see of a file; editing function bodies leaves it equal."""
    lines = [
        f"{definition.kind} {definition.qualified_name} {definition.signature}"
        f" {definition.exported}"
        for definition in file.definitions
    ]
    lines += [f"import {use[2]} {use[3]} {use[4]}" for use in file.imports]
    lines += [f"export {name} {here}" for name, here in file.exports.items()]
    lines += [f"base {use[2]} {use[3]}" for uses in file.bases.values() for use in uses]
    lines += [f"bound {use[2]} {use[3]}" for use in _shown(file)]
    return blake2b("\n".join(sorted(lines)).encode("utf-8", "replace"), digest_size=16).digest()


def _shown(file: SourceFile) -> Iterator[Use]:
    """The values that others may see: those of the module, attributes, what functions return."""
    for name, uses in file.bound.items():
        shown = "." in name or "@" in name or name == "return"
        yield from (use for use in uses if shown or not file.enclosing_definitions(use[0]))


# --- what else has to be made again -------------------------------------------------------------


class _Altered:
    """``paths``: all files whose interface changed; ``added`` were added or removed.

    ``reshaped`` files define, import, export or inherit from other names. ``names`` were added or
    removed; of those, ``spaces`` are namespaces, and ``types`` stand in one.
    """

    __slots__ = ("added", "names", "paths", "reshaped", "spaces", "types")

    def __init__(self, gone: Collection[str]) -> None:
        self.paths = set(gone)
        self.added = set(gone)
        self.reshaped = set(gone)
        self.names: set[str] = set()
        self.spaces: set[str] = set()
        self.types: set[str] = set()


def _altered(
    database: Database,
    number: int,
    project: Project,
    changed: Mapping[str, int],
    gone: Collection[str],
) -> _Altered:
    found = _Altered(gone)
    for path in gone:
        before = graph_rows.blob_row_number_and_interface_hash(database, number, path)
        _shared(found, path, graph_rows.definitions_in_blob(database, before[0]) if before else ())
    for path, blob in changed.items():
        before = graph_rows.blob_row_number_and_interface_hash(database, number, path)
        file = project.source_file(path)
        if before is None:
            found.added.add(path)
        elif file is None or interface_hash(file) == before[1]:
            continue
        found.paths.add(path)
        rows = graph_rows.definitions_in_blob(database, blob)
        gone_rows = graph_rows.definitions_in_blob(database, before[0]) if before else []
        now, old = {row[0] for row in rows}, {row[0] for row in gone_rows}
        found.names |= now ^ old
        _shared(found, path, {row[:3] for row in rows} ^ {row[:3] for row in gone_rows})
        if now != old or not before or _built_on(database, blob) != _built_on(database, before[0]):
            found.reshaped.add(path)
    return found


def _shared(altered: _Altered, path: str, rows: Iterable[Sequence[object]]) -> None:
    """Note the names that files share through a namespace, without an import."""
    if registry.language_properties(language(path)).shared != "namespace":
        return
    for name, kind, *_ in rows:
        if kind == "namespace":
            altered.spaces.add(str(name))
        elif kind in CLASSES or kind in CALLABLE:
            altered.types.add(str(name))


def _built_on(database: Database, blob: int) -> set[tuple[str, ...]]:
    """What a file imports, re-exports and inherits from, as written."""
    uses = code_uses.name_uses_of_blob(database, blob)
    return {use[1:] for use in uses if use[1] in _TAKEN or use[1] == "export"}


def _dependents(
    database: Database,
    tree: str,
    number: int,
    paths: Mapping[str, tuple[int, str]],
    altered: _Altered,
    project: Project,
) -> set[str]:
    """Unchanged files whose edges may lead elsewhere now."""
    words = {_word(path) for path in altered.added} | altered.spaces
    if len(altered.names) > FEW * 10 or len(words) > FEW:
        return _resolved(paths)
    # Others of a name that is one of several now, or was; and a folder that is a package's no more.
    twins = {path for name in altered.types for path, _ in project.definitions_named(name)}
    twins |= {f"{path.rpartition('/')[0]}/" for path in altered.added}
    return (
        graph_rows.paths_with_edges_to(database, number, altered.paths | twins)
        | graph_rows.files_using_names(database, tree, sorted(altered.names))
        | graph_rows.files_with_imports_containing(database, tree, words)
    )


def _word(path: str) -> str:
    """The word by which an import may ask for a file: its name, or that of its folder."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    rules = registry.language_properties(language(path))
    package = rules.packages and not rules.source_root
    plain = stem in ("__init__", "index", "mod", "lib", "main") or package
    return folder.rpartition("/")[2] or stem if plain else stem


# --- reading ------------------------------------------------------------------------------------


def _project(
    database: Database,
    tree: str,
    paths: Mapping[str, tuple[int, str]],
    places: TreePaths,
    *,
    many: bool,
) -> Project:
    def load(path: str) -> SourceFile | None:
        blob, language = paths.get(path, (0, ""))
        if language not in RESOLVED:
            return None
        definitions = [Definition(*row) for row in graph_rows.definitions_in_blob(database, blob)]
        return SourceFile(path, language, definitions, code_uses.name_uses_of_blob(database, blob))

    def named(name: str) -> list[tuple[str, Definition]]:
        rows = graph_rows.definitions_named(database, tree, name, MOST_NAMED)
        return [(path, Definition(*row)) for path, row in rows]

    project = Project(places, load, named)
    if many:
        project.preload_definitions(path for path in sorted(paths))
    return project


def _manifests(root: str, paths: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in paths:
        if path.rpartition("/")[2] not in MANIFESTS or len(found) >= _MOST_MANIFESTS:
            continue
        data = listing.read_worktree_file(root, path, _MANIFEST)
        if data is not None:  # it may have become a link or a pipe since it was listed
            found[path] = data[:_MANIFEST].decode("utf-8", "replace").replace("\r\n", "\n")
    return found


def _stamp(manifests: Mapping[str, str]) -> bytes:
    text = "\0".join(f"{path}\0{manifests[path]}" for path in sorted(manifests))
    return RULES + blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()
