"""How far the index is behind the files, for the metrics.

It is looked at with an App of its own, so that a scrape neither waits for answers nor holds them
up, and is no call that keeps the stores open.
"""

from __future__ import annotations

import asyncio

from gitmem.app import App
from gitmem.clock import SystemClock
from gitmem.errors import GitmemError
from gitmem.git import ancestry
from gitmem.indexing import index_state
from gitmem.model.frozen import dataclass
from gitmem.settings import Settings
from gitmem.store.code import tree_state

# Seconds that a scrape waits for it.
PATIENCE = 1.0
STATES = ("current", "stale", "unknown")


@dataclass(frozen=True, slots=True)
class IndexDelay:
    """How far the code index is behind the files: ``state`` is current, stale or unknown.

    ``commits`` is how many commits of HEAD are not indexed, ``files`` how many files differ from
    the index; None if that is not known.
    """

    state: str = "unknown"
    commits: int | None = None
    files: int | None = None


def measure_index_delay(folder: str) -> IndexDelay:
    """How far the code index is behind the files of the worktree that contains ``folder``."""
    app = App(Settings.of_process(), SystemClock(), folder)
    try:
        indexed = tree_state.worktree_index_state(app.store, app.worktree)
        if indexed is None or indexed.state != "whole":
            return IndexDelay(index_state.state_of_incomplete_index(indexed))
        if index_state.is_git_state_unchanged(app, indexed):
            return IndexDelay("current", 0, 0)
        from gitmem.indexing import index_behind  # noqa: PLC0415 - only where it may be behind

        behind = index_behind.measure_lag(app)
        commits = ancestry.commits_lost_and_gained(
            app.layout.cwd, indexed.head, app.git_head.commit or indexed.head
        )
        return IndexDelay(
            behind.state,
            None if commits is None else len(commits[1]),
            behind.edited + behind.new + behind.gone,
        )
    except GitmemError:
        return IndexDelay()
    finally:
        app.close()


class IndexDelayReader:
    """Measures, in a thread, how far the code index of the folder ``start`` is behind."""

    def __init__(self, start: str) -> None:
        self._start = start
        self._looking: asyncio.Task[IndexDelay] | None = None

    async def read_delay(self) -> IndexDelay:
        """The index's delay now; its state is ``unknown`` if measuring takes over a second."""
        task = self._looking or asyncio.create_task(
            asyncio.to_thread(measure_index_delay, self._start)
        )
        self._looking = task
        if not (await asyncio.wait([task], timeout=PATIENCE))[0]:
            return IndexDelay()
        self._looking = None
        return task.result()
