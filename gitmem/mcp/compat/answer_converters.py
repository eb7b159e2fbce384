"""Converting our values into those of other systems' answers: functions shared by their tables.

Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from gitmem import languages
from gitmem.mcp.compat.argument_converters import LAYERS

# A list of a result as JSON; None where the result has none.
Rows = Iterable[Mapping[str, Any]] | None
# Their words for our kinds; the other kinds have the same name.
FABRIC_TYPES = {"pattern": "code_pattern", "fix": "bug_fix"}


def make_answer_word_translator(translations: Mapping[str, str]) -> Callable[[Any], Any]:
    """A function that replaces a text that is a key of ``translations``; other values stay."""
    return lambda ours: translations.get(ours, ours)


fabric_type = make_answer_word_translator(FABRIC_TYPES)
engine_kind = make_answer_word_translator({"code": "snippet", "documentation": "reference"})


def milliseconds(iso_time: str | None) -> int | None:
    """A time in ISO 8601 as milliseconds since 1970; None stays None."""
    return None if iso_time is None else int(datetime.fromisoformat(iso_time).timestamp() * 1000)


def layer_number(layer_name: str) -> int:
    """The number of a layer of memories: 1 working, 2 project or any other name, 3 global."""
    return LAYERS.index(layer_name) + 1 if layer_name in LAYERS else 2


def percent(fraction: float) -> int:
    """A fraction of 1 as a whole percentage: 42 for 0.42."""
    return round(100 * fraction)


def join_with_semicolons(texts: Iterable[str] | None) -> str:
    """The texts as one, separated by semicolons."""
    return "; ".join(texts or ())


def count_items(items: Any) -> int:
    """The number of items; 0 for None."""
    return len(items or ())


def sum_counts(*counts: int) -> int:
    """The sum of some numbers."""
    return sum(counts)


def has_items(items: Any) -> bool:
    """Whether a list has any items."""
    return bool(items)


def first_item(items: Any) -> Any:
    """The first item of a list, or None."""
    return next(iter(items or ()), None)


def first_nonempty(*values: Any) -> Any:
    """The first of the given values that is not empty, or None."""
    return next((value for value in values if value), None)


def names_of_rows(items: Rows) -> list[str]:
    """The field ``name`` of each row, such as the names of symbols."""
    return [item["name"] for item in items or ()]


def count_items_without_error(items: Rows) -> int:
    """The number of rows whose field ``error`` is empty."""
    return sum(not item["error"] for item in items or ())


def first_word(*texts: str | None) -> str:
    """The first word of the first text that has any; "" if none has."""
    return next((word for text in texts for word in (text or "").split()), "")


def first_line(text: str | None) -> str:
    """The first line that is not blank, without blanks around it; "" if there is none."""
    return next((line.strip() for line in (text or "").split("\n") if line.strip()), "")


def lines_without_question(text: str, question: str) -> str:
    """The lines of a text that do not repeat a question; the whole text where none is left."""
    lines = [line for line in text.split("\n") if line.strip() not in question]
    return "\n".join(lines) or text


def language_of_file(path: str) -> str:
    """The language of a file (``python``), guessed from its name; "" if unknown."""
    return languages.language(path)


def cosine_or_score(cosine: float | None, score: float | None) -> float:
    """The cosine if it is not None, else the score; 0.0 without either."""
    return float(cosine if cosine is not None else score or 0.0)


def describe_store_outcome(store_action: str) -> str:
    """``Successfully stored information`` for the action ``added``, else ``Already known: ...``."""
    return (
        "Successfully stored information"
        if store_action == "added"
        else f"Already known: {store_action}"
    )


def link_source_id(direction: str, known_id: str, linked_id: str) -> str:
    """The id where a link starts: ``known_id`` if its direction is ``out``, else ``linked_id``."""
    return known_id if direction == "out" else linked_id


def link_target_id(direction: str, known_id: str, linked_id: str) -> str:
    """The id where a link ends: ``linked_id`` if its direction is ``out``, else ``known_id``."""
    return linked_id if direction == "out" else known_id


# --- Contextify ----------------------------------------------------------------------------------


CONTEXTIFY_TYPES = {"pattern": "code_pattern", "note": "general"}


def contextify_memory_type(kind: str, given_type: str = "") -> str:
    """``given_type`` if not empty, else the type that Contextify has for a memory's kind."""
    return given_type or CONTEXTIFY_TYPES.get(kind, kind)


def unique_linked_memories(items: Rows) -> list[dict[str, str]]:
    """The memories at the other ends of links, each once, as dicts: id, title, type."""
    rows = {item["id"]: item for item in items or ()}
    return [
        {
            "id": id,
            "title": row["title"],
            "type": contextify_memory_type(row["kind"], row["kind_as"]),
        }
        for id, row in rows.items()
    ]


def errors_of_items(items: Rows) -> list[dict[str, str]]:
    """The rows whose ``error`` is not empty, as dicts: id, error."""
    return [{"id": item["id"], "error": item["error"]} for item in items or () if item["error"]]


def store_outcome_word(store_action: str, inbox_suggestion: str) -> str:
    """``created`` for an added or suggested memory, else ``updated``.

    ``created_with_suggestions`` if ``inbox_suggestion`` is ``merge``: a person is asked whether to
    merge it with another memory.
    """
    if store_action not in ("added", "suggested"):
        return "updated"
    return "created_with_suggestions" if inbox_suggestion == "merge" else "created"


def list_merge_suggestions(
    duplicate_id: str, cosine: float | None, inbox_suggestion: str
) -> list[dict[str, Any]]:
    """``[{"memory": {"id"}, "similarity"}]`` if the suggestion is ``merge``, else []."""
    if inbox_suggestion != "merge":
        return []
    return [{"memory": {"id": duplicate_id}, "similarity": cosine}]


def match_type(match_reasons: Iterable[str] | None) -> str:
    """How a memory matched, by its reasons: ``semantic`` (meaning), ``keyword`` or ``hybrid``."""
    reasons = list(match_reasons or ())
    by_words = any(reason.startswith("matches") for reason in reasons)
    by_meaning = any(reason.startswith("similar") for reason in reasons)
    return "hybrid" if by_words and by_meaning else "semantic" if by_meaning else "keyword"
