"""Where an entity comes from and what became of it: what was replaced, renamed, rewritten."""

from itertools import pairwise

from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.git import head, line_history
from gitmem.git.log_output import Commit
from gitmem.history.entity_graph import key_of
from gitmem.memory import relations
from gitmem.model.entity import MEMORY_KINDS, Edge, key, parted
from gitmem.model.frozen import dataclass
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
        return Lineage(_of_memory(app, name))
    if kind == "file":
        return of_file(app, name)
    if kind == "commit":
        return Lineage(_of_commit(app, name))
    raise InvalidInput(
        f"{entity[:120]} has no lineage: memories, files and commits have one.",
        f"gitmem why {name[:80]}" if kind == "symbol" else f"gitmem entity timeline {entity[:80]}",
    )


def _of_memory(app: App, id: str) -> tuple[Edge, ...]:
    pairs = link_graph.replaced(app.store)
    chain = {one for _, one in relations.lineage(id, pairs)}
    known = link_graph.memories_of(app.store, chain)
    found = []
    for newer, older in sorted(set(pairs)):
        if newer in known and older in known:
            new = known[newer]
            at = new.created_at if new.valid_from is None else new.valid_from
            found.append(Edge(key_of(new), "supersedes", key_of(known[older]), at))
    return tuple(sorted(found, key=lambda edge: (edge.since or 0, edge.source, edge.target)))


def _of_commit(app: App, sha: str) -> tuple[Edge, ...]:
    found: dict[Edge, None] = {}
    front, known = {sha}, {sha}
    while front:
        rows = rewritten_commits.touching(app.store, sorted(front))
        for old, new, how, at in rows:
            found[Edge(key("commit", new), "replaces", key("commit", old), at, None, how)] = None
        front = {one for old, new, *_ in rows for one in (old, new)} - known
        known |= front
    return tuple(sorted(found, key=lambda edge: (edge.since or 0, edge.source)))


def cut_off(app: App) -> str:
    """What a shallow clone lacks, as a sentence; else empty."""
    if app.layout.plain or not head.is_shallow(app.layout):
        return ""
    return "The clone is shallow: what is older than its cut is missing."


def of_file(app: App, path: str) -> Lineage:
    """What a file was called before, by git's log of it, which follows renames."""
    if app.layout.plain or not app.head.commit:
        return Lineage(())
    log, complete = line_history.changed_path(app.layout.cwd, path, MOST_COMMITS)
    names = renames(log, path)
    edges = []
    for (name, _), (before, sha) in pairwise(names):
        at = next(one.committed_time for one in log if one.sha == sha) * 1000
        edges.append(Edge(key("file", name), "renamed_from", key("file", before), at, None, sha))
    return Lineage(tuple(reversed(edges)), complete, names)


def renames(log: list[Commit], path: str) -> tuple[tuple[str, str], ...]:
    """(name, the commit that took it away) of a file, the newest first. Pure.

    Of the name it has now the commit is empty. ``log`` follows it, the newest first.
    """
    found = [(path, "")]
    for newer, older in pairwise(log):
        name = older.paths[-1] if older.paths else found[-1][0]
        if name != found[-1][0]:
            found.append((name, newer.sha))
    return tuple(found)
