"""Converting the argument values of five other systems into ours. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from gitmem.errors import InvalidInput
from gitmem.memory import decision_wording
from gitmem.memory.draft import AUTO
from gitmem.model import ids
from gitmem.model.kinds import canonical_memory_kind, require_one_of

LAYERS = ("working", "project", "global")
_QUESTIONS = 20  # of one call
_LONGEST_QUESTION = 1000  # characters, as Context Engine limits them
_ITEMS = 500  # of one batch
# Keys of an item of a batch, of its metadata, and those of them that stay metadata.
_ITEM = ("type", "content", "metadata", "layer", "ttl", "pinned")
_METADATA = ("source", "cliType", "fileContext", "codeBlock", "provenance")
_FACTS = ("tags", "title", "weight", "confidence", "projectPath", *_METADATA)
_SOURCES = ("user_explicit", "ai_inferred", "system_auto")
_PLACE = ("path", "lineStart", "lineEnd", "lines", "language")
_STRATEGIES = ("skip", "merge", "allow")
_ENGINE_KINDS: dict[str, list[str] | None] = {
    "function": ["function", "method", "constructor"],
    "class": ["class", "struct", "interface", "protocol", "record", "trait", "enum", "object"],
    "variable": ["variable", "constant", "field", "property"],
    "import": None,
    "comment": None,
}
# Kinds of definitions that Context Fabric has one word for; the others have the same name.
FABRIC_SYMBOLS = {
    "class": ["class", "struct", "record"],
    "interface": ["interface", "trait", "protocol"],
    "method": ["method", "constructor"],
}
CRITICAL = "critical-"  # begins the tag that holds the type of what was marked critical


def ttl_from_seconds(seconds: Any) -> str:
    """A time to live in seconds as text ``90s``; an empty text (for ever) for 0 or None.

    Raises ValueError for a negative number.
    """
    if seconds and seconds < 0:
        raise ValueError(seconds)
    return f"{int(seconds)}s" if seconds else ""


def ttl_from_seconds_or_auto(seconds_or_auto: Any) -> str:
    """A time to live: seconds as text ``90s`` (0: empty, for ever), ``auto`` unchanged."""
    return AUTO if seconds_or_auto == AUTO else ttl_from_seconds(seconds_or_auto)


def require_nonblank(text: str) -> str:
    """Return the text; raise ValueError if it is blank."""
    if not text.strip():
        raise ValueError(text)
    return text


def query_or_star(query: str) -> str:
    """The query; ``*``, which lists everything, if it is blank."""
    return query if query.strip() else "*"


def tags_or_removal_marker(tags: list[Any]) -> list[Any]:
    """The tags; for an empty list ``[""]``, with which gitmem removes all tags of a memory."""
    return tags or [""]


def triggers_or_removal_marker(triggers: list[Any]) -> list[Any]:
    """A skill's triggers; for an empty list ``["-"]``, with which gitmem removes them all."""
    return triggers or ["-"]


def parameters_or_removal_marker(parameters: list[Any]) -> list[str]:
    """A skill's parameters as texts ``name: description``; ``["-"]`` (removes all) for none."""
    return format_skill_parameters(parameters) or ["-"]


def days_as_text(day_count: Any) -> str:
    """A number of days as text such as ``7d``."""
    return f"{int(day_count)}d"


def layer_name(layer_number: Any) -> str:
    """The name of the layer with this number: 1 working, 2 project, 3 global.

    Raises InvalidInput for another number.
    """
    if layer_number not in (1, 2, 3):
        raise InvalidInput(
            f"The layer cannot be {str(layer_number)[:20]}.",
            "Give 1 (working), 2 (project) or 3 (global).",
        )
    return LAYERS[layer_number - 1]


def require_project_layer(layer_number: Any) -> None:
    """Raise InvalidInput unless the layer is number 2 (project): only that is summarised."""
    if layer_name(layer_number) != "project":
        raise InvalidInput(
            f"Layer {layer_number} is not summarised.",
            "Only layer 2 is: working memories end, and global ones fade, by themselves.",
        )


def negate(value: Any) -> bool:
    """False for true, and true for false."""
    return not value


def layer_names(layer_numbers: Any) -> list[str]:
    """The names of layers, by a number or a list of numbers 1 to 3. Raises InvalidInput."""
    return [
        layer_name(number)
        for number in (layer_numbers if isinstance(layer_numbers, list) else [layer_numbers])
    ]


def name_of_layer_above(layer_number: Any) -> str:
    """Return the layer one above: ``project`` for layer number 1, ``global`` for 2.

    Raises InvalidInput for other numbers.
    """
    if layer_number not in (1, 2):
        raise InvalidInput(
            f"The layer cannot be {str(layer_number)[:20]}.",
            "Give 1 (working) or 2 (project): no layer is above 3.",
        )
    return layer_name(layer_number + 1)


def memory_kind_or_note(kind_name: Any) -> str:
    """``kind_name`` if gitmem has that kind of memory or an alias of it, else ``note``."""
    return kind_name if canonical_memory_kind(str(kind_name)) else "note"


def path_with_lines(file_context: Mapping[str, Any]) -> list[str]:
    """A list of ``path:3-9``, from ``path`` with ``lineStart`` and ``lineEnd``, or with ``lines``.

    ``lines`` is ``[3, 9]`` or ``3-9``. Raises InvalidInput without a path, or for another key.
    """
    _check_fields("fileContext", file_context, _PLACE)
    path, first, lines = (
        file_context.get("path"),
        file_context.get("lineStart"),
        file_context.get("lines"),
    )
    if not isinstance(path, str) or not path:
        raise InvalidInput("fileContext has no path.", 'Give {"path": "src/app.py"}.')
    if isinstance(first, int):
        lines = [first, file_context.get("lineEnd") or first]
    if isinstance(lines, list):
        lines = "-".join(str(line) for line in lines[:2])
    return [f"{path}:{lines}" if lines else path]


def weight_of_priority(priority: Any) -> int:
    """A weight of 1 to 5 for a priority of 1 to 10. Raises InvalidInput for another number."""
    if not 1 <= priority <= 10:
        raise InvalidInput(f"The priority cannot be {priority}.", "Give 1 to 10.")
    return (int(priority) + 1) // 2


def make_metadata_filter(metadata_key: str) -> Callable[[Any], list[str]]:
    """A function: value -> ``["KEY=value"]``, a filter of memories by their metadata."""
    return lambda value: [f"{metadata_key}={value}"]


def make_number_option_formatter(option_name: str) -> Callable[[Any], list[str]]:
    """A function: number, True or False -> ``["NAME=number"]``, with 1 and 0 for the latter."""
    return lambda value: [f"{option_name}={int(value)}"]


def make_word_translator(translations: Mapping[str, Any]) -> Callable[[Any], Any]:
    """A function that replaces a text that is a key of ``translations``; other values stay."""
    return lambda value: translations.get(value, value) if isinstance(value, str) else value


def states_to_include(include_superseded: Any) -> list[str]:
    """A list of memory states: active, proposed, and superseded if the argument is true."""
    return ["active", "proposed", "superseded"] if include_superseded else ["active", "proposed"]


def states_for_current_only(current_only: Any) -> list[str]:
    """Memory states to include: ``["any"]``; [] (the default ones) if ``current_only`` is true."""
    return [] if current_only else ["any"]


def date_expression(milliseconds_or_text: Any) -> str:
    """A number of milliseconds since 1970 as ISO 8601 in UTC; a text (``7d``) unchanged."""
    if not isinstance(milliseconds_or_text, int | float):
        return str(milliseconds_or_text)
    return datetime.fromtimestamp(milliseconds_or_text / 1000, UTC).isoformat()


def entity_key_of_id(id_or_key: str) -> str:
    """``memory:ID`` if the text is the full id of a memory; any other text unchanged."""
    return (
        f"memory:{id_or_key}"
        if len(id_or_key) == ids.LENGTH and ids.normalise_id_prefix(id_or_key)
        else id_or_key
    )


def tag_for_critical_type(critical_type: Any) -> str:
    """The tag ``critical-TYPE``, which marks a memory as critical."""
    return f"{CRITICAL}{critical_type}"


def as_json(value: Any) -> str:
    """The value as JSON text."""
    return json.dumps(value, ensure_ascii=False)


def make_metadata_json_writer(metadata_key: str) -> Callable[[Any], str]:
    """A function: value -> JSON text ``{"KEY": "value"}``, to store as metadata."""
    return lambda value: json.dumps({metadata_key: str(value)}, ensure_ascii=False)


def period_expression(period: Any) -> str:
    """gitmem's date for ``this week``, ``last week``, ``this month`` (``30d``); others stay."""
    words = {"this week": "start of week", "last week": "start of last week", "this month": "30d"}
    return words.get(str(period).strip().lower(), str(period))


def joined_queries(query_or_queries: Any) -> str:
    """One query or a list as one text, joined by spaces. Raises InvalidInput for over 20."""
    return " ".join(query_list(query_or_queries))


def query_list(query_or_queries: Any) -> list[str]:
    """A list of one or several queries. Raises InvalidInput for over 20 or 1,000 characters."""
    queries = query_or_queries if isinstance(query_or_queries, list) else [query_or_queries]
    if len(queries) > _QUESTIONS:
        raise InvalidInput(f"{len(queries)} queries are too many.", f"Give at most {_QUESTIONS}.")
    return [require_query_within_limit(query) for query in queries]


def require_query_within_limit(query_value: Any) -> str:
    """The query as text. Raises InvalidInput if it has over 1,000 characters."""
    query = str(query_value)
    if len(query) > _LONGEST_QUESTION:
        raise InvalidInput(
            f"The query is too long: it has {len(query):,} characters.",
            f"Give at most {_LONGEST_QUESTION:,}; each query of a list may be that long.",
        )
    return query


def duplicate_mode(dedupe_options: Mapping[str, Any]) -> str:
    """What to do with a duplicate memory: ``skip`` (the default), ``merge`` or ``allow``.

    It is the ``strategy`` in ``dedupe_options``. Raises InvalidInput for another word or key, or a
    ``threshold`` outside 0 to 1.
    """
    _check_fields("dedupe", dedupe_options, ("strategy", "threshold"))
    threshold = dedupe_options.get("threshold", 1)
    if isinstance(threshold, bool) or not 0 <= threshold <= 1:
        raise InvalidInput(f"dedupe.threshold cannot be {threshold}.", "Give a number from 0 to 1.")
    return require_one_of(
        "dedupe.strategy", str(dedupe_options.get("strategy") or "skip"), _STRATEGIES
    )


def decision_kind_or_empty(arguments: Mapping[str, Any]) -> str:
    """``decision`` if the argument ``content`` is worded like a decision, else ""."""
    return (
        "decision" if decision_wording.recognise_decision(str(arguments.get("content", ""))) else ""
    )


def path_as_list(path: Any) -> list[str]:
    """A list with the given path."""
    return [str(path)]


def file_extensions(text_or_extensions: Any) -> list[str]:
    """File extensions without dots, from ``.py, .rs`` or a list."""
    return [word.lstrip(".") for word in split_words(text_or_extensions)]


def path_as_glob(path: Any) -> str:
    """A file, folder or glob without slashes around it, as gitmem's search takes it."""
    return str(path).strip("/")


def glob_if_single(glob_or_globs: Any) -> str | None:
    """The glob, without slashes around it, if there is only one; None for a list of several."""
    globs = glob_or_globs if isinstance(glob_or_globs, list) else [glob_or_globs]
    return path_as_glob(globs[0]) if len(globs) == 1 else None


def definition_kinds_from_engine(engine_kind: Any) -> list[str] | None:
    """gitmem's kinds of definitions for one of Context Engine's: ``function`` includes ``method``.

    None for ``import`` and ``comment``; an unknown kind is returned itself, in a list.
    """
    return _ENGINE_KINDS.get(str(engine_kind), [str(engine_kind)])


def definition_kinds_from_fabric(fabric_kind: Any) -> list[str]:
    """gitmem's kinds of definitions for one of Context Fabric's: ``class`` includes ``struct``."""
    return FABRIC_SYMBOLS.get(str(fabric_kind), [str(fabric_kind)])


def split_words(text_or_words: Any) -> list[str]:
    """A list of words without blanks around them, from text ``a, b`` or a list."""
    parts = text_or_words.split(",") if isinstance(text_or_words, str) else text_or_words
    return [word for part in parts if (word := str(part).strip())]


# --- items of a batch and parameters of a skill, as Context Fabric gives them --------------------


def items_as_json_lines(items: list[Any]) -> str:
    """The items of a batch as JSON Lines text. Raises InvalidInput unless there are 1 to 500.

    An item that is not valid becomes one with an empty text, which is not stored.
    """
    if not 0 < len(items) <= _ITEMS:
        raise InvalidInput(f"There are {len(items)} items.", f"Give 1 to {_ITEMS}.")
    return "\n".join(
        '{"content": ""}' if why_item_invalid(number, item) else _line(number, item)
        for number, item in enumerate(items)
    )


def why_item_invalid(item_number: int, item: Any) -> str:
    """Sentences on why an item of a batch (numbered from 0) is invalid; "" if it is valid."""
    try:
        _line(item_number, item)
    except InvalidInput as error:
        return error.as_sentences()
    except (TypeError, ValueError) as error:
        return f"Item {item_number} is not valid: {error}."
    return ""


def _line(number: int, item: Any) -> str:
    facts = item.get("metadata") or {} if isinstance(item, Mapping) else None
    if not isinstance(facts, Mapping):
        raise InvalidInput(
            f"Item {number} is not a valid item.",
            "Give an object such as {type, content, metadata}, as for context.store.",
        )
    _check_fields(f"Item {number}", item, _ITEM)
    for name in ("supersedes", "dedupe"):
        if facts.get(name) is not None:
            raise InvalidInput(
                f"Item {number} has {name!r}, which a batch cannot take.",
                "Store that memory by itself, with context.store.",
            )
    _check_fields(f"The metadata of item {number}", facts, (*_FACTS, "supersedes", "dedupe"))
    if facts.get("source") is not None:
        require_one_of(f"source of item {number}", str(facts["source"]), _SOURCES)
    if facts.get("projectPath"):
        raise InvalidInput(
            f"Item {number} names a project of its own.", "Give projectPath for the whole call."
        )
    level = item.get("layer") and layer_name(item["layer"])
    ttl = item.get("ttl")
    row = {
        "content": item.get("content", ""),
        "kind": item.get("type", ""),
        "title": facts.get("title", ""),
        "tags": facts.get("tags", []),
        "weight": facts.get("weight"),
        "confidence": facts.get("confidence"),
        "paths": path_with_lines(facts["fileContext"]) if facts.get("fileContext") else [],
        "pinned": bool(item.get("pinned")),
        "layer": level or "",
        "ttl": ttl_from_seconds(ttl),
        "metadata": {name: facts[name] for name in _METADATA if facts.get(name) is not None},
    }
    if not item.get("type"):
        raise InvalidInput(f"Item {number} has no type.", "Give one, as in context.store.")
    return json.dumps(row, ensure_ascii=False)


def _check_fields(what: str, given: Any, known: tuple[str, ...]) -> None:
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} is no object")
    for name in given:
        if name not in known:
            raise InvalidInput(
                f"{what} has no field {str(name)[:40]!r}.", f"Fields: {', '.join(known)}."
            )


def format_skill_parameters(skill_parameters: list[Any]) -> list[str]:
    """A skill's parameters as texts: ``name: description``, ``name=: ...`` if not required.

    Raises InvalidInput for one that is not ``{"name", "description", "required"}``.
    """
    return [_parameter(item) for item in skill_parameters]


def _parameter(item: Any) -> str:
    if not isinstance(item, Mapping) or not isinstance(item.get("name"), str):
        raise InvalidInput("A parameter is not valid.", 'Give {"name": ..., "description": ...}.')
    optional = "" if item.get("required", True) else "="
    description = item.get("description")
    return f"{item['name']}{optional}" + (f": {description}" if description else "")


def supported_code_checks(check_names: object) -> list[str]:
    """The names that are checks of `verify-code`; [``imports``] if none is, [``all``] for none.

    Raises InvalidInput for a name that MemoryLayer does not have either.
    """
    ours = ("imports", "security", "dependencies", "all")
    names = check_names if isinstance(check_names, list) else []
    for name in names:
        require_one_of("checks", name, (*ours, "patterns", "tests"))
    return [name for name in names if name in ours] or (["imports"] if check_names else ["all"])
