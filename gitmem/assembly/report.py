"""What a report on the project is made of: a period, what needs a look, and the code map."""

from __future__ import annotations

import os
from collections.abc import Sequence

from gitmem.app import App
from gitmem.assembly import code_map, timeline_marks
from gitmem.assembly.timeline_marks import ChartFilter, TimelineChart
from gitmem.branches import subprojects
from gitmem.capture import inbox
from gitmem.capture.resolve import StaleMemoryResolution
from gitmem.charts.treemap import FileFacts
from gitmem.maintenance import verification
from gitmem.maintenance.verification import VerifiedMemory
from gitmem.model.anchor import STALE
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.model.session import Session
from gitmem.store.memory import memories
from gitmem.store.memory.filters import MemoryFilter
from gitmem.store.session import sessions
from gitmem.text.quantity import quantity

# Of each list at most so many, the newest.
LISTED = 30
_NOTHING = StaleMemoryResolution(accept=False, re_anchor="", cited="", correct="", retire=False)


@dataclass(frozen=True, slots=True)
class ReportFacts:
    """What a report on a period shows: counts, decisions, sessions and the state of memories.

    ``happened`` is the chart of the period, ``stale`` are memories whose cited code changed or is
    gone (``stale_total`` in all), ``waiting`` counts suggestions in the inbox.
    """

    name: str
    branch: str
    commit: str
    happened: TimelineChart
    decisions: Sequence[Memory]
    sessions: Sequence[Session]
    stale: Sequence[VerifiedMemory]
    stale_total: int
    waiting: int
    files: Sequence[FileFacts]


def gather_report_facts(app: App, since: str, until: str = "") -> ReportFacts:
    """Return what a report shows for a period, by default the last thirty days.

    ``since`` and ``until`` are dates, lengths such as 30d or revisions. Raises InvalidInput.
    """
    happened = timeline_marks.build_timeline_chart(app, ChartFilter(since, until))
    period = MemoryFilter(
        states=(),
        without_proposals=True,
        kinds=("decision",),
        since=happened.since,
        until=happened.until + 1,
        extra_conditions=subprojects.visible_memory_sql_conditions(app, app.store),
    )
    subjects = verification.memories_citing_code(app)
    verdicts = verification.freshness_of_memories(app, subjects)
    old = [each for each in subjects if verdicts[each.id].freshness in STALE]
    return ReportFacts(
        name=os.path.basename(app.layout.cwd),
        branch=app.git_head.branch or "",
        commit=app.git_head.commit or "",
        happened=happened,
        decisions=memories.select_memories(app.store, period, limit=LISTED),
        sessions=sessions.sessions_in_period(
            app.store,
            happened.since,
            happened.until,
            LISTED,
            subprojects.current_subproject_name(app),
        ),
        stale=verification.add_breaking_commits(
            app,
            [
                verification.resolve_checked_memory(
                    app, _NOTHING, each, verdicts[each.id], raise_errors=False
                )
                for each in old[:LISTED]
            ],
        ),
        stale_total=len(old),
        waiting=inbox.count_pending_suggestions(app),
        files=code_map.gather_map_files(app),
    )


def describe_counts_of_period(chart: TimelineChart) -> str:
    """Return the counts of a chart as text: ``55 commits, 1 session, no decisions, 2 memories``."""
    parts = []
    for row in chart.rows:
        thing = "memory" if row.name == "memories" else row.name[:-1]
        parts.append(quantity(row.total, thing) if row.total else f"no {row.name}")
    return ", ".join(parts)
