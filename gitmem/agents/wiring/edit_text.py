"""Our marked lines in a text for agents: put in, taken out, looked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gitmem.text import marked_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.agents.wiring.templates import Piece


def parse(text: str) -> Any:
    """The file's value. Raises InvalidInput."""
    return text


def put(text: str, wanted: Sequence[Piece]) -> str:
    """The text with every piece in it. Raises InvalidInput, Conflict."""
    for piece in wanted:
        text = marked_lines.put(text, piece.value, piece.head)
    return text


def take(text: str, unwanted: Sequence[Piece], _: Any) -> str:
    """The text without the pieces. ``was`` is the value of before, None where there was no file."""
    for piece in unwanted:
        text = marked_lines.take(text, piece.head)
    return text


def look(value: Any, _: Piece) -> Any:
    """What stands of a piece in a file's value; None where nothing does."""
    return "lines" if marked_lines.holds(value) else None


def is_shell(text: str) -> bool:
    """Whether nothing is left that anybody would miss."""
    return not text.strip()
