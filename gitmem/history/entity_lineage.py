"""Where an entity comes from and what became of it: what was replaced, renamed, rewritten."""

import os
from collections.abc import Iterable, Mapping
from itertools import pairwise

from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.git import head, line_history
from gitmem.git.log_output import Commit
from gitmem.history.entity_graph import key_of
from gitmem.model.entity import MEMORY_KINDS, Edge, key, parted
from gitmem.model.frozen import dataclass, replace
from gitmem.store.code.commits import IndexedCommit
from gitmem.store.memory import link_graph, rewritten_commits

MOST_COMMITS = 2_000  # of a file's log that are read for its earlier names


@dataclass(frozen=True, slots=True)
class Lineage:
    """The line of an entity, the oldest first, as edges from what came later to what was before.

    ``complete`` is false where git had to be stopped. ``names`` are a file's names, the newest
    first, each with the commit that gave it.
    """

    edges: tuple[Edge, ...]
    complete: bool = True
    names: tuple[tuple[str, str], ...] = ()


def of(app: App, entity: str) -> Lineage:
    """The lineage of an entity. Raises InvalidInput for what has none."""
    kind, name = parted(entity)
    if kind in MEMORY_KINDS:
        return Lineage(_of_memories(app))
    if kind == "file":
        return of_file(app, name)
    if kind == "commit":
        return Lineage(_of_commit(app, name))
    raise InvalidInput(
        f"{entity[:120]} has no lineage: memories, files and commits have one.",
        f"gitmem why {name[:80]}" if kind == "symbol" else f"gitmem timeline {entity[:80]}",
    )


def _of_memories(app: App) -> tuple[Edge, ...]:
    pairs = sorted(set(link_graph.replaced(app.store)))
    known = link_graph.memories_of(app.store, {id for pair in pairs for id in pair})
    return tuple(
        Edge(key_of(known[new]), "supersedes", key_of(known[old]), known[new].begins)
        for new, old in pairs
        if new in known and old in known
    )


def _of_commit(app: App, sha: str) -> tuple[Edge, ...]:
    edges: dict[Edge, None] = {}
    front, known = {sha}, {sha}
    while front:
        rows = rewritten_commits.touching(app.store, sorted(front))
        for old, new, how, at in rows:
            edges[Edge(key("commit", new), "replaces", key("commit", old), at, None, how)] = None
        front = {sha for old, new, *_ in rows for sha in (old, new)} - known
        known |= front
    return tuple(sorted(edges, key=lambda edge: (edge.since or 0, edge.source)))


def cut_off(app: App) -> str:
    """What a shallow clone lacks, as a sentence; else empty."""
    if app.layout.plain or not head.is_shallow(app.layout):
        return ""
    return "The clone is shallow: what is older than its cut is missing."


def of_file(app: App, path: str) -> Lineage:
    """What a file was called before, by git's log of it, which follows renames.

    A rename that is not committed yet counts; its edge has no time.
    """
    folder = os.path.isdir(os.path.join(app.worktree, path))
    if app.layout.plain or not app.head.commit or folder:
        return Lineage(())  # git's log of a folder follows whichever of its files was changed
    before = line_history.staged_rename(app.layout.cwd, path)
    log, complete = line_history.changed_path(app.layout.cwd, before or path, MOST_COMMITS)
    names = renames(log, before or path)
    made = {commit.sha: commit.committed_time * 1000 for commit in log}
    edges = [
        Edge(key("file", name), "renamed_from", key("file", older), made[sha], None, sha)
        for (name, _), (older, sha) in pairwise(names)
    ]
    if before:
        note = "not committed yet"
        edges.insert(0, Edge(*_renamed(path, before), None, None, note))
        names = ((path, ""), *names)
    return Lineage(tuple(reversed(edges)), complete, names)


def _renamed(path: str, before: str) -> tuple[str, str, str]:
    return key("file", path), "renamed_from", key("file", before)


def earlier_names(app: App, path: str) -> dict[str, str]:
    """Commit -> what a file was called in it, of those under an earlier name."""
    if app.layout.plain or not app.head.commit:
        return {}
    before = line_history.staged_rename(app.layout.cwd, path)
    log, _ = line_history.changed_path(app.layout.cwd, before or path, MOST_COMMITS)
    return {
        commit.sha: commit.paths[-1] for commit in log if commit.paths and commit.paths[-1] != path
    }


def under_one_name(
    log: Iterable[IndexedCommit], path: str, earlier: Mapping[str, str]
) -> list[IndexedCommit]:
    """Commits, with the name that a file has now where they have an earlier one."""
    return [
        replace(
            commit,
            paths=tuple(path if name == earlier[commit.sha] else name for name in commit.paths),
        )
        if commit.sha in earlier
        else commit
        for commit in log
    ]


def renames(log: list[Commit], path: str) -> tuple[tuple[str, str], ...]:
    """(name, the commit that took it away) of a file, the newest first. Pure.

    Of the name it has now the commit is empty. ``log`` follows it, the newest first.
    """
    names = [(path, "")]
    for newer, older in pairwise(log):
        name = older.paths[-1] if older.paths else names[-1][0]
        if name != names[-1][0]:
            names.append((name, newer.sha))
    return tuple(names)
