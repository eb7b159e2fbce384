"""What a client may read without calling a tool.

Reading a resource changes nothing: no presence is noted, no access counted.
"""

from __future__ import annotations

import json
from typing import Any

from mcp_types import Resource, ResourceTemplate

from gitmem import context
from gitmem.app import App
from gitmem.errors import NotFound
from gitmem.mcp.answers import clean
from gitmem.memory import trust
from gitmem.operations import orient
from gitmem.operations.listing import List, list_memories
from gitmem.operations.registry import plain
from gitmem.operations.show import Show, show
from gitmem.store import sessions
from gitmem.timeline import orient as orientation
from gitmem.timeline import presence

JSON, MARKDOWN = "application/json", "text/markdown"
DECISIONS = "gitmem://decisions/recent"
OVERVIEW = "gitmem://project/overview"
MEMORY = "gitmem://memory/"
RECENT = 10

RESOURCES = [
    Resource(
        name="decisions",
        uri=DECISIONS,
        description=f"The {RECENT} newest decisions.",
        mime_type=JSON,
    ),
    Resource(
        name="overview",
        uri=OVERVIEW,
        description="Where the project stands; reading it does not count as a visit.",
        mime_type=MARKDOWN,
    ),
]
TEMPLATES = [
    ResourceTemplate(
        name="memory",
        uri_template=MEMORY + "{id}",
        description="One memory whole, with its links.",
        mime_type=JSON,
    )
]


def read(app: App, uri: str) -> tuple[str, str]:
    """The MIME type and text of a resource. Raises NotFound."""
    if uri == OVERVIEW:
        return MARKDOWN, overview(app)
    if uri == DECISIONS:
        found = list_memories(app, List(kind=("decision",), limit=RECENT)).memories
        # A client may hand this to its model unasked: what nobody here accepted stays out of it.
        return JSON, _json([one for one in found if trust.injected(one.trust)])
    if uri.startswith(MEMORY) and len(uri) > len(MEMORY):
        return JSON, _json(show(app, Show(uri.removeprefix(MEMORY))))
    raise NotFound(
        f"There is no resource {uri[:80]!r}.", f"Read {DECISIONS}, {OVERVIEW} or {MEMORY}ID."
    )


def overview(app: App) -> str:
    """The orientation as Markdown, told without noting that anybody was here."""
    store = app.store if app.has_store else None
    last = sessions.presence(store, app.worktree) if store is not None else None
    facts = orient.gather(app, store, presence.arrive(last, app.now))
    budget = app.settings.number("orient.budget")
    return context.pack(orientation.sections(facts), budget, markdown=True).text


def _json(value: Any) -> str:
    return json.dumps(clean(plain(value)), ensure_ascii=False, indent=2)
