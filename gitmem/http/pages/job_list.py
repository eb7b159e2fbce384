"""Long work of this server: what runs, how far it is, and a button to stop it."""

from __future__ import annotations

from typing import Any

from gitmem.app import App
from gitmem.http.jobs import ENDED, Job
from gitmem.http.pages.page import Page, PageParameters


def empty_jobs_page_data(_app: App, _query: PageParameters) -> dict[str, Any]:
    """An empty dict: the page of jobs has its template values from ``jobs_page_data``."""
    return {}


def jobs_page_data(jobs: list[Job]) -> dict[str, Any]:
    """A dict to show in the page of jobs: ``jobs``, the newest first, ``running`` if any is."""
    rows = [job.as_json() for job in reversed(jobs)]
    return {"jobs": rows, "running": any(row["state"] not in ENDED for row in rows)}


JOBS = Page(
    "jobs",
    "/jobs",
    "What is running?",
    empty_jobs_page_data,
    "Jobs",
    script=("reload.js",),
    of_jobs=jobs_page_data,
    minor=True,
)
