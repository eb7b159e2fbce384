"""Memories: facets, words and meaning, and what can be done with several at once."""

from __future__ import annotations

from typing import Any

from gitmem.app import App
from gitmem.http.pages.page import Page, Query, verb
from gitmem.http.pages.rendering import with_query
from gitmem.store.memory.filters import TIERS

PER_PAGE = 40
_STATES = ("active", "proposed", "superseded", "archived")
_FACETS = ("kind", "state", "layer", "trust", "agent", "tag")


def read(app: App, query: Query) -> dict[str, Any]:
    """The memories that pass the facets, or that answer the words; with the counts of all."""
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
        hits = verb(app, "recall", query=words, limit=PER_PAGE, offset=offset, **facets)
        more, total = hits["has_more"], None
    else:
        pinned, trust = query.text("pinned") == "1", query.text("trust")
        hits = verb(
            app, "list", limit=PER_PAGE, offset=offset, trust=trust, pinned=pinned or None, **facets
        )
        total = hits["total"]
        more = offset + len(hits["memories"]) < total
    return {
        "memories": hits["memories"],
        "notes": hits["notes"],
        "words": words,
        "total": total,
        "facets": _facets(app, query),
        "path": facets["path"],
        "pages": _pages(query, offset, len(hits["memories"]), more=more, total=total),
        "narrowed": bool(query.without("offset", "did")),
    }


def _facets(app: App, query: Query) -> list[dict[str, Any]]:
    """Each facet with its values, how many memories have each, and the address for each."""
    counts = verb(app, "stats")
    values: dict[str, dict[str, int | None]] = {
        "kind": counts["by_kind"],
        "state": {state: counts["by_state"].get(state, 0) for state in _STATES},
        "layer": dict.fromkeys(("working", "project", "global")),
        "trust": dict.fromkeys(TIERS),
        "agent": {agent: n for agent, n in counts["by_agent"].items() if agent},
        "tag": dict(list(counts["by_tag"].items())[:8]),
    }
    return [
        {"name": name, "values": [_value(query, name, *each) for each in values[name].items()]}
        for name in _FACETS
        if values[name] and not (name == "trust" and query.text("q"))
    ]


def _value(query: Query, name: str, value: str, count: int | None) -> dict[str, Any]:
    chosen = value in query.texts(name)
    rest = query.without(name, "offset", "did")
    pairs = rest if chosen else [*rest, (name, value)]
    return {
        "value": value,
        "count": count,
        "chosen": chosen,
        "address": with_query("/memories", pairs),
    }


def _pages(
    query: Query, offset: int, shown: int, *, more: bool, total: int | None
) -> dict[str, str]:
    rest = query.without("offset", "did")

    def at(place: int) -> str:
        return with_query("/memories", [*rest, ("offset", str(place))] if place else rest)

    of = f" of {total:,}" if total is not None else ""
    return {
        "before": at(max(0, offset - PER_PAGE)) if offset else "",
        "after": at(offset + PER_PAGE) if more else "",
        "line": f"{offset + 1:,}–{offset + shown:,}{of}" if shown else "",
    }


MEMORIES = Page(
    "memories", "/memories", "What does this project remember?", read, "Memories", "list"
)
