"""Adding gitmem's fragments to a file's bytes, removing them, and finding them.

Pure functions from bytes to bytes; the path's suffix tells the format. The result is parsed again
and compared: if anything that is not gitmem's would change, the file is refused.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from gitmem.agents.wiring import edit_json, edit_text, edit_toml
from gitmem.agents.wiring.templates import ADD, BLOCK, agents_in_hook_lines
from gitmem.errors import Conflict, GitmemError, InvalidInput
from gitmem.files.foreign_file import MOST_BYTES
from gitmem.model.frozen import dataclass
from gitmem.text import jsonc, jsonc_edit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gitmem.agents.wiring.templates import ConfigFragment


_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class DecodedFile:
    """The text of a file, without the byte order mark that precedes it if ``bom``."""

    text: str
    bom: bool

    def encode(self, text: str) -> bytes:
        """Another text for the file, as bytes, with the file's byte order mark if it had one."""
        return _BOM * self.bom + text.encode("utf-8")


def decode_file(content: bytes) -> DecodedFile:
    """The DecodedFile of UTF-8 bytes. Raises InvalidInput if they are not, or more than 32 MB."""
    if len(content) > MOST_BYTES:
        raise InvalidInput(f"it is larger than {MOST_BYTES >> 20} MB")
    bom = content.startswith(_BOM)
    try:
        return DecodedFile(content[len(_BOM) * bom :].decode("utf-8"), bom)
    except UnicodeDecodeError as error:
        raise InvalidInput("it is not UTF-8 text") from error


def insert_fragments(path: str, content: bytes, fragments: Iterable[ConfigFragment]) -> bytes:
    """The bytes of a file with each of these pieces of gitmem's configuration added.

    ``path`` tells the format: TOML, JSON or text. Raises InvalidInput or Conflict, naming the file.
    """
    pieces = _distinct(fragments)
    try:
        file = decode_file(content)
        form = _form(path, pieces)
        form.parse(file.text)
        small, holes = _shrink(form, file.text, pieces)
        text = form.insert_fragments(small, pieces)
        if _without_ours(form.parse(text), pieces) != _without_ours(form.parse(small), pieces):
            raise InvalidInput("gitmem's entries cannot be added without changing others")
        return file.encode(jsonc_edit.restore_large_values(text, holes))
    except UnicodeEncodeError as error:
        raise add_path_to_errors(path)(
            InvalidInput("the path of the program gitmem is not valid UTF-8")
        ) from error
    except GitmemError as error:
        raise add_path_to_errors(path)(error) from error


def remove_fragments(
    path: str,
    content: bytes,
    fragments: Iterable[ConfigFragment],
    content_before_setup: bytes | None,
) -> bytes | None:
    """The bytes of a file without these pieces of gitmem's; None if nothing would be left.

    ``content_before_setup`` is the file's content before gitmem, whose values are put back; None if
    it did not exist or is not known. Raises InvalidInput.
    """
    unwanted = _distinct(fragments)
    try:
        file = decode_file(content)
        form = _form(path, unwanted)
        form.parse(file.text)
        was = (
            form.parse(decode_file(content_before_setup).text)
            if content_before_setup is not None
            else None
        )
        small, holes = _shrink(form, file.text, unwanted)
        text = form.remove_fragments(small, unwanted, was)
        if content_before_setup is None and form.is_empty_file(text):
            return None
        return file.encode(jsonc_edit.restore_large_values(text, holes))
    except GitmemError as error:
        raise add_path_to_errors(path)(error) from error


def without_entries(
    path: str, content: bytes, keys_and_values: Iterable[tuple[tuple[str, ...], Any]]
) -> bytes:
    """The bytes of a JSON or TOML file without some entries, whoever wrote them.

    Each entry is (keys, item): an item of the list that the keys lead to, or with None all that
    stands there. Raises InvalidInput.
    """
    try:
        file = decode_file(content)
        form = edit_toml if path.endswith(".toml") else edit_json
        text = file.text
        for keys, item in keys_and_values:
            if item is None:
                text = form.without_table(text, keys)
            else:
                text = form.without_hooks(text, keys, item.__eq__)
        return file.encode(text)
    except GitmemError as error:
        raise add_path_to_errors(path)(error) from error


def inseparable_entry_error(file_path: str, entry_name: str) -> GitmemError:
    """Return the error to raise if the entry ``entry_name`` cannot be removed from a file alone."""
    return add_path_to_errors(file_path)(
        InvalidInput(f"{entry_name} cannot be removed without changing other entries")
    )


def find_fragment_value(path: str, content: bytes, fragment: ConfigFragment) -> Any:
    """What stands in a file in the place of a piece of gitmem's configuration, or None.

    Raises InvalidInput if the file cannot be parsed.
    """
    try:
        file = decode_file(content)
        form = _form(path, (fragment,))
        return form.find_entry(form.parse(file.text), fragment)
    except GitmemError as error:
        raise add_path_to_errors(path)(error) from error


def add_path_to_errors(file_path: str) -> Callable[[GitmemError], GitmemError]:
    """Return a function that returns an error with ``file_path`` in its message, and a hint.

    Conflict stays Conflict, any other error becomes InvalidInput.
    """

    def error_with_path(error: GitmemError) -> GitmemError:
        if isinstance(error, Conflict):
            return Conflict(f"{file_path}: {error.message}", error.hint)
        return InvalidInput(
            f"{file_path} cannot be changed: {error.message.rstrip('.')}.",
            "Fix the file, or set up other agents by name; nothing was written.",
        )

    return error_with_path


def _distinct(fragments: Iterable[ConfigFragment]) -> tuple[ConfigFragment, ...]:
    """The fragments without duplicates, which two hosts that share a file would give."""
    pieces: dict[str, ConfigFragment] = {}
    for piece in fragments:
        pieces.setdefault(f"{piece.kind} {piece.path} {piece.value!r}", piece)
    return tuple(pieces.values())


def _form(path: str, fragments: Sequence[ConfigFragment]) -> Any:
    if any(piece.kind == BLOCK for piece in fragments):
        return edit_text
    return edit_toml if path.endswith(".toml") else edit_json


def _shrink(
    form: Any, text: str, fragments: Sequence[ConfigFragment]
) -> tuple[str, dict[str, str]]:
    if form is not edit_json or not text.strip():
        return text, {}
    return jsonc_edit.extract_large_values(text, [piece.path[0] for piece in fragments])


def _without_ours(value: Any, fragments: Sequence[ConfigFragment]) -> Any:
    """A file's value (or text) without gitmem's fragments."""
    if isinstance(value, str):
        return edit_text.remove_fragments(value, fragments, None).rstrip("\r\n")
    rest = deepcopy(value)
    for piece in fragments:
        if piece.kind == ADD:
            _drop_lines(rest, piece.path, agents_in_hook_lines(piece.value))
        else:
            above = jsonc.value_at_keys(rest, piece.path[:-1])
            if isinstance(above, dict):
                above.pop(piece.path[-1], None)
            _drop_empty(rest, piece.path[:-1])
    return rest


def _drop_lines(value: Any, path: tuple[str, ...], names: frozenset[str]) -> None:
    items = jsonc.value_at_keys(value, path)
    if isinstance(items, list):
        rest = []
        for item in items:
            inner = item.get("hooks") if isinstance(item, dict) else None
            if isinstance(inner, list):
                item["hooks"] = [
                    handler for handler in inner if not agents_in_hook_lines(handler) & names
                ]
                if item["hooks"] or not inner:
                    rest.append(item)
            elif not agents_in_hook_lines(item) & names:
                rest.append(item)
        items[:] = rest
    _drop_empty(value, path)


def _drop_empty(value: Any, path: tuple[str, ...]) -> None:
    for depth in range(len(path), 0, -1):
        above = jsonc.value_at_keys(value, path[: depth - 1])
        if isinstance(above, dict) and above.get(path[depth - 1]) in ({}, []):
            del above[path[depth - 1]]
