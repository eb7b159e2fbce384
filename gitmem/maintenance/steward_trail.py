"""Reading the log of background jobs and of merges."""

import json

from gitmem.app import App
from gitmem.clock import format_iso
from gitmem.model.frozen import copy_fields, dataclass
from gitmem.model.suggestion import MergeRecord
from gitmem.store.memory import consolidations, jobs
from gitmem.store.memory.jobs import Job

MERGED = "merge"


@dataclass(frozen=True, slots=True)
class LoggedJob:
    """A background job that ran, or a merge of two memories.

    ``kind`` is auto_merge, recheck, derive, policy_tune or merge; ``state`` is queued, running,
    succeeded or dead_letter for a job, merged or undone for a merge. ``result`` is in words. ``at``
    is when it ended, or began if it has not ended. The last fields describe a merge.
    """

    id: str
    at: str
    kind: str
    state: str
    result: str
    agent: str = ""
    target: str = ""
    source: str = ""
    strategy: str = ""
    similarity: float | None = None
    before_version: int | None = None
    after_version: int | None = None
    dry_run: bool = False


def list_background_jobs(app: App, *, limit: int, offset: int = 0) -> tuple[LoggedJob, ...]:
    """Return at most ``limit`` background jobs and merges of all stores, latest first.

    The first ``offset`` are skipped. Jobs that found nothing, as most do, are left out.
    """
    traces: list[tuple[int, str, LoggedJob]] = []
    for store in app.stores():
        done = consolidations.latest_memory_merges(store, limit + offset)
        traces += [(merge.undone_at or merge.at, merge.id, _of_merge(merge)) for merge in done]
        for job in jobs.newest_jobs(store, 4 * (limit + offset)):
            if job.state != "succeeded" or job.result != '{"suggested": 0}':
                traces.append((job.ended_at or job.created_at, job.id, _of_job(job)))
    traces.sort(key=lambda entry: entry[:2], reverse=True)
    return tuple(trace for _, _, trace in traces[offset : offset + limit])


def _of_merge(consolidation: MergeRecord) -> LoggedJob:
    undone = consolidation.undone_at is not None
    return copy_fields(
        LoggedJob,
        consolidation,
        at=format_iso(
            consolidation.at if consolidation.undone_at is None else consolidation.undone_at
        ),
        kind=MERGED,
        state="undone" if undone else "merged",
        result=f"{consolidation.target[:12]} took in {consolidation.source[:12]}"
        + ("; both are memories again" if undone else ""),
    )


def _of_job(job: Job) -> LoggedJob:
    at = job.created_at if job.ended_at is None else job.ended_at
    return LoggedJob(
        job.id, format_iso(at), job.kind, job.state, _describe_result(job), dry_run=job.dry_run
    )


def _describe_result(job: Job) -> str:
    """The result of a job in words; of a failed one, the reason."""
    try:
        result = json.loads(job.result or "{}")
    except ValueError:
        return job.result
    if not isinstance(result, dict):
        return job.result
    if "suggested" in result:
        return f"{result['suggested']} suggested"
    if "to" in result:
        rest = f"{result.get('accepted')} accepted, {result.get('rejected')} rejected"
        if result["to"] == result.get("from"):
            return f"{rest}: duplicates.merge_from may stay at {result['to']}"
        return f"{rest}: to follow that, gitmem config duplicates.merge_from {result['to']}"
    return ""
