"""A file: the memories that cite it, who changes it and what with it, what it uses, its lines."""

from __future__ import annotations

from typing import Any

from gitmem.app import App
from gitmem.charts import network, static_assets
from gitmem.charts.network import NetworkEdge, NetworkNode
from gitmem.errors import GitmemError
from gitmem.http.pages.code_map import file_link
from gitmem.http.pages.page import Page, PageParameters, result_of_verb
from gitmem.http.pages.rendering import address_with_query, make_address
from gitmem.store.code import indexed_files

# Lines and characters of a page of a file, neighbours on each side, definitions listed.
_LINES, _CHARACTERS, _NEIGHBOURS, _DEFINED, _CALLERS = 400, 30_000, 8, 40, 10
# Lines that the first page of a file surely has, and those above a line that a link leads to.
_FIRST, _ABOVE = 30, 15
_GROUPS = ("this file", "imports it", "it imports")


def read_file_page_data(app: App, query: PageParameters) -> dict[str, Any]:
    """A dict to show in the page on the file ``path``: what is known of it, and its lines.

    The parameter ``from`` in ``query`` is the first line to show. Raises NotFound if there is no
    such file.
    """
    path = query.text("path")
    facts = result_of_verb(app, "file", path=path, max_tokens=0)
    around, note = _around(app, path)
    first = max(1, query.number("from", 1, 1_000_000))
    from gitmem.assembly import file_context  # noqa: PLC0415 - not for the start of a server

    lines = file_context.read_redacted_file(app, path).splitlines()
    shown = _page(lines[first - 1 :])
    after = first + len(shown)
    cited = _cited(path, [*facts["decisions"], *facts["memories"]])
    others = [other["path"] for other in facts["changed_with"]]
    there = indexed_files.blob_ids_and_chunkers_by_path(app.store, app.worktree, others)
    facts["symbols"] = [
        {**symbol, "href": _here_or_link(path, symbol["start_line"], first, after)}
        for symbol in facts["symbols"][:_DEFINED]
    ]
    return {
        **facts,
        "content": "",
        "folder": path.rpartition("/")[0],
        "folder_href": make_address("map", path=path.rpartition("/")[0]),
        "changed_with": [
            {**other, "href": file_link(other["path"]) if other["path"] in there else ""}
            for other in facts["changed_with"]
        ],
        "tests": [{"path": test, "href": file_link(test)} for test in facts["tests"]],
        "picture": around,
        "note": note,
        "callers": _callers(app, path),
        "imported_by": _side(around, 1),
        "imports": _side(around, 2),
        "code": [
            {"number": number, "text": text, "cited": number in cited}
            for number, text in enumerate(shown, first)
        ],
        "earlier": address_with_query(file_link(path), [("from", str(max(1, first - _LINES)))])
        if first > 1
        else "",
        "later": address_with_query(file_link(path), [("from", str(after))])
        if after <= len(lines)
        else "",
    }


def _page(lines: list[str]) -> list[str]:
    """The first lines that fit a page, each cut where it is very long."""
    shown: list[str] = []
    room = _CHARACTERS
    for line in lines[:_LINES]:
        line = line if len(line) <= 1000 else line[:1000] + "…"
        room -= len(line)
        if room < 0 and shown:
            break
        shown.append(line)
    return shown


def _cited(path: str, memories: list[dict[str, Any]]) -> set[int]:
    """The lines that memories cite, where they are now."""
    return {
        line
        for memory in memories
        for anchor in memory["anchors"]
        if anchor["path"] == path and anchor["first_line"]
        for line in range(anchor["first_line"], (anchor["last_line"] or 0) + 1)
    }


def _around(app: App, path: str) -> tuple[dict[str, Any] | None, str]:
    """The picture of the files that import this one and that it imports; None if there are none."""
    try:
        deps = result_of_verb(app, "deps", path=path, limit=1000)
    except GitmemError:  # a file that the index leaves out
        return None, ""
    sides = [(deps["imported_by"], 0, 1), (deps["imports"], 2, 2)]
    nodes, edges = [NetworkNode(path, path.rpartition("/")[2], 1, 0)], []
    left = 0
    for links, column, group in sides:
        paths = list(dict.fromkeys(link["path"] for link in links if link["path"] != path))
        left += max(0, len(paths) - _NEIGHBOURS)
        for other in paths[:_NEIGHBOURS]:
            nodes.append(NetworkNode(f"{group}{other}", other, column, group, file_link(other)))
            ends = (f"{group}{other}", path) if group == 1 else (path, f"{group}{other}")
            edges.append(NetworkEdge(*ends))
    picture = network.network_chart(nodes, edges, _GROUPS)
    picture["more"] = left
    return (picture if edges else None), deps["note"]


def _here_or_link(path: str, line: int, first: int, after: int) -> str:
    return f"#L{line}" if first <= line < after else line_link(path, line)


def _callers(app: App, path: str) -> list[dict[str, Any]]:
    """The surest calls of what the file defines, from other files."""
    try:
        uses = result_of_verb(app, "graph", name=path, limit=100)["items"]
    except GitmemError:  # as above
        return []
    return [
        {**use, "href": line_link(use["path"], use["line"])} for use in uses if use["path"] != path
    ][:_CALLERS]


def line_link(path: str, line: int) -> str:
    """The address of a line in the page on a file: ``/files/src/app.py?from=25#L40``."""
    start = [("from", str(line - _ABOVE))] if line > _FIRST else []
    return address_with_query(file_link(path), start) + f"#L{line}"


def _side(picture: dict[str, Any] | None, group: int) -> list[dict[str, str]]:
    nodes = picture["nodes"] if picture else []
    return [
        {"path": node["text"], "href": node["href"]} for node in nodes if node["group"] == group
    ]


FILE = Page(
    "file",
    "/files/{path:path}",
    "What is known of this file?",
    read_file_page_data,
    command="file",
    script=(static_assets.STYLE, *static_assets.SCRIPTS),
)
