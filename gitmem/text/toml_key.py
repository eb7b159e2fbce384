"""Changing one key in the text of a TOML file, and nothing else: pure text to text.

Only what gitmem's own settings need: plain keys in tables one deep. Comments, order and white space
of every other line stay as they are.
"""

from __future__ import annotations

import json
import re

Value = str | int | float | bool


def changed(text: str, key: str, value: Value | None) -> str:
    """The text with ``key`` (``name`` or ``table.name``) set to ``value``; None takes it out."""
    table, _, name = key.rpartition(".")
    # Not splitlines(): it also cuts at characters that TOML allows inside a string or a comment.
    lines = text.split("\n")[: None if text and not text.endswith("\n") else -1]
    start, end = _span(lines, table)
    if start is None:
        if value is None:
            return text
        gap = [""] if lines and lines[-1].strip() else []
        return _joined([*lines, *gap, f"[{table}]", _line(name, value)])
    own = re.compile(rf"\s*(?:{re.escape(name)}|\"{re.escape(name)}\")\s*=")
    for index in range(start, end):
        if own.match(lines[index]):
            replacement = [] if value is None else [_line(name, value)]
            return _joined([*lines[:index], *replacement, *lines[index + 1 :]])
    if value is None:
        return text
    while end > start and not lines[end - 1].strip():
        end -= 1
    return _joined([*lines[:end], _line(name, value), *lines[end:]])


def _span(lines: list[str], table: str) -> tuple[int | None, int]:
    """Where the keys of a table stand: first line, and the line after the last."""
    headers = [
        (index, match[1].strip())
        for index, line in enumerate(lines)
        if (match := re.match(r"\s*\[([^\[\]]+)\]\s*(?:#.*)?$", line))
    ]
    if not table:
        return 0, headers[0][0] if headers else len(lines)
    for place, (index, name) in enumerate(headers):
        if name == table:
            after = headers[place + 1][0] if place + 1 < len(headers) else len(lines)
            return index + 1, after
    return None, len(lines)


def _line(name: str, value: Value) -> str:
    if isinstance(value, bool):
        return f"{name} = {'true' if value else 'false'}"
    if isinstance(value, str):
        # A JSON string is a TOML basic string, but for DEL, which TOML wants escaped.
        return (
            f"{name} = {json.dumps(value, ensure_ascii=False).replace(chr(127), chr(92) + 'u007f')}"
        )
    return f"{name} = {value}"


def _joined(lines: list[str]) -> str:
    return "\n".join(lines) + "\n" if lines else ""
