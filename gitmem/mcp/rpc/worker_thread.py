"""One thread that does what it is given, in order, while the event loop goes on.

Reading standard input, writing standard output and working with the store each have a hand of their
own: a slow call must never keep a ping waiting. The threads are daemons, so that one which is stuck
in a read or a lock never keeps the process alive.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")
Job = tuple[asyncio.AbstractEventLoop, "asyncio.Future[T]", Callable[[], T]]


class Hand:
    """A thread, started with its first job. ``busy`` says whether one is being done now."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: SimpleQueue[Job[object]] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self.busy = False

    def give(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Put a job at the end of the queue; the future of its result.

        A job whose future is cancelled before its turn is left out.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._jobs.put((loop, future, work))  # type: ignore[arg-type]
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
            result, error = _tried(work)
            self.busy = False
            try:
                loop.call_soon_threadsafe(_settle, future, result, error)
            except RuntimeError:
                return  # the loop is closed: nobody waits any more


def _tried(work: Callable[[], T]) -> tuple[T | None, BaseException | None]:
    try:
        return work(), None
    except BaseException as error:  # whatever it is, it belongs to the one who gave the job
        return None, error


def _settle(future: asyncio.Future[T], result: T, error: BaseException | None) -> None:
    if future.done():
        return  # cancelled, or told that the server shuts down
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
