"""How a memory cites code: ``src/app.py`` is a file or folder, ``src/app.py:40`` a line,
``src/app.py:40-60`` a range of lines, ``src/app.py::Server.start`` a symbol defined in the file.
"""

from __future__ import annotations

from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Citation:
    """A place in the repository: a path, and perhaps lines in it or a symbol (a function or class).

    Lines count from 1, and the last is included.
    """

    path: str
    first_line: int | None = None
    last_line: int | None = None
    symbol: str = ""

    @property
    def is_whole_file(self) -> bool:
        """Whether a whole file or folder is cited, rather than lines or a symbol in it."""
        return self.first_line is None and not self.symbol


def parse_citation(text: str) -> Citation:
    """The Citation in a text: ``src/app.py``, ``src/app.py:40-60`` or ``src/app.py::Server.start``.

    A file name may have a colon: text after the last colon counts as lines only if it is numbers.
    Raises InvalidInput if the lines are not a range, counted from 1.
    """
    path, apart, symbol = text.partition("::")
    if apart and path and symbol.strip():
        return Citation(path, symbol=symbol.strip())
    path, colon, lines = text.rpartition(":")
    first, dash, last = lines.partition("-")
    if not (colon and path and _digits(first) and (not dash or _digits(last))):
        return Citation(text)
    begin = int(first)
    end = int(last) if dash else begin
    if not 1 <= begin <= end:
        raise InvalidInput(
            f"{text[:80]!r} cites lines {begin} to {end}, which is not a range of lines.",
            "Lines count from 1, and a range begins with the lower number: src/app.py:40-60.",
        )
    return Citation(path, begin, end)


def unique_citations(paths: tuple[str, ...], anchors: tuple[str, ...]) -> tuple[str, ...]:
    """The texts of ``paths`` and ``anchors`` as citations in one tuple, without repeats.

    An anchor (code that a memory is about) may be written ``path#Name``: it becomes ``path::Name``.
    """
    return tuple(dict.fromkeys((*paths, *map(_anchored, anchors))))


def _anchored(anchor: str) -> str:
    path, apart, symbol = anchor.rpartition("#")
    return f"{path}::{symbol}" if apart and path and "/" not in symbol and symbol else anchor


def format_citation(citation: Citation) -> str:
    """The citation as text that ``parse_citation`` reads back."""
    if citation.symbol:
        return f"{citation.path}::{citation.symbol}"
    if citation.first_line is None:
        return citation.path
    if citation.last_line in (None, citation.first_line):
        return f"{citation.path}:{citation.first_line}"
    return f"{citation.path}:{citation.first_line}-{citation.last_line}"


def symbol_parts(symbol: str) -> tuple[str, ...]:
    """The names in a symbol, outermost first; equal for ``Server.start`` and ``Server::start``."""
    return tuple(part for part in symbol.replace("::", ".").replace("#", ".").split(".") if part)


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10
