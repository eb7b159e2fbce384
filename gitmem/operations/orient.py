"""What a session needs first, inside a token budget."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated

from gitmem import context
from gitmem.app import App
from gitmem.clock import iso
from gitmem.errors import GitmemError
from gitmem.git import history, status
from gitmem.git.commits import Commit
from gitmem.git.head import is_shallow, state
from gitmem.memory import trust
from gitmem.model.anchor import Freshness
from gitmem.model.memory import Memory
from gitmem.model.section import Pack, SectionCost
from gitmem.model.session import Session
from gitmem.model.value import dataclass, replace
from gitmem.operations import items, narrow, shown
from gitmem.operations.items import CommitItem
from gitmem.operations.registry import READ, Arg, Operation
from gitmem.store import lookup, memories, sessions
from gitmem.store.connection import Database
from gitmem.store.filters import Filter
from gitmem.text.fence import one_line
from gitmem.timeline import orient as orientation
from gitmem.timeline import presence
from gitmem.timeline.orient import Facts
from gitmem.timeline.presence import Visit

LATEST = 5
NEW, PINNED, DECISIONS, NOTES = 8, 8, 6, 3
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True, slots=True)
class Orient:
    """How much room an orientation has, and its form."""

    budget: Annotated[
        int | None,
        Arg("Tokens it may use (1200 if not given).", short="-b", least=200, most=20_000),
    ] = None
    format: Annotated[
        str, Arg("The form of the text.", choices=("text", "json", "markdown"), mcp=False)
    ] = "text"
    explain: Annotated[bool, Arg("Also show what each section cost.", mcp=False)] = False


@dataclass(frozen=True, slots=True)
class Oriented:
    """An orientation: its text, and the facts behind it.

    ``gap_seconds`` is null at the first session. ``commits`` are those since the last session (the
    latest few at the first), ``memories`` pinned, new and changed ones, ``decisions`` open ones
    first. ``sections`` tells what each part of the text cost.
    """

    project: str
    name: str
    branch: str | None
    commit: str | None
    worktree: str
    first_session: bool
    just_here: bool
    gap_seconds: int | None
    since: str | None
    commits: tuple[CommitItem, ...]
    memories: tuple[items.MemoryItem, ...]
    decisions: tuple[items.MemoryItem, ...]
    text: str
    tokens: int
    sections: tuple[SectionCost, ...]
    explain: bool


def orient(app: App, request: Orient) -> Oriented:
    """Tell what a session needs to know first.

    Project, branch and work tree, how long nobody was here, commits by author, merged branches and
    changed areas since then, new and changed memories, open decisions, what was being worked on.
    Never longer than the budget. The same state gives the same text, apart from the clock line.
    """
    store = app.store if app.has_store else None
    last = sessions.presence(store, app.worktree) if store is not None else None
    visit = presence.arrive(last, app.now)
    facts = gather(app, store, visit)
    packed = context.pack(
        orientation.sections(facts),
        request.budget or app.settings.number("orient.budget"),
        markdown=request.format == "markdown",
    )
    if store is not None:
        _note_presence(app, store, visit)
    return _result(app, store, facts, packed, request.explain)


def gather(app: App, store: Database | None, visit: Visit) -> Facts:
    """Everything an orientation tells about, read from git and the store."""
    head, limit = app.head, app.settings.number("orient.commits")
    commits = _commits(app, visit, limit)
    identity = app.identity
    since = visit.since
    # What nobody here has said or accepted is not told to who has not asked for it.
    wanted = Filter(now=app.now, own=True)
    wanted = wanted if store is None else narrow.here(app, store, wanted)
    _select = partial(_chosen, store, wanted)
    # In the order of the sections: what one names, a later one does not name again.
    named: set[str] = set()
    pinned = _unnamed(named, _select(PINNED, pinned=True))
    undecided = _unnamed(named, _select(DECISIONS, states=("proposed",)))
    decisions = _unnamed(named, _select(DECISIONS, kinds=("decision",), states=("active",)))
    conventions = _unnamed(named, _select(PINNED, kinds=("convention", "workflow")))
    named_new = _since(since, (*pinned, *undecided, *decisions, *conventions))
    last = _last_session(app, store)
    added = _unnamed(named, _select(NEW, since=since))
    changed = (
        ()
        if since is None
        else _unnamed(named, _select(NEW, order="updated_at", changed_since=since))
    )
    told = (*pinned, *undecided, *decisions, *conventions, *added, *changed)
    standing = {} if store is None else shown.freshness(app, store, told)
    return Facts(
        name=identity.name,
        key=identity.key,
        branch=head.branch,
        commit=head.commit,
        unborn=head.unborn,
        operation=state(app.layout),
        shallow=is_shallow(app.layout),
        tree=status.read(app.layout),
        visit=visit,
        clock=_clock(app),
        local=_local(app),
        commits=commits[:limit],
        commits_capped=len(commits) > limit,
        pinned=pinned,
        conventions=conventions,
        added=added,
        added_total=_count(store, replace(wanted, since=since)) - named_new,
        changed=changed,
        open_decisions=undecided,
        decisions=decisions,
        last_session=last,
        notes=()
        if store is None or last is None
        else sessions.events(store, session=last.id, types=("note",), limit=NOTES),
        handles=_handles(store),
        marks=partial(_marks, standing),
        standing=standing,
        stale=0 if store is None else shown.stale(app, store),
        has_store=store is not None,
    )


def _commits(app: App, visit: Visit, limit: int) -> list[Commit]:
    head = app.head.commit
    if head is None or visit.since_head == head:
        return []
    cwd = app.layout.cwd
    if visit.since is None:
        return list(history.log(cwd, until=head, limit=LATEST))
    if visit.since_head:
        with suppress(GitmemError):
            return list(
                history.log(
                    cwd, since_commit=visit.since_head, until=head, limit=limit + 1, paths=True
                )
            )
    # What was seen last is gone from the repository (rewritten, then collected): go by the date.
    seconds = visit.since // 1000
    return list(history.log(cwd, since_time=seconds, until=head, limit=limit + 1, paths=True))


def _chosen(
    store: Database | None,
    here: Filter,
    limit: int,
    *,
    order: str = "created_at",
    **wanted: object,
) -> list[Memory]:
    if store is None:
        return []
    chosen = replace(here, **wanted)  # type: ignore[arg-type]
    return memories.select(store, chosen, limit=limit, order=order)


def _count(store: Database | None, wanted: Filter) -> int:
    return 0 if store is None or wanted.since is None else memories.count(store, wanted)


def _unnamed(named: set[str], found: Sequence[Memory]) -> list[Memory]:
    """Those that no earlier section names, which are then named."""
    fresh = [memory for memory in found if memory.id not in named]
    named.update(memory.id for memory in fresh)
    return fresh


def _since(since: int | None, found: Sequence[Memory]) -> int:
    return sum(1 for memory in found if since is not None and memory.created_at >= since)


def _last_session(app: App, store: Database | None) -> Session | None:
    if store is None:
        return None
    here = sessions.recent(store, 1, worktree=app.worktree) or sessions.recent(store, 1)
    return here[0] if here else None


def _handles(store: Database | None) -> Callable[[Memory], str]:
    known: dict[str, str] = {}

    def handle(memory: Memory) -> str:
        if memory.id not in known:
            known[memory.id] = memory.id if store is None else lookup.shortest(store, memory.id)
        return known[memory.id]

    return handle


def _clock(app: App) -> str:
    """The present as ``Sat 2026-11-21 09:03 CET (+01:00)``."""
    zone = app.settings.text("timezone")
    if zone:
        # Imported here: zoneinfo costs 5 ms, and most people want the zone of their machine.
        from gitmem.clock.anchor import anchor  # noqa: PLC0415

        seen = anchor(app.now, zone)
        return f"{seen.weekday[:3]} {seen.iso[:10]} {seen.iso[11:16]} {zone} ({seen.utc_offset})"
    here = time.localtime(app.now / 1000)
    minutes = here.tm_gmtoff // 60
    offset = f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
    return f"{DAYS[here.tm_wday]} {time.strftime('%Y-%m-%d %H:%M', here)} {here.tm_zone} ({offset})"


def _local(app: App) -> Callable[[int], str]:
    zone = app.settings.text("timezone")
    if not zone:
        return lambda ms: time.strftime("%Y-%m-%d %H:%M", time.localtime(ms / 1000))
    from gitmem.clock import zones  # noqa: PLC0415 - as above

    found = zones.load(zone)
    return lambda ms: zones.local(ms, found).strftime("%Y-%m-%d %H:%M")


def _note_presence(app: App, store: Database, visit: Visit) -> None:
    # Best effort: on a busy or read-only store the next orientation tells a longer stretch.
    if store.read_only:
        return
    seen = presence.leave(
        visit,
        worktree=app.worktree,
        head=app.head.commit or "",
        branch=app.head.branch or "",
        now=app.now,
    )
    with suppress(GitmemError), store.patience(50, durable=False), store.write():
        sessions.set_presence(store, seen)


def _result(
    app: App, store: Database | None, facts: Facts, packed: Pack, explain: bool
) -> Oriented:
    visit = facts.visit
    told = {memory.id: memory for memory in (*facts.pinned, *facts.added, *facts.changed)}
    told.update({memory.id: memory for memory in facts.conventions})
    decided = {memory.id: memory for memory in (*facts.open_decisions, *facts.decisions)}
    return Oriented(
        project=facts.key,
        name=facts.name,
        branch=facts.branch,
        commit=facts.commit,
        worktree=app.worktree,
        first_session=visit.first,
        just_here=visit.just_here,
        gap_seconds=None if visit.gap_ms is None else visit.gap_ms // 1000,
        since=None if visit.since is None else iso(visit.since),
        commits=tuple(
            CommitItem(one.sha, one.author, iso(one.committed_time * 1000), one.subject)
            for one in facts.commits
        ),
        memories=_items(app, store, facts, told.values()),
        decisions=_items(app, store, facts, decided.values()),
        text=packed.text,
        tokens=packed.tokens,
        sections=packed.costs,
        explain=explain,
    )


def _items(
    app: App, store: Database | None, facts: Facts, found: Iterable[Memory]
) -> tuple[items.MemoryItem, ...]:
    """What the text told of, as it was found for the text: nothing is looked at twice."""
    if store is None:
        return ()
    return tuple(shown.items_of(app, [(one, store) for one in found], standing=facts.standing))


def _marks(standing: Mapping[str, Freshness], memory: Memory) -> list[str]:
    """What to know before a memory is believed: who vouches for it, and what it stood on."""
    found = standing.get(memory.id, items.NOWHERE)
    doubts = [one for one in found.anchors if found.stale and one.verdict == found.freshness]
    doubt = ""
    if doubts:
        doubt = one_line(f"check first: {doubts[0].cited} {doubts[0].verdict}", 90)
    if found.freshness == "unknown":
        doubt = "not checked"
    return [mark for mark in (trust.mark(memory.tier), doubt) if mark]


def view(result: Oriented) -> str:
    """The text, and with --explain a line for each section."""
    if not result.explain:
        return result.text
    rows = [
        f"  {one.name:<12} {one.tokens:>5} tokens  {one.shown:>3} shown  {one.left_out:>3} left out"
        for one in result.sections
        if one.shown or one.left_out
    ]
    return "\n".join([result.text, "", f"Cost: {result.tokens} tokens", *rows])


ORIENT = Operation(
    name="orient",
    request=Orient,
    run=orient,
    view=view,
    effect=READ,
    example="gitmem orient --budget 800",
    tool="orient",
)
