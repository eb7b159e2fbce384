"""A thread that runs jobs in order, so that the event loop never waits for them.

Reading standard input, writing standard output and working with the store each have their own, so
that a slow call never delays a ping. The threads are daemons, so that one stuck in a read or a lock
does not keep the process alive.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")
Job = tuple[asyncio.AbstractEventLoop, "asyncio.Future[T]", Callable[[], T]]


class WorkerThread:
    """A thread that does jobs in turn; it starts with the first. ``busy``: a job is running now."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: SimpleQueue[Job[object]] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self.busy = False

    def submit(self, function: Callable[[], T]) -> asyncio.Future[T]:
        """Queue ``function`` for the thread; returns an asyncio future of its result.

        It is skipped if the future is cancelled before its turn.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._jobs.put((loop, future, function))  # type: ignore[arg-type]
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._thread.start()
        return future

    def _work(self) -> None:
        while True:
            loop, future, work = self._jobs.get()
            if future.done():
                continue
            self.busy = True
            result = error = None
            try:
                result = work()
            except BaseException as raised:  # it is raised for the caller
                error = raised
            self.busy = False
            try:
                loop.call_soon_threadsafe(_settle, future, result, error)
            except RuntimeError:
                return  # the loop is closed


def _settle(future: asyncio.Future[T], result: T, error: BaseException | None) -> None:
    if future.done():
        return  # cancelled, or failed because the server shuts down
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
