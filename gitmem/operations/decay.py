"""Decay: what nobody used for long goes to the archive. Nothing is deleted."""

from typing import Annotated

from gitmem.app import App
from gitmem.errors import StoreDamaged
from gitmem.memory import lifecycle
from gitmem.model.memory import Memory
from gitmem.model.value import dataclass
from gitmem.operations.registry import WRITE, Arg, Operation
from gitmem.operations.revise import change
from gitmem.store import fading, lasting, lookup, memories, projects
from gitmem.store.connection import Database
from gitmem.store.fading import Candidate
from gitmem.text.fence import one_line

# A clock that is far ahead by mistake must not empty a store: so much at most fades in one run.
MOST = 200
SHARE = 5  # a fifth
# A store of fewer than five would never fade at all; so it fades one by one, a day apart.
LEAST = 1
BATCH = 50


@dataclass(frozen=True, slots=True)
class Decay:
    """Whether to archive, and how much to say."""

    dry_run: Annotated[bool, Arg("Say what would be archived, and archive nothing.")] = False
    explain: Annotated[bool, Arg("Also show the formula and what each score is made of.")] = False


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


@dataclass(frozen=True, slots=True)
class Decayed:
    """What faded. ``kept`` are memories that could have and stay, ``exempt`` those that never do.

    ``held_back`` of those kept are left for the next run; ``failed`` could not be read. ``rule`` is
    the formula with its constants.
    """

    archived: tuple[Faded, ...]
    kept: int
    exempt: int
    held_back: int
    failed: int
    dry_run: bool
    explain: bool
    rule: str


def decay(app: App, request: Decay) -> Decayed:
    """Archive what nobody used for long.

    Each memory has a score that falls with its age and the time nobody read or edited it, and rises
    with each use. Pinned memories, decisions, conventions, what has an importance of 0.8 or more,
    what has an end of its own and what was restored once never fade. A run archives a fifth of a
    store at most, never more than 200, and of fewer than five memories one. This runs by itself
    once a day while gitmem is used (decay.enabled).
    """
    stores = app.stores()
    results = [fade(app, store, dry_run=request.dry_run) for store in stores]
    days, below = _constants(app)
    return Decayed(
        archived=tuple(one for result in results for one in result.archived),
        kept=sum(result.kept for result in results),
        exempt=sum(result.exempt for result in results),
        held_back=sum(result.held_back for result in results),
        failed=sum(result.failed for result in results),
        dry_run=request.dry_run,
        explain=request.explain,
        rule=f"0.3*exp(-age/{2 * days:g}d) + 0.7*exp(-idle/{days:g}d) + min(accesses/10, 0.5)"
        f" < {below:g}",
    )


def _constants(app: App) -> tuple[float, float]:
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
    days, below = _constants(app)
    now = app.now
    low: list[tuple[float, Candidate]] = []
    total = exempt = 0
    for one in fading.candidates(store):
        total += 1
        if lifecycle.exempt(one):
            exempt += 1
            continue
        score = lifecycle.score(one, one.accesses, one.last_at, now, days)
        if score < below:
            if fading.was_restored(store, one.id):
                exempt += 1
            else:
                low.append((score, one))
    low.sort(key=lambda pair: (pair[0], pair[1].seq))
    most = min(MOST, max(LEAST, total // SHARE))
    done, failed = _put_away(app, store, [one for _, one in low[:most]], dry_run=dry_run)
    if not dry_run and not store.read_only:
        with store.write():
            projects.set_meta(store, "decay_at", str(now))
    kept = total - exempt - len(done) - failed
    return Fading(tuple(done), kept, exempt, max(0, len(low) - most), failed)


def _put_away(
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
                    change(app, store, memory, lasting.away(memory, app.now), "faded")
        done += [item for _, item in pairs]
        failed += broken
    return done, failed


def _each(
    app: App, store: Database, part: list[Candidate]
) -> tuple[list[tuple[Memory, Faded]], int]:
    """The memories as they are now, if they still fade: somebody may have used one meanwhile."""
    days, below = _constants(app)
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
    used = f"handed out {accesses} times" if accesses else "never handed out"
    return Faded(
        id=memory.id,
        handle=lookup.shortest(store, memory.id),
        title=one_line(memory.headline, 80),
        score=round(score, 4),
        age_days=round(age, 1),
        idle_days=round(idle, 1),
        accesses=accesses,
        why=f"{age:.0f} days old, not touched for {idle:.0f}, {used}",
    )


def view(result: Decayed) -> str:
    """A line for each memory that faded, then the counts and how to bring one back."""
    lines = [f"fades where {result.rule}"] if result.explain else []
    for one in result.archived:
        lines.append(f"{one.handle}  {one.score:.2f}  {one_line(one.title, 60)}")
        lines += [f"    {one.why}"] if result.explain else []
    did = "would be archived" if result.dry_run else "archived"
    lines.append(f"{len(result.archived)} {did}, {result.kept} kept, {result.exempt} exempt")
    if result.held_back:
        lines.append(
            f"{result.held_back} more are left for the next run: a fifth of the store, or one of a "
            f"small one, and {MOST} at most fade at once"
        )
    if result.failed:
        lines.append(f"{result.failed} could not be read: run `gitmem doctor`")
    if result.archived and not result.dry_run:
        lines.append(f"gitmem restore {result.archived[0].handle} brings one back for good")
    return "\n".join(lines)


DECAY = Operation(
    name="decay",
    request=Decay,
    run=decay,
    view=view,
    effect=WRITE,
    example="gitmem decay --dry-run --explain",
    tool="decay",
    failures=lambda result: result.failed,
)
