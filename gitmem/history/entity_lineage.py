"""The lineage of an entity: superseded memories, renamed files, rewritten commits."""

import os
from collections.abc import Iterable, Mapping
from itertools import pairwise

from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.git import head
from gitmem.git.lines import line_history
from gitmem.git.log_output import Commit
from gitmem.history.entity_graph import entity_key_of_memory
from gitmem.model.entity import MEMORY_KINDS, EntityEdge, entity_key, split_entity_key
from gitmem.model.frozen import dataclass, replace
from gitmem.store.code.commits import IndexedCommit
from gitmem.store.memory import link_graph, rewritten_commits

MAX_COMMITS = 2_000  # of a file's log that are read for its earlier names


@dataclass(frozen=True, slots=True)
class EntityLineage:
    """What a memory, file or commit was before, as edges from each later form to the earlier.

    ``complete`` is false if git had to be stopped. For a file, ``names`` are its names, newest
    first, each with the id of the commit that ended it (empty: the present name).
    """

    edges: tuple[EntityEdge, ...]
    complete: bool = True
    names: tuple[tuple[str, str], ...] = ()


def find_entity_lineage(app: App, entity_key: str) -> EntityLineage:
    """Return the earlier and later forms of a memory, file or commit, named by its key.

    A key is ``kind:name``, such as ``file:src/app.py``. Raises InvalidInput for other kinds.
    """
    kind, name = split_entity_key(entity_key)
    if kind in MEMORY_KINDS:
        return EntityLineage(_of_memories(app))
    if kind == "file":
        return find_file_lineage(app, name)
    if kind == "commit":
        return EntityLineage(_of_commit(app, name))
    raise InvalidInput(
        f"{entity_key[:120]} has no chain of predecessors; only memories, files and commits do.",
        f"gitmem why {name[:80]}" if kind == "symbol" else f"gitmem timeline {entity_key[:80]}",
    )


def _of_memories(app: App) -> tuple[EntityEdge, ...]:
    pairs = sorted(set(link_graph.replacement_pairs(app.store)))
    memories_by_id = link_graph.memories_by_id(app.store, {id for pair in pairs for id in pair})
    return tuple(
        EntityEdge(
            entity_key_of_memory(memories_by_id[new]),
            "supersedes",
            entity_key_of_memory(memories_by_id[old]),
            memories_by_id[new].in_force_since_ms,
        )
        for new, old in pairs
        if new in memories_by_id and old in memories_by_id
    )


def _of_commit(app: App, sha: str) -> tuple[EntityEdge, ...]:
    edges: dict[EntityEdge, None] = {}
    front, reached = {sha}, {sha}
    while front:
        rows = rewritten_commits.rewrites_of_commits(app.store, sorted(front))
        for old, new, how, at in rows:
            edges[
                EntityEdge(
                    entity_key("commit", new), "replaces", entity_key("commit", old), at, None, how
                )
            ] = None
        front = {sha for old, new, *_ in rows for sha in (old, new)} - reached
        reached |= front
    return tuple(sorted(edges, key=lambda edge: (edge.since or 0, edge.source)))


def describe_missing_history(app: App) -> str:
    """Return a sentence if the repository is a shallow clone, without old commits; else empty."""
    if app.layout.plain or not head.is_shallow(app.layout):
        return ""
    return "The clone is shallow: what is older than its cut is missing."


def find_file_lineage(app: App, path: str) -> EntityLineage:
    """Return the earlier names of a file, from git's log, which follows renames.

    A staged rename counts too; its edge has no time.
    """
    folder = os.path.isdir(os.path.join(app.worktree, path))
    if app.layout.plain or not app.git_head.commit or folder:
        return EntityLineage(())  # git's log of a folder follows whichever of its files was changed
    before = line_history.name_before_staged_rename(app.layout.cwd, path)
    log, complete = line_history.commits_changing_path(app.layout.cwd, before or path, MAX_COMMITS)
    names = file_names_from_log(log, before or path)
    committed_ms = {commit.sha: commit.committed_time * 1000 for commit in log}
    edges = [
        EntityEdge(
            entity_key("file", name),
            "renamed_from",
            entity_key("file", older),
            committed_ms[sha],
            None,
            sha,
        )
        for (name, _), (older, sha) in pairwise(names)
    ]
    if before:
        note = "not committed yet"
        renamed = entity_key("file", path), "renamed_from", entity_key("file", before)
        edges.insert(0, EntityEdge(*renamed, None, None, note))
        names = ((path, ""), *names)
    return EntityLineage(tuple(reversed(edges)), complete, names)


def earlier_names_by_commit(app: App, path: str) -> dict[str, str]:
    """Return the commits in which a file had another name than ``path``: commit id -> that name."""
    if app.layout.plain or not app.git_head.commit:
        return {}
    before = line_history.name_before_staged_rename(app.layout.cwd, path)
    log, _ = line_history.commits_changing_path(app.layout.cwd, before or path, MAX_COMMITS)
    return {
        commit.sha: commit.paths[-1] for commit in log if commit.paths and commit.paths[-1] != path
    }


def rename_path_in_commits(
    commits: Iterable[IndexedCommit], current_path: str, earlier_names: Mapping[str, str]
) -> list[IndexedCommit]:
    """Return commits in whose paths the earlier names of a file are replaced by its present one.

    ``earlier_names`` maps commit ids to the name then (see ``earlier_names_by_commit``).
    """
    return [
        replace(
            commit,
            paths=tuple(
                current_path if name == earlier_names[commit.sha] else name for name in commit.paths
            ),
        )
        if commit.sha in earlier_names
        else commit
        for commit in commits
    ]


def file_names_from_log(commits: list[Commit], path: str) -> tuple[tuple[str, str], ...]:
    """Return the names of a file, newest first, each with the id of the commit that ended it.

    That id is empty for the present name ``path``. ``commits`` is the file's log, newest first.
    """
    names = [(path, "")]
    for newer, older in pairwise(commits):
        name = older.paths[-1] if older.paths else names[-1][0]
        if name != names[-1][0]:
            names.append((name, newer.sha))
    return tuple(names)
