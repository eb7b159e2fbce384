"""Choosing the few lines of many pieces that answer a question. Pure.

Windows of a few tokens are weighted by the question's words in them; the best ones are merged if
they are close together.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence

from gitmem.model.frozen import dataclass
from gitmem.search.matched_words import word_stems
from gitmem.text.stem import stem

WINDOW, STRIDE = 16, 8  # tokens
GATE = 200  # windows that are looked at again
MERGED = 4  # lines between two windows that become one span
MOST_OF_ONE = 3  # spans of one piece
# Lines shown of a piece without a word of the question, from its beginning.
OPENING = 6
# The fewest lines of a span.
THINNEST = 4
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class ScoredChunk:
    """A piece (chunk) of a file: its score, the number of its first line, and its text."""

    score: float
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class LineSpan:
    """Lines ``first`` to ``last`` of piece number ``piece``, and how well they answer (``weight``).

    The best lines in it begin at ``peak``.
    """

    piece: int
    first: int
    last: int
    weight: float
    peak: int


def choose_line_spans(
    chunks: Sequence[ScoredChunk], word_weights: Mapping[str, float]
) -> list[list[LineSpan]]:
    """For each piece (chunk of a file) a list of the spans of lines that answer best, best first.

    There is at least one unless the piece is blank. ``word_weights`` maps the words of the question
    to their weights.
    """
    windows = [
        (weight * piece.score, place, first, last, weight)
        for place, piece in enumerate(chunks)
        for first, last, weight in _windows(piece, word_weights)
    ]
    windows.sort(key=lambda window: (-window[0], window[1], window[2]))
    passed: dict[int, list[tuple[int, int, float]]] = {}
    for _, place, first, last, weight in windows[:GATE]:
        passed.setdefault(place, []).append((first, last, weight))
    return [_of_piece(place, piece, passed.get(place, [])) for place, piece in enumerate(chunks)]


def widen_span_to_symbol(
    span: LineSpan,
    symbol_ranges: Iterable[tuple[int, int]],
    line_bounds: tuple[int, int],
    max_lines: int,
) -> tuple[int, int]:
    """The (first, last) line of the smallest definition around a span, else those of the span.

    ``symbol_ranges`` are the lines of definitions; one longer than ``max_lines`` does not count.
    The result stays in the lines ``line_bounds``.
    """
    fitting = [
        (max(first, line_bounds[0]), min(last, line_bounds[1]))
        for first, last in symbol_ranges
        if first <= span.first and last >= span.last
    ]
    smallest = min(fitting, key=lambda lines: lines[1] - lines[0], default=(span.first, span.last))
    return smallest if smallest[1] - smallest[0] < max_lines else (span.first, span.last)


def extend_short_span(line_span: tuple[int, int], line_bounds: tuple[int, int]) -> tuple[int, int]:
    """A (first, last) span of lines, extended to at least four lines.

    It grows downwards, else upwards, but only within the lines ``line_bounds``.
    """
    last = max(line_span[1], min(line_bounds[1], line_span[0] + THINNEST - 1))
    return min(line_span[0], max(line_bounds[0], last - THINNEST + 1)), last


def _windows(piece: ScoredChunk, weights: Mapping[str, float]) -> list[tuple[int, int, float]]:
    """(first line, last line, weight) of the windows that hold a word of the question."""
    starts = [found.start() for found in _WORD.finditer(piece.text)]
    held: dict[int, dict[str, float]] = {}
    for token, its, weight in _hits(piece.text, starts, weights):
        for window in {token // STRIDE, max(token // STRIDE - 1, 0)}:
            held.setdefault(window, {})[its] = weight
    ends = [found.start() for found in re.finditer("\n", piece.text)]
    found = []
    for window, words in held.items():
        begin = starts[window * STRIDE]
        end = starts[min(window * STRIDE + WINDOW, len(starts)) - 1]
        lines = (piece.start + bisect_right(ends, at - 1) for at in (begin, end))
        found.append((*lines, sum(words.values())))
    return found  # type: ignore[return-value]


def _hits(
    text: str, starts: Sequence[int], weights: Mapping[str, float]
) -> Iterable[tuple[int, str, float]]:
    """(number of a token, stem, weight) wherever a word of the question stands or is inflected."""
    low = text.lower()
    # Lower case may be longer than the text in a few scripts: then places would be wrong.
    low = low if len(low) == len(text) else text
    for word, weight in weights.items():
        its = stem(word)
        at = low.find(its) if its else -1
        while at >= 0:
            token = bisect_right(starts, at) - 1
            end = starts[token + 1] if token + 1 < len(starts) else len(text)
            if token >= 0 and _matches(text[starts[token] : end], its):
                yield token, its, weight
            at = low.find(its, max(end, at + 1))


def _matches(text: str, its: str) -> bool:
    found = _WORD.match(text)
    return found is not None and its in word_stems(found[0])


def _of_piece(
    place: int, piece: ScoredChunk, windows: list[tuple[int, int, float]]
) -> list[LineSpan]:
    last = piece.start + piece.text.count("\n")
    if not windows:
        spoken = [line for line in piece.text.split("\n") if line.strip()]
        opening = LineSpan(
            place, piece.start, min(last, piece.start + OPENING - 1), 0.0, piece.start
        )
        return [opening] if spoken else []
    merged: list[LineSpan] = []
    for begin, end, weight in sorted(windows):
        before = merged[-1] if merged else None
        if before is not None and begin <= before.last + MERGED:
            best, peak = max((before.weight, -before.peak), (weight, -begin))
            merged[-1] = LineSpan(place, before.first, max(before.last, end), best, -peak)
        else:
            merged.append(LineSpan(place, begin, end, weight, begin))
    merged.sort(key=lambda span: (-span.weight, span.first))
    return merged[:MOST_OF_ONE]
