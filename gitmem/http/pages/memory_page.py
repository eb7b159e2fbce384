"""One memory: its text, the code it cites then and now, its links, its history; and editing it."""

from __future__ import annotations

from typing import Any

from gitmem.app import App
from gitmem.http.pages import cited_code, differences
from gitmem.http.pages.page import Page, Query, pager, verb
from gitmem.model import kinds
from gitmem.model.anchor import STALE
from gitmem.operations.shared_fields import STATUSES
from gitmem.store.memory import anchors, short_ids

_TEXTS = ("title", "content")
_MOST = 40


def read(app: App, query: Query) -> dict[str, Any]:
    """A memory in full, with its history and its code."""
    database, memory = short_ids.find_memory(app.stores(), query.text("id"))
    shown = verb(app, "show", id=[memory.id])
    return {
        **{name: shown[name] for name in ("memory", "metadata", "accesses", "last_access")},
        "links": shown["links"],
        "author": shown["author"],
        "opponents": _opponents(app, shown["memory"]["contradicts"]),
        "places": cited_code.places(app, database, memory.id, shown["memory"]["anchors"]),
        "versions": versions(app, memory.id),
        "commits": _subjects(app, shown["memory"]["anchors"]),
    }


def versions(app: App, id: str) -> list[dict[str, Any]]:
    """The versions of a memory, newest first; changed texts with their differences."""
    steps = verb(app, "history", id=id)["versions"]
    for step in steps:
        for change in step["changes"]:
            if change["field"] in _TEXTS:
                change["parts"] = differences.words(change["before"], change["after"])
    return list(reversed(steps))


def _opponents(app: App, handles: list[str]) -> list[dict[str, Any]]:
    if not handles:
        return []
    shown = verb(app, "show", id=handles)
    first = {name: shown[name] for name in ("memory",)}
    return [each["memory"] for each in (first, *shown["others"])]


def _subjects(app: App, anchors: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The commits that changed the cited code, by id."""
    found = {}
    for id in {anchor["commit"] for anchor in anchors if anchor["commit"]}:
        commit = verb(app, "diff", commit=id, lines=0)
        found[id] = {name: commit[name] for name in ("author", "at", "subject")}
    return found


def edit(app: App, query: Query) -> dict[str, Any]:
    """A memory to be edited, at the version that is shown."""
    shown = verb(app, "show", id=[query.text("id")])["memory"]
    return {"memory": shown, "kinds": list(kinds.KINDS), "statuses": list(STATUSES)}


def stale(app: App, query: Query) -> dict[str, Any]:
    """The memories whose cited code was changed or gone when it was last looked at."""
    offset = query.number("offset", 0, 100_000)
    ids = anchors.memories_with_verdict(app.store, app.worktree, STALE)
    shown = ids[offset : offset + _MOST]
    items = verb(app, "verify", id=shown)["items"] if shown else []
    return {
        "items": items,
        "total": len(ids),
        "looked": len(anchors.anchored_memories(app.store)),
        "pages": pager(query, "/stale", offset, len(shown), _MOST, len(ids)),
    }


MEMORY = Page("memory", "/memories/{id}", "Is this still true?", read, command="show ID")
EDIT = Page("edit", "/memories/{id}/edit", "What should it say?", edit, command="revise ID TEXT")
CHANGED = Page(
    "stale", "/stale", "Which memories cite code that changed?", stale, command="verify --changed"
)
