"""Filters of result lists, for arguments that other systems have and our operations do not.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gitmem.errors import InvalidInput
from gitmem.mcp.compat import context_engine_answers
from gitmem.mcp.compat.argument_converters import path_as_glob, split_words, tag_for_critical_type
from gitmem.mcp.compat.emulated_tool import ItemFilter
from gitmem.model.kinds import EVERY_RELATION, narrower_kind_name, require_one_of

_HEAVIEST = 100  # the most that a memory may count of other hits
_SOURCES = ("code", "note", "memory")
_LINES = {
    "import": re.compile(r"^\s*(import|from|use|using|require|include|#include)\b", re.M),
    "comment": re.compile(r"^\s*(#(?!include)|//|/\*|\*|--|;|\"\"\")", re.M),
}


def make_minimum_filter(*field_names: str) -> ItemFilter:
    """A function ``(items, minimum)`` that returns the items with a value of at least the minimum.

    An item's value is that of its first field of ``field_names``, else 0. The function raises
    InvalidInput for a minimum similarity or importance outside 0 to 1.
    """

    def first_field_value(item: Mapping[str, Any]) -> float:
        return next((item[name] for name in field_names if item.get(name) is not None), 0.0)

    def keep_items_reaching_minimum(items: list[Any], minimum: Any) -> list[Any]:
        if "similarity" in field_names and not 0 <= minimum <= 1:
            raise InvalidInput(f"The threshold cannot be {minimum}.", "Give 0 to 1.")
        if field_names == ("importance",) and not 0 <= minimum <= 1:
            raise InvalidInput(f"The least importance cannot be {minimum}.", "Give 0 to 1.")
        return [item for item in items if first_field_value(item) >= minimum]

    return keep_items_reaching_minimum


def keep_memories_of_type(items: list[Any], memory_type: str) -> list[Any]:
    """The memories stored as ``solution`` if ``memory_type`` is that; else all that were not.

    (``fix`` and ``solution`` are one kind of memory here, but two in another memory system.)
    """
    alias = narrower_kind_name(memory_type)
    return [item for item in items if item["kind_as"] == alias]


def keep_minimum_priority(items: list[Any], min_priority: Any) -> list[Any]:
    """The memories of at least this priority (1 to 10), as Context Engine has it."""
    return [
        item
        for item in items
        if context_engine_answers.priority_of_weight(
            item["weight"], item["metadata"].get("priority")
        )
        >= min_priority
    ]


def keep_tests_if_requested(items: list[Any], include_tests: Any) -> list[Any]:
    """The affected files; if the argument is false, without those that hold tests."""
    return [item for item in items if include_tests or not item["test"]]


def keep_memories_with_critical_tag(items: list[Any], critical_type: Any) -> list[Any]:
    """The memories with the tag ``critical-TYPE``, which marks them as critical."""
    return [item for item in items if tag_for_critical_type(critical_type) in item["tags"]]


def multiply_memory_scores(items: list[Any], factor: Any) -> list[Any]:
    """The hits, the best first, after the scores of memories were multiplied by a factor.

    Raises InvalidInput for a factor outside 0 to 100.
    """
    if not 0 <= factor <= _HEAVIEST:
        raise InvalidInput(f"The memory_weight cannot be {factor}.", f"Give 0 to {_HEAVIEST}.")
    factors = [factor if hit["kind"] == "memory" else 1 for hit in items]
    scored = [
        {**hit, "score": round(hit["score"] * times, 4)}
        for hit, times in zip(items, factors, strict=True)
    ]
    return sorted(scored, key=lambda hit: -hit["score"])


def keep_memories_if_requested(items: list[Any], include_memories: Any) -> list[Any]:
    """All hits if the value is true, else those that are no memories."""
    return items if include_memories else [hit for hit in items if hit["kind"] != "memory"]


def limit_hits_per_source(items: list[Any], limit_by_source: Any) -> list[Any]:
    """At most so many hits of each source: ``{"code": 8, "note": 2, "memory": 4}``.

    Notes (documents) count as code unless they have a limit of their own. Raises InvalidInput for
    another source or a negative number.
    """
    for name, most in limit_by_source.items():
        if name not in _SOURCES or type(most) is not int or most < 0:
            raise InvalidInput(
                f"per_source_limits is not valid: {str(name)[:40]!r} cannot be {str(most)[:40]}.",
                f"Give an integer of at least 0 for each of: {', '.join(_SOURCES)}.",
            )
    left = dict(limit_by_source)
    rest = []
    for hit in items:
        source = "code" if hit["kind"] == "note" and "note" not in limit_by_source else hit["kind"]
        left[source] = left.get(source, len(items)) - 1
        if left[source] >= 0:
            rest.append(hit)
    return rest


def keep_links_with_relations(items: list[Any], relation_names: Any) -> list[Any]:
    """The links with one of these relations (a list, or text ``a, b``), or all if none is named.

    Raises InvalidInput for an unknown relation.
    """
    relations = {
        require_one_of("A relation", word.upper(), EVERY_RELATION)
        for word in split_words(relation_names)
    }
    return [link for link in items if not relations or link["relation"] in relations]


def drop_memory_by_id(items: list[Any], id_prefix: Any) -> list[Any]:
    """The memories without the one whose id begins with the given id."""
    return [item for item in items if not item["id"].startswith(str(id_prefix).upper())]


def keep_most_important(items: list[Any], max_items: Any) -> list[Any]:
    """The ``max_items`` items of most ``importance``; equally important ones keep their order."""
    return sorted(items, key=lambda item: -float(item["importance"]))[:max_items]


def keep_hits_of_symbol(items: list[Any], symbol_name: Any) -> list[Any]:
    """Hits that define a symbol of this name, or are part of its definition."""
    last = str(symbol_name).replace("::", ".").rpartition(".")[2]
    return [
        hit
        for hit in items
        if last in hit["symbol"].split() or (hit["definition"] or {}).get("name") == last
    ]


def keep_lines_of_kind(items: list[Any], line_kind: Any) -> list[Any]:
    """The hits that show an import or a comment, if that is the ``line_kind``; else all."""
    pattern = _LINES.get(str(line_kind))
    return items if pattern is None else [hit for hit in items if pattern.search(hit["snippet"])]


def keep_matching_globs(items: list[Any], globs: Any) -> list[Any]:
    """The hits in files that match one of several globs; for a single glob, all hits.

    The search itself has applied a single one.
    """
    if not isinstance(globs, list) or len(globs) == 1:
        return items
    from gitmem.text.globs import path_matches_glob  # noqa: PLC0415 - for who gives several

    return [
        hit
        for hit in items
        if any(path_matches_glob(hit["path"], path_as_glob(glob)) for glob in globs)
    ]


def keep_in_folder(items: list[Any], folder: Any) -> list[Any]:
    """The items in files that match a file, folder or glob."""
    from gitmem.text.globs import path_matches_glob  # noqa: PLC0415 - for who gives one

    return [item for item in items if path_matches_glob(item["path"], path_as_glob(folder))]


def keep_files_of_language(items: list[Any], language: Any) -> list[Any]:
    """The items in files of a language, by the extensions of the files.

    Raises InvalidInput for an unknown language.
    """
    from gitmem import languages  # noqa: PLC0415 - for who names one
    from gitmem.retrieval import file_filters  # noqa: PLC0415

    accepted = file_filters.parse_language_filter([str(language)])
    return [item for item in items if languages.language(item["path"]) in accepted]


def keep_snippets_if_requested(items: list[Any], include_snippets: Any) -> list[Any]:
    """The hits; if the argument is false, only those that are memories have their text."""
    if include_snippets:
        return items
    return [hit if hit["kind"] == "memory" else {**hit, "snippet": ""} for hit in items]


def drop_snippets_if_compact(items: list[Any], is_compact: Any) -> list[Any]:
    """The hits; if the argument is true, only those that are memories have their text."""
    return keep_snippets_if_requested(items, not is_compact)


def keep_projects_named(items: list[Any], name_or_key: Any) -> list[Any]:
    """The projects with this key or name."""
    return [item for item in items if name_or_key in (item["project"], item["name"])]


def limit_items(items: list[Any], max_items: Any) -> list[Any]:
    """The first items, at most as many as the given number."""
    return items[:max_items]


def skip_first_items(items: list[Any], count: Any) -> list[Any]:
    """The items after the given number of first ones."""
    return items[count:]


def make_field_filter(field_name: str) -> ItemFilter:
    """A function ``(items, values)`` that returns the items whose ``field_name`` is in values."""
    return lambda items, values: [item for item in items if item[field_name] in values]


def keep_with_nonempty_field(items: list[Any], field_name: Any) -> list[Any]:
    """The items whose field with this name is not empty."""
    return [item for item in items if item[field_name]]
