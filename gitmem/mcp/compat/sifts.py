"""What an argument of theirs asks of the items that were found: those that stay. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gitmem.mcp.compat.documented_call import Sift
from gitmem.mcp.compat.to_ours import as_tag, layer, words_list


def at_least(*names: str) -> Sift:
    """Those whose value is no less; the first of the names that has a value counts."""

    def sift(items: list[Any], asked: Any) -> list[Any]:
        return [one for one in items if _first(one, names) >= asked]

    return sift


def _first(item: Mapping[str, Any], names: Iterable[str]) -> float:
    return next((item[name] for name in names if item.get(name) is not None), 0.0)


def in_layers(items: list[Any], asked: Any) -> list[Any]:
    """Memories of these layers, by number."""
    wanted = {layer(one) for one in (asked if isinstance(asked, list) else [asked])}
    return [one for one in items if one["layer"] in wanted]


def about(items: list[Any], asked: Any) -> list[Any]:
    """Memories with this word as a tag or in their text: it is no fact of its own here."""
    wanted = [one.lower() for one in words_list(asked)]
    return [one for one in items if any(_says(one, word) for word in wanted)]


def _says(memory: Mapping[str, Any], word: str) -> bool:
    tags = [tag.lower() for tag in memory["tags"]]
    return word in tags or word in f"{memory['title']} {memory['content']}".lower()


def of_critical_type(items: list[Any], asked: Any) -> list[Any]:
    """Those that were marked critical with this type."""
    return [one for one in items if as_tag(asked) in one["tags"]]


def weighted(items: list[Any], asked: Any) -> list[Any]:
    """Hits in the order of their scores, those of memories times a weight."""

    def score(one: Mapping[str, Any]) -> float:
        return float(one["score"]) * (asked if one["kind"] == "memory" else 1)

    return sorted(items, key=lambda one: -score(one))


def without_memories(items: list[Any], asked: Any) -> list[Any]:
    """All hits, or those that are no memory."""
    return items if asked else [one for one in items if one["kind"] != "memory"]


def per_source(items: list[Any], asked: Any) -> list[Any]:
    """At most so many hits of each source: ``{"code": 8, "memory": 4}``."""
    seen: dict[str, int] = {}
    kept = []
    for one in items:
        seen[one["kind"]] = seen.get(one["kind"], 0) + 1
        most = asked.get(one["kind"])
        if not isinstance(most, int) or seen[one["kind"]] <= most:
            kept.append(one)
    return kept


def of_relations(items: list[Any], asked: Any) -> list[Any]:
    """Links of these kinds."""
    wanted = {one.upper() for one in words_list(asked)}
    return [one for one in items if one["relation"] in wanted]


def without_id(items: list[Any], asked: Any) -> list[Any]:
    """All but the memory that was asked for: it is like itself."""
    return [one for one in items if not one["id"].startswith(str(asked).upper())]


def most_important(items: list[Any], asked: Any) -> list[Any]:
    """At most so many, the most important first (CT-17); those that are as important stay so."""
    return sorted(items, key=lambda one: -float(one["importance"]))[:asked]


def of_symbol(items: list[Any], asked: Any) -> list[Any]:
    """Hits that define a symbol of this name."""
    return [one for one in items if asked in one["symbol"].split() or asked in one["snippet"]]


def of_context(items: list[Any], asked: Any) -> list[Any]:
    """Hits in which a symbol of this kind begins: ``function``, ``class`` ..."""
    marks = {
        "function": ("def ", "func ", "function ", "fn "),
        "class": ("class ", "struct "),
        "import": ("import ", "use ", "require", "#include"),
        "comment": ("#", "//", "/*", '"""'),
    }
    return [
        one
        for one in items
        if one["context"] == asked or any(mark in one["snippet"] for mark in marks.get(asked, ()))
    ]


def skip(items: list[Any], asked: Any) -> list[Any]:
    """Without the first so many."""
    return items[asked:]


def among(field: str) -> Sift:
    """A sift for those whose field is one of some values."""
    return lambda items, asked: [one for one in items if one[field] in asked]


def having(items: list[Any], asked: Any) -> list[Any]:
    """Those with something in a field."""
    return [one for one in items if one[asked]]
