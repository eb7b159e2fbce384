"""Looking for memories that say the same among those that are there, now and then.

A job of the ``steward``, once for each state of the store after the last look. It changes no
memory: what it finds waits in the inbox.
"""

import json
from collections.abc import Sequence
from functools import partial
from math import log

from gitmem.app import App
from gitmem.branches import subprojects, visible_here
from gitmem.capture import near_duplicates, repeats, steward
from gitmem.capture.near_duplicates import NearDuplicate
from gitmem.capture.pair_suggestions import DUPLICATE, suggest
from gitmem.memory import dedupe, paraphrase
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.search import query
from gitmem.store.db import projects
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories
from gitmem.store.memory import near_duplicates as word_rows
from gitmem.store.memory.filters import Filter

KIND = "auto_merge"
# Of the memories that were written since the last look, so many at most: a second of CPU, up to
# three where all are rules that share their words.
MOST = 500
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

    def __init__(self, database: Database, filter: Filter) -> None:
        self.database = database
        self.wanted = filter
        self.total = memories.count(database, filter)
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


def run(app: App, store: Database) -> int:
    """Look for what is due; how many pairs are suggested. Nothing where another process does."""
    found = 0

    def look(app: App, store: Database) -> str:
        nonlocal found
        found = _scan(app, store)
        return json.dumps({"suggested": found})

    counter = projects.meta(store, "counter") or "0"
    last = projects.meta(store, projects.SCAN_ENDED_AT) or "0"
    ended = steward.run(app, store, KIND, f"{counter}:{last}", look)
    if ended not in steward.ENDED:
        return 0
    with store.write():
        projects.set_meta(store, projects.SCAN_ENDED_AT, str(app.now))
        if ended != steward.SUCCEEDED:
            return 0
        projects.set_meta(store, projects.SCANNED_AT, str(app.now))
        projects.set_meta(store, projects.SCANNED_COUNTER, projects.meta(store, "counter") or "0")
    return found


def _scan(app: App, store: Database) -> int:
    """Suggest the pairs among what was written since the last look."""
    since = int(projects.meta(store, projects.SCANNED_AT) or 0)
    hidden = visible_here.hidden(app, store)
    wanted = Filter(states=("active",), now=app.now, working="")
    fresh = memories.select(store, wanted, limit=MOST, order="updated_at")
    fresh = [one for one in fresh if one.updated_at >= since and one.kind != "conversation"]
    near = [(memory, near_duplicates.beside(app, store, memory, hidden)) for memory in fresh]
    beside = (hidden.clause(), *subprojects.alike(app, store))
    others = Paraphrases(store, replace(wanted, beside=beside))
    wider = [
        (one, found)
        for one, other in near
        if not _offered(other) and (found := others.nearest(one)) and not _told_apart(other, found)
    ]
    with store.write():
        made = sum(
            repeats.offer(app, store, memory, other, DUPLICATE)
            for memory, other in near
            if other is not None
        )
        return made + sum(
            suggest(app, store, DUPLICATE, memory, found.memory, found.cosine, REASON)
            for memory, found in wider
        )


def _told_apart(near: NearDuplicate | None, likely: Likely) -> bool:
    """Whether a name, a number or a "not" tells the two apart, as was found when they came near."""
    return near is not None and near.apart and near.memory.id == likely.memory.id


def _offered(near: NearDuplicate | None) -> bool:
    return near is not None and bool(repeats.offered(near, DUPLICATE))


def _may_be_one(memory: Memory, other: Memory) -> bool:
    return dedupe.comparable(memory, other) and near_duplicates.both_hold(memory, other)
