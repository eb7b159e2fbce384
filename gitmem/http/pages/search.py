"""Search: code, documents, commits and memories, and the context that an agent would be sent."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

from gitmem.app import App
from gitmem.http.pages.file import line_link
from gitmem.http.pages.page import Page, PageParameters, result_of_verb
from gitmem.http.pages.rendering import address_with_query, make_address

SOURCES = ("code", "notes", "commits", "memories")
_LABELS = {"code": "code", "notes": "documents", "commits": "commits", "memories": "memories"}
# Ten are of the first, small search; a second page asks for the deep one.
_LIMIT, _BUDGET, _MOST, _SNIPPET = 10, 2000, 20_000, 600


def read_search_page_data(app: App, query: PageParameters) -> dict[str, Any]:
    """A dict to show in the search page: ten hits for ``q``, or what an agent would be sent.

    Parameters in ``query``: ``q``, ``in`` (code, notes, commits, memories), ``offset``;
    ``show=context`` with ``budget`` in tokens for the latter.
    """
    question, source = query.text("q"), query.text("in")
    as_context = query.text("show") == "context"
    budget = max(100, query.number("budget", _BUDGET, _MOST))
    offset = query.number("offset", 0, 1000)
    data: dict[str, Any] = {
        "question": question,
        "source": source,
        "budget": budget,
        "show": "context" if as_context else "hits",
        "tabs": _tabs(question, source, as_context),
        "hits": [],
        "notes": [],
        "relevance": "",
        "context": None,
        "later": "",
    }
    if question and as_context:
        data["context"] = result_of_verb(app, "context", query=question, max_tokens=budget)
    elif question:
        answer = result_of_verb(
            app,
            "search",
            query=question,
            sources=[source] if source else [],
            limit=_LIMIT,
            offset=offset,
        )
        data |= {
            "hits": [_listed(hit) for hit in answer["hits"]],
            "notes": answer["notes"],
            "relevance": answer["relevance"],
        }
        if answer["has_more"]:
            pairs = [*query.parameters_except("offset", "did"), ("offset", str(offset + _LIMIT))]
            data["later"] = address_with_query("/search", pairs)
    return data


def _tabs(question: str, source: str, as_context: bool) -> list[dict[str, Any]]:
    places = [("everything", "", "")]
    places += [(_LABELS[name], name, "") for name in SOURCES]
    places += [("what an agent would get", "", "context")]
    return [
        {
            "label": label,
            "href": make_address("search", q=question, **{"in": name}, show=show),
            "current": bool(show) if as_context else (name == source and not show),
        }
        for label, name, show in places
    ]


def _listed(hit: dict[str, Any]) -> dict[str, Any]:
    name, snippet = _name(hit), dedent(hit["snippet"]).rstrip()
    # The text of a memory without a title begins with what stands above it as its name.
    shown = "" if snippet.strip() == name.strip() else snippet[:_SNIPPET]
    return {**hit, "href": _link(hit), "name": name, "snippet": shown}


def _link(hit: dict[str, Any]) -> str:
    if hit["kind"] == "memory":
        return make_address("memories", hit["id"])
    if hit["kind"] == "commit":
        return make_address("commits", hit["commit"])
    return line_link(hit["path"], hit["start_line"] or 1)


def _name(hit: dict[str, Any]) -> str:
    if hit["kind"] in ("memory", "commit"):
        return str(hit["title"] or hit["snippet"].split("\n", 1)[0])
    lines = f":{hit['start_line']}-{hit['end_line']}" if hit["start_line"] else ""
    return f"{hit['path']}{lines}"


SEARCH = Page(
    "search", "/search", "Where is it?", read_search_page_data, "Search", "search", minor=True
)
