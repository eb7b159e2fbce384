"""Estimating the number of tokens of a text, without a tokenizer.

No vocabulary is shipped and every model has its own, so this is an estimate by kind of character,
leaning to the high side (a budget that overflows is worse than one not quite used):

=====================  =========================================================
ASCII letters          a run of n letters: ceil(n / 5)
digits                 a run of n: ceil(n / 3)
ASCII punctuation      a run of n: ceil(n / 2)
one blank              nothing, it belongs to the next word
other white space      a run of n characters: ceil(n / 16)
CJK, kana, hangul      1 each
other alphabets        a run of n: ceil(n / 2)
everything else        2 each (emoji, symbols)
=====================  =========================================================

Laws: never less than ``len(text) / 6``; it grows with the text; splitting a text changes the sum
by at most one (``estimate_tokens(a + b) <= estimate_tokens(a) + estimate_tokens(b) + 1``).
"""

from __future__ import annotations

import re
from collections.abc import Callable

# The end of text that was cut.
_MARK = " ..."
_LETTERS = re.compile(r"[A-Za-z]+")
_DIGITS = re.compile(r"[0-9]+")
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]+")
_SPACES = re.compile(r"\s{2,}|[^\S ]")
_OTHER = re.compile(r"[^\x00-\x7f]+")


def estimate_tokens(text: str) -> int:
    """Return an estimate of the tokens that a model counts in a text; 0 only if it is empty."""
    if not text:
        return 0
    total = sum([(len(run) + 4) // 5 for run in _LETTERS.findall(text)])
    total += sum([(len(run) + 2) // 3 for run in _DIGITS.findall(text)])
    total += sum([(len(run) + 1) // 2 for run in _PUNCTUATION.findall(text)])
    total += sum([(len(run) + 15) // 16 for run in _SPACES.findall(text)])
    if not text.isascii():
        total += sum([_other(run) for run in _OTHER.findall(text)])
    return max(total, (len(text) + 5) // 6)


def _other(run: str) -> int:
    total = letters = 0
    for char in run:
        if char.isalpha() and not _one_token_each(char):
            letters += 1
            continue
        total += (letters + 1) // 2 + (1 if char.isalpha() else 0 if char.isspace() else 2)
        letters = 0
    return total + (letters + 1) // 2


def _one_token_each(char: str) -> bool:
    """Whether it is a Chinese, Japanese or Korean character."""
    return "⺀" <= char <= "\ud7af" or "豈" <= char <= "﫿" or char >= "\U00020000"


def clip_to_tokens(
    text: str, max_tokens: int, count_tokens: Callable[[str], int] = estimate_tokens
) -> str:
    """Return the longest beginning of a text that has at most ``max_tokens`` tokens.

    It ends at a word, with " ..." if cut; a word that is too long (or a script without blanks) is
    cut inside. A budget too small for anything gives an empty text. ``count_tokens`` counts the
    tokens.
    """
    if max_tokens <= 0:
        return ""
    if count_tokens is estimate_tokens and len(text) > 6 * max_tokens:
        text = text[: 6 * max_tokens + 1]
    if count_tokens(text) <= max_tokens:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(text[:middle].rstrip() + _MARK) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return _at_a_word(text, low)


def _at_a_word(text: str, length: int) -> str:
    head = text[:length]
    if length < len(text) and not text[length].isspace():
        blank = max(head.rfind(" "), head.rfind("\n"), head.rfind("\t"))
        if blank >= length // 2:
            head = head[:blank]
    head = head.rstrip()
    return head + _MARK if head else ""
