"""Finding the parts of a long text that may contain a token, without regular expressions.

Trying every pattern on a source file costs twenty times as much as these few passes over bytes. A
stretch is the text between two characters that no token holds; only a stretch with a run of word
characters as long as the shortest token can hold one. Code repeats its names, so the different
stretches of a file are a twentieth of it: a pattern that matches none of them matches nothing in
the text. The same holds for the words that trigger a rule.
"""

from __future__ import annotations

import functools

from gitmem.model.frozen import dataclass

WORTH_IT = 1024  # characters of a text from which this is cheaper than trying the patterns
SHORTEST_RUN = 16
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_WORD = _LETTERS + b"0123456789_-"
# Other characters of tokens. Characters outside Latin-1 are question marks in the bytes, and
# letters to the patterns.
TOKEN_MARKS = "-.=/+%:@&|$~!?"
_TOKEN = frozenset(_WORD + TOKEN_MARKS.encode() + bytes(range(128, 256)))


@dataclass(frozen=True, slots=True)
class TokenCandidates:
    """The parts of a text that may contain a token; ``spans`` has the start and end of each.

    ``joined`` is the different parts, a line each; ``numbered`` only those with a digit.
    """

    spans: tuple[tuple[int, int], ...]
    joined: str
    numbered: str


@functools.lru_cache(maxsize=4)
def find_token_candidates(text: str) -> TokenCandidates:
    """Return the parts of a text, between characters that no token has, that may hold a token.

    Each has 16 letters, digits, hyphens or underscores in a row (``SHORTEST_RUN``).
    """
    raw = text.encode("latin-1", "replace")
    words, tokens = raw.translate(_WORD_TABLE), raw.translate(_TOKEN_TABLE)
    run, size = b"1" * SHORTEST_RUN, len(raw)
    spans: list[tuple[int, int]] = []
    at = words.find(run)
    while at >= 0:
        end = tokens.find(b"0", at + SHORTEST_RUN)
        end = size if end < 0 else end
        spans.append((tokens.rfind(b"0", 0, at) + 1, end))
        at = words.find(run, end)
    different = {text[start:end] for start, end in spans}
    numbered = [line for line in different if not _DIGITS.isdisjoint(line)]
    return TokenCandidates(tuple(spans), "\n".join(different), "\n".join(numbered))


def distinct_words(text: str) -> set[bytes]:
    """Return the different words of a text, as bytes: letters only, in lower case."""
    return set(text.encode("latin-1", "replace").translate(_LOWER_TABLE).split())


_DIGITS = frozenset("0123456789")


def _table(codes: frozenset[int] | bytes) -> bytes:
    return bytes([49 if code in codes else 48 for code in range(256)])


_WORD_TABLE, _TOKEN_TABLE = _table(_WORD), _table(_TOKEN)
_LOWER_TABLE = bytes([code if code in _LETTERS else 32 for code in range(256)]).lower()
