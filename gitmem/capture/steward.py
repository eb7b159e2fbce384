"""Background jobs of gitmem: one process at a time, tried again, and logged for two weeks.

A job is queued once for a key, so that the same state is not examined twice. One process holds its
lease at a time, and loses it after a minute. After three attempts the job is put aside. Jobs do not
change memories: their findings wait in the inbox.
"""

import json
from collections.abc import Callable

from gitmem.app import App
from gitmem.clock import DAY, MINUTE
from gitmem.errors import GitmemError
from gitmem.store.db.connection import Database
from gitmem.store.memory import jobs
from gitmem.store.memory.jobs import Job

ATTEMPTS = 3
LEASE_MS = MINUTE
RETRY_MS = 300_000
RETENTION_MS = 14 * DAY
GONE = "Whoever ran it went away each time."

SUCCEEDED, DEAD = "succeeded", "dead_letter"
# Final states of a job.
ENDED = (SUCCEEDED, DEAD)

# Does the work of a job, not in a transaction; its result as JSON.
Work = Callable[[App, Database], str]


def run_suggestion_job(
    app: App,
    store: Database,
    kind: str,
    repository_state_key: str,
    make_suggestions: Callable[[App, Database], int],
) -> tuple[str, int]:
    """Run a background job that makes suggestions, once per state; returns (final state, number).

    ``repository_state_key`` is a key for what the job looks at: for the same one it does not run
    again. ``make_suggestions`` does the work and returns the number. The final state is
    ``succeeded`` or ``dead_letter``, empty if the job did not end.
    """
    count = 0

    def make_and_count_suggestions(app: App, store: Database) -> str:
        nonlocal count
        count = make_suggestions(app, store)
        return json.dumps({"suggested": count})

    state = run_job_once_per_key(app, store, kind, repository_state_key, make_and_count_suggestions)
    return (state, count) if state in ENDED else ("", 0)


def run_job_once_per_key(
    app: App, store: Database, kind: str, job_key: str, perform_job: Work
) -> str:
    """Queue a background job unless its key is known, and run the due job of this kind.

    ``perform_job`` does it and returns its result as JSON. Returns the job's state: succeeded,
    queued (it failed and is tried again), dead_letter (it failed three times); empty if none was
    due or another process took it.
    """
    with store.write():
        jobs.prune_jobs(store, app.now - RETENTION_MS)
        jobs.enqueue_job(store, new_background_job(app, kind, job_key))
        job = jobs.lease_job(store, app.now, LEASE_MS, kind)
    if job is None:
        return ""
    if job.attempts > ATTEMPTS:
        return _settle(app, store, job, DEAD, GONE)
    try:
        result = perform_job(app, store)
    except GitmemError as error:
        again = job.attempts < ATTEMPTS
        due = app.now + RETRY_MS if again else None
        return _settle(app, store, job, "queued" if again else DEAD, error.message, due)
    return _settle(app, store, job, SUCCEEDED, result)


def new_background_job(app: App, kind: str, key: str) -> Job:
    """A new Job with the state ``queued``, not stored; ``key`` is unique among jobs of its kind."""
    return Job(app.new_id(), f"{kind}:{key}", kind, "queued", True, 0, None, app.now, "", app.now)


def _settle(
    app: App, store: Database, job: Job, state: str, result: str, due_at: int | None = None
) -> str:
    with store.write():
        is_recorded = jobs.finish_job(
            store, job, state, now_ms=app.now, result=result, retry_at_ms=due_at
        )
    return state if is_recorded else ""
