"""Questions to the graph of code as Context Engine and MemoryLayer put them (CE-14, CE-15, ML-20).

The names of the fields are those of their later versions; their documents describe the tools alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gitmem.mcp.compat import to_theirs
from gitmem.mcp.compat.answer_shape import As, Const, Each
from gitmem.mcp.compat.documented_call import ENGINE, REPOSITORY, Call, Choice, To
from gitmem.mcp.compat.memory_layer import layer_call

_HERE = To("any", REPOSITORY, why="One repository a call: its folder, name or key.")
_FORMAT = To("string", why="The text is a table, the data JSON.")
# As far as their transitive questions go, where the call does not say.
_FAR = 3
_PLACE: dict[str, Any] = {
    "path": "path",
    "symbol_path": "name",
    "start_line": "line",
    "end_line": "line",
    "kind": "kind",
    "depth": "depth",
    "confidence": "confidence",
}
_TAKES = {
    "symbol": To("string", "name", needed=True),
    "limit": To("integer", "limit", 20),
    "output_format": _FORMAT,
    "repo": _HERE,
}
_SIDE = "Snippets are left out: a line and why it is an edge are told."


def ways(items: Iterable[Mapping[str, Any]] | None) -> list[list[str]]:
    """The ways to what was found, where they were asked for."""
    return [list(one["way"]) for one in items or () if one["way"]]


def _symbol(name: str, flag: str) -> Call:
    return Call(
        ENGINE,
        ("symbol_graph",),
        "graph",
        {
            **_TAKES,
            "depth": To("integer", "depth", 1),
            "language": To("string", why="An edge never leads to another language."),
            "under": To("string", why="All files are asked."),
        },
        {
            "results": Each("items", _PLACE),
            "symbol": "asked.symbol",
            "query_type": Const(name),
            "count": "total",
            "collection": "here.project",
        },
        fixed={flag: True},
        departs=_SIDE,
    )


SYMBOL: dict[str, Call] = {
    "callees": _symbol("callees", "callees"),
    "subclasses": _symbol("subclasses", "subclasses"),
    "base_classes": _symbol("base_classes", "bases"),
}


def _query(name: str, flag: str, depth: int) -> Call:
    return Call(
        ENGINE,
        ("graph_query", "neo4j_graph_query"),
        "graph",
        {
            **_TAKES,
            "depth": To("integer", "depth", depth),
            "include_paths": To("boolean", "paths", False),
        },
        {
            "ok": Const(True),
            "results": Each("items", _PLACE),
            "paths": As(ways, "items"),
            "symbol": "asked.symbol",
            "query_type": Const(name),
            "total": "total",
        },
        fixed={flag: True},
        departs=_SIDE,
    )


_REACHED: dict[str, Any] = {
    "ok": Const(True),
    "results": Each("files", {"path": "path", "depth": "depth", "confidence": "confidence"}),
    "symbol": "asked.symbol",
    "query_type": Const("impact"),
    "total": "total",
}
_QUERIES: dict[str, Call] = {
    "callers": _query("callers", "callers", 1),
    "callees": _query("callees", "callees", 1),
    "transitive_callers": _query("transitive_callers", "callers", _FAR),
    "transitive_callees": _query("transitive_callees", "callees", _FAR),
    "dependencies": _query("dependencies", "imports", _FAR),
    "impact": Call(
        ENGINE,
        ("graph_query", "neo4j_graph_query"),
        "impact",
        {
            "symbol": To("string", "target", needed=True),
            "limit": To("integer", "limit", 20),
            "depth": To("integer", "depth", _FAR),
            "include_paths": To("boolean", why="The ways are in our own `impact`."),
            "output_format": _FORMAT,
            "repo": _HERE,
        },
        _REACHED,
    ),
    "cycles": Call(
        ENGINE,
        ("graph_query", "neo4j_graph_query"),
        "cycles",
        {
            "symbol": To("string", why="Cycles are those of all files."),
            "limit": To("integer", "limit", 20),
            "depth": To("integer", why="A cycle is told at any length."),
            "include_paths": To("boolean", why="Each has a way round."),
            "output_format": _FORMAT,
            "repo": _HERE,
        },
        {
            "ok": Const(True),
            "results": Each("cycles", {"files": "files", "path": "way", "length": "length"}),
            "query_type": Const("cycles"),
            "total": "total",
        },
    ),
}
CHOICES: tuple[Choice, ...] = tuple(
    Choice(ENGINE, name, "query_type", _QUERIES, (), "callers")
    for name in ("graph_query", "neo4j_graph_query")
)


def paths_of_tests(files: Iterable[Mapping[str, Any]] | None) -> list[str]:
    """The files of tests among those that a change concerns."""
    return [str(one["path"]) for one in files or () if one["test"]]


DEPENDENCIES = layer_call(
    "get_dependencies",
    "deps",
    {"path": To("string", "path", needed=True)},
    {
        "file": "path",
        "imports": Each("imports", {"file": "path", "symbols": "names", "line": "line"}),
        "external": "outside",
        "imported_by": Each("imported_by", {"file": "path", "symbols": "names"}),
        "symbols": Each("symbols", {"name": "name", "kind": "kind", "line": "line"}),
    },
)
CALLS: tuple[Call, ...] = (
    DEPENDENCIES,
    layer_call(
        "find_circular_deps",
        "cycles",
        {},
        {
            "cycles": Each("cycles", {"files": "way", "length": "length"}),
            "total": "total",
            "has_cycles": As(to_theirs.some, "cycles"),
        },
    ),
    layer_call(
        "get_impact_analysis",
        "impact",
        {
            "file": To("string", "target", needed=True),
            "depth": To("integer", "depth", _FAR),
            "include_tests": To("boolean", why="Tests are always told, in a list of their own."),
        },
        {
            "file": "target",
            "risk": "risk.level",
            "risk_score": "risk.score",
            "reasons": "risk.reasons",
            "affected_files": Each("files", {"file": "path", "depth": "depth"}),
            "affected_tests": As(paths_of_tests, "files"),
            "total_affected": "total",
        },
    ),
)
