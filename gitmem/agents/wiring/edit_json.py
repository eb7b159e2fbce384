"""Adding gitmem's fragments to a JSON file's text, removing them, and finding them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gitmem.agents.wiring.templates import (
    ADD,
    NEED,
    SET,
    agents_in_hook_lines,
    copy_tool_profile_arguments,
    starts_gitmem,
)
from gitmem.errors import Conflict
from gitmem.text import jsonc, jsonc_edit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gitmem.agents.wiring.templates import ConfigFragment

parse = jsonc.parse_jsonc
without_table = jsonc_edit.remove_json_member


def insert_fragments(text: str, fragments: Sequence[ConfigFragment]) -> str:
    """The text of a JSON file with each of these pieces of gitmem's configuration added.

    Raises InvalidInput, and Conflict where somebody else's value has gitmem's key.
    """
    for piece in fragments:
        now = jsonc.value_at_keys(jsonc.parse_jsonc(text), piece.path)
        if piece.kind == SET:
            refuse_foreign_entry(piece, now)
            text = jsonc_edit.set_json_value(
                text, piece.path, copy_tool_profile_arguments(piece.value, now)
            )
        elif piece.kind == NEED and now is None:
            text = jsonc_edit.set_json_value(text, piece.path, piece.value)
    for path, values in missing_list_items(jsonc.parse_jsonc(text), fragments):
        text = without_hooks(text, path, make_agent_hook_predicate(agents_in_hook_lines(values)))
        for value in values:
            text = jsonc_edit.append_list_item(text, path, value)
    return text


def remove_fragments(text: str, fragments: Sequence[ConfigFragment], previous_value: Any) -> str:
    """The text of a JSON file without these pieces of gitmem's configuration.

    ``previous_value`` is the file's parsed JSON before gitmem changed it, None if there was no
    file: what stood in a piece's place then is put back.
    """
    previous_value = {} if previous_value is None else previous_value
    for piece in fragments:
        now = jsonc.value_at_keys(jsonc.parse_jsonc(text), piece.path)
        if piece.kind == SET and now is not None and starts_gitmem(now):
            if jsonc.has_value_at_keys(previous_value, piece.path):
                old = jsonc.value_at_keys(previous_value, piece.path)
                text = jsonc_edit.remove_json_member(text, piece.path)
                text = jsonc_edit.set_json_value(text, piece.path, old)
            else:
                text = _prune(
                    jsonc_edit.remove_json_member(text, piece.path), piece.path, previous_value
                )
    for path, values in added_items_by_list_path(fragments).items():
        old = jsonc.value_at_keys(previous_value, path)
        text = without_hooks(text, path, make_agent_hook_predicate(agents_in_hook_lines(values)))
        for item in old if isinstance(old, list) else ():
            if agents_in_hook_lines(item) & agents_in_hook_lines(values):
                text = jsonc_edit.append_list_item(text, path, item)
        text = _prune(text, (*path, ""), previous_value)
    for piece in fragments:
        rest = jsonc.parse_jsonc(text)
        if piece.kind == NEED and rest == {piece.path[0]: piece.value} and not previous_value:
            text = jsonc_edit.remove_json_member(text, piece.path)
    return text


def find_entry(value: Any, fragment: ConfigFragment) -> Any:
    """What stands in a file's parsed JSON in the place of a piece of gitmem's, or None.

    Also an outdated form of the piece, but nothing of somebody else's.
    """
    now = jsonc.value_at_keys(value, fragment.path)
    if fragment.kind == ADD:
        names = agents_in_hook_lines(fragment.value)
        items = now if isinstance(now, list) else []
        lines = [item for item in items if agents_in_hook_lines(item) & names]
        same = [line for line in lines if line == fragment.value]
        return (same or lines or [None])[0]
    return now if fragment.kind == NEED or starts_gitmem(now) else None


def is_empty_file(text: str) -> bool:
    """Whether a JSON text is an object without settings: no key but ``$schema``, and no comment."""
    rest = jsonc.parse_jsonc(text)
    return (
        isinstance(rest, dict) and rest.keys() <= {"$schema"} and jsonc.blank_comments(text) == text
    )


def added_items_by_list_path(
    fragments: Sequence[ConfigFragment],
) -> dict[tuple[str, ...], list[Any]]:
    """(keys that lead to a list) -> the items that pieces of configuration add to the list."""
    values: dict[tuple[str, ...], list[Any]] = {}
    for piece in fragments:
        if piece.kind == ADD:
            values.setdefault(piece.path, []).append(piece.value)
    return values


def missing_list_items(
    value: Any, fragments: Sequence[ConfigFragment]
) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """Yield (keys that lead to a list, gitmem's items) for each list that lacks any of these.

    ``value`` is the file's parsed JSON.
    """
    for path, values in added_items_by_list_path(fragments).items():
        now, names = jsonc.value_at_keys(value, path), agents_in_hook_lines(values)
        if (
            not isinstance(now, list)
            or [item for item in now if agents_in_hook_lines(item) & names] != values
        ):
            yield path, values


def refuse_foreign_entry(fragment: ConfigFragment, present_value: Any) -> None:
    """Raise Conflict if ``present_value``, in the place of the fragment, does not start gitmem."""
    if present_value is not None and not starts_gitmem(present_value):
        raise Conflict(
            f"The entry {'.'.join(fragment.path)} already exists and does not start gitmem.",
            "Rename or remove that entry; nothing was written.",
        )


def make_agent_hook_predicate(agent_names: frozenset[str]) -> Callable[[Any], bool]:
    """Return a function: does a value have a `gitmem hook` line for one of these agents?"""
    return lambda value: bool(agents_in_hook_lines(value) & agent_names)


def without_hooks(
    text: str, key_path: tuple[str, ...], should_remove: Callable[[Any], bool]
) -> str:
    """The text of a JSON file without the hooks in the list at ``key_path`` that are to be removed.

    A hook is a whole item of the list, or one of those that an item groups. ``key_path`` are keys,
    ``should_remove`` tells it for a hook's value.
    """

    def is_removed_whole(item: Any) -> bool:
        inner = item.get("hooks") if isinstance(item, dict) else None
        if isinstance(inner, list):
            return bool(inner) and all(should_remove(handler) for handler in inner)
        return should_remove(item)

    text = jsonc_edit.remove_list_items(text, key_path, is_removed_whole)
    items = jsonc.value_at_keys(jsonc.parse_jsonc(text), key_path)
    for place, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict) and isinstance(item.get("hooks"), list):
            text = jsonc_edit.remove_inner_list_items(text, key_path, place, "hooks", should_remove)
    return text


def _prune(text: str, path: tuple[str, ...], was: Any) -> str:
    """The text without containers above a path that are empty and did not exist before."""
    for depth in range(len(path) - 1, 0, -1):
        above = path[:depth]
        now = jsonc.parse_jsonc(text)
        if (
            not jsonc.has_value_at_keys(now, above)
            or jsonc.value_at_keys(now, above)
            or jsonc.has_value_at_keys(was, above)
        ):
            break
        text = jsonc_edit.remove_json_member(text, above)
    return text
