"""What an argument of theirs asks of the items of a list: those that stay. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gitmem.mcp.compat.documented_call import Sift
from gitmem.mcp.compat.to_ours import as_tag, layer, words_list


def at_least(*names: str) -> Sift:
    """Those whose value is no less; the first of the names that has a value counts."""

    def value(item: Mapping[str, Any]) -> float:
        return next((item[name] for name in names if item.get(name) is not None), 0.0)

    def sift(items: list[Any], least: Any) -> list[Any]:
        return [item for item in items if value(item) >= least]

    return sift


def in_layers(items: list[Any], numbers: Any) -> list[Any]:
    """Memories of these layers, by number."""
    layers = {layer(number) for number in (numbers if isinstance(numbers, list) else [numbers])}
    return [item for item in items if item["layer"] in layers]


def about(items: list[Any], asked: Any) -> list[Any]:
    """Memories with this word as a tag or in their text: it is no fact of its own here."""
    words = [word.lower() for word in words_list(asked)]

    def says(memory: Mapping[str, Any], word: str) -> bool:
        tags = [tag.lower() for tag in memory["tags"]]
        return word in tags or word in f"{memory['title']} {memory['content']}".lower()

    return [item for item in items if any(says(item, word) for word in words)]


def of_critical_type(items: list[Any], type: Any) -> list[Any]:
    """Those that were marked critical with this type."""
    return [item for item in items if as_tag(type) in item["tags"]]


def weighted(items: list[Any], factor: Any) -> list[Any]:
    """Hits in the order of their scores, those of memories times a weight."""

    def score(hit: Mapping[str, Any]) -> float:
        return float(hit["score"]) * (factor if hit["kind"] == "memory" else 1)

    return sorted(items, key=lambda hit: -score(hit))


def without_memories(items: list[Any], include: Any) -> list[Any]:
    """All hits, or those that are no memory."""
    return items if include else [hit for hit in items if hit["kind"] != "memory"]


def per_source(items: list[Any], limits: Any) -> list[Any]:
    """At most so many hits of each source: ``{"code": 8, "memory": 4}``."""
    counts: dict[str, int] = {}
    rest = []
    for hit in items:
        counts[hit["kind"]] = counts.get(hit["kind"], 0) + 1
        most = limits.get(hit["kind"])
        if not isinstance(most, int) or counts[hit["kind"]] <= most:
            rest.append(hit)
    return rest


def of_relations(items: list[Any], names: Any) -> list[Any]:
    """Links of these kinds."""
    relations = {word.upper() for word in words_list(names)}
    return [link for link in items if link["relation"] in relations]


def without_id(items: list[Any], id: Any) -> list[Any]:
    """All but the memory that was asked for: it is like itself."""
    return [item for item in items if not item["id"].startswith(str(id).upper())]


def most_important(items: list[Any], most: Any) -> list[Any]:
    """At most so many, the most important first (CT-17); those that are as important stay so."""
    return sorted(items, key=lambda item: -float(item["importance"]))[:most]


def of_symbol(items: list[Any], name: Any) -> list[Any]:
    """Hits that define a symbol of this name."""
    return [hit for hit in items if name in hit["symbol"].split() or name in hit["snippet"]]


def of_context(items: list[Any], kind: Any) -> list[Any]:
    """Hits in which a symbol of this kind begins: ``function``, ``class`` ..."""
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
    """Without the first so many."""
    return items[number:]


def among(field: str) -> Sift:
    """A sift for those whose field is one of some values."""
    return lambda items, values: [item for item in items if item[field] in values]


def having(items: list[Any], field: Any) -> list[Any]:
    """Those with something in a field."""
    return [item for item in items if item[field]]
