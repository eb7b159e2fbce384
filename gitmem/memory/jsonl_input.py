"""Memories as JSON Lines: one object a line, under the field names of several systems.

Their metadata may hold a block of code and its place, which ``check_known_metadata_keys`` checks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from gitmem.clock.durations import parse_duration
from gitmem.errors import InvalidInput
from gitmem.memory.draft import AUTO, MemoryDraft, require_one_of
from gitmem.memory.layer_router import LAYERS
from gitmem.model.frozen import dataclass

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any

# The keys of a JSON line, also those of other systems -> fields of a draft.
LINE_KEYS = {
    "content": "content",
    "text": "content",
    "information": "content",
    "title": "title",
    "kind": "kind",
    "type": "kind",
    "tags": "tags",
    "tag": "tags",
    "paths": "paths",
    "path": "paths",
    "weight": "weight",
    "importance": "importance",
    "confidence": "confidence",
    "pinned": "pinned",
    "pin": "pinned",
    "scope": "scope",
    "layer": "layer",
    "status": "status",
    "ttl": "ttl",
    "fixed": "fixed",
    "metadata": "metadata",
}
_LARGEST = 1 << 62


@dataclass(frozen=True, slots=True)
class DraftDefaults:
    """Values for fields that a line of a batch of memories lacks; ``ttl`` is such as ``7d``."""

    title: str = ""
    kind: str = ""
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    weight: int | None = None
    importance: float | None = None
    confidence: float | None = None
    pinned: bool = False
    scope: str = "project"
    ttl: str = ""
    fixed: bool = False


def is_json_lines_batch(text: str) -> bool:
    """Whether a text is several memories, one JSON object a line, rather than one memory's text."""
    first = text.lstrip("\ufeff \t\r\n").split("\n", 1)[0].strip()
    if not first.startswith("{"):
        return False
    try:
        value = json.loads(first)
    except ValueError:
        # Several lines, the first one broken: a batch with an error.
        return "\n{" in text
    return isinstance(value, dict) and any(key in value for key in LINE_KEYS)


def parse_draft(line: str, defaults: DraftDefaults) -> MemoryDraft:
    """The MemoryDraft in a line of a batch (a JSON object); ``defaults`` fill in missing fields.

    Raises InvalidInput, naming the wrong field.
    """
    values: dict[str, Any] = {name: getattr(defaults, name) for name in DraftDefaults.__slots__}
    for key, value in parse_json_object(line).items():
        if key not in LINE_KEYS:
            raise InvalidInput(f"Unknown field {key[:40]!r}.", f"Fields: {', '.join(LINE_KEYS)}.")
        values[LINE_KEYS[key]] = value
    ttl = values.pop("ttl")
    return MemoryDraft(
        content=_typed("content", values.pop("content", ""), str),
        title=_typed("title", values["title"], str),
        kind=_typed("kind", values["kind"], str),
        tags=_words("tags", values["tags"]),
        paths=_words("paths", values["paths"]),
        weight=_number("weight", values["weight"], int),
        importance=_number("importance", values["importance"], float),
        confidence=_number("confidence", values["confidence"], float),
        pinned=_typed("pinned", values["pinned"], bool),
        scope=_typed("scope", values["scope"], str),
        status=_typed("status", values.get("status", ""), str),
        ttl_ms=parse_ttl_ms(str(ttl)) if ttl else None,
        is_temporary=str(ttl) == AUTO,
        metadata=metadata_with_code(_typed("metadata", values.get("metadata") or {}, dict)),
        fixed=_typed("fixed", values["fixed"], bool),
        layer=require_one_of("layer", values["layer"], LAYERS) if values.get("layer") else "",
    )


def parse_ttl_ms(text: str) -> int | None:
    """The milliseconds of a text such as ``7d``; None if empty or ``auto``. Raises InvalidInput."""
    return parse_duration(text) if text and text != AUTO else None


def parse_json_object(text: str) -> dict[str, Any]:
    """The dict in the text of a JSON object; empty for an empty text. Raises InvalidInput."""
    if not text.strip():
        return {}
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise InvalidInput("The JSON is nested too deeply.", "Give a flatter object.") from error
    except ValueError as error:
        raise InvalidInput(
            f"The text is not valid JSON: {error}.", "Give one JSON object."
        ) from error
    return _typed("this", value, dict)  # type: ignore[no-any-return]


_KINDS = {str: "a text", bool: "true or false", dict: "an object"}


def _typed(name: str, value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise InvalidInput(f"{name} is not {_KINDS[kind]}.", "")
    return value


def _number(name: str, value: Any, kind: type) -> Any:
    if value is None:
        return None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    # The bounds also keep out NaN and the infinities, which JSON as Python reads it may hold.
    if not number or not -_LARGEST <= value <= _LARGEST or kind(value) != value:
        raise InvalidInput(f"{name} is not a number: {str(value)[:40]!r}.", "")
    return kind(value)


def _words(name: str, value: Any) -> tuple[str, ...]:
    words = (value,) if isinstance(value, str) else value
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
        raise InvalidInput(f"{name} is not a list of strings.", "")
    return tuple(words)


def metadata_with_code(
    metadata: dict[str, Any], code: str = "", language: str = ""
) -> dict[str, Any]:
    """A memory's metadata after a check; if ``code`` is given, with it as ``codeBlock``.

    Raises InvalidInput if ``provenance``, ``codeBlock`` or ``fileContext`` in it is malformed, and
    if there is a ``codeBlock`` besides ``code``.
    """
    if "provenance" in metadata:
        from gitmem.memory import provenance_facts  # noqa: PLC0415 - as below

        provenance_facts.check_provenance_object(metadata["provenance"])
    if not (code or language or "codeBlock" in metadata or "fileContext" in metadata):
        return metadata

    return dict(check_known_metadata_keys(add_code_block(metadata, code, language)))


BLOCK, PLACE = "codeBlock", "fileContext"
# Key -> types that its value may have, and how an error names them.
_KEYS: dict[str, dict[str, tuple[tuple[type, ...], str]]] = {
    BLOCK: {
        "code": ((str,), "text"),
        "language": ((str,), "text"),
        "filePath": ((str,), "text"),
    },
    PLACE: {
        "path": ((str,), "text"),
        "lines": ((str, int, list), "a number, a text such as 3-9, or a list"),
        "lineStart": ((int,), "a whole number"),
        "lineEnd": ((int,), "a whole number"),
        "language": ((str,), "text"),
    },
}
_LONGEST_LANGUAGE = 40


def add_code_block(metadata: Mapping[str, object], code: str, language: str) -> dict[str, object]:
    """A copy of the metadata; if ``code`` is given, with a ``codeBlock`` of code and language.

    Raises InvalidInput for a language without code, and if there is a ``codeBlock`` already.
    """
    if not code and not language:
        return dict(metadata)
    if not code.strip():
        raise InvalidInput("--language needs --code, the code in that language.")
    if BLOCK in metadata:
        raise InvalidInput(
            "The metadata has a codeBlock already.", "Give the code there or with --code, not both."
        )
    block = {"code": code, **({"language": language.strip()} if language.strip() else {})}
    return {**metadata, BLOCK: block}


def check_known_metadata_keys(metadata: Mapping[str, object]) -> Mapping[str, object]:
    """The metadata unchanged. Raises InvalidInput for a wrong ``codeBlock`` or ``fileContext``."""
    for name, keys in _KEYS.items():
        if name in metadata:
            _check(name, metadata[name], keys)
    return metadata


def _check(name: str, value: object, keys: Mapping[str, tuple[tuple[type, ...], str]]) -> None:
    hint = f"It may hold: {', '.join(keys)}."
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{name} in the metadata is not an object.", hint)
    for key, entry in value.items():
        if key not in keys:
            raise InvalidInput(f"Unknown key {str(key)[:40]!r} in {name} of the metadata.", hint)
        types, expected = keys[key]
        if isinstance(entry, bool) or not isinstance(entry, types):
            raise InvalidInput(f"{name}.{key} in the metadata has to be {expected}.")
    language = str(value.get("language", ""))
    if len(language) > _LONGEST_LANGUAGE or len(language.splitlines()) > 1:
        raise InvalidInput(
            f"{name}.language has to be the name of a language.", "Such as python or go."
        )
    if name == BLOCK and not str(value.get("code", "")).strip():
        raise InvalidInput("codeBlock in the metadata has no code.", hint)
