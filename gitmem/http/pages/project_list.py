"""The projects where gitmem is set up, with the folder and the last write of each."""

from __future__ import annotations

from typing import Any

from gitmem.app import App
from gitmem.http.pages.page import Page, PageParameters, result_of_verb


def read_projects_page_data(app: App, _query: PageParameters) -> dict[str, Any]:
    """A dict to show in the page on the user's projects, the current one first."""
    listed = result_of_verb(app, "projects")
    rows = sorted(listed["projects"], key=lambda row: not row["here"])
    return {"projects": rows, "notes": listed["notes"]}


PROJECTS = Page(
    "projects",
    "/projects",
    "Where is gitmem set up?",
    read_projects_page_data,
    "Projects",
    "projects",
    minor=True,
)
