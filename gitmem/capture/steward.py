"""What gitmem does by itself beside commands, as jobs: leased, tried again, kept as trail (CT-26).

Each job is queued once for a key, so that what was done for one state of things is not done twice.
One process holds it at a time; one that dies loses it a minute later. After three attempts it is
put aside for somebody to look at. None changes a memory: what they find waits in the inbox.
"""

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
KEPT_MS = 14 * DAY
GONE = "Whoever ran it went away each time."

SUCCEEDED, DEAD = "succeeded", "dead_letter"
# How a job is over: done, or put aside.
ENDED = (SUCCEEDED, DEAD)

# Does the work of a job outside of a transaction; what it came to, as JSON.
Work = Callable[[App, Database], str]


def run(app: App, store: Database, kind: str, key: str, work: Work) -> str:
    """Do the job of a kind that is due, queued now if it is new; its state, empty where none is.

    Where it fails the reason is kept with it, and it is tried again a little later. Empty too where
    another process has taken it meanwhile.
    """
    with store.write():
        jobs.prune(store, app.now - KEPT_MS)
        jobs.enqueue(store, queued(app, kind, key))
        job = jobs.lease(store, app.now, LEASE_MS, kind)
    if job is None:
        return ""
    if job.attempts > ATTEMPTS:
        return _settle(app, store, job, DEAD, GONE)
    try:
        result = work(app, store)
    except GitmemError as error:
        again = job.attempts < ATTEMPTS
        due = app.now + RETRY_MS if again else None
        return _settle(app, store, job, "queued" if again else DEAD, error.message, due)
    return _settle(app, store, job, SUCCEEDED, result)


def queued(app: App, kind: str, key: str) -> Job:
    """A job that waits. A dry run: no job of these kinds changes a memory or a setting."""
    return Job(app.new_id(), f"{kind}:{key}", kind, "queued", True, 0, None, app.now, "", app.now)


def _settle(
    app: App, store: Database, job: Job, state: str, result: str, due_at: int | None = None
) -> str:
    with store.write():
        done = jobs.settle(store, job, state, now=app.now, result=result, due_at=due_at)
    return state if done else ""
