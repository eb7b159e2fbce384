"""Adding gitmem's fragments to a TOML file's text, removing them, and finding them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gitmem.agents.wiring import edit_json, edit_text
from gitmem.agents.wiring.edit_json import (
    added_items_by_list_path,
    make_agent_hook_predicate,
    missing_list_items,
    refuse_foreign_entry,
)
from gitmem.agents.wiring.templates import (
    SET,
    agents_in_hook_lines,
    copy_tool_profile_arguments,
    starts_gitmem,
)
from gitmem.errors import InvalidInput
from gitmem.text import jsonc, toml

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitmem.agents.wiring.templates import ConfigFragment

parse = toml.parse_toml
find_entry, is_empty_file = edit_json.find_entry, edit_text.is_empty_file


def insert_fragments(text: str, fragments: Sequence[ConfigFragment]) -> str:
    """The text of a TOML file with each of these pieces of gitmem's configuration added.

    Raises InvalidInput, and Conflict where somebody else's value has gitmem's key.
    """
    for piece in fragments:
        if piece.kind == SET:
            text = _set(text, piece)
    for path, values in missing_list_items(toml.parse_toml(text), fragments):
        text = without_hooks(text, path, make_agent_hook_predicate(agents_in_hook_lines(values)))
        if jsonc.value_at_keys(toml.parse_toml(text), path) == []:
            text = toml.remove_empty_list_line(text, path[-1])
        text = toml.append_tables(
            text, [toml.table_as_toml(path, value, is_list_item=True) for value in values]
        )
    return text


def remove_fragments(text: str, fragments: Sequence[ConfigFragment], previous_value: Any) -> str:
    """The text of a TOML file without these pieces of gitmem's configuration.

    ``previous_value`` is the file's parsed value before gitmem changed it, None if there was no
    file: what stood in a piece's place then is put back.
    """
    previous_value = {} if previous_value is None else previous_value
    for piece in fragments:
        now = jsonc.value_at_keys(toml.parse_toml(text), piece.path)
        if piece.kind == SET and starts_gitmem(now):
            text = toml.remove_tables(text, _is_below(piece.path))
            if isinstance(old := jsonc.value_at_keys(previous_value, piece.path), dict):
                block = toml.table_as_toml(piece.path, old)
                text = toml.append_tables(text, [block])
    for path, values in added_items_by_list_path(fragments).items():
        text = without_hooks(text, path, make_agent_hook_predicate(agents_in_hook_lines(values)))
    return text


def _set(text: str, fragment: ConfigFragment) -> str:
    now = jsonc.value_at_keys(toml.parse_toml(text), fragment.path)
    refuse_foreign_entry(fragment, now)
    if now is None:
        return toml.append_tables(text, [toml.table_as_toml(fragment.path, fragment.value)])
    value = copy_tool_profile_arguments(fragment.value, now)
    if now | value == now:
        return text
    tables = [
        table for table in toml.parse_tables(text) if table.path == fragment.path and not table.many
    ]
    if not tables:
        raise _not_a_table(fragment.path)
    block = toml.table_as_toml(fragment.path, tables[0].body | value)
    return toml.replace_table(text, tables[0], block)


def _is_below(path: tuple[str, ...]) -> Callable[[toml.TomlTable], bool]:
    return lambda table: table.path[: len(path)] == path


def without_table(text: str, key_path: tuple[str, ...]) -> str:
    """The text of a TOML file without the table under these keys and the tables inside it.

    Raises InvalidInput if what is there is not written as a table.
    """
    text = toml.remove_tables(text, _is_below(key_path))
    if jsonc.has_value_at_keys(toml.parse_toml(text), key_path):
        raise _not_a_table(key_path)
    return text


def without_hooks(
    text: str, key_path: tuple[str, ...], should_remove: Callable[[Any], bool]
) -> str:
    """The text of a TOML file without the hooks below ``key_path`` that are to be removed.

    A hook is a table ``[[...]]`` whose content ``should_remove`` is true for; a group that held
    only such hooks goes with them.
    """
    tables = toml.parse_tables(text)
    out: set[int] = set()
    for place, table in enumerate(tables):
        if table.path == (*key_path, "hooks") and should_remove(table.body):
            out.add(place)
    for place, table in enumerate(tables):
        if table.path != key_path:
            continue
        inner = []
        for later in range(place + 1, len(tables)):
            if tables[later].path[: len(key_path)] != key_path or tables[later].path == key_path:
                break
            inner.append(later)
        if should_remove(table.body) or (inner and out.issuperset(inner)):
            out.add(place)
    starts = {tables[place].start for place in out}
    return toml.remove_tables(text, lambda table: table.start in starts)


def _not_a_table(path: tuple[str, ...]) -> InvalidInput:
    return InvalidInput(f"{'.'.join(path)} is not a table with a heading of its own")
