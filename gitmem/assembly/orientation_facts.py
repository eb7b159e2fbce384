"""Gathering the facts of an orientation from git and the store."""

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
from gitmem.git.head import is_shallow, operation_in_progress
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
from gitmem.store.memory.filters import MemoryFilter
from gitmem.store.session import sessions
from gitmem.text import name_secrets
from gitmem.text.fence import one_line
from gitmem.timeline import resumption
from gitmem.timeline.orientation_sections import OrientationFacts
from gitmem.timeline.visits import WorktreeVisit

LATEST = 5
HEARD = 40  # events of the last session that are read for its questions and what stopped it
NEW, PINNED, DECISIONS, NOTES = 8, 8, 6, 3
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def gather_orientation_facts(
    app: App,
    store: Database | None,
    visit: WorktreeVisit,
    clock_line: str = "",
    extra_conditions: Conditions = (),
    host_session_id: str = "",
) -> OrientationFacts:
    """Return what the start of a session tells: branch, commits, memories, sessions and so on.

    ``visit`` says since when things are new, ``clock_line`` replaces the present time if not empty,
    and ``extra_conditions`` are further SQL conditions on memories. Sessions with
    ``host_session_id`` (the reader's own) are no news. ``store`` is None where gitmem is not set
    up.
    """
    head, limit = app.git_head, app.settings.number("orient.commits")
    commits = _commits(app, visit, limit)
    facts = OrientationFacts(
        name=_project_name(app),
        key=subprojects.project_key_for_new_memories(app),
        branch=head.branch and name_secrets.redact_name(head.branch),
        commit=head.commit,
        unborn=head.unborn,
        operation=operation_in_progress(app.layout),
        shallow=is_shallow(app.layout),
        tree=status.read_status(app.layout),
        visit=visit,
        clock=clock_line or _format_clock(app),
        local=_local_formatter(app),
        commits=commits[:limit],
        commits_capped=len(commits) > limit,
    )
    if store is None:
        return replace(facts, lost=_lost_store_hint(app))
    return _add_stored(app, store, facts, extra_conditions, host_session_id)


def _add_stored(
    app: App, store: Database, facts: OrientationFacts, also: Conditions, teller: str
) -> OrientationFacts:
    """The facts with memories, each in one section, and the last session."""
    since = facts.visit.since
    # Memories of unconfirmed foreign origin are not shown unasked.
    visible = request_filters.memory_filter_for_store(
        app, store, MemoryFilter(now=app.now, trusted_only=True)
    )
    visible = replace(visible, extra_conditions=(*visible.extra_conditions, *also))
    own = subprojects.subproject_memory_sql_conditions(app)
    # In the order of the sections: each memory is named once only.
    listed: dict[str, Memory] = {}

    def select_unlisted(
        limit: int, order: str = "created_at", **conditions: object
    ) -> list[Memory]:
        here = replace(visible, **conditions)  # type: ignore[arg-type]
        unlisted = [
            memory
            for memory in _select_own_first(own, store, here, limit, order)
            if memory.id not in listed
        ]
        listed.update((memory.id, memory) for memory in unlisted)
        return unlisted

    pinned = select_unlisted(PINNED, "weight", pinned=True)
    undecided = select_unlisted(DECISIONS, states=("proposed",))
    decisions = select_unlisted(DECISIONS, "weight", kinds=("decision",), states=("active",))
    conventions = select_unlisted(PINNED, "weight", kinds=("convention", "workflow"))
    named_new = sum(since is not None and memory.created_at >= since for memory in listed.values())
    added = select_unlisted(NEW, since=since)
    changed = () if since is None else select_unlisted(NEW, "updated_at", changed_since=since)
    shown = [*listed.values()]
    standing = annotate.freshness_by_memory_id(app, store, shown)
    against = annotate.contradicted_memory_ids([(memory, store) for memory in shown])
    handles = cache(partial(short_ids.shortest_unique_prefix, store))
    last = _last_session(app, store, teller)
    since_then = replace(visible, since=since)
    every = 0 if since is None else memories.count_filtered_memories(store, since_then)
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
        stale=annotate.count_stale_memories(app, store),
        has_store=True,
        about=(projects.get_meta(store, projects.SUMMARY) or "").splitlines()
        if facts.visit.first
        else (),
        heard=_events(store, last, resumption.TYPES, HEARD),
    )


def _events(
    store: Database, session: Session | None, types: Sequence[str], limit: int
) -> Sequence[Event]:
    """The last events of these types in a session; empty without a session."""
    if session is None:
        return ()
    return sessions.events_in_period(store, session=session.id, types=types, limit=limit)


def _project_name(app: App) -> str:
    part = subprojects.current_subproject_name(app)
    return f"{part} in {app.project_identity.name}" if part else app.project_identity.name


def _lost_store_hint(app: App) -> str:
    """How to restore a store that was lost; empty if none was."""
    from gitmem.maintenance import lost_store  # noqa: PLC0415 - nearly always there is a store

    return lost_store.describe_missing_store(app)


def _commits(app: App, visit: WorktreeVisit, limit: int) -> list[Commit]:
    head = app.git_head.commit
    if head is None or visit.since_head == head:
        return []
    cwd = app.layout.cwd
    if visit.since is None:
        return list(history.list_commits(cwd, until=head, limit=LATEST, merges=False))
    if visit.since_head:
        with suppress(GitmemError):
            return list(
                history.list_commits(
                    cwd, since_commit=visit.since_head, until=head, limit=limit + 1, with_paths=True
                )
            )
    # The last commit seen is gone (history was rewritten and collected): go by the date.
    seconds = visit.since // 1000
    return list(
        history.list_commits(
            cwd, since_seconds=seconds, until=head, limit=limit + 1, with_paths=True
        )
    )


def _select_own_first(
    own: Conditions, store: Database, visible: MemoryFilter, limit: int, order: str
) -> list[Memory]:
    """Memories of the sub-project first, then those of the whole repository, up to the limit."""
    if not own:
        return memories.select_memories(store, visible, limit=limit, order=order)
    mine = replace(visible, extra_conditions=(*visible.extra_conditions, *own))
    mine_first = memories.select_memories(store, mine, limit=limit, order=order)
    selected_ids = {memory.id for memory in mine_first}
    both = memories.select_memories(store, visible, limit=limit + len(mine_first), order=order)
    rest = (memory for memory in both if memory.id not in selected_ids)
    return [*mine_first, *islice(rest, limit - len(mine_first))]


def _last_session(app: App, store: Database, teller: str) -> Session | None:
    place = subprojects.worktree_and_subproject_key(app)
    here = sessions.recent_sessions(store, LATEST, worktree=place)
    # Sessions in other sub-projects do not say where the work in this one stands.
    here = here or sessions.recent_sessions(
        store, LATEST, subproject=subprojects.current_subproject_name(app)
    )
    teller = sessions.redact_host_session_id(teller)
    here = [session for session in here if not teller or session.client_id != teller]
    # A session that was just opened, still empty, does not hide an earlier one with content.
    with_content = (
        session
        for session in here
        if session.ended_at is not None
        or (session.goal or session.summary or session.active_file or session.files)
    )
    return next(with_content, here[0] if here else None)


def _format_clock(app: App) -> str:
    """The present as ``Sat 2026-11-21 09:03 CET (+01:00)``."""
    zone = app.configured_time_zone
    if zone:
        # Imported here: zoneinfo costs 5 ms, and most people use the time zone of their machine.
        from gitmem.clock.time_report import describe_moment  # noqa: PLC0415

        at = describe_moment(app.now, zone)
        return f"{at.weekday[:3]} {at.iso[:10]} {at.iso[11:16]} {zone} ({at.utc_offset})"
    here = time.localtime(app.now / 1000)
    minutes = here.tm_gmtoff // 60
    offset = f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
    return f"{DAYS[here.tm_wday]} {time.strftime('%Y-%m-%d %H:%M', here)} {here.tm_zone} ({offset})"


def _local_formatter(app: App) -> Callable[[int], str]:
    zone = app.configured_time_zone
    if not zone:
        return lambda ms: time.strftime("%Y-%m-%d %H:%M", time.localtime(ms / 1000))
    from gitmem.clock import zones  # noqa: PLC0415 - as above

    rules = zones.load_time_zone(zone)
    return lambda ms: zones.to_local_datetime(ms, rules).strftime("%Y-%m-%d %H:%M")


def _marks(
    standing: Mapping[str, Freshness],
    against: Mapping[str, Sequence[str]],
    handle: Callable[[str], str],
    memory: Memory,
) -> list[str]:
    """Reasons to check a memory first: its trust, stale anchors, memories it may contradict."""
    anchored = standing.get(memory.id, memory_view.NOWHERE)
    doubts = [
        anchor
        for anchor in anchored.anchors
        if anchored.is_stale and anchor.verdict == anchored.freshness
    ]
    doubt = ""
    if doubts:
        doubt = one_line(f"check first: {doubts[0].cited} {doubts[0].verdict}", 90)
    if anchored.freshness == "unknown":
        doubt = "not checked"
    opposed = memory_view.contradiction_label([*map(handle, against.get(memory.id, ()))])
    return [mark for mark in (trust.trust_tier_mark(memory.trust_tier), doubt, opposed) if mark]
