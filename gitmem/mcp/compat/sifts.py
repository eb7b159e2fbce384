"""Filters of lists by arguments of other systems. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gitmem.mcp.compat.documented_call import Sift
from gitmem.mcp.compat.to_ours import as_tag, words_list


def at_least(*names: str) -> Sift:
    """A filter by a least value, in the first of the named fields that has one."""

    def value(item: Mapping[str, Any]) -> float:
        return next((item[name] for name in names if item.get(name) is not None), 0.0)

    def sift(items: list[Any], least: Any) -> list[Any]:
        return [item for item in items if value(item) >= least]

    return sift


def about(items: list[Any], text: Any) -> list[Any]:
    """Memories with one of these words as a tag or in their text."""
    words = [word.lower() for word in words_list(text)]

    def says(memory: Mapping[str, Any], word: str) -> bool:
        tags = [tag.lower() for tag in memory["tags"]]
        return word in tags or word in f"{memory['title']} {memory['content']}".lower()

    return [item for item in items if any(says(item, word) for word in words)]


def of_critical_type(items: list[Any], type: Any) -> list[Any]:
    """Those that were marked critical with this type."""
    return [item for item in items if as_tag(type) in item["tags"]]


def weighted(items: list[Any], factor: Any) -> list[Any]:
    """Hits sorted by score, with the scores of memories multiplied by a factor."""

    def score(hit: Mapping[str, Any]) -> float:
        return float(hit["score"]) * (factor if hit["kind"] == "memory" else 1)

    return sorted(items, key=lambda hit: -score(hit))


def without_memories(items: list[Any], include: Any) -> list[Any]:
    """All hits, or only those that are no memory."""
    return items if include else [hit for hit in items if hit["kind"] != "memory"]


def per_source(items: list[Any], limits: Any) -> list[Any]:
    """At most a number of hits of each source: ``{"code": 8, "memory": 4}``."""
    counts: dict[str, int] = {}
    rest = []
    for hit in items:
        counts[hit["kind"]] = counts.get(hit["kind"], 0) + 1
        most = limits.get(hit["kind"])
        if not isinstance(most, int) or counts[hit["kind"]] <= most:
            rest.append(hit)
    return rest


def of_relations(items: list[Any], names: Any) -> list[Any]:
    """Links with these relations."""
    relations = {word.upper() for word in words_list(names)}
    return [link for link in items if link["relation"] in relations]


def without_id(items: list[Any], id: Any) -> list[Any]:
    """All memories but the given one, which is the most similar to itself."""
    return [item for item in items if not item["id"].startswith(str(id).upper())]


def most_important(items: list[Any], most: Any) -> list[Any]:
    """At most a number of items, the most important first, else in their order."""
    return sorted(items, key=lambda item: -float(item["importance"]))[:most]


def of_symbol(items: list[Any], name: Any) -> list[Any]:
    """Hits that define a symbol of this name."""
    return [hit for hit in items if name in hit["symbol"].split() or name in hit["snippet"]]


def of_context(items: list[Any], kind: Any) -> list[Any]:
    """Hits that contain a definition of this kind: ``function``, ``class`` ..."""
    marks = {
        "function": ("def ", "func ", "function ", "fn "),
        "class": ("class ", "struct "),
        "import": ("import ", "use ", "require", "#include"),
        "comment": ("#", "//", "/*", '"""'),
    }.get(kind, ())
    return [
        hit
        for hit in items
        if hit["context"] == kind or any(mark in hit["snippet"] for mark in marks)
    ]


def skip(items: list[Any], number: Any) -> list[Any]:
    """The items without the first ones."""
    return items[number:]


def among(field: str) -> Sift:
    """A filter for items whose field has one of some values."""
    return lambda items, values: [item for item in items if item[field] in values]


def having(items: list[Any], field: Any) -> list[Any]:
    """Items in which a field is not empty."""
    return [item for item in items if item[field]]
