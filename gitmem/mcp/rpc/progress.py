"""Long work: how far it is, and whether it is still wanted.

A ``Watch`` goes with one call. The work tells it how far it is (``App.progress``) and is stopped
there, or inside SQLite, once nobody waits for it any more. What a client is told only ever grows,
and a few times a second at most.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

# Seconds between two notifications, and after which a client hears that the work still goes on.
PAUSE, QUIET = 0.1, 1.0
# What that adds to the progress, which has to grow: little, as nothing was done.
_BIT = 0.001
Told = Callable[[float, float | None, str], None]


class Stopped(BaseException):
    """Nobody waits for this work any more. No error: nothing that catches those may go on."""


class Watch:
    """One piece of work. ``tell`` is called by the thread that does it, ``stop`` by any other."""

    def __init__(self, told: Told | None = None, clock: Callable[[], float] = time.monotonic):
        self._told = told
        self._clock = clock
        self._stage = ""
        self._before = self._at = 0
        self._said = 0.0
        self._told_at = clock()
        self._lock = threading.Lock()
        self.stopped = False

    def stop(self) -> None:
        """Let the work end at the next place where it looks."""
        self.stopped = True

    def tell(self, stage: str, done: int, total: int) -> None:
        """How far a stage is; ``total`` 0: not known. Raises Stopped."""
        if self.stopped:
            raise Stopped
        if self._told is not None:
            with self._lock:
                self._count(self._told, stage, done, total)

    def _count(self, told: Told, stage: str, done: int, total: int) -> None:
        if stage != self._stage:
            self._stage, self._before = stage, self._at
        # Stages count from zero again; what a client is told must not.
        self._at = max(self._at, self._before + done)
        now = self._clock()
        if self._at <= self._said or (self._said and now < self._told_at + PAUSE):
            return
        self._said, self._told_at = self._at, now
        end = self._before + total
        whole = total > 0 and end >= self._at
        message = f"{stage}: {done} of {total}" if whole else f"{stage}: {done}"
        told(self._at, end if whole else None, message)

    def beat(self) -> None:
        """Tell that the work goes on, where nothing was told for a while: it may wait for others.

        A client that gives up after a time without news waits on.
        """
        with self._lock:
            now = self._clock()
            if self._told is None or now < self._told_at + QUIET:
                return
            self._said, self._told_at = self._said + _BIT, now
            self._told(self._said, None, f"{self._stage or 'waiting'}, still")

    async def keep_beating(self) -> None:
        """Do so until cancelled."""
        while self._told is not None:
            await asyncio.sleep(QUIET / 2)
            self.beat()


class Reporter:
    """Carries what a thread tells to a client, from the event loop it was made in.

    ``send(progress, total, message)`` is the session's. While one notification waits for a client
    that does not read, the next ones are left out.
    """

    def __init__(self, send: Callable[[float, float | None, str], Awaitable[None]]) -> None:
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._sending: asyncio.Future[None] | None = None

    def __call__(self, progress: float, total: float | None, message: str) -> None:
        """Pass it on; callable from any thread."""
        with suppress(RuntimeError):  # the loop is closed: the client is gone
            self._loop.call_soon_threadsafe(self._start, progress, total, message)

    def _start(self, progress: float, total: float | None, message: str) -> None:
        if self._sending is None or self._sending.done():
            self._sending = asyncio.ensure_future(self._send(progress, total, message))
