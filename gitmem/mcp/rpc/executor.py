"""Where calls meet the stores: one at a time, each with an App of its own.

A fresh App costs a fifth of a millisecond and sees what changed meanwhile: a commit, another
branch, a setting, a store that was made, moved or restored since. The stores themselves stay open
from one call to the next (``mcp.kept``) until nothing has been asked for a while.
"""

from __future__ import annotations

import asyncio
import gc
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from gitmem import crashlog
from gitmem.app import App
from gitmem.clock import SystemClock
from gitmem.errors import (
    GitmemError,
    ShuttingDown,
)
from gitmem.mcp.rpc.borrowed_app import Guest
from gitmem.mcp.rpc.progress import Stopped, Watch
from gitmem.mcp.rpc.store_cache import HARMLESS, Kept
from gitmem.mcp.rpc.tree_watch import TreeWatches
from gitmem.mcp.rpc.worker_thread import Hand
from gitmem.settings import Settings

T = TypeVar("T")
SOURCE = "ai_inferred"
NOBODY = "mcp"
_LONGEST_NAME = 64
# Seconds without a call after which the stores are closed, and after which the model is unloaded;
# for work that was stopped to end, and for closing the stores, when input has ended.
IDLE, ASLEEP, ENDING, LEAVING = 10.0, 600.0, 0.2, 0.1


class Desk:
    """Does work with an App of a folder, in one thread, until it is closed.

    ``start`` is the folder for work that names none. ``reading``: nothing may be written.
    """

    def __init__(self, start: str, *, reading: bool = False) -> None:
        self.start = start
        self._hand = Hand("gitmem-store")
        self._kept = Kept(reading=reading)
        self._watches = TreeWatches()
        self._environment: dict[str, str] | None = None
        self._idle: list[asyncio.TimerHandle] = []
        self._waiting: dict[asyncio.Future[Any], Watch] = {}
        self._closed = False
        # What else has to know, before anything waits for what never comes.
        self.on_close: list[Callable[[], None]] = []

    @property
    def busy(self) -> bool:
        """Whether a call is being worked on now."""
        return self._hand.busy

    async def do(
        self, agent: str, work: Callable[[App], T], *, place: str = "", watch: Watch | None = None
    ) -> T:
        """Do a piece of work for an agent, in a folder. Raises GitmemError, and nothing else.

        When the caller is cancelled the work is left out, or stopped where it next looks.
        """
        if self._closed:
            raise _closing()
        watch = watch or Watch()
        future = self._hand.give(lambda: self._work(agent, work, place or self.start, watch))
        self._waiting[future] = watch
        beats = asyncio.ensure_future(watch.keep_beating())
        try:
            return await future
        except asyncio.CancelledError:
            watch.stop()
            raise
        except Stopped:
            raise _closing() from None
        finally:
            beats.cancel()
            self._waiting.pop(future, None)
            self._wait_for_more()

    def _wait_for_more(self) -> None:
        for timer in self._idle:
            timer.cancel()
        later = asyncio.get_running_loop().call_later
        self._idle = [
            later(IDLE, self.afterwards, self._rest),
            later(ASLEEP, self.afterwards, _unload),
        ]

    def _rest(self) -> None:
        self._kept.close()
        gc.collect()

    def afterwards(self, work: Callable[[], None]) -> None:
        """Do something that must not fail when nothing waits; nobody is told when it is done."""
        if not self._closed:
            self._hand.give(work)

    def _work(self, agent: str, work: Callable[[App], T], place: str, watch: Watch) -> T:
        try:
            return self._done(agent, work, place, watch)
        except GitmemError:
            if watch.stopped:
                raise Stopped from None
            raise
        except Exception as error:
            # What was stopped in the midst of it may fail in any way.
            if watch.stopped:
                raise Stopped from None
            raise crashlog.record(error, ["mcp"]) from error

    def _done(self, agent: str, work: Callable[[App], T], place: str, watch: Watch) -> T:
        self._kept.watch = watch
        guest = Guest(
            self._kept, self._settings(), SystemClock(), place, agent=agent, source=SOURCE
        )
        guest.agent = guest.agent or NOBODY
        well = False
        try:
            done = work(guest)
            well = True
            # Somebody searched. What is saved is noted in a file: not where nothing may be written.
            if guest.refresh_wanted is not None and not self._kept.reading:
                self._watches.begin(guest)
            return done
        except HARMLESS:
            well = True
            raise
        finally:
            guest.leave(well=well and not watch.stopped)
            self._kept.watch = Watch()

    def _settings(self) -> Settings:
        # The environment of a server does not change, and a plain dict is read ten times as fast.
        if self._environment is None:
            self._environment = dict(Settings.of_process().environment)
        return Settings(self._environment)

    def close(self) -> None:
        """Take no more calls, tell those that wait, and stop what is being done."""
        self._closed = True
        self._watches.stop()
        for told in self.on_close:
            told()
        for future, watch in self._waiting.items():
            watch.stop()
            if not future.done():
                future.set_exception(_closing())

    async def leave(self) -> bool:
        """Close the stores, unless a call still works with one; whether one does."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._ended(), ENDING)
        if not self.busy:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._hand.give(self._kept.close), LEAVING)
        self._watches.join()
        return self.busy

    async def _ended(self) -> None:
        while self.busy:
            await asyncio.sleep(0.005)


def _unload() -> None:
    # Only where a call has asked for the meaning of something.
    if meaning := sys.modules.get("gitmem.indexing.text_vectors"):
        meaning.unload()


def _closing() -> ShuttingDown:
    return ShuttingDown("The server is shutting down.", "Start it again and repeat the call.")


def agent_name(client: str) -> str:
    """A client's name as the agent that a memory is stamped with: ``Claude Code`` is
    ``claude-code``.
    """
    return re.sub(r"[^a-z0-9.]+", "-", client.lower()).strip("-.")[:_LONGEST_NAME].strip("-.")
