"""Where calls meet the store: one at a time, each with an App of its own.

A fresh App costs about a millisecond and sees what changed meanwhile: a commit, another branch, a
setting, a store that was made, moved or restored since. The store itself stays open from one call
to the next (``mcp.kept``) until nothing has been asked for a while.
"""

from __future__ import annotations

import asyncio
import gc
import re
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from gitmem import crashlog
from gitmem.app import App
from gitmem.clock import SystemClock
from gitmem.errors import GitmemError, ShuttingDown
from gitmem.mcp.hand import Hand
from gitmem.mcp.kept import Kept
from gitmem.settings import Settings

T = TypeVar("T")
SOURCE = "ai_inferred"
NOBODY = "mcp"
_LONGEST_NAME = 64
# Seconds without a call after which the store is closed, and for closing it when input has ended.
IDLE, LEAVING = 10.0, 0.2


class Desk:
    """Does work with an App of the folder ``start``, in one thread, until it is closed."""

    def __init__(self, start: str) -> None:
        self._start = start
        self._hand = Hand("gitmem-store")
        self._kept = Kept()
        self._idle: asyncio.TimerHandle | None = None
        self._waiting: set[asyncio.Future[object]] = set()
        self._closed = False

    @property
    def busy(self) -> bool:
        """Whether a call is being worked on now."""
        return self._hand.busy

    async def do(self, agent: str, work: Callable[[App], T]) -> T:
        """Do a piece of work for an agent. Raises GitmemError, and nothing else."""
        if self._closed:
            raise _closing()
        future = self._hand.give(lambda: self._work(agent, work))
        self._waiting.add(future)  # type: ignore[arg-type]
        try:
            return await future
        finally:
            self._waiting.discard(future)
            self._wait_for_more()

    def _wait_for_more(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        later = asyncio.get_running_loop().call_later
        self._idle = later(IDLE, self.afterwards, self._rest)

    def _rest(self) -> None:
        self._kept.close()
        gc.collect()

    def afterwards(self, work: Callable[[], None]) -> None:
        """Do something that must not fail when nothing waits; nobody is told when it is done."""
        if not self._closed:
            self._hand.give(work)

    def _work(self, agent: str, work: Callable[[App], T]) -> T:
        try:
            app = App(Settings.of_process(), SystemClock(), self._start, agent=agent, source=SOURCE)
            app.agent = app.agent or NOBODY
            try:
                self._kept.lend(app)
                done = work(app)
                self._kept.take_back(app)
                return done
            finally:
                app.close()
        except GitmemError:
            raise
        except Exception as error:
            raise crashlog.record(error, ["mcp"]) from error

    def close(self) -> None:
        """Take no more calls, and tell those that wait."""
        self._closed = True
        for future in self._waiting:
            if not future.done():
                future.set_exception(_closing())

    async def leave(self) -> bool:
        """Close the store, unless a call still works with it; whether one does."""
        if not self.busy:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._hand.give(self._kept.close), LEAVING)
        return self.busy


def _closing() -> ShuttingDown:
    return ShuttingDown("The server is shutting down.", "Start it again and repeat the call.")


def agent_name(client: str) -> str:
    """A client's name as the agent that a memory is stamped with: ``Claude Code`` is
    ``claude-code``.
    """
    return re.sub(r"[^a-z0-9.]+", "-", client.lower()).strip("-.")[:_LONGEST_NAME].strip("-.")
