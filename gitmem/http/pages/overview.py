"""The first page: what happened since you were here, and what needs a look."""

from __future__ import annotations

from typing import Any

from gitmem.app import App
from gitmem.assembly import timeline_marks
from gitmem.assembly.timeline_marks import ChartFilter
from gitmem.capture import inbox
from gitmem.clock import DAY, format_iso
from gitmem.http.pages.memory_list import count_memories_by_layer
from gitmem.http.pages.page import Page, PageParameters, result_of_verb
from gitmem.retrieval import annotate
from gitmem.store.memory import suggestions

_MOST, _WEEK, _MONTH = 8, 7, 30
# Pixels of the strip, and of one of its lines.
_WIDE, _HIGH = 1000, 16


def read_overview_page_data(app: App, _query: PageParameters) -> dict[str, Any]:
    """A dict to show in the first page: changes since the last visit, what needs attention."""
    oriented = result_of_verb(app, "orient", budget=200)
    # Whoever was here a moment ago wants more than what happened since.
    since, latest = oriented["since"], format_iso(app.now - DAY)
    away = since is not None and since < latest
    since = since if away else format_iso(app.now - (_WEEK if since else _MONTH) * DAY)
    changes = result_of_verb(app, "changes", since=since) if oriented["commit"] else {}
    counts = result_of_verb(app, "stats")
    return {
        "away": away,
        "days": _WEEK if oriented["since"] else _MONTH,
        "since": since,
        "changes": {
            "commits": changes.get("commits", 0),
            "authors": changes.get("authors", []),
            "areas": changes.get("areas", [])[:5],
        },
        "look": _look(app),
        "memories": oriented["memories"][:_MOST],
        "decisions": oriented["decisions"][:_MOST],
        "sessions": result_of_verb(app, "session list", limit=3)["sessions"],
        "strip": _strip(app),
        "total": counts["total"],
        "by_layer": count_memories_by_layer(app),
        "by_kind": counts["by_kind"],
        "by_agent": counts["by_agent"],
    }


def _strip(app: App) -> list[dict[str, Any]]:
    """The last thirty days in one line for each kind of event: where marks stand, and how high."""
    happened = timeline_marks.build_timeline_chart(app, ChartFilter())
    scale = _WIDE / max(1, happened.until - happened.since)
    return [
        {
            "name": row.name,
            "total": row.total,
            "marks": [
                {
                    "x": round((mark.at - happened.since) * scale, 1),
                    "width": max(3, round(((mark.end or mark.at) - mark.at) * scale, 1)),
                    "height": min(_HIGH, 4 + 2 * mark.count),
                }
                for mark in row.marks
            ],
        }
        for row in happened.rows
        if row.total
    ]


def _look(app: App) -> dict[str, int]:
    """How many memories cite code that changed, wait, or say the opposite of another."""
    return {
        "stale": annotate.count_stale_memories(app, app.store),
        "waiting": inbox.count_pending_suggestions(app),
        "opposed": suggestions.count_pending_suggestions(app.store, "contradiction"),
    }


OVERVIEW = Page(
    "overview",
    "/",
    "What happened, and what needs a look?",
    read_overview_page_data,
    "Overview",
    "orient",
)
