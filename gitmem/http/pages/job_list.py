"""Long work of this server: what runs, how far it is, and a button to stop it."""

from __future__ import annotations

from typing import Any

from gitmem.app import App
from gitmem.http.jobs import ENDED, Job
from gitmem.http.pages.page import Page, Query


def read_no_store(_app: App, _query: Query) -> dict[str, Any]:
    """No data from the store, for the page of jobs: these are the server's."""
    return {}


def server_jobs(jobs: list[Job]) -> dict[str, Any]:
    """Data of the page of jobs: the long-running work of this server, the newest first."""
    rows = [job.plain() for job in reversed(jobs)]
    return {"jobs": rows, "running": any(row["state"] not in ENDED for row in rows)}


JOBS = Page(
    "jobs",
    "/jobs",
    "What is running?",
    read_no_store,
    "Jobs",
    script=("reload.js",),
    of_jobs=server_jobs,
    minor=True,
)
