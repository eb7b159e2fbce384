"""Reporting the progress of long work, and stopping work that nobody waits for.

Each call has a ``CallProgress``. The work reports its progress to it (``App.progress``), and is
stopped there, or inside SQLite, once nobody waits for it. The progress sent to a client only grows,
a few times a second at most.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

# Seconds between two notifications, and without one until the client is told that work goes on.
PAUSE, QUIET = 0.1, 1.0
# That message's addition to the progress, which has to grow.
_BIT = 0.001
Report = Callable[[float, float | None, str], None]


class CallCancelled(BaseException):
    """Raised in the thread of a call to stop work whose result nobody waits for.

    It is not an Exception, so that no handler of errors catches it.
    """


class CallProgress:
    """Reports the progress of one call to its client, and stops the call on request.

    The constructor's ``report`` takes progress, total (None: unknown) and a message. The working
    thread calls the method ``report``, any other thread ``request_stop``.
    """

    def __init__(self, report: Report | None = None, clock: Callable[[], float] = time.monotonic):
        self._report = report
        self._clock = clock
        self._stage = ""
        self._before = self._at = 0
        self._progress = 0.0
        self._reported_at = clock()
        self._lock = threading.Lock()
        self.stopped = False

    def request_stop(self) -> None:
        """Make the work stop at its next call of ``report``."""
        self.stopped = True

    def report(self, stage: str, done: int, total: int) -> None:
        """Report that ``done`` of ``total`` (0: unknown) steps of a part of the work are done.

        ``stage`` names the part. Raises CallCancelled if the call was stopped.
        """
        if self.stopped:
            raise CallCancelled
        if self._report is not None:
            with self._lock:
                self._count(self._report, stage, done, total)

    def _count(self, report: Report, stage: str, done: int, total: int) -> None:
        if stage != self._stage:
            self._stage, self._before = stage, self._at
        # Each stage counts from zero, but the progress sent must not.
        self._at = max(self._at, self._before + done)
        now = self._clock()
        if self._at <= self._progress or (self._progress and now < self._reported_at + PAUSE):
            return
        self._progress, self._reported_at = self._at, now
        end = self._before + total
        whole = total > 0 and end >= self._at
        message = f"{stage}: {done} of {total}" if whole else f"{stage}: {done}"
        report(self._at, end if whole else None, message)

    def report_if_silent(self) -> None:
        """Tell the client that work goes on, if it was told nothing for a second."""
        with self._lock:
            now = self._clock()
            if self._report is None or now < self._reported_at + QUIET:
                return
            self._progress, self._reported_at = self._progress + _BIT, now
            self._report(self._progress, None, f"{self._stage or 'waiting'}, still")

    async def report_until_cancelled(self) -> None:
        """Tell the client after each silent second that work goes on, until cancelled."""
        while self._report is not None:
            await asyncio.sleep(QUIET / 2)
            self.report_if_silent()


class ProgressNotifier:
    """A function, callable from any thread, that sends progress to a client on an event loop.

    The loop is that in which it was made; ``send(progress, total, message)`` is a method of the
    client's session. While one message waits for a slow client, the next ones are dropped.
    """

    def __init__(self, send: Callable[[float, float | None, str], Awaitable[None]]) -> None:
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._sending: asyncio.Future[None] | None = None

    def __call__(self, progress: float, total: float | None, message: str) -> None:
        """Send a notification; callable from any thread."""
        with suppress(RuntimeError):  # the loop is closed: the client is gone
            self._loop.call_soon_threadsafe(self._start, progress, total, message)

    def _start(self, progress: float, total: float | None, message: str) -> None:
        if self._sending is None or self._sending.done():
            self._sending = asyncio.ensure_future(self._send(progress, total, message))
