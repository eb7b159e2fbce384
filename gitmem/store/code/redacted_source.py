"""The gate for what is stored of a file: no secret of it reaches a row, whoever calls.

A secret is told by what stands around it: its label, the first line of a key. So a file is redacted
whole, before it is cut. What its redacted text holds as it is needs no second look, which would
cost as much as the first; whatever else a caller wants stored is redacted on its way into the row.
"""

from __future__ import annotations

from itertools import accumulate
from re import compile

from gitmem.store.db.redaction_gate import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.store.code.symbol_rows import Defined, Imported, Mentioned, Used

# Characters after its first line within which an import names what it takes.
_IMPORT = 4_000
# Lines above a use within which what it is called on may stand.
_ABOVE = 20
_WORDS = compile(r"[\w$@#-]+")


class RedactedSource(bytes):
    """A file's text without its secrets, in UTF-8. Only ``redacted`` makes one."""

    __slots__ = ()


def redacted(text: str) -> RedactedSource:
    """The text of a whole file without its secrets; its lines keep their numbers."""
    return RedactedSource(clean(text, keep_lines=True).encode())


class Gate:
    """What may be stored of one file: what stands in its redacted text, all else cleaned.

    ``source`` is trusted only if it is a ``RedactedSource``; without one everything is cleaned.
    Lines count from 1, both ends included.
    """

    __slots__ = ("_before", "_known", "_lines", "_text")

    def __init__(self, source: bytes = b"") -> None:
        self._text = source.decode() if isinstance(source, RedactedSource) else ""
        self._lines = self._text.split("\n")
        self._before = [0, *accumulate(len(line) + 1 for line in self._lines)]
        self._known: dict[str, str] = {}

    def piece(self, text: str, first: int, last: int) -> str:
        """The text of some lines."""
        return text if text == "\n".join(self._lines[first - 1 : last]) else clean(text)

    def names(self, joined: str, first: int, last: int) -> str:
        """Names that stand in some lines, joined by blanks."""
        begin, end = self._place(first), self._place(last + 1)
        return " ".join([self._within(name, begin, end) for name in joined.split(" ")])

    def made(self, value: str) -> str:
        """A text that was put together of several."""
        found = self._known.get(value)
        if found is None:
            found = self._known[value] = clean(value)
        return found

    def defined(self, row: Defined) -> Defined:
        """A definition, as ``store.code.symbols`` takes it."""
        name, kind, signature, doc, container, first, last, exported = row
        begin, end = self._place(first), self._place(last + 1)
        return (
            self._within(name, begin, end),
            kind,
            self._within(signature, begin, end),
            self._within(doc, begin, end),
            self.made(container),
            first,
            last,
            exported,
        )

    def mentioned(self, row: Mentioned) -> Mentioned:
        """A name and the lines that mention it."""
        name, kind, lines = row
        line = int(lines.partition(",")[0] or 1)
        return self._within(name, self._place(line), self._place(line + 1)), kind, lines

    def imported(self, row: Imported) -> Imported:
        """An import that begins in a line."""
        module, names, line = row
        begin = self._place(line)
        end = begin + _IMPORT
        taken = [self._within(name, begin, end) for name in names.split(" ")]
        return self._within(module, begin, end), " ".join(taken), line

    def used(self, rows: Iterable[Used]) -> list[Used]:
        """What lines use: names that stand there, put together with dots."""
        known, used = self._known.get, self._used
        return [
            (
                line,
                kind,
                first and (known(first) or used(first, line)),
                second and (known(second) or used(second, line)),
                third and (known(third) or used(third, line)),
            )
            for line, kind, first, second, third in rows
        ]

    def _used(self, value: str, line: int) -> str:
        found = self._known.get(value)
        if found is None:
            begin, end = self._place(line - _ABOVE), self._place(line) + _IMPORT
            # A secret whose parts stand in the redacted text would stand there whole.
            stand = all(self._text.find(word, begin, end) >= 0 for word in _WORDS.findall(value))
            found = self._known[value] = value if stand else clean(value)
        return found

    def _place(self, line: int) -> int:
        """Where a line begins; the end of the text for one below it."""
        return self._before[min(max(line - 1, 0), len(self._lines))]

    def _within(self, value: str, begin: int, end: int) -> str:
        found = self._known.get(value)
        if found is None:
            stands = self._text.find(value, begin, end) >= 0
            found = self._known[value] = value if stands else clean(value)
        return found
