"""Caches of a server process, limited in size and counted.

A command has none: it answers once and ends. The caches of a store are emptied by every write to
it, of this process (``Database.write``) or another (SQLite tells of it between two calls), so that
they answer as the store would. The vector of a query outlives writes: it depends on its model only.
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
class CacheLimits:
    """The greatest numbers of entries in a store's caches, whose content ``Caches`` describes."""

    results: int = 64
    expansions: int = 10_000
    embeddings: int = 1000


@dataclass(frozen=True, slots=True)
class CacheUsage:
    """How a cache was used since the process began: look-ups that hit or missed, entries dropped.

    ``kept`` is the number of entries in it now, ``most`` its limit.
    """

    name: str
    hits: int
    misses: int
    evicted: int
    kept: int
    most: int

    @property
    def hit_rate(self) -> float:
        """The share of look-ups that the cache answered, 0 to 1."""
        questions = self.hits + self.misses
        return self.hits / questions if questions else 0.0


class Cache:
    """A cache of at most ``limit`` values; the least recently used value is dropped first.

    With 0 nothing is cached. Use from one thread.
    """

    def __init__(self, limit: int) -> None:
        self.most = limit
        self.hits = self.misses = self.evicted = 0
        # The least recently used first.
        self._values: OrderedDict[Hashable, Any] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def get_or_compute(self, key: Hashable, compute_value: Callable[[], T]) -> T:
        """The cached value of a key, else what ``compute()`` returns, which is cached then.

        Raises what ``compute_value`` raises.
        """
        if key in self._values:
            self.hits += 1
            self._values.move_to_end(key)
            value: T = self._values[key]
            return value
        self.misses += 1
        computed = compute_value()
        if self.most:
            self._values.pop(key, None)  # came in while this was made
            if len(self._values) >= self.most:
                self._values.popitem(last=False)
                self.evicted += 1
            self._values[key] = computed
        return computed

    def clear(self) -> None:
        """Drop all values; the counters stay."""
        self._values.clear()


class Caches:
    """The caches of an open store: of search results, counts of terms, and vectors of queries.

    ``results`` has the files that a query matched, ``expansions`` in how many rows a term occurs.
    ``embeddings``, which all stores share, has the vectors of queries.
    """

    __slots__ = ("embeddings", "expansions", "results")

    def __init__(self, limits: CacheLimits, embeddings: Cache) -> None:
        self.results = Cache(limits.results)
        self.expansions = Cache(limits.expansions)
        self.embeddings = embeddings

    def clear_stale_values(self) -> None:
        """Empty the caches that a write to the store makes wrong: not that of queries' vectors."""
        self.results.clear()
        self.expansions.clear()

    def usage(self) -> tuple[CacheUsage, ...]:
        """How each of the three caches was used since the process began."""
        return tuple(
            CacheUsage(name, cache.hits, cache.misses, cache.evicted, len(cache), cache.most)
            for name in (RESULTS, EXPANSIONS, EMBEDDINGS)
            for cache in [getattr(self, name)]
        )
