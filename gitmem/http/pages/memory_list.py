"""Memories: facets, words and meaning, and what can be done with several at once."""

from __future__ import annotations

from typing import Any

from gitmem.app import App
from gitmem.http.pages.page import Page, PageParameters, pager_links, result_of_verb
from gitmem.http.pages.rendering import address_with_query
from gitmem.store.memory.filters import TIERS

PER_PAGE = 40
_STATES = ("active", "proposed", "superseded", "archived")
_LAYERS = ("working", "project", "global")
_FACETS = ("kind", "state", "layer", "trust", "agent", "tag")


def read_memory_list_page_data(app: App, query: PageParameters) -> dict[str, Any]:
    """A dict to show in the list of memories: one page, with counts for its filters.

    Parameters in ``query``: words ``q`` to search for, filters such as ``kind`` and ``tag``,
    ``order``, ``offset``.
    """
    words, offset = query.text("q"), query.number("offset", 0, 10_000)
    facets: dict[str, Any] = {
        "kind": query.texts("kind"),
        "tag": query.texts("tag"),
        "state": query.texts("state"),
        "layer": query.texts("layer"),
        "agent": query.text("agent"),
        "path": query.text("path"),
    }
    if words:
        hits = result_of_verb(app, "recall", query=words, limit=PER_PAGE, offset=offset, **facets)
        more, total = bool(hits["has_more"]), None
    else:
        pinned, trust = query.text("pinned") == "1", query.text("trust")
        facets["trust"], facets["pinned"] = trust, pinned or None
        hits = result_of_verb(
            app, "list", limit=PER_PAGE, offset=offset, order=query.text("order"), **facets
        )
        more, total = False, hits["total"]
    return {
        "by_use": query.text("order") == "uses",
        "most_used": address_with_query(
            "/memories", [*query.parameters_except("offset"), ("order", "uses")]
        ),
        "memories": hits["memories"],
        "notes": hits["notes"],
        "words": words,
        "total": total,
        "facets": _facets(query, _counts(app, hits["memories"] if words else None)),
        "path": facets["path"],
        "pages": pager_links(
            query, "/memories", offset, len(hits["memories"]), PER_PAGE, total, more
        ),
        "kept": query.parameters_except("q", "offset", "did"),
        "narrowed": bool(query.parameters_except("offset", "did")),
    }


def count_memories_by_layer(app: App) -> dict[str, int | None]:
    """A dict: layer (working, project, global) -> number of memories in it."""
    return {
        layer: result_of_verb(app, "list", layer=[layer], limit=1)["total"] for layer in _LAYERS
    }


def _counts(app: App, hits: list[dict[str, Any]] | None) -> dict[str, dict[str, int | None]]:
    """How many memories have each kind, state, agent and tag; of an answer only which there are."""
    if hits is None:
        counts = result_of_verb(app, "stats")
        named = {name: counts[f"by_{name}"] for name in ("kind", "state", "agent", "tag")}
        return {**named, "layer": count_memories_by_layer(app)}
    return {
        "layer": dict.fromkeys(_LAYERS),
        "kind": dict.fromkeys(hit["kind"] for hit in hits),
        "state": {},
        "agent": dict.fromkeys(hit["agent"] for hit in hits),
        "tag": dict.fromkeys(tag for hit in hits for tag in hit["tags"]),
    }


def _facets(
    query: PageParameters, counts: dict[str, dict[str, int | None]]
) -> list[dict[str, Any]]:
    """Each facet with its values, how many memories have each, and the address for each."""
    values: dict[str, dict[str, int | None]] = {
        "kind": counts["kind"],
        "state": {state: counts["state"].get(state) for state in _STATES},
        "layer": counts["layer"],
        "trust": dict.fromkeys(TIERS),
        "agent": {agent: n for agent, n in counts["agent"].items() if agent},
        "tag": dict(list(counts["tag"].items())[:8]),
    }
    return [
        {"name": name, "values": [_value(query, name, *each) for each in values[name].items()]}
        for name in _FACETS
        if values[name] and not (name == "trust" and query.text("q"))
    ]


def _value(query: PageParameters, name: str, value: str, count: int | None) -> dict[str, Any]:
    chosen = value in query.texts(name)
    rest = query.parameters_except(name, "offset", "did")
    pairs = rest if chosen else [*rest, (name, value)]
    return {
        "value": value,
        "count": count,
        "chosen": chosen,
        "address": address_with_query("/memories", pairs),
    }


MEMORIES = Page(
    "memories",
    "/memories",
    "What does this project remember?",
    read_memory_list_page_data,
    "Memories",
    "list",
)
