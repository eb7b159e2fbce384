"""Agents and their sessions: what each was given, what it cost, and what came of it."""

from __future__ import annotations

from typing import Any

from gitmem.app import App
from gitmem.http.pages.page import Page, PageParameters, result_of_verb

_SESSIONS = 30


def read_agents_page_data(app: App, query: PageParameters) -> dict[str, Any]:
    """A dict to show in the page on agents: each one's use, and the last 30 sessions.

    Parameters in ``query``: ``since`` (``30d``) for the use, ``agent`` for sessions of one agent.
    """
    agent, since = query.text("agent"), query.text("since", "30d")
    counted = result_of_verb(app, "stats", funnel=True, since=since)
    return {
        "uses": counted["funnel"],
        "since": since,
        "from_day": counted["since"],
        "agent": agent,
        "sessions": result_of_verb(app, "session list", agent=agent, limit=_SESSIONS)["sessions"],
    }


def read_session_page_data(app: App, query: PageParameters) -> dict[str, Any]:
    """A dict to show in the page on the session ``id``: goal, notes, files, commits, memories."""
    shown: dict[str, Any] = result_of_verb(app, "session show", id=query.text("id"))
    fill = result_of_verb(app, "session health", id=shown["session"]["id"])["fill"]
    return {**shown, "notes": shown["notes"][-50:], "fill": fill}


AGENTS = Page(
    "agents", "/agents", "Who works here, and does the memory pay?", read_agents_page_data,
    "Agents",
    "stats --funnel",
)  # fmt: skip
SESSION = Page(
    "session", "/sessions/{id}", "What was done in this session?", read_session_page_data,
    command="session show ID",
)  # fmt: skip
