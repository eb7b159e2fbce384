"""What a resident process keeps between questions: bounded, by one of four policies, and counted.

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

LRU, LFU, TTL, FIFO = "lru", "lfu", "ttl", "fifo"
RESULTS, EXPANSIONS, EMBEDDINGS = "results", "expansions", "embeddings"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is kept: the policy, entries of each cache, milliseconds that ``ttl`` allows."""

    policy: str = LRU
    results: int = 64
    expansions: int = 10_000
    embeddings: int = 1000
    ttl_ms: int = 30_000


@dataclass(frozen=True, slots=True)
class CacheUse:
    """What became of the questions to one cache since the process began; ``kept`` entries now."""

    name: str
    policy: str
    hits: int
    misses: int
    evicted: int
    kept: int
    most: int

    @property
    def hit_rate(self) -> float:
        """Share of the questions that it answered, 0 to 1."""
        asked = self.hits + self.misses
        return self.hits / asked if asked else 0.0


class Cache:
    """At most ``most`` values by key; 0 keeps nothing. Use from one thread.

    Where there is no room, ``lru`` lets go of what was not asked for longest, ``lfu`` of what was
    asked least often (of those the oldest), ``fifo`` and ``ttl`` of the oldest; ``ttl`` also of
    what is older than ``ttl_ms`` by the clock ``now`` (milliseconds).
    """

    def __init__(
        self, policy: str, most: int, *, ttl_ms: int = 0, now: Callable[[], int] = lambda: 0
    ) -> None:
        self.policy = policy
        self.most = most
        self.hits = self.misses = self.evicted = 0
        self._ttl_ms = ttl_ms
        self._now = now
        # Key -> value, when it came, and (lfu) how often it was asked; in the order of letting go.
        self._kept: OrderedDict[Hashable, tuple[Any, int, int]] = OrderedDict()
        # For lfu: times asked -> keys, those that came to it first in front.
        self._asked: dict[int, OrderedDict[Hashable, None]] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def through(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of a key: the one that is kept, else a new one. What ``make`` raises passes."""
        kept = self._kept.get(key)
        if kept is not None and self._lives(kept[1]):
            self.hits += 1
            self._use(key, kept)
            found: T = kept[0]
            return found
        self.misses += 1
        made = make()
        if self.most:
            self._keep(key, made)
        return made

    def clear(self) -> None:
        """Keep nothing any more; what was counted stays."""
        self._kept.clear()
        self._asked.clear()

    def _lives(self, came: int) -> bool:
        return self.policy != TTL or self._now() - came < self._ttl_ms

    def _use(self, key: Hashable, kept: tuple[Any, int, int]) -> None:
        if self.policy == LRU:
            self._kept.move_to_end(key)
        elif self.policy == LFU:
            value, came, asked = kept
            self._leave(key, asked)
            self._asked.setdefault(asked + 1, OrderedDict())[key] = None
            self._kept[key] = value, came, asked + 1

    def _leave(self, key: Hashable, asked: int) -> None:
        del self._asked[asked][key]
        if not self._asked[asked]:
            del self._asked[asked]

    def _keep(self, key: Hashable, value: object) -> None:
        # What is there is too old, or came in while this was made.
        self._drop(key)
        if len(self._kept) >= self.most:
            self._drop(self._last())
            self.evicted += 1
        self._kept[key] = value, self._now(), 0
        if self.policy == LFU:
            self._asked.setdefault(0, OrderedDict())[key] = None

    def _drop(self, key: Hashable) -> None:
        kept = self._kept.pop(key, None)
        if kept is not None and self.policy == LFU:
            self._leave(key, kept[2])

    def _last(self) -> Hashable:
        if self.policy == LFU:
            rarest = self._asked[min(self._asked)]
            return next(iter(rarest))
        oldest: Hashable = next(iter(self._kept))
        return oldest


class Caches:
    """The caches of one store, and that of questions' vectors, which all stores share.

    ``results`` holds what the words and the meaning of a question found in files, ``expansions``
    in how many rows a term stands, by which questions are widened and weighed.
    """

    __slots__ = ("embeddings", "expansions", "results")

    def __init__(self, limits: Limits, now: Callable[[], int], embeddings: Cache) -> None:
        self.results = cache(limits, RESULTS, now)
        self.expansions = cache(limits, EXPANSIONS, now)
        self.embeddings = embeddings

    def forget(self) -> None:
        """The store was written to: what it answered may be otherwise now."""
        self.results.clear()
        self.expansions.clear()

    def use(self) -> tuple[CacheUse, ...]:
        """What became of the questions to each."""
        return tuple(
            CacheUse(name, one.policy, one.hits, one.misses, one.evicted, len(one), one.most)
            for name in (RESULTS, EXPANSIONS, EMBEDDINGS)
            for one in [getattr(self, name)]
        )


def cache(limits: Limits, name: str, now: Callable[[], int]) -> Cache:
    """An empty cache of that name within its limits."""
    return Cache(limits.policy, getattr(limits, name), ttl_ms=limits.ttl_ms, now=now)
