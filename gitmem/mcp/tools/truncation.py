"""Cutting answers that are too long.

A host gives its model the whole answer, or refuses it. So long texts in lists are cut first, all to
the same length, and then items are dropped from the end, since the best come first. A note says
what was cut.
"""

from __future__ import annotations

import json
from typing import Any

# Characters of an answer's text, and of its data: about 10,000 tokens each.
MAX_CHARACTERS = 40_000
CUT = "cut"
_TEXTS = (8_000, 4_000, 2_000, 1_000, 500, 250)
_PARTS = (2, 4, 8, 16)
_NOTE = 200  # characters reserved for the note
_MESSAGE = "Too long: texts are cut{}. Ask for less, or `gitmem show ID`."
Data = dict[str, Any]


def json_size(value: Any) -> int:
    """The number of characters of a value as JSON."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def cut_text(
    text: str, max_characters: int, hint: str = "ask for less, or `gitmem show ID`"
) -> str:
    """The text; if it is too long, its first lines and a line with how many characters follow.

    ``hint`` is the end of that line: how to see them.
    """
    if len(text) <= max_characters:
        return text
    start = text[:max_characters].rpartition("\n")[0] or text[:max_characters]
    return f"{start}\n… {len(text) - len(start):,} more characters: {hint}."


def cut_data_to_fit(data: Data, max_characters: int = MAX_CHARACTERS) -> Data:
    """The data, cut to at most ``max_characters`` as JSON: long texts first, then ends of lists.

    If something was left out, ``cut`` says what; if nothing fits, only ``cut`` is left.
    """
    if json_size(data) <= max_characters:
        return data
    max_characters -= _NOTE
    left = data
    for most in _TEXTS:
        left = {
            name: _cut(item, most) if type(item) is list else item for name, item in data.items()
        }
        if json_size(left) <= max_characters:
            return left | {CUT: "Too long: texts are cut. `gitmem show ID` tells it in full."}
    left, gone = _drop_items(left, max_characters)
    for part in _PARTS:
        if json_size(left) <= max_characters:
            break
        left = _cut(left, max_characters // part)
    return (left if json_size(left) <= max_characters else {}) | _note(gone)


def _note(gone: list[str]) -> Data:
    """The note, naming as many lists as ``_NOTE`` has room for."""
    named = 3
    while json_size(note := {CUT: _MESSAGE.format("".join(gone[:named]))}) > _NOTE and named:
        named -= 1
    return note


def _drop_items(data: Data, room: int) -> tuple[Data, list[str]]:
    """The data with items dropped from its longest lists, and texts that say how many."""
    sizes = {
        name: [json_size(item) + 1 for item in value]
        for name, value in data.items()
        if isinstance(value, list)
    }
    over = json_size(data) - room
    while over > 0 and any(sizes.values()):
        longest = max(sizes, key=lambda name: sum(sizes[name]))
        over -= sizes[longest].pop()
    gone = [
        f", {len(data[name]) - len(left)} of {len(data[name])} {name} are left out"
        for name, left in sizes.items()
        if len(left) < len(data[name])
    ]
    return data | {name: data[name][: len(left)] for name, left in sizes.items()}, gone


def _cut(value: Any, most: int) -> Any:
    """The value, with texts cut to ``most`` characters and their real length added."""
    if isinstance(value, str):
        return value if len(value) <= most else f"{value[:most]}… ({len(value):,} characters)"
    if isinstance(value, list):
        return [_cut(item, most) for item in value]
    if isinstance(value, dict):
        left = {name: _cut(item, most) for name, item in value.items()}
        if "shown_lines" in left and left.get("content") != value.get("content"):
            left["shown_lines"] = len(str(left["content"]).splitlines())
        return left
    return value
