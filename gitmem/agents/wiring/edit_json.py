"""Our pieces in the text of a JSON file: put in, taken out, looked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gitmem.agents.wiring.templates import ADD, NEED, SET, is_own, marks, with_profile
from gitmem.errors import Conflict
from gitmem.text import jsonc, jsonc_edit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gitmem.agents.wiring.templates import Piece

parse = jsonc.parse
without = jsonc_edit.without


def put(text: str, wanted: Sequence[Piece]) -> str:
    """The text with every piece in it. Raises InvalidInput, Conflict."""
    for piece in wanted:
        now = jsonc.value_at(jsonc.parse(text), piece.path)
        if piece.kind == SET:
            refuse_strange(piece, now)
            text = jsonc_edit.with_value(text, piece.path, with_profile(piece.value, now))
        elif piece.kind == NEED and now is None:
            text = jsonc_edit.with_value(text, piece.path, piece.value)
    for path, values in lists_to_put(jsonc.parse(text), wanted):
        text = without_hooks(text, path, naming(marks(values)))
        for value in values:
            text = jsonc_edit.with_item(text, path, value)
    return text


def take(text: str, unwanted: Sequence[Piece], was: Any) -> str:
    """The text without the pieces. ``was`` is the value of before, None where there was no file."""
    was = {} if was is None else was
    for piece in unwanted:
        now = jsonc.value_at(jsonc.parse(text), piece.path)
        if piece.kind == SET and now is not None and is_own(now):
            if jsonc.has(was, piece.path):
                old = jsonc.value_at(was, piece.path)
                text = jsonc_edit.without(text, piece.path)
                text = jsonc_edit.with_value(text, piece.path, old)
            else:
                text = _pruned(jsonc_edit.without(text, piece.path), piece.path, was)
    for path, values in lists(unwanted).items():
        old = jsonc.value_at(was, path)
        text = without_hooks(text, path, naming(marks(values)))
        for one in old if isinstance(old, list) else ():
            if marks(one) & marks(values):
                text = jsonc_edit.with_item(text, path, one)
        text = _pruned(text, (*path, ""), was)
    for piece in unwanted:
        rest = jsonc.parse(text)
        if piece.kind == NEED and rest == {piece.path[0]: piece.value} and not was:
            text = jsonc_edit.without(text, piece.path)
    return text


def look(value: Any, piece: Piece) -> Any:
    """What stands of a piece in a file's value; None where nothing does."""
    now = jsonc.value_at(value, piece.path)
    if piece.kind == ADD:
        names = marks(piece.value)
        items = now if isinstance(now, list) else []
        lines = [one for one in items if marks(one) & names]
        same = [one for one in lines if one == piece.value]
        return (same or lines or [None])[0]
    return now if piece.kind == NEED or is_own(now) else None


def is_shell(text: str) -> bool:
    """Whether nothing is left that anybody would miss: a host may have named the file's form."""
    left = jsonc.parse(text)
    return isinstance(left, dict) and left.keys() <= {"$schema"} and jsonc.blanked(text) == text


def lists(ours: Sequence[Piece]) -> dict[tuple[str, ...], list[Any]]:
    """The entries that are to stand in each list."""
    found: dict[tuple[str, ...], list[Any]] = {}
    for piece in ours:
        if piece.kind == ADD:
            found.setdefault(piece.path, []).append(piece.value)
    return found


def lists_to_put(value: Any, ours: Sequence[Piece]) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """The lists of a file's value that do not hold just the entries of ours that belong there."""
    for path, values in lists(ours).items():
        now, names = jsonc.value_at(value, path), marks(values)
        if not isinstance(now, list) or [one for one in now if marks(one) & names] != values:
            yield path, values


def refuse_strange(piece: Piece, now: Any) -> None:
    """Raises Conflict where another's value has the name that is ours."""
    if now is not None and not is_own(now):
        raise Conflict(
            f"{'.'.join(piece.path)} already exists and does not start gitmem.",
            "Rename or remove that entry; nothing was written.",
        )


def naming(names: frozenset[str]) -> Callable[[Any], bool]:
    """Whether something of a hook names one of some agents, as lines of ours do."""
    return lambda one: bool(marks(one) & names)


def without_hooks(text: str, path: tuple[str, ...], unwanted: Callable[[Any], bool]) -> str:
    """A list without some hooks: whole entries, or handlers in a group that others share."""

    def is_whole(item: Any) -> bool:
        inner = item.get("hooks") if isinstance(item, dict) else None
        if isinstance(inner, list):
            return bool(inner) and all(unwanted(one) for one in inner)
        return unwanted(item)

    text = jsonc_edit.without_items(text, path, is_whole)
    items = jsonc.value_at(jsonc.parse(text), path)
    for place, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict) and isinstance(item.get("hooks"), list):
            text = jsonc_edit.without_inner(text, path, place, "hooks", unwanted)
    return text


def _pruned(text: str, path: tuple[str, ...], was: Any) -> str:
    """Without the containers above a path that are empty now and were not there before."""
    for depth in range(len(path) - 1, 0, -1):
        above = path[:depth]
        now = jsonc.parse(text)
        if not jsonc.has(now, above) or jsonc.value_at(now, above) or jsonc.has(was, above):
            break
        text = jsonc_edit.without(text, above)
    return text
