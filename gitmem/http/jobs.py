"""Long work as jobs: begun by a request, followed by others, cancelled by one.

Jobs run one after the other in a thread of their own, so that answers go on meanwhile.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from gitmem.app import App
from gitmem.errors import GitmemError, NotFound
from gitmem.http.answers import RequestRefused
from gitmem.mcp.rpc.executor import CallExecutor
from gitmem.mcp.rpc.progress import CallCancelled, CallProgress

# Jobs that wait or run, and ended ones whose results are kept.
MOST_WAITING, MOST_LISTED = 8, 100
# Seconds without an event until a comment shows a listener that the server lives.
_QUIET = 10.0
ENDED = frozenset(("done", "failed", "cancelled"))


class Job:
    """Long work of the server. ``state`` is waiting, running, done, failed or cancelled."""

    def __init__(self, id: str, verb: str) -> None:
        self.id = id
        self.verb = verb
        self.state = "waiting"
        self.progress: dict[str, Any] = {}
        self.result: Any = None
        self.error: dict[str, str] | None = None
        self.watch = CallProgress(self._report)
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()

    def mark_running(self) -> None:
        """Set the state ``running``, from the work's thread. Raises CallCancelled if cancelled."""
        if self.watch.stopped:
            raise CallCancelled
        self._loop.call_soon_threadsafe(self.set_state, "running")

    def _report(self, done: float, total: float | None, message: str) -> None:
        """Called from the thread of the work."""
        self._loop.call_soon_threadsafe(self._advance, done, total, message)

    def _advance(self, done: float, total: float | None, message: str) -> None:
        self.progress = {"done": int(done), "total": total and int(total), "message": message}
        self.set_state("running")

    def set_state(self, state: str) -> None:
        """Set the state, unless the job has ended, and send it to whoever follows the job."""
        if self.state not in ENDED:
            self.state = state
        self._changed.set()
        self._changed = asyncio.Event()

    def as_json(self) -> dict[str, Any]:
        """A dict for JSON: id, verb, state, progress (done, total, message), result, error."""
        return {
            "id": self.id,
            "verb": self.verb,
            "state": self.state,
            "progress": self.progress,
            "result": self.result,
            "error": self.error,
        }

    async def server_sent_events(self) -> AsyncIterator[bytes]:
        """Yield the job's JSON as a server-sent event, now and at each change, until it ends."""
        while True:
            changed = self._changed
            text = json.dumps(self.as_json(), ensure_ascii=False)
            yield f"event: {self.state}\ndata: {text}\n\n".encode()
            if self.state in ENDED:
                return
            while not changed.is_set():
                try:
                    async with asyncio.timeout(_QUIET):
                        await changed.wait()
                except TimeoutError:
                    yield b": still here\n\n"


class JobQueue:
    """The long work of one server: jobs that run one after the other in a thread."""

    def __init__(self, executor: CallExecutor, new_id: Callable[[], str]) -> None:
        self._executor = executor
        self._new_id = new_id
        self._jobs: dict[str, Job] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def queue_job(self, verb: str, agent: str, folder: str, function: Callable[[App], Any]) -> Job:
        """Queue ``function``, which returns JSON values, as a job; returns the Job.

        ``verb`` names the job, ``agent`` is its caller. It runs in the repository of ``folder``.
        Raises RequestRefused if eight jobs wait or run already.
        """
        if sum(job.state not in ENDED for job in self._jobs.values()) >= MOST_WAITING:
            raise RequestRefused(
                "too_many", "Too many jobs wait.", "Wait for one to end, or cancel one."
            )
        job = Job(self._new_id(), verb)
        self._jobs[job.id] = job
        ended = [known.id for known in self._jobs.values() if known.state in ENDED]
        for id in ended[: max(0, len(self._jobs) - MOST_LISTED)]:
            del self._jobs[id]
        task = asyncio.create_task(self._run(job, agent, folder, function))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return job

    async def _run(self, job: Job, agent: str, place: str, work: Callable[[App], Any]) -> None:
        def run_job(app: App) -> Any:
            job.mark_running()
            return work(app)

        try:
            job.result = await self._executor.run_call(
                agent, run_job, folder=place, progress=job.watch
            )
            job.set_state("done")
        except GitmemError as error:
            if job.watch.stopped:
                job.set_state("cancelled")
            else:
                job.error = error.as_json_object()
                job.set_state("failed")

    def cancel(self, id: str) -> Job:
        """Stop a job, at once if it waits, else at its next step; returns it. Raises NotFound."""
        job = self.find(id)
        if job.state not in ENDED:
            job.watch.request_stop()
            if job.state == "waiting":
                job.set_state("cancelled")
        return job

    def find(self, id: str) -> Job:
        """The job with this id. Raises NotFound if there is none."""
        job = self._jobs.get(id)
        if job is None:
            raise NotFound(f"There is no job {id[:60]!r}.", "GET /api/v1/jobs lists them.")
        return job

    def all_jobs(self) -> list[Job]:
        """All jobs that wait, run or have ended (the last of these), the oldest first."""
        return list(self._jobs.values())

    async def stop_all(self) -> None:
        """Stop all jobs and wait, for a second at most, until each has ended."""
        for job in self.all_jobs():
            self.cancel(job.id)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=1.0)
