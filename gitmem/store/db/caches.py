"""What a resident process keeps between questions: bounded and counted.

A command makes none of this: it answers once and ends. What is kept of a store is emptied by
whatever writes to it (``Database.write``, and another process's commit as SQLite tells it between
two calls), so that it answers as the store would. A question's vector outlives writes: it hangs on
the identity of its model.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable

from gitmem.model.frozen import dataclass

TYPE_CHECKING = False  # importing typing costs 3 ms; type checkers know this name by itself
if TYPE_CHECKING:
    from typing import Any, TypeVar

    T = TypeVar("T")

RESULTS, EXPANSIONS, EMBEDDINGS = "results", "expansions", "embeddings"


@dataclass(frozen=True, slots=True)
class Limits:
    """How many entries of each cache are kept."""

    results: int = 64
    expansions: int = 10_000
    embeddings: int = 1000


@dataclass(frozen=True, slots=True)
class CacheUse:
    """What became of the questions to one cache since the process began; ``kept`` entries now."""

    name: str
    hits: int
    misses: int
    evicted: int
    kept: int
    most: int

    @property
    def hit_rate(self) -> float:
        """Share of the questions that it answered, 0 to 1."""
        questions = self.hits + self.misses
        return self.hits / questions if questions else 0.0


class Cache:
    """At most ``most`` values by key; 0 keeps nothing. Use from one thread.

    Where there is no room, what was not asked for longest goes.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.hits = self.misses = self.evicted = 0
        # In the order of letting go.
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def through(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of a key: the one that is kept, else a new one. What ``make`` raises passes."""
        if key in self._kept:
            self.hits += 1
            self._kept.move_to_end(key)
            value: T = self._kept[key]
            return value
        self.misses += 1
        made = make()
        if self.most:
            self._kept.pop(key, None)  # came in while this was made
            if len(self._kept) >= self.most:
                self._kept.popitem(last=False)
                self.evicted += 1
            self._kept[key] = made
        return made

    def clear(self) -> None:
        """Keep nothing any more; what was counted stays."""
        self._kept.clear()


class Caches:
    """The caches of one store, and that of questions' vectors, which all stores share.

    ``results`` holds what the words and the meaning of a question found in files, ``expansions``
    in how many rows a term stands, by which questions are widened and weighed.
    """

    __slots__ = ("embeddings", "expansions", "results")

    def __init__(self, limits: Limits, embeddings: Cache) -> None:
        self.results = Cache(limits.results)
        self.expansions = Cache(limits.expansions)
        self.embeddings = embeddings

    def forget(self) -> None:
        """The store was written to: what it answered may be otherwise now."""
        self.results.clear()
        self.expansions.clear()

    def use(self) -> tuple[CacheUse, ...]:
        """What became of the questions to each."""
        return tuple(
            CacheUse(name, cache.hits, cache.misses, cache.evicted, len(cache), cache.most)
            for name in (RESULTS, EXPANSIONS, EMBEDDINGS)
            for cache in [getattr(self, name)]
        )
