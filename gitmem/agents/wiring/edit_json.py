"""Adding gitmem's pieces to a JSON file's text, removing them, and finding them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gitmem.agents.wiring.templates import (
    ADD,
    NEED,
    SET,
    hook_agents,
    starts_gitmem,
    with_profile_of,
)
from gitmem.errors import Conflict
from gitmem.text import jsonc, jsonc_edit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gitmem.agents.wiring.templates import ConfigPiece

parse = jsonc.parse_jsonc
without_table = jsonc_edit.remove_member


def insert_pieces(text: str, pieces: Sequence[ConfigPiece]) -> str:
    """The JSON text with each piece of gitmem's configuration added.

    Raises InvalidInput, and Conflict where a key is taken.
    """
    for piece in pieces:
        now = jsonc.value_at_keys(jsonc.parse_jsonc(text), piece.path)
        if piece.kind == SET:
            refuse_foreign_value(piece, now)
            text = jsonc_edit.set_value(text, piece.path, with_profile_of(piece.value, now))
        elif piece.kind == NEED and now is None:
            text = jsonc_edit.set_value(text, piece.path, piece.value)
    for path, values in lists_to_insert(jsonc.parse_jsonc(text), pieces):
        text = without_hooks(text, path, names_any_agent(hook_agents(values)))
        for value in values:
            text = jsonc_edit.add_item(text, path, value)
    return text


def remove_pieces(text: str, unwanted: Sequence[ConfigPiece], was: Any) -> str:
    """The JSON text without these pieces of gitmem's configuration.

    ``was`` is the file's value before gitmem changed it, None if there was no file: what stood
    there then is put back.
    """
    was = {} if was is None else was
    for piece in unwanted:
        now = jsonc.value_at_keys(jsonc.parse_jsonc(text), piece.path)
        if piece.kind == SET and now is not None and starts_gitmem(now):
            if jsonc.has_value(was, piece.path):
                old = jsonc.value_at_keys(was, piece.path)
                text = jsonc_edit.remove_member(text, piece.path)
                text = jsonc_edit.set_value(text, piece.path, old)
            else:
                text = _prune(jsonc_edit.remove_member(text, piece.path), piece.path, was)
    for path, values in group_lists(unwanted).items():
        old = jsonc.value_at_keys(was, path)
        text = without_hooks(text, path, names_any_agent(hook_agents(values)))
        for item in old if isinstance(old, list) else ():
            if hook_agents(item) & hook_agents(values):
                text = jsonc_edit.add_item(text, path, item)
        text = _prune(text, (*path, ""), was)
    for piece in unwanted:
        rest = jsonc.parse_jsonc(text)
        if piece.kind == NEED and rest == {piece.path[0]: piece.value} and not was:
            text = jsonc_edit.remove_member(text, piece.path)
    return text


def find_entry(value: Any, piece: ConfigPiece) -> Any:
    """What stands in a file's value for a piece of gitmem's, even an outdated one, or None."""
    now = jsonc.value_at_keys(value, piece.path)
    if piece.kind == ADD:
        names = hook_agents(piece.value)
        items = now if isinstance(now, list) else []
        lines = [item for item in items if hook_agents(item) & names]
        same = [line for line in lines if line == piece.value]
        return (same or lines or [None])[0]
    return now if piece.kind == NEED or starts_gitmem(now) else None


def is_empty_file(text: str) -> bool:
    """Whether a text has only a ``$schema`` left, which the host may have written."""
    left = jsonc.parse_jsonc(text)
    return (
        isinstance(left, dict) and left.keys() <= {"$schema"} and jsonc.blank_comments(text) == text
    )


def group_lists(ours: Sequence[ConfigPiece]) -> dict[tuple[str, ...], list[Any]]:
    """The items that pieces add to lists, by the keys that lead to the list."""
    values: dict[tuple[str, ...], list[Any]] = {}
    for piece in ours:
        if piece.kind == ADD:
            values.setdefault(piece.path, []).append(piece.value)
    return values


def lists_to_insert(
    value: Any, ours: Sequence[ConfigPiece]
) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """The keys and the items of each list that a file's value does not have as it should."""
    for path, values in group_lists(ours).items():
        now, names = jsonc.value_at_keys(value, path), hook_agents(values)
        if (
            not isinstance(now, list)
            or [item for item in now if hook_agents(item) & names] != values
        ):
            yield path, values


def refuse_foreign_value(piece: ConfigPiece, now: Any) -> None:
    """Raise Conflict if the value at the piece's path is not gitmem's."""
    if now is not None and not starts_gitmem(now):
        raise Conflict(
            f"{'.'.join(piece.path)} already exists and does not start gitmem.",
            "Rename or remove that entry; nothing was written.",
        )


def names_any_agent(names: frozenset[str]) -> Callable[[Any], bool]:
    """A test for whether a value has a `gitmem hook` line for one of these agents."""
    return lambda value: bool(hook_agents(value) & names)


def without_hooks(text: str, path: tuple[str, ...], unwanted: Callable[[Any], bool]) -> str:
    """The text without the unwanted hooks of a list.

    A hook is a whole item of the list, or a handler in an item that groups several.
    """

    def is_whole(item: Any) -> bool:
        inner = item.get("hooks") if isinstance(item, dict) else None
        if isinstance(inner, list):
            return bool(inner) and all(unwanted(handler) for handler in inner)
        return unwanted(item)

    text = jsonc_edit.remove_items(text, path, is_whole)
    items = jsonc.value_at_keys(jsonc.parse_jsonc(text), path)
    for place, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict) and isinstance(item.get("hooks"), list):
            text = jsonc_edit.remove_inner_items(text, path, place, "hooks", unwanted)
    return text


def _prune(text: str, path: tuple[str, ...], was: Any) -> str:
    """The text without containers above a path that are empty and did not exist before."""
    for depth in range(len(path) - 1, 0, -1):
        above = path[:depth]
        now = jsonc.parse_jsonc(text)
        if (
            not jsonc.has_value(now, above)
            or jsonc.value_at_keys(now, above)
            or jsonc.has_value(was, above)
        ):
            break
        text = jsonc_edit.remove_member(text, above)
    return text
