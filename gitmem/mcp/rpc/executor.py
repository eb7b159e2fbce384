"""Running calls one at a time, each with an App of its own.

A new App costs a fifth of a millisecond and sees what has changed: a commit, another branch, a
setting, a store that was created, moved or restored. The stores stay open from one call to the next
(``rpc.store_cache``) until the server is idle for a while.
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
from gitmem.errors import GitmemError, MemoryDamaged, ShuttingDown, StoreDamaged
from gitmem.mcp.rpc.borrowed_app import CachedStoreApp
from gitmem.mcp.rpc.progress import CallCancelled, CallProgress
from gitmem.mcp.rpc.shared_calls import CallDeduplicator
from gitmem.mcp.rpc.store_cache import HARMLESS, StoreCache
from gitmem.mcp.rpc.tree_watch import WorktreeWatches
from gitmem.mcp.rpc.worker_thread import WorkerThread
from gitmem.settings import Settings
from gitmem.store.db.caches import CacheUsage

T = TypeVar("T")
SOURCE = "ai_inferred"
NOBODY = "mcp"
_LONGEST_NAME = 64
# Seconds without a call until the stores are closed, and until the model is unloaded; at the end of
# input, seconds for stopped work to end, and for closing the stores.
IDLE, ASLEEP, ENDING, LEAVING = 10.0, 600.0, 0.2, 0.1
# Seconds without a call after which git and upkeep are looked at; then the server sleeps.
QUIET = tuple(float(second) for second in range(30, int(ASLEEP), 60))


class CallExecutor:
    """Runs calls one after the other in one thread, each with a new App (state of a command).

    ``start`` is the folder for calls that name none. ``read_only``: nothing may be written.
    """

    def __init__(self, start: str, *, read_only: bool = False) -> None:
        self.start = start
        self._hand = WorkerThread("gitmem-store")
        self._cache = StoreCache(read_only=read_only)
        self._watches = WorktreeWatches()
        self._environment: dict[str, str] | None = None
        self._idle: list[asyncio.TimerHandle] = []
        self._place = start  # of the last call
        self._waiting: dict[asyncio.Future[Any], CallProgress] = {}
        self._closed = False
        self._damage: set[tuple[str, str]] = set()
        # Reads of all clients: equal ones that wait are run once.
        self.shared = CallDeduplicator()
        # Called first when closing, to end other waits.
        self.on_close: list[Callable[[], None]] = []

    def cache_usage(self) -> list[CacheUsage]:
        """The use (name, hits, misses ...) of each database's caches since the server began."""
        return list(self._cache.cache_usage())

    @property
    def is_busy(self) -> bool:
        """Whether a call is running now."""
        return self._hand.busy

    async def run_call(
        self,
        agent: str,
        function: Callable[[App], T],
        *,
        folder: str = "",
        progress: CallProgress | None = None,
    ) -> T:
        """Call ``function`` with an App for ``folder`` (empty: ``start``); returns its result.

        ``agent`` is the name of the agent that calls. If the caller is cancelled, waiting work is
        skipped, and running work stops at its next report to ``progress``. Raises GitmemError only.
        """
        if self._closed:
            raise _shutdown_error()
        progress = progress or CallProgress()
        self._place = folder or self.start
        future = self._hand.submit(
            lambda: self._work(agent, function, folder or self.start, progress)
        )
        self._waiting[future] = progress
        beats = asyncio.ensure_future(progress.report_until_cancelled())
        try:
            return await future
        except asyncio.CancelledError:
            progress.request_stop()
            raise
        except CallCancelled:
            raise _shutdown_error() from None
        finally:
            beats.cancel()
            self._waiting.pop(future, None)
            self._restart_timers()
            if self._cache.unchecked:
                self.run_when_idle(self._check_stores)

    def _check_stores(self) -> None:
        """Check the tables of memories of each store once, after its first call."""
        from gitmem.store.file import integrity  # noqa: PLC0415 - after the first answer

        while self._cache.unchecked:
            cached = self._cache.take_store(self._cache.unchecked.pop())
            if cached is None:
                continue
            problem = integrity.first_memory_table_problem(cached.store)
            self._cache.return_store(cached)
            if problem:
                self._log_damage(cached.store.path, problem, "Run `gitmem doctor`.")

    def _log_damage(self, store: str, problem: str, hint: str) -> None:
        """Write once to the log that a store is damaged; ``store`` is its path, or its folder."""
        if (store, problem) not in self._damage:
            self._damage.add((store, problem))
            crashlog.write_log_line(
                "error", "damaged_store", store=store, problem=problem, hint=hint
            )

    def _restart_timers(self) -> None:
        for timer in self._idle:
            timer.cancel()
        later = asyncio.get_running_loop().call_later
        self._idle = [
            later(IDLE, self.run_when_idle, self._close_stores),
            later(ASLEEP, self.run_when_idle, _unload),
            *(later(second, self.run_when_idle, self._look_after) for second in QUIET),
        ]

    def _look_after(self) -> None:
        """Start in the background what is due where the last call was.

        Git has moved on, which no hook told, or upkeep is due. One process works at a time.
        """
        if self._cache.reading:
            return
        with suppress(Exception):  # the next call tells what is wrong there
            self._run(NOBODY, _start_what_is_due, self._place, CallProgress())
        self._close_stores()

    def _close_stores(self) -> None:
        self._cache.close()
        gc.collect()

    def run_when_idle(self, function: Callable[[], None]) -> None:
        """Queue ``function``, which must not fail, after the waiting calls; returns at once."""
        if not self._closed:
            self._hand.submit(function)

    def _work(self, agent: str, work: Callable[[App], T], place: str, watch: CallProgress) -> T:
        try:
            return self._run(agent, work, place, watch)
        except GitmemError as error:
            if watch.stopped:
                raise CallCancelled from None
            if isinstance(error, StoreDamaged) and not isinstance(error, MemoryDamaged):
                self._log_damage(place, error.message, error.hint)
            raise
        except Exception as error:
            # Work that was stopped midway may fail in any way.
            if watch.stopped:
                raise CallCancelled from None
            raise crashlog.record_crash(error, ["mcp"]) from error

    def _run(self, agent: str, work: Callable[[App], T], place: str, watch: CallProgress) -> T:
        self._cache.watch = watch
        guest = CachedStoreApp(
            self._cache, self._settings(), SystemClock(), place, agent=agent, source=SOURCE
        )
        guest.agent = guest.agent or NOBODY
        well = False
        try:
            result = work(guest)
            well = True
            # After a search watch the tree; a watch notes saved files in a file, which is writing.
            if guest.refresh_wanted is not None and not self._cache.reading:
                self._watches.watch_worktree(guest)
            return result
        except HARMLESS:
            well = True
            raise
        finally:
            guest.return_stores(call_succeeded=well and not watch.stopped)
            self._cache.watch = CallProgress()

    def _settings(self) -> Settings:
        # A server's environment does not change, and a plain dict is ten times as fast.
        if self._environment is None:
            self._environment = dict(Settings.of_process().environment)
        return Settings(self._environment)

    def close(self) -> None:
        """Refuse further calls, fail the waiting ones, and stop the running one."""
        self._closed = True
        self._watches.request_stop()
        for callback in self.on_close:
            callback()
        for future, watch in self._waiting.items():
            watch.request_stop()
            if not future.done():
                future.set_exception(_shutdown_error())

    async def close_stores_if_idle(self) -> bool:
        """Close the databases; returns True instead if a call still uses them after 0.2 seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(ENDING):
                while self.is_busy:
                    await asyncio.sleep(0.005)
        if not self.is_busy:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._hand.submit(self._cache.close), LEAVING)
        self._watches.join()
        return self.is_busy


def _start_what_is_due(app: App) -> None:
    from gitmem.maintenance import schedule  # noqa: PLC0415 - not needed to shake hands

    app.reads_index = True
    if app.has_store:
        schedule.start_background_work_if_due(app)


def _unload() -> None:
    if "gitmem.indexing.text_vectors" in sys.modules:  # only if a call needed vectors
        from gitmem.indexing import text_vectors  # noqa: PLC0415 - as above

        text_vectors.unload_contextual_model()


def _shutdown_error() -> ShuttingDown:
    return ShuttingDown("The server is shutting down.", "Start it again and repeat the call.")


def agent_name(client_name: str) -> str:
    """An agent's name from a client's name: ``Claude Code`` becomes ``claude-code``."""
    return re.sub(r"[^a-z0-9.]+", "-", client_name.lower()).strip("-.")[:_LONGEST_NAME].strip("-.")
