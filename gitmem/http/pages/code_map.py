"""The code map: the files as areas, coloured by what is remembered, stale, hot or owned."""

from __future__ import annotations

from typing import Any

from gitmem.app import App
from gitmem.assembly import code_map
from gitmem.charts import static_assets, treemap
from gitmem.charts.treemap import COLOURS, FileFacts
from gitmem.http.pages.page import Page, PageParameters
from gitmem.http.pages.rendering import make_address
from gitmem.model.kinds import require_one_of
from gitmem.text.fence import one_line

_LISTED = 40
_LABELS = {
    "remembered": "what is remembered",
    "stale": "what may be wrong",
    "hot": "what changes most",
    "owner": "who knows it",
}


def read_code_map_page_data(app: App, query: PageParameters) -> dict[str, Any]:
    """A dict to show in the code map: a chart of the files in a folder, and the main ones.

    Parameters in ``query``: ``path`` is the folder, ``by`` what colours the files.
    """
    by = require_one_of("by", query.text("by", COLOURS[0]), COLOURS)
    folder = query.text("path").strip("/")
    files = code_map.gather_map_files(app, folder)
    picture = treemap.treemap_chart(
        files, by, folder=folder, file_link=file_link, folder_link=lambda path: _map(by, path)
    )
    notes = treemap.treemap_colouring(files, by).note
    parts = folder.split("/") if folder else []
    return {
        "by": by,
        "folder": folder,
        "colours": [
            {"label": _LABELS[name], "href": _map(name, folder), "current": name == by}
            for name in COLOURS
        ],
        "above": [{"name": "all", "href": _map(by, "")}]
        + [
            {"name": name, "href": _map(by, "/".join(parts[: place + 1]))}
            for place, name in enumerate(parts)
        ],
        "picture": picture,
        "total": len(files),
        "lines": sum(file.lines for file in files),
        "files": [
            _listed(file, notes(file)) for file in code_map.top_files_by_metric(files, by, _LISTED)
        ],
    }


def _listed(file: FileFacts, note: str) -> dict[str, Any]:
    return {
        "path": file.path,
        "href": file_link(file.path),
        "lines": file.lines,
        "memories": file.memories,
        "stale": file.stale,
        "commits": file.commits,
        "owner": one_line(file.owner, 40),
        "note": note,
    }


def _map(by: str, folder: str) -> str:
    return make_address("map", by="" if by == COLOURS[0] else by, path=folder)


def file_link(path: str) -> str:
    """The URL path of the page on a file: ``/files/src/app.py``."""
    return make_address("files", path)


MAP = Page(
    "map",
    "/map",
    "Where in the code does the memory lie?",
    read_code_map_page_data,
    "Map",
    "churn",
    (static_assets.STYLE, *static_assets.SCRIPTS),
)
