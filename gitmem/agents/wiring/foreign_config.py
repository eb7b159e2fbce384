"""What of a file's value is others', for comparison before and after a change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gitmem.agents.wiring import edit_text
from gitmem.agents.wiring.templates import ADD, marks
from gitmem.text import jsonc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.agents.wiring.templates import Piece


def without_ours(value: Any, ours: Sequence[Piece]) -> Any:
    """A file's value without what is ours; of a text the rest of it."""
    if isinstance(value, str):
        return edit_text.take(value, ours, None).rstrip("\r\n")
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
