"""BERT's tokenizer for lower-case vocabularies: from text to words, from words to pieces.

Follows Hugging Face's ``BertNormalizer(lowercase) -> BertPreTokenizer -> WordPiece`` exactly, which
a test compares: control characters go, Chinese characters stand alone, accents are stripped,
punctuation is cut off, then the longest known piece is taken again and again. The vocabulary is
passed in as a function, so the same code reads a dict or a mapped file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

# A piece's id for its bytes, "##" in front of all but a word's first piece; -1 when unknown.
Find = Callable[[bytes], int]

LONGEST_WORD = 100
_ASCII_CONTROL = dict.fromkeys([*range(9), *range(11, 13), *range(14, 32), 127])
_ASCII_WORD = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
_CHINESE = (
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df"
    "\U0002a700-\U0002b73f\U0002b740-\U0002b81f\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]"
)


def split_words(text: str) -> list[str]:
    """The words of a text in lower case, and single punctuation marks, as a list in order."""
    if text.isascii():
        return _ASCII_WORD.findall(text.translate(_ASCII_CONTROL).lower())
    cut: list[str] = []
    for word in _plain(text).split():
        cut += _punctuation_apart(word)
    return cut


def word_piece_ids(word: str, find_piece_number: Find) -> list[int]:
    """The numbers of a word's pieces, in order; empty if it cannot be split into known pieces.

    Also if it is over 100 characters. ``find_piece_number`` gives the number of a piece (UTF-8
    bytes, those after the first begin with ``##``), or -1.
    """
    if len(word) > LONGEST_WORD:
        return []
    found: list[int] = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            number = find_piece_number((prefix + word[start:end]).encode("utf-8", "surrogatepass"))
            if number >= 0:
                break
        else:
            return []
        found.append(number)
        start = end
    return found


def piece_ids_of_texts(
    text_lists: Iterable[Sequence[str]], find_piece_number: Find
) -> list[tuple[int, ...]]:
    """For each list of texts a tuple of the numbers of the pieces of all their words, in order.

    ``find_piece_number`` gives the number of a piece (UTF-8 bytes), or -1.
    """
    return [
        tuple(
            [
                id
                for text in texts
                for word in split_words(text)
                for id in word_piece_ids(word, find_piece_number)
            ]
        )
        for texts in text_lists
    ]


def _plain(text: str) -> str:
    # unicodedata is a shared library of its own; text that is all ASCII never needs it.
    from unicodedata import category, normalize  # noqa: PLC0415

    cleaned = "".join(
        " " if char.isspace() and char not in "\x0b\x0c\x1c\x1d\x1e\x1f\x85" else char
        for char in text
        if char in "\t\n\r" or (category(char)[0] != "C" and char != "\ufffd")
    )
    apart = normalize("NFD", re.sub(_CHINESE, r" \g<0> ", cleaned))
    # Letter by letter: a whole string's lower() would make a final sigma, the Rust one does not.
    return "".join([char.lower() for char in apart if category(char) != "Mn"])


def _punctuation_apart(word: str) -> list[str]:
    from unicodedata import category  # noqa: PLC0415 (see _plain)

    if word.isalnum():
        return [word]
    parts: list[str] = []
    start = 0
    for index, char in enumerate(word):
        if category(char)[0] == "P" or (char < "\x80" and not char.isalnum()):
            parts += [word[start:index], char]
            start = index + 1
    return [part for part in [*parts, word[start:]] if part]
