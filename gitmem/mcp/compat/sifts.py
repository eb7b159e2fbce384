"""Filters of result lists, for arguments that other systems have and our operations do not.

Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gitmem.mcp.compat.documented_call import Sift
from gitmem.mcp.compat.to_ours import as_tag, layer, words_list


def at_least(*names: str) -> Sift:
    """A filter that keeps items with a value of at least the argument.

    The value is in the first of the named fields that an item has.
    """

    def value(item: Mapping[str, Any]) -> float:
        return next((item[name] for name in names if item.get(name) is not None), 0.0)

    def sift(items: list[Any], least: Any) -> list[Any]:
        return [item for item in items if value(item) >= least]

    return sift


def in_layers(items: list[Any], numbers: Any) -> list[Any]:
    """The memories in the layers with these numbers (1 to 3)."""
    layers = {layer(number) for number in (numbers if isinstance(numbers, list) else [numbers])}
    return [item for item in items if item["layer"] in layers]


def about(items: list[Any], text: Any) -> list[Any]:
    """The memories that have one of the words of a text as a tag or in their own text."""
    words = [word.lower() for word in words_list(text)]

    def says(memory: Mapping[str, Any], word: str) -> bool:
        tags = [tag.lower() for tag in memory["tags"]]
        return word in tags or word in f"{memory['title']} {memory['content']}".lower()

    return [item for item in items if any(says(item, word) for word in words)]


def of_critical_type(items: list[Any], type: Any) -> list[Any]:
    """The memories that were marked critical with this type."""
    return [item for item in items if as_tag(type) in item["tags"]]


def weighted(items: list[Any], factor: Any) -> list[Any]:
    """Hits sorted by score, after the scores of memories were multiplied by a factor."""

    def score(hit: Mapping[str, Any]) -> float:
        return float(hit["score"]) * (factor if hit["kind"] == "memory" else 1)

    return sorted(items, key=lambda hit: -score(hit))


def without_memories(items: list[Any], include: Any) -> list[Any]:
    """All hits if the value is true, else those that are no memories."""
    return items if include else [hit for hit in items if hit["kind"] != "memory"]


def per_source(items: list[Any], limits: Any) -> list[Any]:
    """At most so many hits from each source: ``{"code": 8, "memory": 4}``."""
    counts: dict[str, int] = {}
    rest = []
    for hit in items:
        counts[hit["kind"]] = counts.get(hit["kind"], 0) + 1
        most = limits.get(hit["kind"])
        if not isinstance(most, int) or counts[hit["kind"]] <= most:
            rest.append(hit)
    return rest


def of_relations(items: list[Any], names: Any) -> list[Any]:
    """The links that have one of these relations."""
    relations = {word.upper() for word in words_list(names)}
    return [link for link in items if link["relation"] in relations]


def without_id(items: list[Any], id: Any) -> list[Any]:
    """The memories except the one with the given id, which is always the most similar."""
    return [item for item in items if not item["id"].startswith(str(id).upper())]


def most_important(items: list[Any], most: Any) -> list[Any]:
    """At most so many items, sorted by importance; equally important ones keep their order."""
    return sorted(items, key=lambda item: -float(item["importance"]))[:most]


def of_symbol(items: list[Any], name: Any) -> list[Any]:
    """The hits that define a symbol with this name."""
    return [hit for hit in items if name in hit["symbol"].split() or name in hit["snippet"]]


def of_context(items: list[Any], kind: Any) -> list[Any]:
    """The hits that contain a definition of this kind: ``function``, ``class`` ..."""
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
    """The items after the given number of first ones."""
    return items[number:]


def among(field: str) -> Sift:
    """A filter that keeps items whose field has one of the given values."""
    return lambda items, values: [item for item in items if item[field] in values]


def having(items: list[Any], field: Any) -> list[Any]:
    """The items whose field is not empty."""
    return [item for item in items if item[field]]
