"""Archiving memories that nobody used for a long time, store by store."""

from functools import partial

from gitmem.app import App
from gitmem.capture.change import Usage, edit_memories
from gitmem.clock import DAY
from gitmem.memory import lifecycle, trust
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.store.db import projects
from gitmem.store.db.connection import Database
from gitmem.store.memory import decay_candidates, expiry, memories, short_ids
from gitmem.store.memory.decay_candidates import MemoryDecayRow
from gitmem.text.fence import one_line
from gitmem.text.quantity import quantity

# Limits of a run, as a clock that is wrong must not empty a store: a number, and one of five.
MAX_ARCHIVED = 200
STORE_DIVISOR = 5
MIN_ARCHIVED = 1  # in a store of fewer than five


@dataclass(frozen=True, slots=True)
class ArchivedMemory:
    """A memory that was (or would be) archived for want of use: its decay score, and why.

    ``age_days`` and ``idle_days`` are the days since it was written and last used.
    """

    id: str
    handle: str
    title: str
    score: float
    age_days: float
    idle_days: float
    accesses: int
    why: str


def decay_settings(app: App) -> tuple[float, float]:
    """Return the settings ``decay.days`` and ``decay.archive_below``.

    A memory's decay score falls with the days it is unused, at a rate set by the first; memories
    with a score below the second are archived.
    """
    return app.settings.float_number("decay.days"), app.settings.float_number("decay.archive_below")


@dataclass(frozen=True, slots=True)
class DecayRunCounts:
    """What was archived in one store for want of use, and how many memories stay.

    ``unchanged`` scored well, ``exempt`` are never archived, ``held_back`` stay as a run archives
    no more at once, ``failed`` could not be read.
    """

    archived: tuple[ArchivedMemory, ...]
    unchanged: int
    exempt: int
    held_back: int
    failed: int


def archive_unused_memories(
    app: App,
    store: Database,
    *,
    dry_run: bool = False,
    by_agent: bool = False,
) -> DecayRunCounts:
    """Archive the memories of a store that were not used for long; return which, and counts.

    Those with the lowest decay score come first. With ``by_agent`` memories that people wrote stay;
    ``dry_run`` changes nothing.
    """
    days, below = decay_settings(app)
    now = app.now
    low: list[tuple[float, MemoryDecayRow]] = []
    total = exempt = 0
    for candidate in decay_candidates.read_memory_decay_rows(store):
        total += 1
        if lifecycle.reason_never_archived(candidate):
            exempt += 1
            continue
        score = lifecycle.memory_decay_score(
            candidate, candidate.accesses, candidate.last_at, now, days
        )
        if score < below:
            if decay_candidates.was_restored_from_archive(store, candidate.id):
                exempt += 1
            else:
                low.append((score, candidate))
    low.sort(key=lambda pair: (pair[0], pair[1].seq))
    most = min(MAX_ARCHIVED, max(MIN_ARCHIVED, total // STORE_DIVISOR))
    done, failed = archive_low_scored_memories(
        app, store, [candidate for _, candidate in low[:most]], dry_run=dry_run, by_agent=by_agent
    )
    if not (dry_run or by_agent or store.read_only):
        with store.write():
            projects.set_meta(store, "decay_at", str(now))
    unchanged = total - exempt - len(done) - failed
    return DecayRunCounts(tuple(done), unchanged, exempt, max(0, len(low) - most), failed)


def archive_low_scored_memories(
    app: App,
    store: Database,
    candidates: list[MemoryDecayRow],
    *,
    dry_run: bool,
    by_agent: bool = False,
) -> tuple[list[ArchivedMemory], int]:
    """Archive those of ``candidates`` whose decay score is still too low.

    Returns the archived memories, and the number that could not be read. ``dry_run`` changes
    nothing; with ``by_agent`` memories that people wrote stay.
    """
    ids = [candidate.id for candidate in candidates]
    sweep = edit_memories(app, store, ids, partial(_faded, app, by_agent), "faded", dry_run=dry_run)
    return [_item(app, store, memory) for memory in sweep.changed], sweep.failed


def _faded(app: App, agent: bool, memory: Memory, used: Usage) -> Memory:
    """The memory, archived if its score is still too low."""
    days, below = decay_settings(app)
    if not trust.may_edit_memory(memory, by_agent=agent):
        return memory
    if (
        lifecycle.reason_never_archived(memory)
        or lifecycle.memory_decay_score(memory, *used, app.now, days) >= below
    ):
        return memory
    return expiry.archived_copy_of_memory(memory, app.now)


def _item(app: App, store: Database, memory: Memory) -> ArchivedMemory:
    accesses, last_at = memories.access_count_and_time(store, memory.id)
    score = lifecycle.memory_decay_score(memory, accesses, last_at, app.now, decay_settings(app)[0])
    age, idle = (span / DAY for span in lifecycle.age_and_idle_ms(memory, last_at, app.now))
    used = f"returned {quantity(accesses, 'time')}" if accesses else "never returned"
    return ArchivedMemory(
        id=memory.id,
        handle=short_ids.shortest_unique_prefix(store, memory.id),
        title=one_line(memory.headline, 80),
        score=round(score, 4),
        age_days=round(age, 1),
        idle_days=round(idle, 1),
        accesses=accesses,
        why=f"{quantity(round(age), 'day')} old, not touched for {idle:.0f}, {used}",
    )
