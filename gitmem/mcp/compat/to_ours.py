"""Converting the argument values of five other systems into ours. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from gitmem.errors import InvalidInput
from gitmem.memory import decision_wording
from gitmem.model import ids
from gitmem.model.kinds import canonical

LAYERS = ("working", "project", "global")
_QUESTIONS = 20  # of one call
_ITEMS = 500  # of one batch
_HOUR = 3600  # seconds that a working memory of Context Fabric lives
# Keys of an item's metadata that have a field of their own, or that the connection knows better.
_NOT_METADATA = ("tags", "title", "weight", "source", "cliType", "fileContext", "projectPath")
CRITICAL = "critical-"  # begins the tag that holds the type of what was marked critical


def seconds(value: Any) -> str:
    """A number of seconds as text such as ``60s``; empty for 0, a memory that never expires."""
    return f"{int(value)}s" if value else ""


def days(count: Any) -> str:
    """A number of days as text such as ``7d``."""
    return f"{int(count)}d"


def layer(number: Any) -> str:
    """The name of our layer with this number (1 to 3). Raises InvalidInput."""
    if number not in (1, 2, 3):
        raise InvalidInput(
            f"The layer is {str(number)[:20]}.", "Give 1 (working), 2 (project) or 3 (global)."
        )
    return LAYERS[number - 1]


def layer_above(number: Any) -> str:
    """The name of our layer above L1 or L2. Raises InvalidInput."""
    if number not in (1, 2):
        raise InvalidInput(
            f"The layer is {str(number)[:20]}.",
            "Give 1 (working) or 2 (project): no layer is above 3.",
        )
    return layer(number + 1)


def known_kind(name: Any) -> str:
    """The kind of memory that Contextify gives; ``general`` for a kind unknown there."""
    return name if canonical(str(name)) else "note"


def file_place(place: Mapping[str, Any]) -> list[str]:
    """The object ``{"path", "lineStart", "lineEnd"}`` as a list with the text ``path:3-9``."""
    path, first = place.get("path"), place.get("lineStart")
    if not isinstance(path, str) or not path:
        return []
    return [f"{path}:{first}-{place.get('lineEnd') or first}" if isinstance(first, int) else path]


def weight(priority: Any) -> int:
    """A weight from 1 to 5 for a priority from 1 to 10."""
    if not 1 <= priority <= 10:
        raise InvalidInput(f"The priority is {priority}.", "Give 1 to 10.")
    return (int(priority) + 1) // 2


def named(words: Mapping[str, Any]) -> Callable[[Any], Any]:
    """A function that replaces another system's words by ours; it leaves other values unchanged."""
    return lambda value: words.get(value, value) if isinstance(value, str) else value


def replaced_too(value: Any) -> list[str]:
    """The states of memories to include; superseded memories too if the value is true."""
    return ["active", "proposed", "superseded"] if value else ["active", "proposed"]


def current_only(value: Any) -> list[str]:
    """The states of memories to include: the default ones, or any."""
    return [] if value else ["any"]


def moment(value: Any) -> str:
    """A date expression of ours for milliseconds since 1970 or for a date expression."""
    if not isinstance(value, int | float):
        return str(value)
    return datetime.fromtimestamp(value / 1000, UTC).isoformat()


def entity(name: str) -> str:
    """The key ``memory:ID`` for the id of a memory; other names stay as they are.

    The answer for an entity has more than the memory's own links.
    """
    return f"memory:{name}" if len(name) == ids.LENGTH and ids.normalise(name) else name


def as_tag(value: Any) -> str:
    """The tag that marks critical content of a type."""
    return f"{CRITICAL}{value}"


def as_json(value: Any) -> str:
    """The JSON text of an object."""
    return json.dumps(value, ensure_ascii=False)


def as_metadata(name: str) -> Callable[[Any], str]:
    """A function that turns a text into JSON metadata with the text under ``name``."""
    return lambda value: json.dumps({name: str(value)}, ensure_ascii=False)


def period(value: Any) -> str:
    """``this week``, ``last week`` and ``this month`` as our date expressions; others stay."""
    words = {"this week": "start of week", "last week": "start of last week", "this month": "30d"}
    return words.get(str(value).strip().lower(), str(value))


def one_question(value: Any) -> str:
    """A query as text; several queries are joined by spaces."""
    return " ".join(questions(value))


def questions(value: Any) -> list[str]:
    """A query or several queries as a list. Raises InvalidInput for too many."""
    queries = value if isinstance(value, list) else [value]
    if len(queries) > _QUESTIONS:
        raise InvalidInput(f"There are {len(queries)} queries.", f"Give at most {_QUESTIONS}.")
    return [str(query) for query in queries]


def duplicates(dedupe: Mapping[str, Any] | None) -> str:
    """The treatment of a duplicate memory; skip if they give no strategy."""
    return str((dedupe or {}).get("strategy") or "skip")


def worded_as(arguments: Mapping[str, Any]) -> str:
    """The kind ``decision`` if the content is worded like a decision, else empty."""
    return "decision" if decision_wording.read(str(arguments.get("content", ""))) else ""


def one_path(value: Any) -> list[str]:
    """A list with the given path."""
    return [str(value)]


def endings(value: Any) -> list[str]:
    """File extensions without dots, from ``.py, .rs`` or a list."""
    return [word.lstrip(".") for word in words_list(value)]


def one_glob(value: Any) -> str:
    """A glob for the files below a folder, or the glob that was given."""
    text = str(value).strip("/")
    return text if not text or any(mark in text for mark in "*?[") else f"{text}/**"


def words_list(value: Any) -> list[str]:
    """A list of words, from ``a, b`` or a list."""
    parts = value.split(",") if isinstance(value, str) else value
    return [word for part in parts if (word := str(part).strip())]


# --- items of a batch and parameters of a skill, as Context Fabric gives them --------------------


def lines(items: list[Any]) -> str:
    """The items of a batch as JSON Lines, in their order. Raises InvalidInput.

    One invalid item refuses all: nothing of a malformed call is stored.
    """
    if not 0 < len(items) <= _ITEMS:
        raise InvalidInput(f"There are {len(items)} items.", f"Give 1 to {_ITEMS}.")
    return "\n".join(_line(number, item) for number, item in enumerate(items))


def _line(number: int, item: Any) -> str:
    facts = item.get("metadata") or {} if isinstance(item, Mapping) else None
    if not isinstance(facts, Mapping):
        raise InvalidInput(
            f"Item {number} is not valid.", "An item is {type, content, metadata}, as in a store."
        )
    if facts.get("projectPath"):
        raise InvalidInput(
            f"Item {number} names a project of its own.", "Give projectPath for the whole call."
        )
    level = item.get("layer") and layer(item["layer"])
    ttl = item.get("ttl")
    if level == "working" and not ttl:
        ttl = _HOUR
    row = {
        "content": item.get("content", ""),
        "kind": item.get("type", ""),
        "title": facts.get("title", ""),
        "tags": facts.get("tags", []),
        "weight": facts.get("weight"),
        "paths": file_place(facts.get("fileContext") or {}),
        "pinned": bool(item.get("pinned")),
        "scope": "global" if level == "global" else "project",
        "ttl": seconds(ttl),
        "metadata": {name: fact for name, fact in facts.items() if name not in _NOT_METADATA},
    }
    return json.dumps(row, ensure_ascii=False)


def parameters(given: list[Any]) -> list[str]:
    """The parameters of a skill as text ``name=: description``."""
    return [_parameter(item) for item in given]


def _parameter(item: Any) -> str:
    if not isinstance(item, Mapping) or not isinstance(item.get("name"), str):
        raise InvalidInput("A parameter is not valid.", 'Give {"name": ..., "description": ...}.')
    optional = "" if item.get("required", True) else "="
    description = item.get("description")
    return f"{item['name']}{optional}" + (f": {description}" if description else "")
