"""What happened in a period, as rows of marks for a picture and as a list beneath it."""

from __future__ import annotations

from collections.abc import Callable

from gitmem.app import App
from gitmem.branches import subprojects
from gitmem.charts import marks
from gitmem.charts.marks import TimelineMark, TimelineRow
from gitmem.clock import DAY
from gitmem.memory import trust
from gitmem.model.frozen import dataclass, replace
from gitmem.model.session import Session
from gitmem.retrieval import request_filters
from gitmem.store.code import commits
from gitmem.store.memory import memories
from gitmem.store.memory.filters import MemoryFilter
from gitmem.store.session import sessions
from gitmem.timeline import entries
from gitmem.timeline.entries import TimelineEntry

DAYS = 30
# Entries of the list beneath the picture.
LISTED = 60
# Kind of event ("commit", "session", "memory") and id -> its page.
Link = Callable[[str, str], str]
# A stretch of time in milliseconds -> the page of its timeline.
PeriodLink = Callable[[int, int], str]


@dataclass(frozen=True, slots=True)
class ChartFilter:
    """What a timeline chart shows: a period, and only events of an agent, author or path.

    ``since`` and ``until`` are dates, lengths such as 30d or revisions; empty fields do not filter.
    """

    since: str = ""
    until: str = ""
    agent: str = ""
    author: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class TimelineChart:
    """The rows of marks that a timeline chart shows from ``since`` to ``until`` (ms since 1970).

    ``rows`` are commits, sessions, decisions and memories; ``newest`` are the latest events for the
    list below it. ``left_out`` names the rows that the filter hides.
    """

    since: int
    until: int
    rows: tuple[TimelineRow, ...]
    newest: tuple[TimelineEntry, ...]
    left_out: tuple[str, ...] = ()


def _no_link(*_: object) -> str:
    return ""


def build_timeline_chart(
    app: App,
    chart_filter: ChartFilter,
    make_entry_link: Link = _no_link,
    make_period_link: PeriodLink = _no_link,
) -> TimelineChart:
    """Return a chart of the commits, sessions, decisions and memories of a period.

    It begins thirty days ago by default, with ``all`` at the first commit or memory. A filter by
    agent hides commits, one by author or path sessions. The functions return the address of an
    entry (kind, id) or period (ms, ms), empty for none. Raises InvalidInput for a wrong period.
    """
    now = app.now
    until = request_filters.parse_time_ms(app, chart_filter.until)
    until = now if until is None else until
    since = _start(app, chart_filter.since, until)
    request_filters.validate_time_order(since, until)
    drawn = _ChartRows(app, chart_filter, since, until, make_entry_link, make_period_link)
    rows, listed, hidden = list[TimelineRow](), list[TimelineEntry](), list[str]()
    for name, draw, shown in (
        ("commits", drawn.commit_row, not chart_filter.agent),
        ("sessions", drawn.session_row, not (chart_filter.author or chart_filter.path)),
        ("decisions", lambda: drawn.memory_row("decisions"), True),
        ("memories", lambda: drawn.memory_row("memories"), True),
    ):
        if not shown:
            hidden.append(name)
            continue
        row, entries_of_row = draw()
        rows.append(row)
        listed += entries_of_row
    newest = entries.newest_entries(listed, since, until, LISTED)[::-1]
    return TimelineChart(since, until, tuple(rows), tuple(newest), tuple(hidden))


def _start(app: App, expression: str, until: int) -> int:
    if expression.strip() == "all":
        return min(
            commits.oldest_commit_time(app.store), memories.oldest_memory_time(app.store), until
        )
    since = request_filters.parse_time_ms(app, expression)
    return max(0, min(until, app.now) - DAYS * DAY) if since is None else since


class _ChartRows:
    """The rows of one period."""

    def __init__(
        self,
        app: App,
        period: ChartFilter,
        since: int,
        until: int,
        link: Link,
        period_link: PeriodLink,
    ) -> None:
        self._app, self._period = app, period
        self._since, self._until = since, until
        self._link, self._period_link = link, period_link
        self._width = max(1, -(-(until - since + 1) // marks.MAX_MARKS))

    def commit_row(self) -> tuple[TimelineRow, list[TimelineEntry]]:
        period, store = self._period, self._app.store
        since, until, path, author = self._since, self._until, period.path, period.author
        times = commits.commit_times_in_period(
            store, since_ms=since, until_ms=until, path=path, author=author
        )
        newest = commits.commits_in_period(
            store, since_ms=since, until_ms=until, path=path, author=author, limit=marks.MAX_MARKS
        )
        listed = [
            TimelineEntry(commit.at, "commit", commit.sha, commit.author, commit.subject)
            for commit in newest
        ]
        if len(times) <= marks.MAX_MARKS:
            return self._single("commits", listed, "commit"), listed
        many = marks.marks_by_interval(times, self._since, self._until, marks.MAX_MARKS)
        return self._many("commits", many, len(times)), listed

    def session_row(self) -> tuple[TimelineRow, list[TimelineEntry]]:
        store, period = self._app.store, (self._since, self._until)
        subproject_and_agent = (subprojects.current_subproject_name(self._app), self._period.agent)
        starts = sessions.session_starts_in_period(store, *period, *subproject_and_agent)
        newest = sessions.sessions_in_period(store, *period, marks.MAX_MARKS, *subproject_and_agent)
        listed = [_session_entry(session) for session in newest]
        if len(starts) > marks.MAX_MARKS:
            times = [max(at, self._since) for at in starts]
            return self._many(
                "sessions", marks.marks_by_interval(times, *period, marks.MAX_MARKS), len(times)
            ), listed
        drawn = [
            TimelineMark(
                max(session.started_at, self._since),
                _session_text(session),
                self._link("session", session.id),
                min(session.ended_at or session.last_at, self._until),
            )
            for session in newest
        ]
        return TimelineRow("sessions", drawn, len(newest)), listed

    def memory_row(self, row_name: str) -> tuple[TimelineRow, list[TimelineEntry]]:
        store, decided = self._app.store, row_name == "decisions"
        beside = subprojects.visible_memory_sql_conditions(self._app, store)
        passing = MemoryFilter(
            states=(),
            without_proposals=True,
            kinds=("decision",) if decided else (),
            agent=self._period.agent,
            author=self._period.author,
            path=self._period.path,
            since=self._since,
            until=self._until + 1,
            extra_conditions=beside if decided else (*beside, ("m.kind <> 'decision'", ())),
        )
        counts = memories.memory_counts_by_period(store, passing, self._since, self._width)
        total = sum(count for _, count in counts)
        most = marks.MAX_MARKS if total <= marks.MAX_MARKS else LISTED
        listed = entries.entries_of_memories(
            memories.select_memories(store, passing, limit=most), trust.headline_with_marks
        )
        if total <= marks.MAX_MARKS:
            return self._single(row_name, listed, "memory"), listed
        many = marks.marks_from_interval_counts(counts, self._since, self._until, self._width)
        return self._many(row_name, many, total), listed

    def _single(self, name: str, listed: list[TimelineEntry], kind: str) -> TimelineRow:
        drawn = [
            TimelineMark(entry.at, entry.text, self._link(kind, entry.ref)) for entry in listed
        ]
        return TimelineRow(name, drawn, len(listed))

    def _many(self, name: str, many: list[TimelineMark], total: int) -> TimelineRow:
        linked = [
            replace(mark, href=self._period_link(mark.at, mark.end or mark.at)) for mark in many
        ]
        return TimelineRow(name, linked, total)


def _session_text(session: Session) -> str:
    text = session.summary or session.goal
    return f"{session.agent}: {text}" if text else session.agent or "a session"


def _session_entry(session: Session) -> TimelineEntry:
    text = session.summary or session.goal
    return TimelineEntry(session.started_at, "session", session.id, session.agent, text)
