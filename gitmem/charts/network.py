"""A network as a picture: named nodes in columns, and arrows between them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitmem.model.frozen import dataclass
from gitmem.text.fence import one_line

MAX_NODES_PER_COLUMN = 40  # nodes of a column
_WIDTH = 48


@dataclass(frozen=True, slots=True)
class NetworkNode:
    """A node of a network chart in a ``column``, from 0 on the left.

    ``group`` is the index of its group (a colour), ``href`` the page it leads to, or empty.
    """

    id: str
    text: str
    column: int
    group: int = 0
    href: str = ""


@dataclass(frozen=True, slots=True)
class NetworkEdge:
    """An arrow between two nodes of a network chart, by their ids, with a word beside it."""

    source: str
    target: str
    text: str = ""


def network_chart(
    nodes: Sequence[NetworkNode],
    edges: Iterable[NetworkEdge],
    groups: Sequence[str],
    max_nodes_per_column: int = MAX_NODES_PER_COLUMN,
) -> dict[str, object]:
    """The chart as a dict for JSON: ``{"kind": "network", "groups", "nodes", "edges", "more"}``.

    A node has ``text``, ``group``, ``x`` and ``y`` from 0 to 1, and ``href`` if it leads anywhere;
    an edge is ``[from, to, text]`` with indices of nodes. ``more`` counts nodes that a column has
    no room for. ``groups`` are their names.
    """
    columns: dict[int, list[NetworkNode]] = {}
    for node in nodes:
        columns.setdefault(node.column, []).append(node)
    numbers = sorted(columns)
    places: dict[str, int] = {}
    drawn: list[dict[str, object]] = []
    for number in numbers:
        column = columns[number][:max_nodes_per_column]
        for row, node in enumerate(column):
            places[node.id] = len(drawn)
            drawn.append(
                {
                    "text": one_line(node.text, _WIDTH),
                    "group": node.group,
                    "x": round((numbers.index(number) + 0.5) / len(numbers), 3),
                    "y": round((row + 0.5) / len(column), 3),
                    **({"href": node.href} if node.href else {}),
                }
            )
    return {
        "kind": "network",
        "groups": list(groups),
        "nodes": drawn,
        "edges": [
            [places[edge.source], places[edge.target], one_line(edge.text, _WIDTH)]
            for edge in edges
            if edge.source in places and edge.target in places
        ],
        "more": len(nodes) - len(drawn),
    }


def stacked_bar_chart(
    labels: Sequence[str], series: Iterable[tuple[str, Sequence[int]]], palette: str = "groups"
) -> dict[str, object]:
    """The chart as a dict for JSON: ``{"kind": "bars", "labels", "palette", "series"}``.

    There is a bar for each label. ``palette`` is ``groups``, ``steps`` or ``verdict``; ``series``
    are (name, a number for each label) in the order of its shades.
    """
    return {
        "kind": "bars",
        "labels": [one_line(label, _WIDTH) for label in labels],
        "palette": palette,
        "series": [
            {"name": one_line(name, _WIDTH), "values": [*values]} for name, values in series
        ],
    }
