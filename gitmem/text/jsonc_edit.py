"""Changing single values in JSON with comments, text to text, leaving the rest unchanged.

Comments, order, indentation, line ends and trailing commas elsewhere stay as they are.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from gitmem.errors import InvalidInput
from gitmem.text import line_end
from gitmem.text.jsonc import (
    ABSENT,
    COMMENT,
    JsonEntry,
    blank_comments,
    has_value_at_keys,
    json_entries_at,
    json_value_span,
    parse_jsonc,
    skip_white_space,
    value_at_keys,
    value_at_keys_or_absent,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_LARGE = 200_000  # characters


def extract_large_values(text: str, excluded_keys: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return a JSON text with its large top-level values replaced by marks, and these values.

    Edits are then quick. The values come as a dict by mark; those of ``excluded_keys``, and all in
    a text of less than 200,000 characters, stay. A value is large above 25,000 characters.
    """
    clean = blank_comments(text)
    start = skip_white_space(clean, 0)
    if len(text) < _LARGE or clean[start] != "{":
        return text, {}
    holes: dict[str, str] = {}
    for entry in reversed(json_entries_at(clean, start)):
        mark = f'"gitmem: left out {entry.value}"'
        if (
            entry.key not in excluded_keys
            and entry.end - entry.value > _LARGE // 8
            and mark not in text
        ):
            holes[mark] = text[entry.value : entry.end]
            text = text[: entry.value] + mark + text[entry.end :]
    return text, holes


def restore_large_values(text: str, values_by_mark: dict[str, str]) -> str:
    """Return the text with the marks of ``extract_large_values`` replaced by their values."""
    for mark, value in values_by_mark.items():
        text = text.replace(mark, value)
    return text


def set_json_value(text: str, keys: Sequence[str], value: Any) -> str:
    """Return the JSON text with the value at a path of keys set; dicts are merged key by key.

    Missing objects are created. Raises InvalidInput if the path leads through anything else.
    """
    now = value_at_keys_or_absent(parse_jsonc(text), keys)
    if now is not ABSENT and _as_written(now) == _as_written(value):
        return text
    if isinstance(now, dict) and isinstance(value, dict):
        for key, inner in value.items():
            text = set_json_value(text, (*keys, key), inner)
        return text
    if now is not ABSENT:
        clean = blank_comments(text)
        start, end = json_value_span(clean, keys)
        return text[:start] + _dumped(text, clean, start, value) + text[end:]
    return _insert(text, keys, value)


def _as_written(value: Any) -> str:
    """A value as JSON: to Python ``1`` and ``true`` are equal, at any depth."""
    return json.dumps(value, sort_keys=True)


def _insert(text: str, path: Sequence[str], value: Any) -> str:
    text = text if text.strip() else "{}" + (text or "\n")
    clean, whole = blank_comments(text), parse_jsonc(text)
    depth = 0
    while has_value_at_keys(whole, path[: depth + 1]):
        depth += 1
    if not isinstance(value_at_keys(whole, path[:depth]), dict):
        raise InvalidInput(f"{'.'.join(path[:depth]) or 'the top level'} is not an object")
    for key in reversed(path[depth + 1 :]):
        value = {key: value}
    start, end = json_value_span(clean, path[:depth])
    return _add(text, clean, start, end, json.dumps(path[depth], ensure_ascii=False) + ": ", value)


def append_list_item(text: str, keys: Sequence[str], value: Any) -> str:
    """Return the JSON text with an item appended to the list at a path of keys.

    A missing list is created. Raises InvalidInput if the value there is not a list.
    """
    now = value_at_keys_or_absent(parse_jsonc(text), keys)
    if now is ABSENT:
        return set_json_value(text, keys, [value])
    if not isinstance(now, list):
        raise InvalidInput(f"{'.'.join(keys)} is not a list")
    clean = blank_comments(text)
    start, end = json_value_span(clean, keys)
    return _add(text, clean, start, end, "", value)


def remove_json_member(text: str, keys: Sequence[str]) -> str:
    """Return the JSON text without the member at a path of keys; unchanged if there is none."""
    if not has_value_at_keys(parse_jsonc(text), keys):
        return text
    clean = blank_comments(text)
    start, _ = json_value_span(clean, keys[:-1])
    members = json_entries_at(clean, start)
    places = [place for place, entry in enumerate(members) if entry.key == keys[-1]]
    for place in reversed(places):  # all occurrences of a repeated key
        text = _cut(
            text, blank_comments(text), start, json_entries_at(blank_comments(text), start), place
        )
    return text


def remove_list_items(text: str, keys: Sequence[str], should_remove: Callable[[Any], bool]) -> str:
    """Return the JSON text without those items of a list for which ``should_remove`` is true."""
    items = value_at_keys(parse_jsonc(text), keys)
    if not isinstance(items, list):
        return text
    places = [place for place, item in enumerate(items) if should_remove(item)]
    for place in reversed(places):
        clean = blank_comments(text)
        start, _ = json_value_span(clean, keys)
        text = _cut(text, clean, start, json_entries_at(clean, start), place)
    return text


def remove_inner_list_items(
    text: str,
    keys: Sequence[str],
    item_index: int,
    inner_list_key: str,
    should_remove: Callable[[Any], bool],
) -> str:
    """Return the JSON text without those items of an inner list that ``should_remove`` picks.

    The inner list is under ``inner_list_key`` of item number ``item_index`` (from 0) of the list at
    ``keys``.
    """
    items = value_at_keys(parse_jsonc(text), keys)[item_index][inner_list_key]
    for inner in reversed([index for index, item in enumerate(items) if should_remove(item)]):
        clean = blank_comments(text)
        start, _ = json_value_span(clean, keys)
        item = json_entries_at(clean, start)[item_index].value
        start = next(
            entry.value
            for entry in reversed(json_entries_at(clean, item))
            if entry.key == inner_list_key
        )
        text = _cut(text, clean, start, json_entries_at(clean, start), inner)
    return text


def _add(text: str, clean: str, start: int, end: int, key: str, value: Any) -> str:
    """Append an entry to the container between ``start`` and ``end``."""
    members = json_entries_at(clean, start)
    if not members:
        return _add_first(text, clean, start, end, key, value)
    last = members[-1]
    comma = skip_white_space(clean, last.end)
    trailing = clean[comma] == ","
    if "\n" not in clean[start : members[0].start]:
        member = f" {key}{json.dumps(value, ensure_ascii=False)}"
        if trailing:
            return f"{text[: comma + 1]}{member},{text[comma + 1 :]}"
        return f"{text[: last.end]},{member}{text[last.end :]}"
    indent = _indent(text, members[0].start)
    tail = _line_tail(text, comma + 1 if trailing else last.end)
    member = line_end.line_end(text) + indent + key + _pretty(text, indent, value) + "," * trailing
    head = text[: last.end] + "," * (not trailing) + text[last.end : tail]
    return head + member + text[tail:]


def _add_first(text: str, clean: str, start: int, end: int, key: str, value: Any) -> str:
    outer = _indent(text, start)
    inner = outer + _unit(clean)
    inside = text[start + 1 : end - 1]
    member = line_end.line_end(text) + inner + key + _pretty(text, inner, value)
    if not inside.strip():
        close = "" if "\n" in inside else line_end.line_end(text) + outer
        return text[: start + 1] + member + close + text[start + 1 :]
    place = start + 1 + len(inside.rstrip())  # below comments
    close = "" if "\n" in text[place : end - 1] else line_end.line_end(text) + outer
    return text[:place] + member + close + text[place:]


def _cut(text: str, clean: str, start: int, members: list[JsonEntry], place: int) -> str:
    """Remove an entry with its comma, or the one before it, and the white space before it."""
    entry = members[place]
    comma = skip_white_space(clean, members[place - 1].end) if place else start
    after = skip_white_space(clean, entry.end)
    own_comma = clean[after] == ","
    end = after + 1 if own_comma else entry.end
    begin = _after_comments(text, clean, comma + 1, entry.start, end)
    if place and not own_comma:
        return text[:comma] + text[comma + 1 : begin] + text[end:]
    if len(members) == 1 and not text[start + 1 : begin].strip():
        close = skip_white_space(clean, end)
        if not text[end:close].strip():
            return text[: start + 1] + text[close:]
    return text[:begin] + text[end:]


def _after_comments(text: str, clean: str, least: int, start: int, end: int) -> int:
    """Where to cut before an entry: its white space is cut, comments on other entries stay."""
    begin = least + len(text[least:start].rstrip())
    line = re.compile(r"[ \t]*(?:\r?\n|\Z)").match(text, end)
    if text[least:start] != clean[least:start] and not line:
        return start  # else the rest of the line would become part of a comment
    return begin


def _line_tail(text: str, place: int) -> int:
    """The position after the comments that follow on the same line."""
    follows = re.compile(rf"[ \t]*(?:{COMMENT})", re.DOTALL)
    while match := follows.match(text, place):
        place = match.end()
    return place


def _dumped(text: str, clean: str, start: int, value: Any) -> str:
    line = clean.rfind("\n", 0, start) + 1
    if line == 0 and "\n" not in clean.strip():
        return json.dumps(value, ensure_ascii=False)
    return _pretty(text, _indent(text, start), value)


def _pretty(text: str, indent: str, value: Any) -> str:
    """A value as JSON over several lines; empty containers and lists of plain values on one."""
    unit, new = _unit(blank_comments(text)), line_end.line_end(text) + indent
    if isinstance(value, list | dict) and value:
        items = list(value.items()) if isinstance(value, dict) else [(None, item) for item in value]
        if isinstance(value, dict) or any(isinstance(item, list | dict) for item in value):
            lines = [
                ("" if key is None else json.dumps(key, ensure_ascii=False) + ": ")
                + _pretty(text, indent + unit, item)
                for key, item in items
            ]
            opening, closing = "{}" if isinstance(value, dict) else "[]"
            return opening + new + unit + f",{new}{unit}".join(lines) + new + closing
    return json.dumps(value, ensure_ascii=False)


def _indent(text: str, place: int) -> str:
    line = text.rfind("\n", 0, place) + 1
    match = re.compile(r"[ \t]*").match(text, line)
    return match[0] if match else ""


def _unit(clean: str) -> str:
    """One step of indentation, as the first indented line has it."""
    match = re.search(r"[{\[][ \t]*\r?\n([ \t]+)\S", clean)
    if not match:
        return "  "
    return "\t" if match[1].startswith("\t") else match[1]
