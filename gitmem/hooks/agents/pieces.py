"""Our pieces in a file's bytes: put in, taken out, looked for. Bytes to bytes, nothing is read.

The end of a path's name tells the format. Whatever is made is parsed again and held against what
was there: where anything of others' would change, the file is refused and not written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gitmem.errors import Conflict, GitmemError, InvalidInput
from gitmem.hooks.agents import jsonc, rules, toml_text
from gitmem.hooks.agents.shapes import ADD, BLOCK, NEED, SET, is_own, marks
from gitmem.model.value import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gitmem.hooks.agents.shapes import Piece

MOST_BYTES = 32 << 20
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
    with_path = _telling(path)
    try:
        file = decoded(content)
        form = _form(path, wanted)
        form.parse(file.text)
        small, holes = _shrunk(form, file.text, wanted)
        text = form.put(small, wanted)
        if _others(form.parse(text), wanted) != _others(form.parse(small), wanted):
            raise InvalidInput("gitmem's part cannot be added without a change to the rest")
        return file.encoded(jsonc.filled(text, holes))
    except UnicodeEncodeError as error:
        raise with_path(InvalidInput("the program's path is no text")) from error
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
        return file.encoded(jsonc.filled(text, holes))
    except GitmemError as error:
        raise _telling(path)(error) from error


def standing(path: str, content: bytes, piece: Piece) -> Any:
    """What stands of a piece in a file (its value, the lines); None where nothing does.

    Raises InvalidInput where the file does not parse.
    """
    try:
        file = decoded(content)
        form = _form(path, (piece,))
        return form.look(form.parse(file.text), piece)
    except GitmemError as error:
        raise _telling(path)(error) from error


def _telling(path: str) -> Callable[[GitmemError], GitmemError]:
    def told(error: GitmemError) -> GitmemError:
        if isinstance(error, Conflict):
            return Conflict(f"{path}: {error.message}", error.hint)
        return InvalidInput(
            f"{path} cannot be changed: {error.message.rstrip('.')}.",
            "Mend the file, or set up other agents by name; nothing was written.",
        )

    return told


def _distinct(ours: Iterable[Piece]) -> tuple[Piece, ...]:
    """Each thing once, also where two hosts share a file."""
    found: dict[str, Piece] = {}
    for piece in ours:
        found.setdefault(f"{piece.kind} {piece.path} {piece.value!r}", piece)
    return tuple(found.values())


class _Json:
    parse = staticmethod(jsonc.parse)

    @staticmethod
    def put(text: str, wanted: Sequence[Piece]) -> str:
        for piece in wanted:
            now = jsonc.value_at(jsonc.parse(text), piece.path)
            if piece.kind == SET:
                _refuse_strange(piece, now)
                text = jsonc.with_value(text, piece.path, piece.value)
            elif piece.kind == NEED and now is None:
                text = jsonc.with_value(text, piece.path, piece.value)
        for path, values in _lists(wanted).items():
            now = jsonc.value_at(jsonc.parse(text), path)
            names = marks(values)
            if isinstance(now, list) and [one for one in now if marks(one) & names] == values:
                continue
            text = _without_hooks(text, path, names)
            for value in values:
                text = jsonc.with_item(text, path, value)
        return text

    @staticmethod
    def take(text: str, unwanted: Sequence[Piece], was: Any) -> str:
        was = {} if was is None else was
        for piece in unwanted:
            now = jsonc.value_at(jsonc.parse(text), piece.path)
            if piece.kind == SET and now is not None and is_own(now):
                if jsonc.has(was, piece.path):
                    old = jsonc.value_at(was, piece.path)
                    text = jsonc.without(text, piece.path)
                    text = jsonc.with_value(text, piece.path, old)
                else:
                    text = _pruned(jsonc.without(text, piece.path), piece.path, was)
        for path, values in _lists(unwanted).items():
            old = jsonc.value_at(was, path)
            text = _without_hooks(text, path, marks(values))
            for one in old if isinstance(old, list) else ():
                if marks(one) & marks(values):
                    text = jsonc.with_item(text, path, one)
            text = _pruned(text, (*path, ""), was)
        for piece in unwanted:
            rest = jsonc.parse(text)
            if piece.kind == NEED and rest == {piece.path[0]: piece.value} and not was:
                text = jsonc.without(text, piece.path)
        return text

    @staticmethod
    def look(value: Any, piece: Piece) -> Any:
        now = jsonc.value_at(value, piece.path)
        if piece.kind == ADD:
            names = marks(piece.value)
            items = now if isinstance(now, list) else []
            lines = [one for one in items if marks(one) & names]
            same = [one for one in lines if one == piece.value]
            return (same or lines or [None])[0]
        return now if piece.kind == NEED or is_own(now) else None

    @staticmethod
    def is_shell(text: str) -> bool:
        return jsonc.parse(text) == {} and jsonc.blanked(text) == text


def _lists(ours: Sequence[Piece]) -> dict[tuple[str, ...], list[Any]]:
    found: dict[tuple[str, ...], list[Any]] = {}
    for piece in ours:
        if piece.kind == ADD:
            found.setdefault(piece.path, []).append(piece.value)
    return found


def _refuse_strange(piece: Piece, now: Any) -> None:
    if now is not None and not is_own(now):
        raise Conflict(
            f"{'.'.join(piece.path)} is there already and does not start gitmem.",
            "Give that entry another name, or remove it; nothing was written.",
        )


def _without_hooks(text: str, path: tuple[str, ...], names: frozenset[str]) -> str:
    """A list without our lines: whole entries, or our handlers in a group that others share."""

    def all_ours(item: Any) -> bool:
        inner = item.get("hooks") if isinstance(item, dict) else None
        if isinstance(inner, list):
            return bool(inner) and all(marks(one) & names for one in inner)
        return bool(marks(item) & names)

    text = jsonc.without_items(text, path, all_ours)
    items = jsonc.value_at(jsonc.parse(text), path)
    for place, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict) and isinstance(item.get("hooks"), list) and marks(item) & names:
            text = jsonc.without_inner(
                text, path, place, "hooks", lambda one: bool(marks(one) & names)
            )
    return text


def _pruned(text: str, path: tuple[str, ...], was: Any) -> str:
    """Without the containers above a path that are empty now and were not there before."""
    for depth in range(len(path) - 1, 0, -1):
        above = path[:depth]
        now = jsonc.parse(text)
        if not jsonc.has(now, above) or jsonc.value_at(now, above) or jsonc.has(was, above):
            break
        text = jsonc.without(text, above)
    return text


class _Toml:
    parse = staticmethod(toml_text.parse)

    @staticmethod
    def put(text: str, wanted: Sequence[Piece]) -> str:
        for piece in wanted:
            if piece.kind == SET:
                text = _toml_set(text, piece)
        for path, values in _lists(wanted).items():
            names = marks(values)
            now = jsonc.value_at(toml_text.parse(text), path)
            if isinstance(now, list) and [one for one in now if marks(one) & names] == values:
                continue
            text = _toml_without_hooks(text, path, names)
            if jsonc.value_at(toml_text.parse(text), path) == []:
                text = toml_text.without_empty(text, path[-1])
            text = toml_text.appended(
                text, [toml_text.block(path, value, many=True) for value in values]
            )
        return text

    @staticmethod
    def take(text: str, unwanted: Sequence[Piece], was: Any) -> str:
        was = {} if was is None else was
        for piece in unwanted:
            now = jsonc.value_at(toml_text.parse(text), piece.path)
            if piece.kind == SET and is_own(now):
                text = toml_text.without(text, _below(piece.path))
                if isinstance(old := jsonc.value_at(was, piece.path), dict):
                    told = toml_text.block(piece.path, old, many=False)
                    text = toml_text.appended(text, [told])
        for path, values in _lists(unwanted).items():
            text = _toml_without_hooks(text, path, marks(values))
        return text

    look = _Json.look

    @staticmethod
    def is_shell(text: str) -> bool:
        return not text.strip()


def _toml_set(text: str, piece: Piece) -> str:
    now = jsonc.value_at(toml_text.parse(text), piece.path)
    _refuse_strange(piece, now)
    if now is None:
        return toml_text.appended(text, [toml_text.block(piece.path, piece.value, many=False)])
    if now | piece.value == now:
        return text
    own = [one for one in toml_text.tables(text) if one.path == piece.path and not one.many]
    if not own:
        raise InvalidInput(f"{'.'.join(piece.path)} is not written as a table of its own")
    block = toml_text.block(piece.path, own[0].body | piece.value, many=False)
    return toml_text.replaced(text, own[0], block)


def _below(path: tuple[str, ...]) -> Callable[[toml_text.Table], bool]:
    return lambda table: table.path[: len(path)] == path


def _toml_without_hooks(text: str, path: tuple[str, ...], names: frozenset[str]) -> str:
    """Without our ``[[...]]`` tables: handlers first, then groups that held nothing else."""
    found = toml_text.tables(text)
    unwanted: set[int] = set()
    for place, table in enumerate(found):
        if table.path == (*path, "hooks") and marks(table.body) & names:
            unwanted.add(place)
    for place, table in enumerate(found):
        if table.path != path:
            continue
        inner = []
        for later in range(place + 1, len(found)):
            if found[later].path[: len(path)] != path or found[later].path == path:
                break
            inner.append(later)
        if marks(table.body) & names or (inner and unwanted.issuperset(inner)):
            unwanted.add(place)
    starts = {found[place].start for place in unwanted}
    return toml_text.without(text, lambda table: table.start in starts)


class _Text:
    @staticmethod
    def parse(text: str) -> Any:
        return text

    @staticmethod
    def put(text: str, wanted: Sequence[Piece]) -> str:
        for piece in wanted:
            text = rules.put(text, piece.value, piece.head)
        return text

    @staticmethod
    def take(text: str, unwanted: Sequence[Piece], _: Any) -> str:
        for piece in unwanted:
            text = rules.take(text, piece.head)
        return text

    @staticmethod
    def look(value: Any, _: Piece) -> Any:
        return "lines" if rules.holds(value) else None

    @staticmethod
    def is_shell(text: str) -> bool:
        return not text.strip()


def _form(path: str, ours: Sequence[Piece]) -> Any:
    if any(piece.kind == BLOCK for piece in ours):
        return _Text
    return _Toml if path.endswith(".toml") else _Json


def _shrunk(form: Any, text: str, ours: Sequence[Piece]) -> tuple[str, dict[str, str]]:
    if form is not _Json or not text.strip():
        return text, {}
    return jsonc.shrunk(text, [piece.path[0] for piece in ours])


def _others(value: Any, ours: Sequence[Piece]) -> Any:
    """A file's value without what is ours, for comparison; of a text the rest of it."""
    if isinstance(value, str):
        for piece in ours:
            value = rules.take(value, piece.head)
        return value.rstrip("\r\n")
    rest = _copied(value)
    for piece in ours:
        if piece.kind == ADD:
            _drop_lines(rest, piece.path, marks(piece.value))
        else:
            _drop(rest, piece.path)
    return rest


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value


def _drop(value: Any, path: tuple[str, ...]) -> None:
    above = jsonc.value_at(value, path[:-1])
    if isinstance(above, dict):
        above.pop(path[-1], None)
    _drop_empty(value, path[:-1])


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
