"""Searching the stored memories for duplicates, now and then.

A job of the ``steward``, once for each state of the store. It changes no memory: its findings wait
in the inbox.
"""

from collections.abc import Sequence
from functools import partial
from math import log

from gitmem.app import App
from gitmem.branches import subprojects, visible_here
from gitmem.capture import near_duplicates, repeats, steward
from gitmem.capture.near_duplicates import NearDuplicate
from gitmem.capture.pair_suggestions import DUPLICATE, add_pair_suggestion
from gitmem.memory import dedupe, paraphrase
from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.search import query
from gitmem.store.db import projects
from gitmem.store.db.connection import Database
from gitmem.store.memory import memories
from gitmem.store.memory import near_duplicates as word_rows
from gitmem.store.memory.filters import MemoryFilter

KIND = "auto_merge"
# Memories of a run: a second of CPU, up to three where all are rules that share their words.
MAX_MEMORIES = 500
REASON = "they may say the same in other words"
# Characters; a longer memory says many things, some of which others say too.
MAX_CHARACTERS = 1_000
_COMPARED = 8  # candidates that the model compares


@dataclass(frozen=True, slots=True)
class LikelyDuplicate:
    """A memory that may say the same as another, the cosine of their vectors, and a score.

    ``score`` (0 to 2.3) says how likely they do.
    """

    memory: Memory
    cosine: float
    score: float


class ParaphraseFinder:
    """Finds memories that say the same as another in other words, among those in a filter."""

    def __init__(self, database: Database, filter: MemoryFilter) -> None:
        self.database = database
        self.wanted = filter
        self.total = memories.count_filtered_memories(database, filter)
        self._rows: dict[str, Sequence[int]] = {}

    def most_likely_duplicate(
        self, memory: Memory, min_score: float = paraphrase.SUGGEST_FROM
    ) -> LikelyDuplicate | None:
        """Return the memory most likely to say the same; None if no score reaches ``min_score``."""
        own = near_duplicates.text_for_comparison(memory)
        if len(own) > MAX_CHARACTERS or memory.kind in dedupe.EXACT_KINDS:
            return None
        best: LikelyDuplicate | None = None
        rarity = partial(self._rarity, memory)
        for other in self._candidates(memory, own):
            text = near_duplicates.text_for_comparison(other)
            if not dedupe.may_replace_memory(memory, other) or not near_duplicates.are_comparable(
                memory, other
            ):
                continue
            if paraphrase.are_about_different_things(own, text):
                continue
            if paraphrase.paraphrase_score(own, text, 1.0, rarity) < min_score:
                continue  # even with a cosine of 1
            cosine = self._cosine(own, text)
            score = paraphrase.paraphrase_score(own, text, cosine, rarity)
            if score >= min_score and (best is None or score > best.score):
                best = LikelyDuplicate(other, cosine, score)
        return best

    def _candidates(self, memory: Memory, passage: str) -> list[Memory]:
        """The memories with the most rare words in common, the best first."""
        weights: dict[int, float] = {}
        for stem, word in paraphrase.words_by_stem(passage).items():
            if rarity := self._rarity(memory, stem, word):
                for row in self._rows_with(stem, word):
                    weights[row] = weights.get(row, 0.0) + rarity
        weights.pop(memory.seq, None)
        rows = sorted(weights, key=lambda row: (-weights[row], -row))[:_COMPARED]
        others = memories.memories_by_row_number(self.database, rows, self.wanted) if rows else []
        return [
            other
            for other in others
            if len(near_duplicates.text_for_comparison(other)) <= MAX_CHARACTERS
        ]

    def _rarity(self, beside: Memory, stem: str, word: str) -> float:
        """0 for a word in very many memories, 1 for a word in one; ``beside`` does not count."""
        rows = self._rows_with(stem, word)
        if len(rows) >= word_rows.COMMON:
            return 0.0
        held = len(rows) - (beside.seq in rows)
        return max(1 - log(held + 0.5) / log(self.total + 2), 0.0)

    def _rows_with(self, stem: str, word: str) -> Sequence[int]:
        rows = self._rows.get(stem)
        if rows is None:
            rows = self._rows[stem] = word_rows.rows_with_word(
                self.database, query.phrase_fts_expression(word)
            )
        return rows

    @staticmethod
    def _cosine(left: str, other: str) -> float:
        from gitmem.embedding import base  # noqa: PLC0415 - only for those that share words

        return round(base.cosine(*map(near_duplicates.cached_text_vector, (left, other))), 4)


def suggest_duplicates(app: App, store: Database) -> int:
    """Compare the memories written since the last run with all; return how many pairs are alike.

    Each pair is suggested as duplicates in the inbox, where a person decides.
    """
    counter = projects.get_meta(store, "counter") or "0"
    last = projects.get_meta(store, projects.SCAN_ENDED_AT) or "0"
    state, made = steward.run_suggestion_job(app, store, KIND, f"{counter}:{last}", _scan)
    if not state:
        return 0
    with store.write():
        projects.set_meta(store, projects.SCAN_ENDED_AT, str(app.now))
        if state == steward.SUCCEEDED:
            now = projects.get_meta(store, "counter") or "0"
            projects.set_meta(store, projects.SCANNED_AT, str(app.now))
            projects.set_meta(store, projects.SCANNED_COUNTER, now)
    return made


def _scan(app: App, store: Database) -> int:
    """Suggest pairs among the memories that were written since the last run."""
    since = int(projects.get_meta(store, projects.SCANNED_AT) or 0)
    hidden = visible_here.hidden_memories(app, store)
    filter = MemoryFilter(states=("active",), now=app.now, working_session="")
    new = memories.select_memories(store, filter, limit=MAX_MEMORIES, order="updated_at")
    new = [memory for memory in new if memory.updated_at >= since and memory.kind != "conversation"]
    near = [
        (memory, near_duplicates.find_near_duplicate_of_stored(app, store, memory, hidden))
        for memory in new
    ]
    beside = (
        hidden.visible_sql_condition(),
        *subprojects.reusable_memory_sql_conditions(app, store),
    )
    others = ParaphraseFinder(store, replace(filter, extra_conditions=beside))
    wider = [
        (memory, likely)
        for memory, other in near
        if not (other and repeats.suggestion_kind_of_duplicate(other, DUPLICATE))
        and (likely := others.most_likely_duplicate(memory))
        and not _differ(other, likely)
    ]
    with store.write():
        suggested = sum(
            repeats.suggest_duplicate(app, store, memory, other, DUPLICATE)
            for memory, other in near
            if other is not None
        )
        return suggested + sum(
            add_pair_suggestion(app, store, DUPLICATE, memory, likely.memory, likely.cosine, REASON)
            for memory, likely in wider
        )


def _differ(near: NearDuplicate | None, likely: LikelyDuplicate) -> bool:
    return near is not None and near.apart and near.memory.id == likely.memory.id
