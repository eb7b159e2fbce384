"""Adding gitmem's marked lines to a text for agents, removing them, and finding them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gitmem.errors import InvalidInput
from gitmem.text import marked_block
from gitmem.text.marked_block import BlockMarkers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.agents.wiring.templates import ConfigFragment


MARKS = BlockMarkers(b">>> gitmem >>>", b"<<< gitmem <<<")


def parse(text: str) -> str:
    """Return ``text``. Raises InvalidInput if the marks around gitmem's lines are damaged."""
    if marked_block.is_block_damaged(text.encode(), MARKS):
        raise InvalidInput("the marks around gitmem's lines were damaged; delete those lines")
    return text


def has_marked_lines(text: str) -> bool:
    """Whether a text has gitmem's lines, between ``>>> gitmem >>>`` and ``<<< gitmem <<<``."""
    return marked_block.has_block(text.encode(), MARKS)


def insert_fragments(text: str, fragments: Sequence[ConfigFragment]) -> str:
    """The text with gitmem's marked lines added or replaced.

    Raises InvalidInput if the file has to be all gitmem's (the piece has a ``head``) and is not.
    """
    for piece in fragments:
        if piece.head and text and not has_marked_lines(text):
            raise InvalidInput("the file exists already, and gitmem did not write it")
        lines, head = piece.value.encode(), piece.head.encode()
        text = marked_block.put_block(text.encode(), lines, MARKS, head).decode()
    return text


def remove_fragments(text: str, fragments: Sequence[ConfigFragment], _: Any) -> str:
    """The text without gitmem's marked lines."""
    for piece in fragments:
        text = marked_block.remove_block(text.encode(), MARKS, piece.head.encode()).decode()
    return text


def find_entry(value: Any, _: ConfigFragment) -> Any:
    """The text "lines" if ``value`` (a file's text) has gitmem's marked lines, else None."""
    return "lines" if has_marked_lines(value) else None


def is_empty_file(text: str) -> bool:
    """Whether a text is only white space."""
    return not text.strip()
