"""The facts of an orientation, gathered from git and the store."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import islice

from gitmem.app import App
from gitmem.branches import subprojects
from gitmem.branches.subprojects import Conditions
from gitmem.errors import GitmemError
from gitmem.git import history, status
from gitmem.git.head import is_shallow, state
from gitmem.git.log_output import Commit
from gitmem.memory import trust
from gitmem.model.anchor import Freshness
from gitmem.model.frozen import replace
from gitmem.model.memory import Memory
from gitmem.model.session import Event, Session
from gitmem.retrieval import annotate, memory_view, request_filters
from gitmem.store.db import projects
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories, short_ids
from gitmem.store.memory.filters import Filter
from gitmem.store.session import sessions
from gitmem.text import name_secrets
from gitmem.text.fence import one_line
from gitmem.timeline import resumption
from gitmem.timeline.orientation_sections import Facts
from gitmem.timeline.visits import Visit

LATEST = 5
HEARD = 40  # of what happened in the last session, for what was asked and what stopped it
NEW, PINNED, DECISIONS, NOTES = 8, 8, 6, 3
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def gather(
    app: App,
    store: Database | None,
    visit: Visit,
    clock: str = "",
    also: Conditions = (),
    teller: str = "",
) -> Facts:
    """Everything an orientation tells about, read from git and the store.

    ``clock`` is told for the present time where it is given; ``also`` are further conditions over
    ``memories AS m``. ``teller`` is as in ``orientation.prepare``.
    """
    head, limit = app.head, app.settings.number("orient.commits")
    commits = _commits(app, visit, limit)
    facts = Facts(
        name=_named(app),
        key=subprojects.key(app),
        branch=head.branch and name_secrets.hide(head.branch),
        commit=head.commit,
        unborn=head.unborn,
        operation=state(app.layout),
        shallow=is_shallow(app.layout),
        tree=status.read(app.layout),
        visit=visit,
        clock=clock or _clock(app),
        local=_local(app),
        commits=commits[:limit],
        commits_capped=len(commits) > limit,
    )
    if store is None:
        return replace(facts, lost=_lost(app))
    return _stored(app, store, facts, also, teller)


def _stored(app: App, store: Database, facts: Facts, also: Conditions, teller: str) -> Facts:
    """The same with what is kept: memories, each in one section, and the last session."""
    since = facts.visit.since
    # What nobody here has said or accepted is not told to who has not asked for it.
    wanted = request_filters.here(app, store, Filter(now=app.now, own=True))
    wanted = replace(wanted, beside=(*wanted.beside, *also))
    own = subprojects.own(app)
    # In the order of the sections: what one names, a later one does not name again.
    named: dict[str, Memory] = {}

    def section(limit: int, order: str = "created_at", **narrower: object) -> list[Memory]:
        here = replace(wanted, **narrower)  # type: ignore[arg-type]
        fresh = [one for one in _own_first(own, store, here, limit, order) if one.id not in named]
        named.update((one.id, one) for one in fresh)
        return fresh

    pinned = section(PINNED, "weight", pinned=True)
    undecided = section(DECISIONS, states=("proposed",))
    decisions = section(DECISIONS, "weight", kinds=("decision",), states=("active",))
    conventions = section(PINNED, "weight", kinds=("convention", "workflow"))
    named_new = sum(1 for one in named.values() if since is not None and one.created_at >= since)
    added = section(NEW, since=since)
    changed = () if since is None else section(NEW, "updated_at", changed_since=since)
    told = [*named.values()]
    standing = annotate.freshness(app, store, told)
    against = annotate.opposed([(one, store) for one in told])
    handles = cache(partial(short_ids.shortest, store))
    last = _last_session(app, store, teller)
    every = 0 if since is None else memories.count(store, replace(wanted, since=since))
    return replace(
        facts,
        pinned=pinned,
        conventions=conventions,
        added=added,
        added_total=every - named_new,
        changed=changed,
        open_decisions=undecided,
        decisions=decisions,
        last_session=last,
        notes=_events(store, last, ("note",), NOTES),
        handles=handles,
        marks=partial(_marks, standing, against, handles),
        standing=standing,
        stale=annotate.stale(app, store),
        has_store=True,
        about=_about(store) if facts.visit.first else (),
        heard=_events(store, last, resumption.TYPES, HEARD),
    )


def _events(
    store: Database, session: Session | None, types: Sequence[str], limit: int
) -> Sequence[Event]:
    """What was noted in a session; nothing where there is none."""
    if session is None:
        return ()
    return sessions.events(store, session=session.id, types=types, limit=limit)


def _named(app: App) -> str:
    part = subprojects.current(app)
    return f"{part} in {app.identity.name}" if part else app.identity.name


def _about(store: Database) -> list[str]:
    """What the project is, as it was kept when the index was made."""
    kept = projects.meta(store, projects.SUMMARY)
    return kept.split("\n") if kept else []


def _lost(app: App) -> str:
    """How to bring back a store that is gone; empty where none is."""
    from gitmem.maintenance import lost_store  # noqa: PLC0415 - nearly always a store is there

    return lost_store.told(app)


def _commits(app: App, visit: Visit, limit: int) -> list[Commit]:
    head = app.head.commit
    if head is None or visit.since_head == head:
        return []
    cwd = app.layout.cwd
    if visit.since is None:
        return list(history.log(cwd, until=head, limit=LATEST, merges=False))
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


def _own_first(
    own: Conditions, store: Database, wanted: Filter, limit: int, order: str
) -> list[Memory]:
    """Those of the sub-project first, then as many of the repository as there is room for."""
    if not own:
        return memories.select(store, wanted, limit=limit, order=order)
    mine = replace(wanted, beside=(*wanted.beside, *own))
    found = memories.select(store, mine, limit=limit, order=order)
    known = {memory.id for memory in found}
    every = memories.select(store, wanted, limit=limit + len(found), order=order)
    rest = (memory for memory in every if memory.id not in known)
    return [*found, *islice(rest, limit - len(found))]


def _last_session(app: App, store: Database, teller: str) -> Session | None:
    place = subprojects.place(app)
    here = sessions.recent(store, LATEST, worktree=place)
    # What others do in their sub-projects is not where the work in this one stands.
    here = here or sessions.recent(store, LATEST, part=subprojects.current(app))
    here = [one for one in here if not teller or one.client_id != teller]
    # One that somebody just opened and nothing is known of hides no session with something in it.
    told = (one for one in here if one.ended_at is not None or _says_something(one))
    return next(told, here[0] if here else None)


def _says_something(session: Session) -> bool:
    return bool(session.goal or session.summary or session.active_file or session.files)


def _clock(app: App) -> str:
    """The present as ``Sat 2026-11-21 09:03 CET (+01:00)``."""
    zone = app.named_zone
    if zone:
        # Imported here: zoneinfo costs 5 ms, and most people want the zone of their machine.
        from gitmem.clock.time_report import anchor  # noqa: PLC0415

        seen = anchor(app.now, zone)
        return f"{seen.weekday[:3]} {seen.iso[:10]} {seen.iso[11:16]} {zone} ({seen.utc_offset})"
    here = time.localtime(app.now / 1000)
    minutes = here.tm_gmtoff // 60
    offset = f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
    return f"{DAYS[here.tm_wday]} {time.strftime('%Y-%m-%d %H:%M', here)} {here.tm_zone} ({offset})"


def _local(app: App) -> Callable[[int], str]:
    zone = app.named_zone
    if not zone:
        return lambda ms: time.strftime("%Y-%m-%d %H:%M", time.localtime(ms / 1000))
    from gitmem.clock import zones  # noqa: PLC0415 - as above

    found = zones.load(zone)
    return lambda ms: zones.local(ms, found).strftime("%Y-%m-%d %H:%M")


def _marks(
    standing: Mapping[str, Freshness],
    against: Mapping[str, Sequence[str]],
    handle: Callable[[str], str],
    memory: Memory,
) -> list[str]:
    """What to know before a memory is believed: who vouches, what it stood on, what denies it."""
    found = standing.get(memory.id, memory_view.NOWHERE)
    doubts = [
        anchor for anchor in found.anchors if found.stale and anchor.verdict == found.freshness
    ]
    doubt = ""
    if doubts:
        doubt = one_line(f"check first: {doubts[0].cited} {doubts[0].verdict}", 90)
    if found.freshness == "unknown":
        doubt = "not checked"
    opposed = memory_view.opposes([*map(handle, against.get(memory.id, ()))])
    return [mark for mark in (trust.mark(memory.tier), doubt, opposed) if mark]
