"""Changing one key or a few tables of a TOML file, text to text, leaving the rest unchanged.

Comments, order and white space elsewhere stay. Our tables are appended as a whole and recognised by
their content, even where a host has rewritten the file. A style-preserving library (tomlkit) is not
used: it refuses a byte order mark, and removing a table does not restore the white space around it.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass
from gitmem.text import line_end

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_TOKEN = (
    r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*"{3,5}|\'\'\'(?:[^\']|\'{1,2}(?!\'))*\'{3,5}'
    r'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{}]|\n'
)


@dataclass(frozen=True, slots=True)
class TomlTable:
    """A ``[header]`` of a TOML text with the keys below it, and where it is in the text.

    ``path`` is the header's names; ``many``: it is ``[[header]]``. It goes from offset ``start`` to
    ``end``, the end of its last key; ``body`` are its keys and values.
    """

    path: tuple[str, ...]
    many: bool
    start: int
    end: int
    body: dict[str, Any]


def parse_toml(text: str) -> dict[str, Any]:
    """Return the dict that a TOML text holds. Raises InvalidInput if it is not valid."""
    import tomllib  # noqa: PLC0415 - paid by setup only

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(str(error)) from error
    except RecursionError as error:
        raise InvalidInput("it is nested too deeply") from error


def parse_tables(text: str) -> list[TomlTable]:
    """Return the tables of a valid TOML text, in order, each with its place in the text."""
    starts = _headers(text)
    parsed = []
    for place, start in enumerate(starts):
        limit = starts[place + 1] if place + 1 < len(starts) else len(text)
        line_end = _line_end(text, start)
        path, many = _path(parse_toml(text[start:line_end]))
        end = _body_end(text, line_end, limit)
        parsed.append(TomlTable(path, many, start, end, parse_toml(text[line_end:end])))
    return parsed


def _headers(text: str) -> list[int]:
    """The positions of table headers, outside strings and lists over several lines."""
    depth, line, starts = 0, 0, []
    for match in re.compile(_TOKEN, re.DOTALL).finditer(text):
        token = match[0]
        if token == "\n":
            line = match.end()
        elif token in "[{":
            if token == "[" and not depth and not text[line : match.start()].strip():
                starts.append(line)
            depth += 1
        elif token in "]}":
            depth -= 1
        else:
            # A string over several lines.
            line = max(line, text.rfind("\n", 0, match.end()) + 1)
    return starts


def _path(header: Any) -> tuple[tuple[str, ...], bool]:
    path: list[str] = []
    while isinstance(header, dict) and header:
        key = next(iter(header))
        path.append(key)
        header = header[key]
    return tuple(path), isinstance(header, list)


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end + 1


def _body_end(text: str, start: int, limit: int, *, comments: bool = False) -> int:
    """The end of the last line of a table that holds a key, or with ``comments`` a comment."""
    end = start
    for match in re.compile(r"[^\n]*\n|[^\n]+\Z").finditer(text, start, limit):
        line = match[0].strip()
        if line and (comments or not line.startswith("#")):
            end = match.end()
    return end


def append_tables(text: str, blocks: Sequence[str]) -> str:
    """Return the TOML text with ``blocks`` (the texts of tables) added at its end.

    A blank line goes before each. A text without a line end at its end gets none at its new end
    either.
    """
    new = line_end.line_end(text)
    for block in blocks:
        added = block.replace("\n", new)
        if not text:
            text = added
        elif text.endswith("\n"):
            text += new + added
        else:
            text += new + new + added.removesuffix(new)
    return text


def remove_tables(text: str, should_remove: Callable[[TomlTable], bool]) -> str:
    """Return the TOML text without the tables for which ``should_remove`` is true.

    The blank line before each goes too.
    """
    for table in reversed([table for table in parse_tables(text) if should_remove(table)]):
        start = table.start
        bare = table.end == len(text) and not text.endswith("\n")
        before = re.search(r"(?:\A|\n)([ \t]*\r?\n)\Z", text[:start])
        if before:
            start = before.start(1)
        head = text[:start]
        if bare:
            head = head.removesuffix("\n").removesuffix("\r")
        text = head + text[table.end :]
    return text


def replace_table(text: str, table: TomlTable, block: str) -> str:
    """Return the TOML text with ``block``, the text of a table, in place of ``table``."""
    new = block.replace("\n", line_end.line_end(text))
    if table.end == len(text) and not text.endswith("\n"):
        new = new.rstrip("\r\n")
    return text[: table.start] + new + text[table.end :]


def remove_empty_list_line(text: str, key: str) -> str:
    """Return the TOML text without a line ``key = []``, which would forbid ``[[key]]``."""
    limit = next(iter(_headers(text)), len(text))
    empty = re.compile(rf"^{re.escape(key)}[ \t]*=[ \t]*\[[ \t]*\][ \t]*\r?\n?", re.MULTILINE)
    match = empty.search(text, 0, limit)
    return text[: match.start()] + text[match.end() :] if match else text


def set_toml_key(text: str, dotted_key: str, value: str | int | float | bool | None) -> str:
    """Return the TOML text with a key (``name``, or ``table.name``) set; None removes it."""
    table, _, name = dotted_key.rpartition(".")
    new = line_end.line_end(text)
    whole = text + new if text and not text.endswith("\n") else text
    span = _keys(whole, table)
    if span is None:
        return (
            text
            if value is None
            else append_tables(whole, [table_as_toml((table,), {name: value})])
        )
    own = re.compile(rf'^[ \t]*(?:{re.escape(name)}|"{re.escape(name)}")[ \t]*=.*\n', re.MULTILINE)
    match = own.search(whole, *span)
    if not match and value is None:
        return text
    start, end = match.span() if match else (_body_end(whole, *span, comments=True),) * 2
    line = "" if value is None else f"{_key(name)} = {value_as_toml(value)}{new}"
    return whole[:start] + line + whole[end:]


def _keys(text: str, table: str) -> tuple[int, int] | None:
    """The span of the keys of a table: from below its header to the next header."""
    starts = [*_headers(text), len(text)]
    if not table:
        return 0, starts[0]
    for start, limit in pairwise(starts):
        end = _line_end(text, start)
        if re.fullmatch(rf"\s*\[\s*{re.escape(table)}\s*\]\s*(?:#.*)?", text[start:end].rstrip()):
            return end, limit
    return None


def table_as_toml(keys: Sequence[str], value: dict[str, Any], *, is_list_item: bool = False) -> str:
    """Return the text of a table: its header, of the names ``keys``, and the keys of ``value``.

    ``is_list_item``: the header is ``[[...]]``. Lists of dicts become such tables below it.
    """
    name = ".".join(_key(key) for key in keys)
    lines = [f"[[{name}]]" if is_list_item else f"[{name}]"]
    inner = []
    for key, item in value.items():
        if isinstance(item, list) and item and all(isinstance(table, dict) for table in item):
            inner += [table_as_toml((*keys, key), table, is_list_item=True) for table in item]
        else:
            lines.append(f"{_key(key)} = {value_as_toml(item)}")
    return "\n".join(lines) + "\n" + "".join("\n" + part for part in inner)


def value_as_toml(value: Any) -> str:
    """Return a value as TOML on one line. Raises InvalidInput for a type that is not supported."""
    import json  # noqa: PLC0415 - paid by setup only

    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        # A JSON string is a TOML basic string, but for DEL, which TOML wants escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list):
        return "[" + ", ".join(value_as_toml(item) for item in value) + "]"
    if isinstance(value, dict):
        inner = ", ".join(f"{_key(key)} = {value_as_toml(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    raise InvalidInput(f"a value in it cannot be written as TOML: {value!r:.40}")


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else value_as_toml(key)
