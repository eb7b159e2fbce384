"""Decisions: their status, what replaced what as a graph from old to new, and their export."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from gitmem.app import App
from gitmem.http.pages.forms import Action, Form, FormOutcome, VerbPerformer
from gitmem.http.pages.page import Page, PageParameters, pager_links, result_of_verb
from gitmem.text.quantity import quantity

PER_PAGE = 100
# Pixels of a box of the graph and between two of them.
_WIDE, _HIGH, _ACROSS, _DOWN = 210, 44, 46, 14


def read_decisions_page_data(app: App, query: PageParameters) -> dict[str, Any]:
    """A dict to show in the page on decisions: a page of them, and which replaced which.

    Parameters in ``query``: ``status`` limits the list to one status, ``offset`` begins it later.
    """
    offset = query.number("offset", 0, 100_000)
    states = ["active", "proposed", "superseded"]
    listed = result_of_verb(
        app, "list", kind=["decision"], state=states, limit=PER_PAGE, offset=offset
    )
    decisions = listed["memories"]
    for decision in decisions:
        decision["word"] = _word(decision)
    status = query.text("status")
    words = sorted({decision["word"] for decision in decisions}, key=_ORDER.index)
    return {
        "decisions": [decision for decision in decisions if status in ("", decision["word"])],
        "counts": {
            word: sum(1 for decision in decisions if decision["word"] == word) for word in words
        },
        "status": status,
        "total": listed["total"],
        "pages": pager_links(
            query, "/decisions", offset, len(decisions), PER_PAGE, listed["total"]
        ),
        "graph": decision_graph(decisions),
    }


_ORDER = ("accepted", "waiting", "deprecated", "superseded")


def _word(decision: dict[str, Any]) -> str:
    """The status of a decision in a word."""
    if decision["superseded_by"] or decision["status"] == "superseded":
        return "superseded"
    if decision["state"] == "proposed" or decision["status"] == "proposed":
        return "waiting"
    return "deprecated" if decision["status"] == "deprecated" else "accepted"


def decision_graph(decisions: list[dict[str, Any]]) -> dict[str, Any]:
    """A drawing of the decisions that replaced others, the old ones left of the new.

    Returns a dict: ``nodes`` (id, title, status ``word``, x, y), ``arrows`` (x1, y1, x2, y2), width
    and height, in pixels, and ``box``, the size of a node.
    """
    by_id = {decision["id"]: decision for decision in decisions}
    former: dict[str, list[str]] = defaultdict(list)
    for decision in decisions:
        if decision["superseded_by"] in by_id:
            former[decision["superseded_by"]].append(decision["id"])
    last = [id for id in former if by_id[id]["superseded_by"] not in by_id]
    nodes: list[dict[str, Any]] = []
    row = 0
    for id in last:
        row = _place(id, former, by_id, nodes, row)
    depth = max((node["column"] for node in nodes), default=0)
    for node in nodes:
        node["x"] = (depth - node.pop("column")) * (_WIDE + _ACROSS) + 2
        node["y"] = node.pop("row") * (_HIGH + _DOWN) + 2
    arrows = []
    at = {node["id"]: node for node in nodes}
    for old in nodes:
        new = at.get(by_id[old["id"]]["superseded_by"])
        if new:
            arrows.append({
                "x1": old["x"] + _WIDE,
                "y1": old["y"] + _HIGH // 2,
                "x2": new["x"] - 3,
                "y2": new["y"] + _HIGH // 2,
            })  # fmt: skip
    return {
        "nodes": nodes,
        "arrows": arrows,
        "width": (depth + 1) * (_WIDE + _ACROSS) - _ACROSS + 4,
        "height": row * (_HIGH + _DOWN) + 4,
        "box": [_WIDE, _HIGH],
    }


def _place(
    last: str,
    former: dict[str, list[str]],
    by_id: dict[str, dict[str, Any]],
    nodes: list[dict[str, Any]],
    row: int,
) -> int:
    """Add a decision and all before it, from a row on; the first free row after them."""
    ways, placed = [(last, 0)], set[str]()
    while ways:
        id, column = ways.pop()
        if id in placed:
            continue
        placed.add(id)
        decision = by_id[id]
        title = decision["title"] or decision["content"]
        nodes.append(
            {"id": id, "title": title, "word": decision["word"], "row": row, "column": column}
        )
        older = former.get(id, [])
        ways += [(old, column + 1) for old in older]
        if not older:
            row += 1
    return row


async def export_decisions(perform_verb: VerbPerformer, form: Form) -> FormOutcome:
    """Write decisions as files (decision records) into the repository; returns what to show.

    ``perform_verb`` runs a command; ``folder`` in the form may be empty for the usual one.
    """
    folder = form.text("folder").strip()
    result = await perform_verb("adr export", **({"folder": folder} if folder else {}))
    written = [file["file"] for file in result["files"] if file["action"] != "unchanged"]
    errors = [file["error"] for file in result["files"] if file["error"]]
    names = ", ".join(written[:3]) + (" …" if len(written) > 3 else "")
    wrote = f"Wrote {quantity(len(written), 'file')}: {names}."
    line = wrote if written else "All records are up to date."
    return FormOutcome(" ".join([line, *errors[:3]]))


DECISIONS = Page(
    "decisions",
    "/decisions",
    "What was decided?",
    read_decisions_page_data,
    "Decisions",
    "list --kind decision",
)
ACTIONS: dict[str, Action] = {"export-decisions": export_decisions}
