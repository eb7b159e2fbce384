"""What was done by itself and what was merged, as a trail that can be read."""

import json

from gitmem.app import App
from gitmem.clock import iso
from gitmem.model.frozen import dataclass, like
from gitmem.model.suggestion import Consolidation
from gitmem.store.memory import consolidations, jobs
from gitmem.store.memory.jobs import Job

MERGED = "merge"


@dataclass(frozen=True, slots=True)
class Trace:
    """A job, or a merge: then with the memories, their likeness and the target's versions.

    ``kind`` is auto_merge, recheck, derive, policy_tune or merge; ``state`` that of a job (queued,
    running, succeeded, dead_letter), or of a merge (merged, undone). ``result`` says what came of
    it, in words. ``at`` is when it ended, or began.
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


def read(app: App, *, most: int, offset: int = 0) -> tuple[Trace, ...]:
    """What was done in all stores, the latest first. Jobs are kept for two weeks, merges for good.

    A job that found nothing is left out: most find nothing.
    """
    found: list[tuple[int, str, Trace]] = []
    for store in app.stores():
        done = consolidations.latest(store, most + offset)
        found += [(one.undone_at or one.at, one.id, _of_merge(one)) for one in done]
        ran = [one for one in jobs.newest(store, 4 * (most + offset)) if not _idle(one)]
        found += [(one.ended_at or one.created_at, one.id, _of_job(one)) for one in ran]
    found.sort(key=lambda entry: entry[:2], reverse=True)
    return tuple(trace for _, _, trace in found[offset : offset + most])


def _of_merge(consolidation: Consolidation) -> Trace:
    undone = consolidation.undone_at is not None
    return like(
        Trace,
        consolidation,
        at=iso(consolidation.at if consolidation.undone_at is None else consolidation.undone_at),
        kind=MERGED,
        state="undone" if undone else "merged",
        result=f"{consolidation.target[:12]} took in {consolidation.source[:12]}"
        + ("; both are memories again" if undone else ""),
    )


def _of_job(job: Job) -> Trace:
    at = job.created_at if job.ended_at is None else job.ended_at
    return Trace(job.id, iso(at), job.kind, job.state, _words(job), dry_run=job.dry_run)


def _idle(job: Job) -> bool:
    return job.state == "succeeded" and job.result == '{"suggested": 0}'


def _words(job: Job) -> str:
    """What came of a job, in words; of one that failed, its reason as it was kept."""
    try:
        told = json.loads(job.result or "{}")
    except ValueError:
        return job.result
    if not isinstance(told, dict):
        return job.result
    if "suggested" in told:
        return f"{told['suggested']} suggested"
    if "to" in told:
        rest = f"{told.get('accepted')} accepted, {told.get('rejected')} rejected"
        if told["to"] == told.get("from"):
            return f"{rest}: duplicates.merge_from may stay at {told['to']}"
        return f"{rest}: to follow that, gitmem config duplicates.merge_from {told['to']}"
    return ""
