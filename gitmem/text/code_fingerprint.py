"""Fingerprints of blocks of lines, by which a block is found again wherever it was moved.

White space is ignored: a block is in a text when its other characters occur, in a row, among the
other characters of the text. So re-indenting, re-wrapping and other line ends change nothing. Only
a fingerprint of the block is stored, not its text: its length, a hash, and its beginning, which
says where to compare. A whole file changes often; of it hashes of some lines are stored, which
tell how much of it is still there.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from gitmem.model.frozen import dataclass
from gitmem.text.digest import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST_LINES = 64
_BEGINNING = 32
# Characters of a file among which the most specific lines are chosen.
_OPENING = 100_000
# Places compared in one text where a block begins in the middle of a line.
_MOST_INSIDE = 500
LONGEST_PROBE = 160
MOST_PROBES = 3
MOST_NAMES = 12
_WEIGHED = 100  # lines


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a block of lines, or a whole file (``size`` 0, no ``hash``), is recognised by later.

    ``size`` counts the block's characters without white space, ``hash`` is 32 hex digits of their
    SHA-256. ``start`` are the first 32 of them, empty if they could be part of a secret; ``first``
    is the hash of the first line that is not blank. ``probes`` are up to three specific lines,
    verbatim, ``names`` the names in the block, the longest first. ``sketch`` are the 64 smallest
    hashes (8 hex digits) of its ``lines`` lines that are not blank.
    """

    size: int
    hash: str
    first: str
    start: str
    probes: tuple[str, ...]
    names: tuple[str, ...]
    sketch: tuple[str, ...]
    lines: int

    @property
    def is_whole_file(self) -> bool:
        """Whether the fingerprint stands for a whole file, and not for a block of lines."""
        return not self.hash


class SearchableText:
    """A text prepared for finding the blocks of many fingerprints in it.

    ``condensed`` is the text without white space; all offsets are positions in that.
    """

    __slots__ = ("_at", "_lines", "_places", "condensed", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = [without_white_space(line) for line in text.split("\n")]
        self.condensed = "".join(self._lines)
        self._at = [0, *accumulate(map(len, self._lines))]
        self._places: dict[str, list[int]] | None = None

    def line_at(self, offset: int) -> int:
        """Return the number of the line, from 1, that has the character at ``offset``."""
        return bisect_right(self._at, offset)

    def is_line_start(self, offset: int) -> bool:
        """Return whether the character at ``offset`` is the first one in its line."""
        return self._at[self.line_at(offset) - 1] == offset

    def lines_by_hash(self) -> dict[str, list[int]]:
        """Return the numbers of the lines (from 1) by their hash, as in ``Fingerprint.sketch``."""
        if self._places is None:
            self._places = {}
            for number, line in enumerate(self._lines, 1):
                if line:
                    self._places.setdefault(_short(line), []).append(number)
        return self._places

    def offset_of_line(self, line: int) -> int:
        """Return the offset of the first character of a line; lines count from 1."""
        return self._at[line - 1]


def without_white_space(text: str) -> str:
    """Return the text without any white space."""
    return "".join(text.split())


def fingerprint_of_block(block_lines: Sequence[str], surrounding_text: str = "") -> Fingerprint:
    """Return the fingerprint of some lines; its ``size`` is 0 if all of them are blank.

    ``surrounding_text`` is the text around them: what is a secret only in that context is left out
    too.
    """
    bare = [line for line in map(without_white_space, block_lines) if line]
    text = "".join(bare)
    open_lines = lines_without_secrets(block_lines, surrounding_text or "\n".join(block_lines))
    return Fingerprint(
        size=len(text),
        hash=_hash(text),
        first=_short(bare[0]) if bare else "",
        start=_start(block_lines, open_lines),
        probes=most_specific_lines(open_lines),
        names=names_in_lines(open_lines),
        sketch=_sketch(bare),
        lines=len(bare),
    )


def fingerprint_of_file(text: str) -> Fingerprint:
    """Return the fingerprint of a whole file with this text."""
    bare = [line for line in map(without_white_space, text.split("\n")) if line]
    opening = text[:_OPENING]
    probes = most_specific_lines(lines_without_secrets(opening.split("\n"), opening))
    return Fingerprint(0, "", "", "", probes, (), _sketch(bare), len(bare))


def to_json(fingerprint: Fingerprint) -> str:
    """Return the fingerprint as the text of a JSON object, without empty fields."""
    import json  # noqa: PLC0415 - only where something is anchored

    values = {name: getattr(fingerprint, name) for name in Fingerprint.__slots__}
    return json.dumps({k: v for k, v in values.items() if v}, ensure_ascii=False, sort_keys=True)


def from_json(text: str) -> Fingerprint:
    """Return the fingerprint in a text that ``to_json`` wrote; an empty one for any other text."""
    import json  # noqa: PLC0415 - only where something is judged anew

    try:
        data = json.loads(text or "{}")
    except ValueError:
        data = None
    data = data if isinstance(data, dict) else {}
    return Fingerprint(
        size=_number(data.get("size")),
        hash=_word(data.get("hash")),
        first=_word(data.get("first")),
        start=_word(data.get("start")),
        probes=_words(data.get("probes")),
        names=_words(data.get("names")),
        sketch=_words(data.get("sketch")),
        lines=_number(data.get("lines")),
    )


def find_block(fingerprint: Fingerprint, text: str | SearchableText) -> list[tuple[int, int]]:
    """Return (first line, last line) of every place where the block is in a text, in order.

    Lines count from 1; white space is ignored. Of the places that begin in the middle of a line
    only the first 500 are compared.
    """
    page = text if isinstance(text, SearchableText) else SearchableText(text)
    if not fingerprint.size or not fingerprint.hash or fingerprint.size > len(page.condensed):
        return []
    # Without a beginning (it could be part of a secret) only whole lines are compared.
    starts = _find_starts(fingerprint, page) if fingerprint.start else _at_lines(fingerprint, page)
    return [
        (page.line_at(at), page.line_at(at + fingerprint.size - 1))
        for at in starts
        if _hash(page.condensed[at : at + fingerprint.size]) == fingerprint.hash
    ]


def nearest_occurrence(line_ranges: Sequence[tuple[int, int]], line: int | None) -> tuple[int, int]:
    """Return the one of ``line_ranges`` (first and last lines) that begins closest to ``line``."""
    return min(line_ranges, key=lambda place: abs(place[0] - (line or 1)))


def fraction_retained(fingerprint: Fingerprint, text: str | SearchableText) -> float:
    """Return the fraction (0 to 1) of the fingerprinted lines that a text still has."""
    if not fingerprint.sketch:
        return 0.0
    page = text if isinstance(text, SearchableText) else SearchableText(text)
    lines_by_hash = page.lines_by_hash()
    return sum(mark in lines_by_hash for mark in fingerprint.sketch) / len(fingerprint.sketch)


def find_remaining_lines(
    fingerprint: Fingerprint, text: str | SearchableText
) -> tuple[int, int] | None:
    """Return the first and last line of the place where most lines of a changed block are.

    None if fewer than half of its lines are there together.
    """
    page = text if isinstance(text, SearchableText) else SearchableText(text)
    lines_by_hash = page.lines_by_hash()
    numbers = sorted({line for mark in fingerprint.sketch for line in lines_by_hash.get(mark, ())})
    room = 2 * max(fingerprint.lines, 1)
    best: list[int] = []
    for index, line in enumerate(numbers):
        near = [other for other in numbers[index : index + room] if other < line + room]
        if len(near) > len(best):
            best = near
    return (best[0], best[-1]) if best and 2 * len(best) >= len(fingerprint.sketch) else None


def missing_names(fingerprint: Fingerprint, text: str) -> tuple[str, ...]:
    """Return the names in the fingerprinted block that a text no longer contains, may be empty."""
    return tuple(name for name in fingerprint.names if name not in text)


def _find_starts(print: Fingerprint, page: SearchableText) -> list[int]:
    """Offsets at which the condensed text has the beginning of the block.

    All at the beginning of a line, and ``_MOST_INSIDE`` others.
    """
    places, inside = [], 0
    at = page.condensed.find(print.start)
    last = len(page.condensed) - print.size
    while 0 <= at <= last:
        if page.is_line_start(at):
            places.append(at)
        elif inside < _MOST_INSIDE:
            inside += 1
            places.append(at)
        at = page.condensed.find(print.start, at + 1)
    return places


def _at_lines(print: Fingerprint, page: SearchableText) -> list[int]:
    return [page.offset_of_line(line) for line in page.lines_by_hash().get(print.first, ())]


def _start(lines: Sequence[str], harmless: Sequence[str]) -> str:
    """How a block begins, empty where a secret could be in it."""
    start, harmless_lines = "", set(harmless)
    for line in lines:
        if len(start) >= _BEGINNING:
            break
        if line.strip() and line not in harmless_lines:
            return ""
        start += without_white_space(line)
    return start[:_BEGINNING] if has_no_secret(start[:_BEGINNING]) else ""


def _sketch(bare: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({_short(line) for line in bare})[:MOST_LINES])


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _short(text: str) -> str:
    return _hash(text)[:8]


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""


def _words(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def most_specific_lines(block_lines: Sequence[str]) -> tuple[str, ...]:
    """Return up to three lines of a block: those with the most long names, and no secret."""
    long = sorted({line: None for line in map(_cut, block_lines) if line}, key=len, reverse=True)
    ranked = {line: _weight(line) for line in long[:_WEIGHED]}
    best = sorted((line for line in ranked if ranked[line]), key=lambda line: -ranked[line])
    return tuple([line for line in best[: 2 * MOST_PROBES] if has_no_secret(line)][:MOST_PROBES])


def _cut(line: str) -> str:
    """A line without its margins, cut to length at a word."""
    bare = line.strip()
    if len(bare) <= LONGEST_PROBE:
        return bare
    end = LONGEST_PROBE
    while end and (bare[end - 1].isalnum() or bare[end - 1] == "_"):
        end -= 1
    return bare[:end].rstrip()


def _weight(line: str) -> int:
    return sum(min(len(word), 20) for word in set(_identifiers(line)) if len(word) > 1)


def names_in_lines(block_lines: Sequence[str]) -> tuple[str, ...]:
    """Return up to twelve identifiers of more than three letters in a block, the longest first."""
    identifiers = {
        word for line in block_lines for word in _identifiers(line[:1_000]) if len(word) > 3
    }
    ranked = sorted(identifiers, key=lambda name: (-len(name), name))[: 2 * MOST_NAMES]
    return tuple([name for name in ranked if len(name) <= 80 and has_no_secret(name)][:MOST_NAMES])


def _identifiers(line: str) -> list[str]:
    import re  # noqa: PLC0415 - only where something is anchored

    return re.findall(r"[^\W\d]\w*", line)


def lines_without_secrets(lines: Sequence[str], surrounding_text: str) -> list[str]:
    """Return the lines that hold no secret, read within the ``surrounding_text`` too."""
    from gitmem.text import redact  # noqa: PLC0415 - only where something is anchored

    result = redact.redact(surrounding_text)
    if not result.found:
        return list(lines)
    left = set(result.text.split("\n"))
    return [line for line in lines if line in left]


def has_no_secret(text: str) -> bool:
    """Return whether redaction, which replaces secrets, would leave the text unchanged."""
    from gitmem.text import redact  # noqa: PLC0415 - only where something is anchored

    return not redact.redact(text).found
