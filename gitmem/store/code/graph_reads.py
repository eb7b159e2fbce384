"""Queries on the code graph: edges from nodes, edges to nodes, edges between files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitmem.model.frozen import dataclass
from gitmem.store.code.indexed_files import decode_path_from_database, encode_path_for_database
from gitmem.store.db.connection import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The most edges that a step of a walk reads.
MOST = 20_000
_SELECT = (
    "SELECT e.source, e.target, e.kind, e.line, e.confidence, v.text FROM graph_edges e "
    "LEFT JOIN graph_evidence v ON v.id = e.evidence "
)


@dataclass(frozen=True, slots=True)
class GraphNode:
    """An end of edges in the code graph: a file, a definition or a package, with its row number.

    ``name`` is the definition's qualified name, empty for a file or a package; the path of a
    package (all files of a folder) ends with a slash.
    """

    id: int
    path: str
    name: str


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A stored use of one definition or file by another: an import, a call ... (``kind``).

    ``source`` and ``target`` are ids of nodes, ``line`` is where the source uses the target.
    ``confidence`` is from 0 to 1, ``evidence`` says what it rests on, maybe nothing.
    """

    source: int
    target: int
    kind: str
    line: int
    confidence: float
    evidence: str


def nodes_by_name(
    database: Database, worktree: str, paths_and_names: Iterable[tuple[str, str]]
) -> list[GraphNode]:
    """The graph nodes of these definitions, each given as (path, qualified name).

    The name is empty for a file. What has no edges (uses of or by others) may have no node.
    """
    nodes: list[GraphNode] = []
    for path, name in dict.fromkeys(paths_and_names):
        row = database.row(
            "SELECT n.id FROM graph_nodes n JOIN graph_trees t ON t.id = n.tree "
            "WHERE t.tree = ? AND n.path = ? AND n.name = ?",
            (worktree, encode_path_for_database(path), name),
        )
        if row is not None:
            nodes.append(GraphNode(row[0], path, name))
    return nodes


def nodes_of_file(database: Database, worktree: str, path: str) -> list[GraphNode]:
    """The graph nodes of a file: the file itself and its definitions, where they have edges."""
    rows = database.rows(
        "SELECT n.id, n.path, n.name FROM graph_nodes n JOIN graph_trees t ON t.id = n.tree "
        "WHERE t.tree = ? AND n.path = ?",
        (worktree, encode_path_for_database(path)),
    )
    return [
        GraphNode(number, decode_path_from_database(place), name) for number, place, name in rows
    ]


def nodes_by_id(database: Database, node_ids: Iterable[int]) -> dict[int, GraphNode]:
    """A dict: id -> graph node, for the ids that exist."""
    rows = database.rows(
        "SELECT id, path, name FROM graph_nodes WHERE id IN (SELECT value FROM json_each(?))",
        (_array(node_ids),),
    )
    return {
        number: GraphNode(number, decode_path_from_database(path), name)
        for number, path, name in rows
    }


def incoming_edges(
    database: Database,
    target_node_ids: Iterable[int],
    edge_kinds: Sequence[str],
    min_confidence: float = 0.0,
) -> list[GraphEdge]:
    """The edges (uses such as calls) that lead to some nodes, sorted by source and line.

    ``target_node_ids`` are nodes' ids, ``edge_kinds`` such as call or import. Only edges with at
    least ``min_confidence`` (0 to 1), and at most 20,000.
    """
    return _links(database, "target", target_node_ids, edge_kinds, min_confidence)


def outgoing_edges(
    database: Database,
    source_node_ids: Iterable[int],
    edge_kinds: Sequence[str],
    min_confidence: float = 0.0,
) -> list[GraphEdge]:
    """The edges (uses such as calls) that start at some nodes, sorted by source and line.

    ``source_node_ids`` are nodes' ids, ``edge_kinds`` such as call or import. Only edges with at
    least ``min_confidence`` (0 to 1), and at most 20,000.
    """
    return _links(database, "source", source_node_ids, edge_kinds, min_confidence)


def _links(
    database: Database, end: str, ids: Iterable[int], kinds: Sequence[str], least: float
) -> list[GraphEdge]:
    marks = ",".join("?" * len(kinds))
    rows = database.rows(
        f"{_SELECT} WHERE e.{end} IN (SELECT value FROM json_each(?)) AND e.kind IN ({marks}) "
        "AND e.confidence >= ? ORDER BY e.source, e.line, e.target LIMIT ?",
        (_array(ids), *kinds, round(least * 100), MOST),
    )
    return [_link(row) for row in rows]


def _link(row: tuple[Any, ...]) -> GraphEdge:
    source, target, kind, line, percent, evidence = row
    return GraphEdge(source, target, kind, line, percent / 100, evidence or "")


def most_confident_neighbours(
    database: Database,
    node_ids: Iterable[int],
    edge_kinds: Sequence[str],
    limit: int,
    *,
    backwards: bool,
) -> tuple[list[tuple[GraphEdge, GraphNode]], int]:
    """(pairs of edge and node, total): nodes that the given nodes use, and how many there are.

    ``backwards``: nodes that use the given ones. At most ``limit`` pairs, highest confidence first,
    a node once, with its surest edge; the given ``node_ids`` are left out. ``edge_kinds`` are call,
    import ...
    """
    near, far = ("target", "source") if backwards else ("source", "target")
    marks = ",".join("?" * len(edge_kinds))
    array = _array(node_ids)
    edges = (
        f"FROM graph_edges e WHERE e.{near} IN (SELECT value FROM json_each(?)) "
        f"AND e.kind IN ({marks}) AND e.{far} NOT IN (SELECT value FROM json_each(?))"
    )
    # In SQLite a lone max() decides from which row the other columns are taken.
    rows = database.rows(
        "SELECT e.source, e.target, e.kind, e.line, e.confidence, v.text, n.id, n.path, n.name "
        "FROM (SELECT e.source, e.target, e.kind, e.line, e.confidence, e.evidence, "
        f"max(e.confidence * 10000000 - e.line) {edges} GROUP BY e.{far} "
        f"ORDER BY e.confidence DESC, e.{far} LIMIT ?) e JOIN graph_nodes n ON n.id = e.{far} "
        "LEFT JOIN graph_evidence v ON v.id = e.evidence "
        f"ORDER BY e.confidence DESC, e.{far}",
        (array, *edge_kinds, array, limit),
    )
    question = f"SELECT count(DISTINCT e.{far}) {edges}"
    total = database.value(question, (array, *edge_kinds, array)) or 0
    return [
        (_link(row[:6]), GraphNode(row[6], decode_path_from_database(row[7]), row[8]))
        for row in rows
    ], total


def edges_between(
    database: Database,
    source_node_ids: Iterable[int],
    target_node_ids: Iterable[int],
    edge_kinds: Sequence[str],
) -> list[GraphEdge]:
    """The edges of these kinds (call, import ...) from the source to the target nodes, by id."""
    marks = ",".join("?" * len(edge_kinds))
    rows = database.rows(
        f"{_SELECT} WHERE e.source IN (SELECT value FROM json_each(?)) AND e.kind IN ({marks}) "
        "AND e.target IN (SELECT value FROM json_each(?)) ORDER BY e.source, e.line, e.target",
        (_array(source_node_ids), *edge_kinds, _array(target_node_ids)),
    )
    return [_link(row) for row in rows]


def edges_to_name(
    database: Database, worktree: str, name: str
) -> list[tuple[str, int, bool, tuple[str, str]]]:
    """The places that use a name: (path, line, whether it imports, (path, qualified name)).

    The last pair is the definition used. The name may also be that of a class around it, so a
    constructor or method of the class counts.
    """
    rows = database.rows(
        "SELECT s.path, e.line, e.kind IN ('import', 'type-import', 'late-import'), g.path, g.name "
        # The plain comparison first: nearly no name holds this one, and the others make texts. Not
        # by the files that define it: members of a type may be defined in others.
        "FROM graph_trees t JOIN graph_nodes g ON g.tree = t.id AND instr(g.name, ?2) "
        "AND (g.name = ?2 OR substr(g.name, -length(?2) - 1) = '.' || ?2 "
        "OR instr('.' || g.name, '.' || ?2 || '.')) "
        "JOIN graph_edges e ON e.target = g.id JOIN graph_nodes s ON s.id = e.source "
        "WHERE t.tree = ?1",
        (worktree, name),
    )
    return [
        (
            decode_path_from_database(path),
            line,
            bool(taken),
            (decode_path_from_database(place), end),
        )
        for path, line, taken, place, end in rows
    ]


def importing_and_imported_paths(
    database: Database, worktree: str, edge_kinds: Sequence[str]
) -> list[tuple[str, str]]:
    """(importing path, imported path) of the imports between files, sorted, without repeats.

    ``edge_kinds`` are of import, type-import, late-import. Imports with a confidence below 0.8 are
    left out.
    """
    marks = ",".join("?" * len(edge_kinds))
    rows = database.rows(
        "SELECT DISTINCT s.path, g.path FROM graph_trees t JOIN graph_nodes g "
        "ON g.tree = t.id AND g.name = '' JOIN graph_edges e ON e.target = g.id "
        f"AND e.kind IN ({marks}) JOIN graph_nodes s ON s.id = e.source "
        "WHERE t.tree = ? AND e.confidence >= 80 ORDER BY 1, 2",
        (*edge_kinds, worktree),
    )
    return [
        (decode_path_from_database(source), decode_path_from_database(target))
        for source, target in rows
    ]


def has_edges(database: Database, worktree: str) -> bool:
    """Whether a worktree has a code graph: the uses of its files by one another were stored."""
    question = (
        "SELECT 1 FROM graph_trees t JOIN graph_files f ON f.tree = t.id WHERE t.tree = ? LIMIT 1"
    )
    return database.value(question, (worktree,)) is not None


def _array(ids: Iterable[int]) -> str:
    return "[" + ",".join(map(str, ids)) + "]"
