"""Looking in a store for what may say the same as a memory in other words (CT-14).

Wider than what is looked for on writing, and dearer: for the daily scan, which only asks.
"""

from collections.abc import Sequence
from functools import partial
from math import log

from gitmem.capture import near_duplicates
from gitmem.memory import dedupe, paraphrase
from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory
from gitmem.search import query
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories
from gitmem.store.memory import near_duplicates as word_rows
from gitmem.store.memory.filters import Filter

REASON = "they may say the same in other words"
# Characters: what is longer says many things, some of which others say too.
LONGEST = 1_000
# By the rare words that they share; so many are compared by the model.
_COMPARED = 8


@dataclass(frozen=True, slots=True)
class Likely:
    """A memory that may say the same: ``score`` as in ``paraphrase.score``."""

    memory: Memory
    cosine: float
    score: float


class Paraphrases:
    """What is looked up of a store during one scan; ``wanted`` are the memories to compare with."""

    def __init__(self, database: Database, wanted: Filter) -> None:
        self.database = database
        self.wanted = wanted
        self.total = memories.count(database, wanted)
        self._rows: dict[str, Sequence[int]] = {}

    def nearest(self, memory: Memory, least: float = paraphrase.ASKED_FROM) -> Likely | None:
        """The memory that most likely says the same; None where none reaches the score ``least``.

        The memory may be stored itself.
        """
        said = near_duplicates.text(memory)
        if len(said) > LONGEST or memory.kind in dedupe.EXACT_KINDS:
            return None
        best: Likely | None = None
        rarity = partial(self._rarity, memory)
        for other in self._candidates(memory, said):
            text = near_duplicates.text(other)
            if not _may_be_one(memory, other) or paraphrase.differ(said, text):
                continue
            if paraphrase.score(said, text, 1.0, rarity) < least:
                continue  # no cosine can help it
            cosine = self._cosine(said, text)
            score = paraphrase.score(said, text, cosine, rarity)
            if score >= least and (best is None or score > best.score):
                best = Likely(other, cosine, score)
        return best

    def _candidates(self, memory: Memory, said: str) -> list[Memory]:
        """Those that share most of the rare words, the most first."""
        weights: dict[int, float] = {}
        for stem, word in paraphrase.words(said).items():
            if rarity := self._rarity(memory, stem, word):
                for row in self._holding(stem, word):
                    weights[row] = weights.get(row, 0.0) + rarity
        weights.pop(memory.seq, None)
        rows = sorted(weights, key=lambda row: (-weights[row], -row))[:_COMPARED]
        found = memories.by_seq(self.database, rows, self.wanted) if rows else []
        return [one for one in found if len(near_duplicates.text(one)) <= LONGEST]

    def _rarity(self, beside: Memory, stem: str, word: str) -> float:
        """0 for what very many memories hold, 1 for what one holds, ``beside`` not counted."""
        rows = self._holding(stem, word)
        if len(rows) >= word_rows.COMMON:
            return 0.0
        held = len(rows) - (beside.seq in rows)
        return max(1 - log(held + 0.5) / log(self.total + 2), 0.0)

    def _holding(self, stem: str, word: str) -> Sequence[int]:
        rows = self._rows.get(stem)
        if rows is None:
            rows = self._rows[stem] = word_rows.holding(self.database, query.phrase(word))
        return rows

    @staticmethod
    def _cosine(one: str, other: str) -> float:
        from gitmem.embedding import base  # noqa: PLC0415 - only for those that share words

        return round(base.cosine(*map(near_duplicates.vector, (one, other))), 4)


def _may_be_one(memory: Memory, other: Memory) -> bool:
    return dedupe.comparable(memory, other) and near_duplicates.both_hold(memory, other)
