"""Looking for memories that say the same among those that are there, now and then (CT-14, CT-26).

A job like any other: queued once for each state of the store after the last look, leased, tried
three times, kept for two weeks. It changes no memory: what it finds waits in the inbox.
"""

from gitmem.app import App
from gitmem.branches import visible_here
from gitmem.capture import near_duplicates, repeats
from gitmem.errors import GitmemError
from gitmem.store.db import projects
from gitmem.store.db.connection import Database
from gitmem.store.memory import jobs, memories
from gitmem.store.memory.filters import Filter
from gitmem.store.memory.jobs import Job

KIND = "auto_merge"
# Of the memories that were written since the last look, so many at most: a second of CPU.
MOST = 500
ATTEMPTS = 3
LEASE_MS = 60_000
RETRY_MS = 300_000
KEPT_MS = 14 * 86_400_000


def run(app: App, store: Database) -> int:
    """Look for what is due; how many pairs are suggested. Nothing where another process does."""
    counter = projects.meta(store, "counter") or "0"
    last = projects.meta(store, projects.SCAN_ENDED_AT) or "0"
    with store.write():
        jobs.prune(store, app.now - KEPT_MS)
        jobs.enqueue(store, _job(app, f"{KIND}:{counter}:{last}"))
        job = jobs.lease(store, app.now, LEASE_MS)
    if job is None or job.kind != KIND:
        return 0
    if job.attempts > ATTEMPTS:
        _failed(app, store, job, "It was interrupted each time.")
        return 0
    try:
        found = _scan(app, store)
    except GitmemError as error:
        _failed(app, store, job, error.message)
        return 0
    with store.write():
        if not jobs.settle(
            store, job, "succeeded", now=app.now, result=f'{{"suggested": {found}}}'
        ):
            return 0
        for note in (projects.SCANNED_AT, projects.SCAN_ENDED_AT):
            projects.set_meta(store, note, str(app.now))
        projects.set_meta(store, projects.SCANNED_COUNTER, projects.meta(store, "counter") or "0")
    return found


def _job(app: App, key: str) -> Job:
    return Job(app.new_id(), key, KIND, "queued", True, 0, None, app.now, "", app.now)


def _failed(app: App, store: Database, job: Job, why: str) -> None:
    """Tried again a little later, or put aside for somebody to look at until the next is due."""
    again = job.attempts < ATTEMPTS
    with store.write():
        jobs.settle(
            store,
            job,
            "queued" if again else "dead_letter",
            now=app.now,
            result=why,
            due_at=app.now + RETRY_MS if again else None,
        )
        if not again:
            projects.set_meta(store, projects.SCAN_ENDED_AT, str(app.now))


def _scan(app: App, store: Database) -> int:
    """Suggest the pairs among what was written since the last look."""
    since = int(projects.meta(store, projects.SCANNED_AT) or 0)
    hidden = visible_here.hidden(app, store)
    wanted = Filter(states=("active",), now=app.now, working="")
    fresh = memories.select(store, wanted, limit=MOST, order="updated_at")
    near = [
        (memory, near_duplicates.beside(app, store, memory, hidden))
        for memory in fresh
        if memory.updated_at >= since and memory.kind != "conversation"
    ]
    with store.write():
        return sum(
            repeats.offer(app, store, memory, other, "duplicate")
            for memory, other in near
            if other is not None
        )
