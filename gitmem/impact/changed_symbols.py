"""What a diff changes, as nodes of the code graph: the definitions that its lines stand in."""

from gitmem.app import App
from gitmem.code_relations import graph_target
from gitmem.git import diff
from gitmem.git.diff import Change
from gitmem.git.patch import WHOLE
from gitmem.model.frozen import dataclass
from gitmem.store.code import graph_reads, symbols
from gitmem.store.code.graph_reads import Node
from gitmem.store.code.symbols import Symbol


@dataclass(frozen=True, slots=True)
class Diffed:
    """The paths that a diff touches, the definitions that it changes, and their nodes.

    ``files`` are those that it changes as a whole.
    """

    paths: tuple[str, ...]
    names: tuple[str, ...]
    nodes: tuple[Node, ...]
    symbols: tuple[Symbol, ...]
    files: tuple[str, ...]


def of(app: App, revisions: str) -> Diffed:
    """What changed between two revisions. Raises InvalidInput and NotFound."""
    between = diff.sides(app.layout, revisions)
    changes = diff.changes(app.layout, between)
    hunks = diff.hunks(app.layout, between, {one: None for one in changes if one.status in "MR"})
    nodes: list[Node] = []
    names: list[str] = []
    defined: list[Symbol] = []
    files: list[str] = []
    for one in changes:
        path = one.new or one.old
        spans = hunks.get(one.old or one.new, WHOLE)
        touched = _touched(app, path, one, spans)
        if touched is None:
            nodes += graph_target.of_file(app, path)
            names.append(path)
            files.append(path)
            continue
        defined += touched
        names += [f"{path}:{graph_target.qualified(each)}" for each in touched]
        nodes += graph_target.of_symbols(app, touched)
    paths = tuple(dict.fromkeys(path for one in changes for path in one.paths))
    names, nodes = list(dict.fromkeys(names)), list(dict.fromkeys(nodes))
    return Diffed(paths, tuple(names), tuple(nodes), tuple(defined), tuple(files))


def _touched(app: App, path: str, change: Change, spans: object) -> list[Symbol] | None:
    """The innermost definitions that changed; None where the file as a whole did."""
    if change.status not in "MR" or spans == WHOLE or not isinstance(spans, (list, tuple)):
        return None
    defined = symbols.of_path(app.store, app.worktree, path)
    found: dict[int, Symbol] = {}
    for hunk in spans:
        first, last = hunk.new[0], max(hunk.new[0], hunk.new[1])
        over = [one for one in defined if one.start_line <= last and first <= one.end_line]
        if not over:
            continue  # imports, comments, values at the top
        inner = min(over, key=lambda one: (one.end_line - one.start_line, one.id))
        found[inner.id] = inner
    return list(found.values())


def nodes_inside(app: App, found: list[Symbol]) -> list[Node]:
    """The nodes of some definitions with all that is defined in them."""
    nodes = graph_target.of_symbols(app, found)
    for one in found:
        inside = graph_target.qualified(one) + "."
        there = graph_reads.nodes_of(app.store, app.worktree, one.path)
        nodes += [node for node in there if node.name.startswith(inside)]
    return list(dict.fromkeys(nodes))
