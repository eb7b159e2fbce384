"""Reading JSON with comments and trailing commas, and locating its values in the text.

Comments are blanked in a copy of the same length, so that a position found there holds in the text
itself. Only the containers on the path to a key are parsed, not the whole of a large file.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

# Both also match to the end of the text where they are not closed: retried at every place, a
# hostile file would take hours. json then refuses the rest.
_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
COMMENT = r"//[^\r\n]*|/\*.*?(?:\*/|\Z)"
ABSENT = object()


@dataclass(frozen=True, slots=True)
class JsonEntry:
    """A member of an object, or an item of a list (``key`` empty), by offsets in the text.

    It starts at ``start``; its value goes from ``value`` to ``end``.
    """

    key: str
    start: int
    value: int
    end: int


def parse_jsonc(text: str) -> Any:
    """Return the value of a JSON text that may have comments and trailing commas.

    An empty text is an empty dict. Raises InvalidInput if the text is not valid.
    """
    try:
        if not text.strip():
            return {}
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            return json.loads(_strict(blank_comments(text)))
    except json.JSONDecodeError as error:
        raise InvalidInput(f"line {error.lineno}: {error.msg}") from error
    except RecursionError as error:
        raise InvalidInput("it is nested too deeply") from error


def blank_comments(text: str) -> str:
    """Return the JSON text with each comment replaced by as many spaces."""
    if "//" not in text and "/*" not in text:
        return text

    def blank_comment(match: re.Match[str]) -> str:
        end = match[2]
        closed = end.startswith("//") or (len(end) > 3 and end.endswith("*/"))
        return match[1] + (re.sub(r"[^\r\n]", " ", end) if closed else end)

    # Text without comments is skipped in one match: a call for each string would take seconds. The
    # last two alternatives keep the end and a lone quote from being tried twice.
    other = rf'(?:[^"/]++|{_STRING}|/(?![/*]))*+'
    return re.sub(rf"({other})({COMMENT}|\Z|.)", blank_comment, text, flags=re.DOTALL)


def _strict(clean: str) -> str:
    """The text without trailing commas (after a value, before a closing bracket)."""
    return re.sub(
        rf'({_STRING})|(?<=[\]}}"\w])(\s*),(?=\s*[}}\]])',
        lambda match: match[1] or match[2] + " ",
        clean,
        flags=re.DOTALL,
    )


def value_at_keys(value: Any, keys: Sequence[str]) -> Any:
    """Return the value that nested dicts have at a path of keys; None if there is none."""
    item = value_at_keys_or_absent(value, keys)
    return None if item is ABSENT else item


def has_value_at_keys(value: Any, keys: Sequence[str]) -> bool:
    """Return whether nested dicts have a value, even None, at a path of keys."""
    return value_at_keys_or_absent(value, keys) is not ABSENT


def value_at_keys_or_absent(value: Any, keys: Sequence[str]) -> Any:
    """Return the value at a path of keys, or the object ``ABSENT`` if there is none."""
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            return ABSENT
        value = value[key]
    return value


def json_entries_at(blanked_text: str, bracket_offset: int) -> list[JsonEntry]:
    """Return the entries of the JSON object or list whose bracket is at offset ``bracket_offset``.

    ``blanked_text`` is valid JSON, with comments replaced by ``blank_comments``.
    """
    is_object = blanked_text[bracket_offset] == "{"
    members: list[JsonEntry] = []
    place = skip_white_space(blanked_text, bracket_offset + 1)
    while blanked_text[place] not in "}]":
        key, begin = "", place
        if is_object:
            place = _end(blanked_text, place)
            key = json.loads(blanked_text[begin:place])
            place = skip_white_space(blanked_text, skip_white_space(blanked_text, place) + 1)
        end = _end(blanked_text, place)
        members.append(JsonEntry(key, begin, place, end))
        place = skip_white_space(blanked_text, end)
        if blanked_text[place] == ",":
            place = skip_white_space(blanked_text, place + 1)
    return members


def skip_white_space(text: str, position: int) -> int:
    """Return the first offset, from ``position`` on, whose character is not white space."""
    match = re.compile(r"\s*").match(text, position)
    return match.end() if match else position


def _end(clean: str, place: int) -> int:
    """Where the value that starts at ``place`` ends."""
    if clean[place] == '"':
        return _match(_STRING, clean, place)
    if clean[place] not in "{[":
        return _match(r"[^\s,\]}]+", clean, place)
    depth = 0
    for match in re.compile(rf"{_STRING}|[{{}}\[\]]", re.DOTALL).finditer(clean, place):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(match[0], 0)
        if not depth:
            return match.end()
    raise InvalidInput("a bracket is not closed")


def _match(pattern: str, clean: str, place: int) -> int:
    match = re.compile(pattern, re.DOTALL).match(clean, place)
    if not match:
        raise InvalidInput("a value is missing")
    return match.end()


def json_value_span(blanked_text: str, keys: Sequence[str]) -> tuple[int, int]:
    """Return the offsets where the value at a path of keys begins and ends; it must exist.

    ``blanked_text`` is valid JSON, with comments replaced by ``blank_comments``.
    """
    start = skip_white_space(blanked_text, 0)
    end = _end(blanked_text, start)
    for key in keys:
        # The last of a key given twice, as hosts and json read it.
        entry = next(
            entry for entry in reversed(json_entries_at(blanked_text, start)) if entry.key == key
        )
        start, end = entry.value, entry.end
    return start, end
