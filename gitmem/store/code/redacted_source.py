"""Redacting the text of files before rows are made of it.

A secret is recognised by its context: a label, the first line of a key. So a file is redacted as a
whole, before it is cut into chunks. Text that occurs in the redacted file needs no second check,
which would cost as much as the first; any other text is redacted before it is stored.
"""

from __future__ import annotations

from itertools import accumulate
from re import compile

from gitmem.store.db.redaction_gate import redact_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.store.code.symbol_rows import DefinitionRow, ImportRow, MentionRow, UseRow

# Characters from the first line of an import within which its names are looked for.
_IMPORT = 4_000
# Lines above a use within which its receiver is looked for.
_ABOVE = 20
_WORDS = compile(r"[\w$@#-]+")


class RedactedSource(bytes):
    """A file's text without secrets, as UTF-8 bytes; ``redact_source`` makes it."""

    __slots__ = ()


def redact_source(source_text: str) -> RedactedSource:
    """A file's text with secrets replaced by placeholders and the same number of lines."""
    return RedactedSource(redact_text(source_text, keep_line_count=True).encode())


class RedactionGate:
    """Removes secrets from parts of a file, fast: what its redacted text contains needs no check.

    ``source`` is that text, trusted only if it is a ``RedactedSource``; without it every part is
    searched for secrets. Lines count from 1, inclusive.
    """

    __slots__ = ("_before", "_known", "_lines", "_text")

    def __init__(self, source: bytes = b"") -> None:
        self._text = source.decode() if isinstance(source, RedactedSource) else ""
        self._lines = self._text.split("\n")
        self._before = [0, *accumulate(len(line) + 1 for line in self._lines)]
        self._known: dict[str, str] = {}

    def redact_lines(self, text: str, first_line: int, last_line: int) -> str:
        """``text``, those lines of the file, with secrets replaced by placeholders."""
        return (
            text
            if text == "\n".join(self._lines[first_line - 1 : last_line])
            else redact_text(text)
        )

    def redact_names(self, space_separated_names: str, first_line: int, last_line: int) -> str:
        """Names that occur in these lines with secrets replaced, separated by spaces as given."""
        begin, end = self._place(first_line), self._place(last_line + 1)
        return " ".join(
            [self._within(name, begin, end) for name in space_separated_names.split(" ")]
        )

    def redact_text_of_file_parts(self, combined_text: str) -> str:
        """A text made of several parts of the file with secrets replaced by placeholders."""
        redacted = self._known.get(combined_text)
        if redacted is None:
            redacted = self._known[combined_text] = redact_text(combined_text)
        return redacted

    def redact_definition(self, row: DefinitionRow) -> DefinitionRow:
        """A definition's row with secrets replaced in its name, signature, doc and container."""
        name, kind, signature, doc, container, first, last, exported = row
        begin, end = self._place(first), self._place(last + 1)
        return (
            self._within(name, begin, end),
            kind,
            self._within(signature, begin, end),
            self._within(doc, begin, end),
            self.redact_text_of_file_parts(container),
            first,
            last,
            exported,
        )

    def redact_mention(self, row: MentionRow) -> MentionRow:
        """The row (name, kind, lines) with a secret in its name replaced."""
        name, kind, lines = row
        line = int(lines.partition(",")[0] or 1)
        return self._within(name, self._place(line), self._place(line + 1)), kind, lines

    def redact_import(self, row: ImportRow) -> ImportRow:
        """The row (module, names, line) of an import with secrets in its names replaced."""
        module, names, line = row
        begin = self._place(line)
        end = begin + _IMPORT
        redacted_names = [self._within(name, begin, end) for name in names.split(" ")]
        return self._within(module, begin, end), " ".join(redacted_names), line

    def redact_name_uses(self, rows: Iterable[UseRow]) -> list[UseRow]:
        """Rows (line, kind, three texts) of uses of names with secrets in the texts replaced."""
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
        redacted = self._known.get(value)
        if redacted is None:
            begin, end = self._place(line - _ABOVE), self._place(line) + _IMPORT
            # A secret whose parts occur in the redacted text would occur there as a whole.
            occurs = all(self._text.find(word, begin, end) >= 0 for word in _WORDS.findall(value))
            redacted = self._known[value] = value if occurs else redact_text(value)
        return redacted

    def _place(self, line: int) -> int:
        """The offset of a line; the end of the text for a line below it."""
        return self._before[min(max(line - 1, 0), len(self._lines))]

    def _within(self, value: str, begin: int, end: int) -> str:
        redacted = self._known.get(value)
        if redacted is None:
            occurs = self._text.find(value, begin, end) >= 0
            redacted = self._known[value] = value if occurs else redact_text(value)
        return redacted
