"""One memory: its text, the code it cites then and now, its links, its history; and editing it."""

from __future__ import annotations

from typing import Any

from gitmem.app import App
from gitmem.http.pages import cited_code, differences
from gitmem.http.pages.page import Page, PageParameters, pager_links, result_of_verb
from gitmem.model import kinds
from gitmem.model.anchor import STALE
from gitmem.operations.shared_fields import STATUSES
from gitmem.store.memory import anchors, short_ids

_TEXTS = ("title", "content")
_MOST = 40


def read_memory_page_data(app: App, query: PageParameters) -> dict[str, Any]:
    """A dict to show in the page on the memory ``id``: its text, history, links, cited code."""
    database, memory = short_ids.find_memory(app.stores(), query.text("id"))
    shown = result_of_verb(app, "show", id=[memory.id])
    return {
        **{name: shown[name] for name in ("memory", "metadata", "accesses", "last_access")},
        "links": shown["links"],
        "author": shown["author"],
        "opponents": _opponents(app, shown["memory"]["contradicts"]),
        "places": cited_code.cited_code_then_and_now(
            app, database, memory.id, shown["memory"]["anchors"]
        ),
        "versions": memory_versions(app, memory.id),
        "commits": _subjects(app, shown["memory"]["anchors"]),
    }


def memory_versions(app: App, id: str) -> list[dict[str, Any]]:
    """A memory's versions, newest first; texts in ``changes`` have ``parts`` to compare."""
    steps = result_of_verb(app, "history", id=id)["versions"]
    for step in steps:
        for change in step["changes"]:
            if change["field"] in _TEXTS:
                change["parts"] = differences.diff_words(change["before"], change["after"])
    return list(reversed(steps))


def _opponents(app: App, handles: list[str]) -> list[dict[str, Any]]:
    if not handles:
        return []
    shown = result_of_verb(app, "show", id=handles)
    first = {name: shown[name] for name in ("memory",)}
    return [row["memory"] for row in (first, *shown["others"])]


def _subjects(app: App, anchors: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The commits that changed the cited code, by id."""
    commits = {}
    for id in {anchor["commit"] for anchor in anchors if anchor["commit"]}:
        commit = result_of_verb(app, "diff", commit=id, lines=0)
        commits[id] = {name: commit[name] for name in ("author", "at", "subject")}
    return commits


def read_edit_form_data(app: App, query: PageParameters) -> dict[str, Any]:
    """A dict to show in the form to edit the memory ``id``, whose version it has to send."""
    shown = result_of_verb(app, "show", id=[query.text("id")])["memory"]
    return {"memory": shown, "kinds": list(kinds.KINDS), "statuses": list(STATUSES)}


def read_stale_memories_page_data(app: App, query: PageParameters) -> dict[str, Any]:
    """A dict to show in the page on memories whose cited code was changed or gone.

    The parameter ``offset`` in ``query`` skips some of them.
    """
    offset = query.number("offset", 0, 100_000)
    ids = anchors.memory_ids_with_anchor_verdict(app.store, app.worktree, STALE)
    shown = ids[offset : offset + _MOST]
    items = result_of_verb(app, "verify", id=shown)["items"] if shown else []
    return {
        "items": items,
        "total": len(ids),
        "looked": len(anchors.anchored_memory_ids(app.store)),
        "pages": pager_links(query, "/stale", offset, len(shown), _MOST, len(ids)),
    }


MEMORY = Page(
    "memory", "/memories/{id}", "Is this still true?", read_memory_page_data, command="show ID"
)
EDIT = Page(
    "edit",
    "/memories/{id}/edit",
    "What should it say?",
    read_edit_form_data,
    command="revise ID TEXT",
)
CHANGED = Page(
    "stale",
    "/stale",
    "Which memories cite code that changed?",
    read_stale_memories_page_data,
    command="verify --changed",
)
