"""Background jobs: queued once for each key, leased, retried, and stored for a while when done.

Functions that write run inside a transaction of the caller (``Database.write``).
"""

from __future__ import annotations

from gitmem.model.frozen import dataclass
from gitmem.store.db.columns import insert_statement
from gitmem.store.db.connection import Database, Row
from gitmem.store.db.redaction_gate import redact_text


@dataclass(frozen=True, slots=True)
class Job:
    """A background job. Times are milliseconds since 1970. Of jobs with one ``key`` one is queued.

    ``state`` is queued, running, succeeded, failed, dead_letter or cancelled. ``lease_until`` is
    until when a process has it to itself, ``result`` JSON, or a sentence where it failed.
    """

    id: str
    key: str
    kind: str
    state: str
    dry_run: bool
    attempts: int
    lease_until: int | None
    due_at: int
    result: str
    created_at: int
    ended_at: int | None = None


_COLUMNS = Job.__slots__
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM jobs"
_INSERT = insert_statement("jobs", _COLUMNS, verb="INSERT OR IGNORE")
_OPEN = "state IN ('queued', 'running')"


def enqueue_job(database: Database, job: Job) -> bool:
    """Queue a job; False if a job with the same key was queued before."""
    values = tuple(getattr(job, name) for name in _COLUMNS)
    database.connection.execute(_INSERT, values)
    return database.connection.changes() == 1


def get_job(database: Database, job_id: str) -> Job | None:
    """The job with this id; None if there is none."""
    row = database.row(f"{_SELECT} WHERE id = ?", (job_id,))
    return _job(row) if row else None


def newest_jobs(database: Database, limit: int) -> list[Job]:
    """The newest jobs in any state, the newest first."""
    rows = database.rows(f"{_SELECT} ORDER BY created_at DESC, id DESC LIMIT ?", (limit,))
    return [_job(row) for row in rows]


def lease_job(database: Database, now_ms: int, lease_ms: int, job_kind: str = "") -> Job | None:
    """Give the caller the job that is due first, for ``lease_ms`` milliseconds; None if none is.

    A job whose lease ran out is due again. ``job_kind`` limits it to one kind; empty: any.
    """
    row = database.row(
        f"{_SELECT} WHERE {_OPEN} AND due_at <= ?1 AND (state = 'queued' OR lease_until <= ?1) "
        "AND ?2 IN ('', kind) ORDER BY due_at, id LIMIT 1",
        (now_ms, job_kind),
    )
    if row is None:
        return None
    database.run(
        "UPDATE jobs SET state = 'running', attempts = attempts + 1, lease_until = ? WHERE id = ?",
        (now_ms + lease_ms, row[0]),
    )
    return get_job(database, row[0])


def finish_job(
    database: Database,
    job: Job,
    state: str,
    *,
    now_ms: int,
    result: str,
    retry_at_ms: int | None = None,
) -> bool:
    """Record the state and result of a job from ``lease_job``; with ``retry_at_ms`` it is due then.

    Times are milliseconds. False, and nothing is recorded, where another process has it meanwhile.
    """
    database.run(
        "UPDATE jobs SET state = ?, lease_until = NULL, result = ?, due_at = ?, ended_at = ? "
        "WHERE id = ? AND state = 'running' AND attempts = ?",
        (
            state,
            redact_text(result),
            job.due_at if retry_at_ms is None else retry_at_ms,
            now_ms if retry_at_ms is None else None,
            job.id,
            job.attempts,
        ),
    )
    return database.connection.changes() == 1


def prune_jobs(database: Database, before_ms: int) -> int:
    """Delete the jobs that ended before ``before_ms`` (milliseconds); returns how many."""
    database.run("DELETE FROM jobs WHERE ended_at < ?", (before_ms,))
    return database.connection.changes()


def _job(row: Row) -> Job:
    id, key, kind, state, dry_run, *rest = row
    return Job(id, key, kind, state, bool(dry_run), *rest)
