"""The first page: what happened since you were here, and what needs a look."""

from __future__ import annotations

from typing import Any

from gitmem.app import App
from gitmem.http.pages.page import Page, Query, verb


def read(app: App, _query: Query) -> dict[str, Any]:
    """What changed since the last session, what needs a look, and what was worked on last."""
    return {"status": verb(app, "status")}


OVERVIEW = Page(
    "overview", "/", "What happened, and what needs a look?", read, "Overview", "orient"
)
