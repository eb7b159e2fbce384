"""Mined pairs as numbers: of words first, then of the pieces that a vocabulary cuts them into."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from gitmem.embedding.wordpiece import split_words, word_piece_ids
from gitmem.text.identifiers import split_identifiers
from tests.bench.training.bag import Array, counted

QUESTIONS, ANSWERS = 64, 128
# A word of this many repositories and pairs, cut into pieces, is worth a row of its own.
_REPOSITORIES, _TIMES, _LONGEST = 3, 20, 24


@dataclass(slots=True)
class Side:
    """All texts of one side: word numbers in a row, and where each text ends."""

    words: array[int] = field(default_factory=lambda: array("i"))
    ends: array[int] = field(default_factory=lambda: array("q"))


class Texts:
    """Pairs of all files; ``words`` in the order of their numbers, ``seen`` in how many files."""

    def __init__(self, files: Iterable[Path]) -> None:
        """Read files of JSON lines (kind, asked, told); pairs with an empty side go."""
        self.asked, self.told = Side(), Side()
        self._numbers: dict[str, int] = {}
        observed: list[NDArray[np.int32]] = []
        for path in sorted(files):
            before = len(self.asked.words), len(self.told.words)
            for line in path.read_text("utf-8").splitlines():
                self._add(*json.loads(line)[1:])
            here = [self.asked.words[before[0] :], self.told.words[before[1] :]]
            observed.append(np.unique(np.concatenate([np.array(item, np.int32) for item in here])))
        self.words = list(self._numbers)
        everywhere = np.concatenate([*observed, np.array([], np.int32)])
        self.seen = np.bincount(everywhere, minlength=len(self.words))

    def _add(self, query: str, output: str) -> None:
        left, right = split_identifiers(query)[:QUESTIONS], split_identifiers(output)[:ANSWERS]
        if left and right:
            for side, text in ((self.asked, left), (self.told, right)):
                side.words.extend(self._numbers.setdefault(w, len(self._numbers)) for w in text)
                side.ends.append(len(side.words))

    def __len__(self) -> int:
        return len(self.asked.ends)

    def times(self) -> NDArray[np.int64]:
        """How often each word stands in all texts."""
        every = np.concatenate([np.array(side.words) for side in (self.asked, self.told)])
        return np.bincount(every.astype(np.int64), minlength=len(self.words))

    def whole(self, vocabulary: Sequence[str], most: int) -> list[str]:
        """The most frequent words that the vocabulary has only in pieces."""
        times, cuts = self.times(), self._cuts(vocabulary)
        worth = [
            at
            for at, word in enumerate(self.words)
            if len(cuts[at]) > 1 and self.seen[at] >= _REPOSITORIES and times[at] >= _TIMES
            if 3 <= len(word) <= _LONGEST and word.isascii() and word.isalpha()
        ]
        worth.sort(key=lambda at: (-times[at], self.words[at]))
        return [self.words[at] for at in worth[:most]]

    def counts(self, vocabulary: Sequence[str]) -> tuple[csr_matrix, csr_matrix]:
        """Both sides as damped counts, (pairs, tokens)."""
        cuts = self._cuts(vocabulary)
        lengths = np.array([len(cut) for cut in cuts])
        flat = np.array([number for cut in cuts for number in cut], np.int32)
        begins = np.cumsum(lengths) - lengths
        query, output = (
            _counted(side, flat, begins, lengths, len(vocabulary))
            for side in (self.asked, self.told)
        )
        return query, output

    def frequencies(self, vocabulary: Sequence[str]) -> Array:
        """Each token's share of all tokens; 0 for all without a text."""
        total = np.zeros(len(vocabulary))
        for cut, times in zip(self._cuts(vocabulary), self.times(), strict=True):
            for number in cut:
                total[number] += times
        share: Array = (total / max(total.sum(), 1)).astype(np.float32)
        return share

    def _cuts(self, vocabulary: Sequence[str]) -> list[list[int]]:
        number = {token.encode(): at for at, token in enumerate(vocabulary)}
        return [cut(word, number) for word in self.words]


def cut(word: str, number: dict[bytes, int]) -> list[int]:
    """The tokens of one part of a name, as the built-in model cuts it."""
    return [
        n for word in split_words(word) for n in word_piece_ids(word, lambda b: number.get(b, -1))
    ]


def _counted(
    side: Side,
    flat: NDArray[np.int32],
    begins: NDArray[np.int64],
    lengths: NDArray[np.int64],
    count: int,
) -> csr_matrix:
    of = np.array(side.words)
    here = lengths[of]
    ends = np.cumsum(here)
    places = np.arange(here.sum()) - np.repeat(ends - here, here) + np.repeat(begins[of], here)
    last = np.concatenate([[0], ends])[np.array(side.ends)]
    return counted(flat[places], last, count)
