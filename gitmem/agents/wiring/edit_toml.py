"""Adding gitmem's pieces to a TOML file's text, removing them, and finding them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gitmem.agents.wiring import edit_json, edit_text
from gitmem.agents.wiring.edit_json import (
    group_lists,
    lists_to_insert,
    names_any_agent,
    refuse_foreign_value,
)
from gitmem.agents.wiring.templates import SET, hook_agents, starts_gitmem, with_profile_of
from gitmem.errors import InvalidInput
from gitmem.text import jsonc, toml

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitmem.agents.wiring.templates import ConfigPiece

parse = toml.parse_toml
find_entry, is_empty_file = edit_json.find_entry, edit_text.is_empty_file


def insert_pieces(text: str, pieces: Sequence[ConfigPiece]) -> str:
    """The TOML text with each piece of gitmem's configuration added.

    Raises InvalidInput, and Conflict where a key is taken.
    """
    for piece in pieces:
        if piece.kind == SET:
            text = _set(text, piece)
    for path, values in lists_to_insert(toml.parse_toml(text), pieces):
        text = without_hooks(text, path, names_any_agent(hook_agents(values)))
        if jsonc.value_at_keys(toml.parse_toml(text), path) == []:
            text = toml.remove_empty_list_line(text, path[-1])
        text = toml.append_tables(
            text, [toml.table_as_toml(path, value, is_list_item=True) for value in values]
        )
    return text


def remove_pieces(text: str, unwanted: Sequence[ConfigPiece], was: Any) -> str:
    """The TOML text without these pieces of gitmem's configuration.

    ``was`` is the file's value before gitmem changed it, None if there was no file: what stood
    there then is put back.
    """
    was = {} if was is None else was
    for piece in unwanted:
        now = jsonc.value_at_keys(toml.parse_toml(text), piece.path)
        if piece.kind == SET and starts_gitmem(now):
            text = toml.remove_tables(text, _is_below(piece.path))
            if isinstance(old := jsonc.value_at_keys(was, piece.path), dict):
                block = toml.table_as_toml(piece.path, old)
                text = toml.append_tables(text, [block])
    for path, values in group_lists(unwanted).items():
        text = without_hooks(text, path, names_any_agent(hook_agents(values)))
    return text


def _set(text: str, piece: ConfigPiece) -> str:
    now = jsonc.value_at_keys(toml.parse_toml(text), piece.path)
    refuse_foreign_value(piece, now)
    if now is None:
        return toml.append_tables(text, [toml.table_as_toml(piece.path, piece.value)])
    value = with_profile_of(piece.value, now)
    if now | value == now:
        return text
    own = [
        table for table in toml.parse_tables(text) if table.path == piece.path and not table.many
    ]
    if not own:
        raise _not_a_table(piece.path)
    block = toml.table_as_toml(piece.path, own[0].body | value)
    return toml.replace_table(text, own[0], block)


def _is_below(path: tuple[str, ...]) -> Callable[[toml.TomlTable], bool]:
    return lambda table: table.path[: len(path)] == path


def without_table(text: str, path: tuple[str, ...]) -> str:
    """The text without the table under these keys. Raises InvalidInput if it is no table."""
    text = toml.remove_tables(text, _is_below(path))
    if jsonc.has_value(toml.parse_toml(text), path):
        raise _not_a_table(path)
    return text


def without_hooks(text: str, path: tuple[str, ...], unwanted: Callable[[Any], bool]) -> str:
    """The text without the unwanted handlers (``[[...]]``) and the groups that held only these."""
    tables = toml.parse_tables(text)
    out: set[int] = set()
    for place, table in enumerate(tables):
        if table.path == (*path, "hooks") and unwanted(table.body):
            out.add(place)
    for place, table in enumerate(tables):
        if table.path != path:
            continue
        inner = []
        for later in range(place + 1, len(tables)):
            if tables[later].path[: len(path)] != path or tables[later].path == path:
                break
            inner.append(later)
        if unwanted(table.body) or (inner and out.issuperset(inner)):
            out.add(place)
    starts = {tables[place].start for place in out}
    return toml.remove_tables(text, lambda table: table.start in starts)


def _not_a_table(path: tuple[str, ...]) -> InvalidInput:
    return InvalidInput(f"{'.'.join(path)} is not a table with a heading of its own")
