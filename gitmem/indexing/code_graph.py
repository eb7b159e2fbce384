"""Bringing the edges of the code graph up to date with the files of a worktree.

A file's edges are made again when its content changed, when what it builds on shows itself another
way (its interface), or when a path or a name came or went that it asks for. An edit inside of a
function touches the edges of its own file alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterable, Mapping
from hashlib import blake2b

from gitmem.graph import file_edges, imports
from gitmem.graph.project import MOST_NAMED, Project
from gitmem.graph.source_file import SourceFile
from gitmem.graph.tree_paths import TreePaths
from gitmem.graph.values import Definition, Edge
from gitmem.store.code import code_uses, graph_rows
from gitmem.store.db.connection import Database

# Raised when the rules of `gitmem.graph` change: edges by other rules are made again, all of them.
RULES = b"\x02"
# Files whose edges are written in one transaction, and seconds between two.
BATCH = 100
BREATH = 0.003
# With more changed files than this, all definitions are read at once.
MANY = 200
# Names that came or went, and paths, that are asked for one by one; with more all is made again.
FEW = 40
_MANIFEST = 256 * 1024
_MOST_MANIFESTS = 500


def update(database: Database, tree: str, root: str) -> int:
    """Make the edges of what changed since the last time; of how many files.

    ``root`` is the folder of the worktree: manifests are read there.
    """
    _forget_other_rules(database, tree)
    changed = graph_rows.changed(database, tree, imports.LANGUAGES)
    gone = graph_rows.gone(database, tree)
    if not changed and not gone:
        return 0
    paths = graph_rows.all_paths(database, tree)
    manifests = _manifests(root, paths)
    stamp = _stamp(manifests)
    if graph_rows.manifests(database, tree) not in (b"", stamp):
        number = graph_rows.tree_number(database, tree) or 0
        with database.write():
            graph_rows.forget(database, number)
        changed = graph_rows.changed(database, tree, imports.LANGUAGES)
    with database.write():
        number = graph_rows.begin(database, tree, stamp)
    project = _project(database, tree, paths, manifests, many=len(changed) > MANY)
    todo = {*changed, *_dependents(database, tree, number, project, paths, changed, gone)}
    with database.write():
        for path in gone:
            graph_rows.remove_file(database, number, path)
    _write(database, number, project, paths, sorted(todo & paths.keys()))
    return len(todo)


def _forget_other_rules(database: Database, tree: str) -> None:
    """Take out edges that were made by rules of another version."""
    stamp = graph_rows.manifests(database, tree)
    if stamp and not stamp.startswith(RULES):
        with database.write():
            graph_rows.forget(database, graph_rows.tree_number(database, tree) or 0)


def _write(
    database: Database,
    number: int,
    project: Project,
    paths: Mapping[str, tuple[int, str]],
    todo: list[str],
) -> None:
    for start in range(0, len(todo), BATCH):
        if start:
            time.sleep(BREATH)
        batch = todo[start : start + BATCH]
        made = [(path, *_made(project, path)) for path in batch]
        with database.write():
            for path, interface, edges in made:
                rows = map(_row, edges)
                graph_rows.replace_file(database, number, path, paths[path][0], interface, rows)


def _made(project: Project, path: str) -> tuple[bytes, list[Edge]]:
    file = project.file(path)
    if file is None:
        return b"", []
    edges = file_edges.edges(project, path)
    file.calls.clear()  # asked for once: of a large tree they would fill the memory
    return interface(file), edges


def _row(edge: Edge) -> graph_rows.EdgeRow:
    percent = round(edge.confidence * 100)
    return (
        edge.source,
        edge.target_path,
        edge.target,
        edge.kind,
        edge.line,
        percent,
        edge.evidence,
    )


def interface(file: SourceFile) -> bytes:
    """A hash of what others see of a file: it stays when only the inside of functions changes."""
    said = [
        f"{one.kind} {one.qualified} {one.signature} {one.exported}" for one in file.definitions
    ]
    said += [f"import {use[2]} {use[3]} {use[4]}" for use in file.imports]
    said += [f"export {name} {here}" for name, here in file.exports.items()]
    said += [f"base {use[2]} {use[3]}" for uses in file.bases.values() for use in uses]
    for name, uses in file.bound.items():
        shown = "." in name or "@" in name or name == "return"
        outside = [use for use in uses if shown or not file.around(use[0])]
        said += [f"bound {name} {use[3]}" for use in outside]
    return blake2b("\n".join(sorted(said)).encode("utf-8", "replace"), digest_size=16).digest()


# --- what else has to be made again -------------------------------------------------------------


def _dependents(
    database: Database,
    tree: str,
    number: int,
    project: Project,
    paths: Mapping[str, tuple[int, str]],
    changed: Mapping[str, int],
    gone: Collection[str],
) -> set[str]:
    """The files whose edges may lead elsewhere now, though they did not change."""
    if len(changed) == len([one for one in paths.values() if one[1] in imports.LANGUAGES]):
        return set()  # all of them are made anyhow
    altered, added, names = list(gone), list(gone), set[str]()
    for path, blob in changed.items():
        before = graph_rows.known(database, number, path)
        file = project.file(path)
        if before is None:
            added.append(path)
            altered.append(path)
        elif file is not None and interface(file) != before[1]:
            altered.append(path)
        else:
            continue
        now = {row[0] for row in graph_rows.defined(database, blob)}
        old = {row[0] for row in graph_rows.defined(database, before[0])} if before else set()
        names |= now ^ old
    words = {_word(path) for path in added}
    if len(names) > FEW * 10 or len(words) > FEW:
        return {path for path, (_, language) in paths.items() if language in imports.LANGUAGES}
    return (
        graph_rows.leading_to(database, number, altered)
        | graph_rows.mentioning(database, tree, sorted(names))
        | graph_rows.importing(database, tree, words)
    ) & paths.keys()


def _word(path: str) -> str:
    """The word by which an import may ask for a file: its name, or that of its folder."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    plain = stem in ("__init__", "index", "mod", "lib", "main") or path.endswith(".go")
    return folder.rpartition("/")[2] or stem if plain else stem


# --- reading ------------------------------------------------------------------------------------


def _project(
    database: Database,
    tree: str,
    paths: Mapping[str, tuple[int, str]],
    manifests: Mapping[str, str],
    *,
    many: bool,
) -> Project:
    def load(path: str) -> SourceFile | None:
        blob, language = paths.get(path, (0, ""))
        if language not in imports.LANGUAGES:
            return None
        definitions = [Definition(*row) for row in graph_rows.defined(database, blob)]
        return SourceFile(path, language, definitions, code_uses.of_blob(database, blob))

    def named(name: str) -> list[tuple[str, Definition]]:
        rows = graph_rows.named(database, tree, name, MOST_NAMED)
        return [(path, Definition(*row)) for path, row in rows]

    project = Project(TreePaths(paths, manifests), load, named)
    if many:
        project.remember_names(path for path in sorted(paths))
    return project


def _manifests(root: str, paths: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in paths:
        if path.rpartition("/")[2] not in imports.MANIFESTS or len(found) >= _MOST_MANIFESTS:
            continue
        try:
            with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
                found[path] = file.read(_MANIFEST)
        except OSError:
            continue
    return found


def _stamp(manifests: Mapping[str, str]) -> bytes:
    said = "\0".join(f"{path}\0{manifests[path]}" for path in sorted(manifests))
    return RULES + blake2b(said.encode("utf-8", "replace"), digest_size=16).digest()
