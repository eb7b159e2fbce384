"""Whether a store is in good health: freshness, what fades soon, sizes, the state of the index."""

from __future__ import annotations

import os

from gitmem.app import App
from gitmem.clock import DAY, format_iso
from gitmem.indexing import index_summary
from gitmem.indexing.index_summary import IndexSummary
from gitmem.maintenance.fade import decay_settings
from gitmem.memory import lifecycle
from gitmem.model.frozen import dataclass
from gitmem.store.file import backup
from gitmem.store.memory import anchors, decay_candidates, expiry, memories, short_ids, store_counts
from gitmem.text.fence import one_line

WEEKS, LISTED = 4, 10
# In a larger store, reading the use of every memory takes longer than a page may.
QUICK = 20_000
_WEEK = 7 * DAY


@dataclass(frozen=True, slots=True)
class FadingMemory:
    """A memory that will be archived unless it is used: why, and in how many weeks (from 1)."""

    id: str
    handle: str
    title: str
    week: int
    why: str


@dataclass(frozen=True, slots=True)
class StoreHealth:
    """The health of the repository's store: number and state of memories, backups and index.

    ``freshness`` counts memories by whether the code they cite changed; ``fading`` has for each of
    the next weeks how many will be archived unless used (None: not counted), ``soonest`` the first
    of these. ``backup_at`` is ISO 8601 UTC, empty if there is none.
    """

    total: int
    states: dict[str, int]
    freshness: dict[str, int]
    fading: tuple[int, ...] | None
    soonest: tuple[FadingMemory, ...]
    file_bytes: int
    backups: int
    backup_at: str
    index: IndexSummary


def measure_store_health(app: App, *, forecast_decay: bool = False) -> StoreHealth:
    """Return the health of the store, from what is stored: no file is read or checked.

    How many memories will be archived is computed only with ``forecast_decay`` or if there are at
    most ``QUICK`` (20,000) memories.
    """
    store = app.store
    counts = store_counts.memory_counts_by_state(store, app.now)
    total = sum(counts.values())
    weeks = _weeks(app) if forecast_decay or total <= QUICK else None
    copies = backup.list_backups(store.path)
    return StoreHealth(
        total=total,
        states=counts,
        freshness=anchors.memory_counts_by_freshness(store, app.worktree),
        fading=None if weeks is None else tuple(map(len, weeks)),
        soonest=_soonest(app, weeks or []),
        file_bytes=os.path.getsize(store.path),
        backups=len(copies),
        backup_at=_made_at(copies[-1]) if copies else "",
        index=index_summary.summarise_index(app),
    )


def _made_at(path: str) -> str:
    return format_iso(int(os.path.getmtime(path) * 1000))


def _weeks(app: App) -> list[list[tuple[str, str]]]:
    """The (id, reason) of the memories that will be archived in each of the next weeks."""
    store, now = app.store, app.now
    weeks: list[list[tuple[str, str]]] = [[] for _ in range(WEEKS)]
    ended: set[str] = set()
    for week in range(WEEKS):
        for id in expiry.expired_memory_ids(store, now + (week + 1) * _WEEK):
            if id not in ended:
                ended.add(id)
                weeks[week].append((id, "its time to live ends"))
    if app.settings.number("decay.enabled"):
        days, below = decay_settings(app)
        for candidate in decay_candidates.read_memory_decay_rows(store):
            soon = lifecycle.steps_until_archived(candidate, now, days, below, _WEEK, WEEKS)
            if soon and not decay_candidates.was_restored_from_archive(store, candidate.id):
                weeks[soon - 1].append((candidate.id, "nobody uses it"))
    return weeks


def _soonest(app: App, weeks: list[list[tuple[str, str]]]) -> tuple[FadingMemory, ...]:
    first = [(id, why, week) for week, ids in enumerate(weeks, 1) for id, why in ids][:LISTED]
    fading = ((memories.get_undamaged_memory(app.store, id), why, week) for id, why, week in first)
    return tuple(
        FadingMemory(
            memory.id,
            short_ids.shortest_unique_prefix(app.store, memory.id),
            one_line(memory.headline, 100),
            week,
            why,
        )
        for memory, why, week in fading
        if memory is not None
    )
