"""Archiving what nobody used for long, one store at a time. Nothing is deleted."""

from gitmem.app import App
from gitmem.capture.change import change
from gitmem.errors import StoreDamaged
from gitmem.memory import lifecycle
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.store.db import projects
from gitmem.store.db.connection import Database
from gitmem.store.memory import decay_candidates, expiry, memories, short_ids
from gitmem.store.memory.decay_candidates import Candidate
from gitmem.text.fence import one_line

# A clock that is far ahead by mistake must not empty a store: so much at most fades in one run.
MOST = 200
SHARE = 5  # a fifth
# A store of fewer than five would never fade at all; so it fades one by one, a day apart.
LEAST = 1
BATCH = 50


@dataclass(frozen=True, slots=True)
class Faded:
    """A memory that was (or would be) archived: its score, age and idle time in days, and why."""

    id: str
    handle: str
    title: str
    score: float
    age_days: float
    idle_days: float
    accesses: int
    why: str


def constants(app: App) -> tuple[float, float]:
    return app.settings.real("decay.days"), app.settings.real("decay.archive_below")


@dataclass(frozen=True, slots=True)
class Fading:
    """What one store's run came to; the fields are those of ``Decayed``."""

    archived: tuple[Faded, ...]
    kept: int
    exempt: int
    held_back: int
    failed: int


def fade(app: App, store: Database, *, dry_run: bool = False) -> Fading:
    """Archive what has faded in one store, the lowest score first."""
    days, below = constants(app)
    now = app.now
    low: list[tuple[float, Candidate]] = []
    total = exempt = 0
    for one in decay_candidates.candidates(store):
        total += 1
        if lifecycle.exempt(one):
            exempt += 1
            continue
        score = lifecycle.score(one, one.accesses, one.last_at, now, days)
        if score < below:
            if decay_candidates.was_restored(store, one.id):
                exempt += 1
            else:
                low.append((score, one))
    low.sort(key=lambda pair: (pair[0], pair[1].seq))
    most = min(MOST, max(LEAST, total // SHARE))
    done, failed = put_away(app, store, [one for _, one in low[:most]], dry_run=dry_run)
    if not dry_run and not store.read_only:
        with store.write():
            projects.set_meta(store, "decay_at", str(now))
    kept = total - exempt - len(done) - failed
    return Fading(tuple(done), kept, exempt, max(0, len(low) - most), failed)


def put_away(
    app: App, store: Database, low: list[Candidate], *, dry_run: bool
) -> tuple[list[Faded], int]:
    """Those archived, and how many could not be read: a damaged one does not stop the others."""
    done: list[Faded] = []
    failed = 0
    for start in range(0, len(low), BATCH):
        part = low[start : start + BATCH]
        if dry_run:
            pairs, broken = _each(app, store, part)
        else:
            # Short transactions, so that nobody waits for this.
            with store.write():
                pairs, broken = _each(app, store, part)
                for memory, _ in pairs:
                    change(app, store, memory, expiry.away(memory, app.now), "faded")
        done += [item for _, item in pairs]
        failed += broken
    return done, failed


def _each(
    app: App, store: Database, part: list[Candidate]
) -> tuple[list[tuple[Memory, Faded]], int]:
    """The memories as they are now, if they still fade: somebody may have used one meanwhile."""
    days, below = constants(app)
    pairs: list[tuple[Memory, Faded]] = []
    failed = 0
    for one in part:
        try:
            memory = memories.get(store, one.id)
        except StoreDamaged:
            failed += 1
            continue
        if memory is None or lifecycle.exempt(memory):
            continue
        accesses, last_at = memories.usage(store, one.id)
        score = lifecycle.score(memory, accesses, last_at, app.now, days)
        if score < below:
            pairs.append((memory, _item(app, store, memory, accesses, last_at, score)))
    return pairs, failed


def _item(
    app: App, store: Database, memory: Memory, accesses: int, last_at: int | None, score: float
) -> Faded:
    age, idle = (span / lifecycle.DAY_MS for span in lifecycle.ages(memory, last_at, app.now))
    used = f"returned {accesses} times" if accesses else "never returned"
    return Faded(
        id=memory.id,
        handle=short_ids.shortest(store, memory.id),
        title=one_line(memory.headline, 80),
        score=round(score, 4),
        age_days=round(age, 1),
        idle_days=round(idle, 1),
        accesses=accesses,
        why=f"{age:.0f} days old, not touched for {idle:.0f}, {used}",
    )
