"""The front matter of a Markdown file: reading its keys, and setting one without changing the rest.

It reads the YAML that people write there: plain, quoted and folded texts, lists of these, and valid
JSON. Other YAML (aliases, tags, deeper maps) is not read, but kept byte for byte in ``head``. No
YAML library is used, because none keeps the bytes.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any

from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass

_OPEN = re.compile(r"\ufeff?---[ \t]*\r?\n")
_CLOSE = re.compile(r"(?m)^---[ \t]*(?:\r?\n|\Z)")
_KEY = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*))?$")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)$")
_BLOCK = re.compile(r"([|>])[-+0-9]*[ \t]*(?:#.*)?$")
# Plain words that YAML does not read as texts.
_WORDS = ("true", "false", "yes", "no", "on", "off", "null", "y", "n")
_MOST_READ = 64 << 10
_COMMENT = re.compile(r"(?:^|[ \t]+)#.*$")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A file with YAML front matter, in two parts.

    ``head`` + ``body`` is the file, with its byte order mark if any. ``fields`` are the keys that
    could be read: texts, lists of texts or of maps, or JSON values.
    """

    head: str
    body: str
    fields: dict[str, Any]


def parse_front_matter(text: str) -> FrontMatter:
    """Return a text's front matter (YAML between ``---`` lines) and the rest of the text.

    Without front matter ``fields`` is empty. Raises InvalidInput if it has no end.
    """
    opened = _OPEN.match(text)
    if opened is None:
        start = 1 if text.startswith("\ufeff") else 0
        return FrontMatter(text[:start], text[start:], {})
    closed = _CLOSE.search(text, opened.end())
    if closed is None:
        raise InvalidInput("The front matter has no end.", "End it with a line of three dashes.")
    lines = [line.rstrip("\r") for line in _lines(text[opened.end() : closed.start()])]
    # Of a repeated key the first counts, which is also the one that ``set_front_matter_field``
    # replaces.
    fields = {key: _value(first, rest) for key, first, rest in reversed(_entries(lines))}
    return FrontMatter(text[: closed.end()], text[closed.end() :], fields)


def read_yaml_field(path: str, key: str) -> Any:
    """Return the value of a top-level key in the YAML file at ``path``, or None without one.

    Also None if the file is a link or a pipe, or not text; only its first document, and 64 KB, are
    read.
    """
    from gitmem.files.plain_file import open_regular_file  # noqa: PLC0415 - for few repositories

    try:
        with open_regular_file(path, extra_flags=getattr(os, "O_NOFOLLOW", 0)) as file:
            text = file.read(_MOST_READ).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None
    document = _OPEN.sub("", text, count=1) if _OPEN.match(text) else text
    end = _CLOSE.search(document)
    document = document[: end.start()] if end else document
    return parse_front_matter(f"---\n{document}\n---\n").fields.get(key)


def set_front_matter_field(front_matter: str, key: str, value: object) -> str:
    """Return the front matter with one key set and all other bytes unchanged.

    ``front_matter`` is ``FrontMatter.head``; an empty one becomes a front matter with this key.
    """
    end = "\r\n" if "\r\n" in front_matter else "\n"
    line = f"{key}: {as_yaml(value)}{end}"
    opened = _OPEN.match(front_matter)
    if opened is None:
        mark = "\ufeff" if front_matter.startswith("\ufeff") else ""
        return f"{mark}---{end}{line}---{end}{front_matter.removeprefix(mark)}"
    closed = _CLOSE.search(front_matter, opened.end())
    close = len(front_matter) if closed is None else closed.start()
    lines = [f"{line}\n" for line in _lines(front_matter[opened.end() : close])]
    first, last = len(lines), len(lines)
    for number, text in enumerate(lines):
        match = _KEY.match(text.rstrip("\r\n"))
        if match and match[1] == key:
            first, last = number, number + 1
            while last < len(lines) and not _starts_key(lines[last]):
                last += 1
            while last > number + 1 and _is_blank_or_comment(lines[last - 1]):
                last -= 1
            break
    inside = [*lines[:first], line, *lines[last:]]
    return front_matter[: opened.end()] + "".join(inside) + front_matter[close:]


def as_yaml(value: object) -> str:
    """Return a value as YAML on one line: plain words unchanged, all else as JSON."""
    plain = isinstance(value, str) and re.fullmatch(r"[A-Za-z][A-Za-z-]*", value) is not None
    if plain and str(value).lower() not in _WORDS:
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def _lines(text: str) -> list[str]:
    """The lines without their ends. Not ``splitlines``: in YAML a form feed does not end a line."""
    return text.removesuffix("\n").split("\n") if text else []


def _starts_key(line: str) -> bool:
    """Whether a line starts a new key rather than continuing the one before."""
    return bool(line.strip()) and line[0] not in " \t-#"


def _is_blank_or_comment(line: str) -> bool:
    """Whether a line belongs to no key: it is blank or a comment."""
    return not line.strip() or line.startswith("#")


def _entries(lines: list[str]) -> list[tuple[str, str, list[str]]]:
    """(key, rest of its line, continuation lines) of each key."""
    entries: list[tuple[str, str, list[str]]] = []
    for line in lines:
        key = _KEY.match(line)
        if key:
            entries.append((key[1], (key[2] or "").strip(), []))
        elif entries:
            entries[-1][2].append(line)
    return entries


def _value(first: str, rest: list[str]) -> Any:
    if block := _BLOCK.match(first):
        return _block(rest, folded=block[1] == ">")
    going_on = [line.strip() for line in rest]
    if first.startswith(("[", "{")):
        return _flow(" ".join([first, *going_on]))
    if first[:1] not in ("", '"', "'"):
        first = _COMMENT.sub("", first)
    if not first and any(_ITEM.match(line) for line in rest):
        return _items(rest)
    if not first and any(_KEY.match(line) for line in going_on):
        return _map(going_on)
    return unquote_scalar(
        " ".join([first, *(line for line in going_on if not line.startswith("#"))])
    )


def _block(lines: list[str], *, folded: bool) -> str:
    """A block text, after ``|`` or ``>``, without the common indentation of its lines."""
    filled = [line for line in lines if line.strip()]
    indent = min((len(line) - len(line.lstrip()) for line in filled), default=0)
    text = "\n".join(line[indent:] if line.strip() else "" for line in lines).strip("\n")
    return re.sub(r"(?<=\S)\n(?=\S)", " ", text) if folded else text


def _flow(text: str) -> Any:
    """A list or map on one line: as JSON if valid, else a list of comma-separated texts."""
    text = _COMMENT.sub("", text) if not text.endswith(("]", "}")) else text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        if not (text.startswith("[") and text.endswith("]")):
            return text
        parts = re.findall(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|[^,\s][^,]*', text[1:-1])
        return [unquote_scalar(part) for part in parts]


def _items(lines: list[str]) -> list[Any]:
    """A list below its key: of texts, or of maps whose first key follows the dash."""
    items: list[list[str]] = []
    depth = -1
    for line in lines:
        indent = len(line) - len(line.lstrip())
        item = _ITEM.match(line)
        if item and (depth < 0 or indent <= depth):
            depth = indent
            items.append([item[1].strip()])
        elif items and line.strip() and not line.strip().startswith("#"):
            items[-1].append(line.strip())
    return [_map(item) if _KEY.match(item[0]) else unquote_scalar(" ".join(item)) for item in items]


def _map(lines: list[str]) -> dict[str, Any]:
    pairs = (_KEY.match(line) for line in lines)
    return {pair[1]: unquote_scalar(pair[2] or "") for pair in pairs if pair}


def unquote_scalar(text: str) -> str:
    """Return the text that a YAML value on one line stands for, without quotes and comment."""
    text = text.strip()
    if text.startswith("'") and (end := re.match(r"'((?:[^']|'')*)'", text)):
        return end[1].replace("''", "'")
    if text.startswith('"') and (end := re.match(r'"((?:[^"\\]|\\.)*)"', text)):
        try:
            return str(json.loads(end[0]))
        except ValueError:
            return re.sub(r"\\(.)", r"\1", end[1])
    return _COMMENT.sub("", text)
