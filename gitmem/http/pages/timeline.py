"""The timeline: what happened when, as a picture with a row for each kind, and as a list."""

from __future__ import annotations

from typing import Any

from gitmem.app import App
from gitmem.assembly import timeline_marks
from gitmem.assembly.timeline_marks import ChartFilter
from gitmem.charts import marks, static_assets
from gitmem.clock import format_iso, zones
from gitmem.http.pages.page import Page, PageParameters
from gitmem.http.pages.rendering import address_with_query, make_address
from gitmem.store.session import sessions

_PERIODS = (
    ("7d", "7 days"),
    ("", "30 days"),
    ("90d", "90 days"),
    ("1y", "a year"),
    ("all", "everything"),
)
_PLACES = {"commit": "commits", "session": "sessions", "memory": "memories", "decision": "memories"}


def read_timeline_page_data(app: App, query: PageParameters) -> dict[str, Any]:
    """A dict to show in the timeline: a chart, the newest events, and the filters in force.

    Parameters in ``query``, all filters: since, until, agent, author, path.
    """
    names = ("since", "until", "agent", "author", "path")
    given = {name: query.text(name) for name in names}
    rest = query.parameters_except("since", "until", "did", "format")

    def period_link(since: int, until: int) -> str:
        pairs = [*rest, ("since", format_iso(since)), ("until", format_iso(until))]
        return address_with_query("/timeline", pairs)

    happened = timeline_marks.build_timeline_chart(
        app, ChartFilter(**given), event_link, period_link
    )
    return {
        "since": format_iso(happened.since),
        "until": format_iso(happened.until),
        "filters": given,
        "agents": sessions.session_agents(app.store),
        "periods": [
            {
                "label": label,
                "href": address_with_query(
                    "/timeline", [*rest, *([("since", value)] if value else [])]
                ),
                "current": value == given["since"] and not given["until"],
            }
            for value, label in _PERIODS
        ],
        "picture": marks.timeline_chart(happened.rows, happened.since, happened.until),
        "counts": [{"name": row.name, "total": row.total} for row in happened.rows],
        "left_out": list(happened.left_out),
        "events": [
            {
                "at": format_iso(entry.at),
                **_local(app, entry.at),
                "type": entry.type,
                "ref": entry.ref,
                "who": entry.who,
                "text": entry.text,
                "href": event_link(entry.type, entry.ref),
            }
            for entry in happened.newest
        ],
    }


def _local(app: App, at: int) -> dict[str, str]:
    """The day and the minute of a time where the person is."""
    local = zones.to_local_datetime(at, zones.load_time_zone(app.display_time_zone))
    return {"day": local.date().isoformat(), "time": f"{local:%H:%M}"}


def event_link(kind: str, id: str) -> str:
    """The address of the page on an event: a commit, session, memory or decision."""
    return make_address(_PLACES[kind], id)


TIMELINE = Page(
    "timeline",
    "/timeline",
    "What happened, and when?",
    read_timeline_page_data,
    "Timeline",
    "timeline",
    (static_assets.STYLE, *static_assets.SCRIPTS),
)
