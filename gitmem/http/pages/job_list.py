"""Long work of this server: what runs, how far it is, and a button to stop it."""

from __future__ import annotations

from typing import Any

from gitmem.app import App
from gitmem.http.jobs import ENDED, Job
from gitmem.http.pages.page import Page, PageParameters


def read_jobs_page(_app: App, _query: PageParameters) -> dict[str, Any]:
    """An empty dict: the page of jobs has its template values from ``server_jobs``."""
    return {}


def server_jobs(jobs: list[Job]) -> dict[str, Any]:
    """A dict to show in the page of jobs: ``jobs``, the newest first, ``running`` if any is."""
    rows = [job.as_json() for job in reversed(jobs)]
    return {"jobs": rows, "running": any(row["state"] not in ENDED for row in rows)}


JOBS = Page(
    "jobs",
    "/jobs",
    "What is running?",
    read_jobs_page,
    "Jobs",
    script=("reload.js",),
    of_jobs=server_jobs,
    minor=True,
)
