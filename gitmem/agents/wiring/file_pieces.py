"""Our pieces in a file's bytes: put in, taken out, looked for. Bytes to bytes, nothing is read.

The end of a path's name tells the format. Whatever is made is parsed again and held against what
was there: where anything of others' would change, the file is refused and not written.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from gitmem.agents.wiring import edit_json, edit_text, edit_toml
from gitmem.agents.wiring.templates import ADD, BLOCK, marks
from gitmem.errors import Conflict, GitmemError, InvalidInput
from gitmem.files.foreign_file import MOST_BYTES
from gitmem.model.frozen import dataclass
from gitmem.text import jsonc, jsonc_edit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gitmem.agents.wiring.templates import Piece


_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class File:
    """A file's text and whether a byte order mark stood before it."""

    text: str
    bom: bool

    def encoded(self, text: str) -> bytes:
        """Another text in the same form."""
        return _BOM * self.bom + text.encode("utf-8")


def decoded(content: bytes) -> File:
    """Raises InvalidInput where the bytes are no UTF-8 text, or too many."""
    if len(content) > MOST_BYTES:
        raise InvalidInput(f"it is larger than {MOST_BYTES >> 20} MB")
    bom = content.startswith(_BOM)
    try:
        return File(content[len(_BOM) * bom :].decode("utf-8"), bom)
    except UnicodeDecodeError as error:
        raise InvalidInput("it is not UTF-8 text") from error


def put(path: str, content: bytes, ours: Iterable[Piece]) -> bytes:
    """The file with every piece in it. Raises InvalidInput or Conflict, telling of the file."""
    wanted = _distinct(ours)
    with_path = telling(path)
    try:
        file = decoded(content)
        form = _form(path, wanted)
        form.parse(file.text)
        small, holes = _shrunk(form, file.text, wanted)
        text = form.put(small, wanted)
        if _without_ours(form.parse(text), wanted) != _without_ours(form.parse(small), wanted):
            raise InvalidInput("gitmem's part cannot be added without changing the rest")
        return file.encoded(jsonc_edit.filled(text, holes))
    except UnicodeEncodeError as error:
        raise with_path(InvalidInput("the program's path is not valid text")) from error
    except GitmemError as error:
        raise with_path(error) from error


def take(path: str, content: bytes, ours: Iterable[Piece], before: bytes | None) -> bytes | None:
    """The file without the pieces; None where nothing but an empty shell would be left.

    ``before`` is what it held before gitmem came, None where it was not there or is not known.
    """
    unwanted = _distinct(ours)
    try:
        file = decoded(content)
        form = _form(path, unwanted)
        form.parse(file.text)
        was = form.parse(decoded(before).text) if before is not None else None
        small, holes = _shrunk(form, file.text, unwanted)
        text = form.take(small, unwanted, was)
        if before is None and form.is_shell(text):
            return None
        return file.encoded(jsonc_edit.filled(text, holes))
    except GitmemError as error:
        raise telling(path)(error) from error


def without(path: str, content: bytes, unwanted: Iterable[tuple[tuple[str, ...], Any]]) -> bytes:
    """The file without members and items of lists, whoever wrote them.

    Each is the keys that lead there and the item of the list, None for all that stands there.
    Raises InvalidInput.
    """
    try:
        file = decoded(content)
        form = edit_toml if path.endswith(".toml") else edit_json
        text = file.text
        for keys, item in unwanted:
            if item is None:
                text = form.without(text, keys)
            else:
                text = form.without_hooks(text, keys, item.__eq__)
        return file.encoded(text)
    except GitmemError as error:
        raise telling(path)(error) from error


def entangled(path: str, name: str) -> GitmemError:
    """The refusal to take something out that does not stand by itself."""
    return telling(path)(InvalidInput(f"{name} cannot be taken out without changing the rest"))


def standing(path: str, content: bytes, piece: Piece) -> Any:
    """What stands of a piece in a file (its value, the lines); None where nothing does.

    Raises InvalidInput where the file does not parse.
    """
    try:
        file = decoded(content)
        form = _form(path, (piece,))
        return form.look(form.parse(file.text), piece)
    except GitmemError as error:
        raise telling(path)(error) from error


def telling(path: str) -> Callable[[GitmemError], GitmemError]:
    """An error of what stands in a file as one that names the file and who mends it."""

    def told(error: GitmemError) -> GitmemError:
        if isinstance(error, Conflict):
            return Conflict(f"{path}: {error.message}", error.hint)
        return InvalidInput(
            f"{path} cannot be changed: {error.message.rstrip('.')}.",
            "Fix the file, or set up other agents by name; nothing was written.",
        )

    return told


def _distinct(ours: Iterable[Piece]) -> tuple[Piece, ...]:
    """Each thing once, also where two hosts share a file."""
    found: dict[str, Piece] = {}
    for piece in ours:
        found.setdefault(f"{piece.kind} {piece.path} {piece.value!r}", piece)
    return tuple(found.values())


def _form(path: str, ours: Sequence[Piece]) -> Any:
    if any(piece.kind == BLOCK for piece in ours):
        return edit_text
    return edit_toml if path.endswith(".toml") else edit_json


def _shrunk(form: Any, text: str, ours: Sequence[Piece]) -> tuple[str, dict[str, str]]:
    if form is not edit_json or not text.strip():
        return text, {}
    return jsonc_edit.shrunk(text, [piece.path[0] for piece in ours])


def _without_ours(value: Any, ours: Sequence[Piece]) -> Any:
    """A file's value without what is ours; of a text the rest of it."""
    if isinstance(value, str):
        return edit_text.take(value, ours, None).rstrip("\r\n")
    rest = deepcopy(value)
    for piece in ours:
        if piece.kind == ADD:
            _drop_lines(rest, piece.path, marks(piece.value))
        else:
            above = jsonc.value_at(rest, piece.path[:-1])
            if isinstance(above, dict):
                above.pop(piece.path[-1], None)
            _drop_empty(rest, piece.path[:-1])
    return rest


def _drop_lines(value: Any, path: tuple[str, ...], names: frozenset[str]) -> None:
    items = jsonc.value_at(value, path)
    if isinstance(items, list):
        kept = []
        for item in items:
            inner = item.get("hooks") if isinstance(item, dict) else None
            if isinstance(inner, list):
                item["hooks"] = [one for one in inner if not marks(one) & names]
                if item["hooks"] or not inner:
                    kept.append(item)
            elif not marks(item) & names:
                kept.append(item)
        items[:] = kept
    _drop_empty(value, path)


def _drop_empty(value: Any, path: tuple[str, ...]) -> None:
    for depth in range(len(path), 0, -1):
        above = jsonc.value_at(value, path[: depth - 1])
        if isinstance(above, dict) and above.get(path[depth - 1]) in ({}, []):
            del above[path[depth - 1]]
