"""What a memory cites, read from the words it says it with.

``src/app.py`` is a file (or a folder), ``src/app.py:40`` a line, ``src/app.py:40-60`` some lines,
``src/app.py::Server.start`` what is defined by that name.
"""

from __future__ import annotations

from gitmem.errors import InvalidInput
from gitmem.model.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Citation:
    """A place: a path, and maybe lines (from 1, both ends included) or a symbol in it."""

    path: str
    first_line: int | None = None
    last_line: int | None = None
    symbol: str = ""

    @property
    def whole(self) -> bool:
        """Whether it is the whole file or folder."""
        return self.first_line is None and not self.symbol


def parse(text: str) -> Citation:
    """The place that a citation names. Raises InvalidInput for lines that cannot be.

    What follows the last colon is lines only where it looks so: a name may hold a colon.
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
            f"{text[:80]!r} cites lines {begin} to {end}.",
            "Lines count from 1, and the first comes first, as in src/app.py:40-60.",
        )
    return Citation(path, begin, end)


def all_of(paths: tuple[str, ...], anchors: tuple[str, ...]) -> tuple[str, ...]:
    """Paths and anchors as citations, each once; ``src/app.py#Server`` names what is defined."""
    return tuple(dict.fromkeys((*paths, *map(_anchored, anchors))))


def _anchored(anchor: str) -> str:
    path, apart, symbol = anchor.rpartition("#")
    return f"{path}::{symbol}" if apart and path and "/" not in symbol and symbol else anchor


def format(citation: Citation) -> str:
    """The citation as it is written; what ``parse`` reads back."""
    if citation.symbol:
        return f"{citation.path}::{citation.symbol}"
    if citation.first_line is None:
        return citation.path
    if citation.last_line in (None, citation.first_line):
        return f"{citation.path}:{citation.first_line}"
    return f"{citation.path}:{citation.first_line}-{citation.last_line}"


def names(symbol: str) -> tuple[str, ...]:
    """The parts of a symbol, outermost first: ``Server.start`` and ``Server::start`` are one."""
    return tuple(part for part in symbol.replace("::", ".").replace("#", ".").split(".") if part)


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10
