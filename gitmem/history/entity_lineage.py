"""The lineage of an entity: superseded memories, renamed files, rewritten commits."""

import os
from collections.abc import Iterable, Mapping
from itertools import pairwise

from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.git import head
from gitmem.git.lines import line_history
from gitmem.git.log_output import Commit
from gitmem.history.entity_graph import key_of_memory
from gitmem.model.entity import MEMORY_KINDS, Edge, key, split_key
from gitmem.model.frozen import dataclass, replace
from gitmem.store.code.commits import IndexedCommit
from gitmem.store.memory import link_graph, rewritten_commits

MOST_COMMITS = 2_000  # of a file's log that are read for its earlier names


@dataclass(frozen=True, slots=True)
class Lineage:
    """What an entity was before, oldest first, as edges from the later to the earlier one.

    ``complete`` is false where git had to be stopped. ``names`` are a file's names, newest first,
    each with the commit that ended it.
    """

    edges: tuple[Edge, ...]
    complete: bool = True
    names: tuple[tuple[str, str], ...] = ()


def lineage_of(app: App, entity: str) -> Lineage:
    """What replaced what: the earlier and later forms of the entity with this key.

    Raises InvalidInput for a kind of entity that has none.
    """
    kind, name = split_key(entity)
    if kind in MEMORY_KINDS:
        return Lineage(_of_memories(app))
    if kind == "file":
        return lineage_of_file(app, name)
    if kind == "commit":
        return Lineage(_of_commit(app, name))
    raise InvalidInput(
        f"{entity[:120]} has no lineage: only memories, files and commits have one.",
        f"gitmem why {name[:80]}" if kind == "symbol" else f"gitmem timeline {entity[:80]}",
    )


def _of_memories(app: App) -> tuple[Edge, ...]:
    pairs = sorted(set(link_graph.replacement_pairs(app.store)))
    known = link_graph.memories_by_id(app.store, {id for pair in pairs for id in pair})
    return tuple(
        Edge(key_of_memory(known[new]), "supersedes", key_of_memory(known[old]), known[new].begins)
        for new, old in pairs
        if new in known and old in known
    )


def _of_commit(app: App, sha: str) -> tuple[Edge, ...]:
    edges: dict[Edge, None] = {}
    front, known = {sha}, {sha}
    while front:
        rows = rewritten_commits.rewrites_of_commits(app.store, sorted(front))
        for old, new, how, at in rows:
            edges[Edge(key("commit", new), "replaces", key("commit", old), at, None, how)] = None
        front = {sha for old, new, *_ in rows for sha in (old, new)} - known
        known |= front
    return tuple(sorted(edges, key=lambda edge: (edge.since or 0, edge.source)))


def describe_missing_history(app: App) -> str:
    """A sentence for a shallow clone, whose older history is missing; empty for others."""
    if app.layout.plain or not head.is_shallow(app.layout):
        return ""
    return "The clone is shallow: what is older than its cut is missing."


def lineage_of_file(app: App, path: str) -> Lineage:
    """The earlier names of a file, from git's log, which follows renames.

    An uncommitted rename counts; its edge has no time.
    """
    folder = os.path.isdir(os.path.join(app.worktree, path))
    if app.layout.plain or not app.git_head.commit or folder:
        return Lineage(())  # git's log of a folder follows whichever of its files was changed
    before = line_history.name_before_staged_rename(app.layout.cwd, path)
    log, complete = line_history.commits_changing_path(app.layout.cwd, before or path, MOST_COMMITS)
    names = names_from_log(log, before or path)
    made = {commit.sha: commit.committed_time * 1000 for commit in log}
    edges = [
        Edge(key("file", name), "renamed_from", key("file", older), made[sha], None, sha)
        for (name, _), (older, sha) in pairwise(names)
    ]
    if before:
        note = "not committed yet"
        renamed = key("file", path), "renamed_from", key("file", before)
        edges.insert(0, Edge(*renamed, None, None, note))
        names = ((path, ""), *names)
    return Lineage(tuple(reversed(edges)), complete, names)


def earlier_names(app: App, path: str) -> dict[str, str]:
    """For each commit in which a file had another name than ``path``, by id: that name."""
    if app.layout.plain or not app.git_head.commit:
        return {}
    before = line_history.name_before_staged_rename(app.layout.cwd, path)
    log, _ = line_history.commits_changing_path(app.layout.cwd, before or path, MOST_COMMITS)
    return {
        commit.sha: commit.paths[-1] for commit in log if commit.paths and commit.paths[-1] != path
    }


def commits_under_present_name(
    log: Iterable[IndexedCommit], path: str, earlier: Mapping[str, str]
) -> list[IndexedCommit]:
    """Commits of a file, in whose paths its earlier names are replaced by the present one.

    ``earlier`` has the name in each commit, by id (``earlier_names``).
    """
    return [
        replace(
            commit,
            paths=tuple(path if name == earlier[commit.sha] else name for name in commit.paths),
        )
        if commit.sha in earlier
        else commit
        for commit in log
    ]


def names_from_log(log: list[Commit], path: str) -> tuple[tuple[str, str], ...]:
    """The names of a file, newest first, each with the commit that ended it. Pure.

    That commit is empty for the present name. ``log`` is that of the file, newest first.
    """
    names = [(path, "")]
    for newer, older in pairwise(log):
        name = older.paths[-1] if older.paths else names[-1][0]
        if name != names[-1][0]:
            names.append((name, newer.sha))
    return tuple(names)
