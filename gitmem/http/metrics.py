"""Counts and times of requests, in the text format of Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from gitmem.http.index_lag import STATES, IndexDelay
from gitmem.store.db.caches import CacheUsage

__all__ = ["CONTENT_TYPE_LATEST", "ServerMetrics"]

# Seconds: from an answer out of the cache to a question over a large repository.
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class ServerMetrics:
    """Prometheus metrics of one server; ``caches`` returns the use (hits ...) of each cache."""

    def __init__(self, caches: Callable[[], Sequence[CacheUsage]]) -> None:
        self._caches = caches
        self._registry = CollectorRegistry()
        own: dict[str, Any] = {"registry": self._registry}
        self.requests = Counter(
            "gitmem_requests", "Requests by verb and HTTP status", ("verb", "status"), **own
        )
        self.seconds = Histogram(
            "gitmem_request_seconds", "Time to an answer", ("verb",), buckets=_BUCKETS, **own
        )
        self.jobs = Gauge("gitmem_jobs", "Jobs by state", ("state",), **own)
        self._hits = Gauge("gitmem_cache_hits", "Answers from a cache", ("cache",), **own)
        self._misses = Gauge("gitmem_cache_misses", "Answers not in it", ("cache",), **own)

        self._state = Gauge(
            "gitmem_index_state", "1 for the state of the index, as git tells it", ("state",), **own
        )
        self._commits = Gauge(
            "gitmem_index_behind_commits", "Commits of HEAD not indexed; NaN: not known", **own
        )
        self._files = Gauge(
            "gitmem_index_behind_files", "Files not as they are indexed; NaN: not known", **own
        )

    def count_request(self, verb: str, status: int, seconds: float) -> None:
        """Count an answer; ``verb`` is a command's or route's name, never text of a request."""
        self.requests.labels(verb, str(status)).inc()
        self.seconds.labels(verb).observe(seconds)

    def as_prometheus(self, index_delay: IndexDelay) -> bytes:
        """All metrics, with the given delay of the code index, in Prometheus's text format."""
        for state in STATES:
            self._state.labels(state).set(state == index_delay.state)
        self._commits.set(nan if index_delay.commits is None else index_delay.commits)
        self._files.set(nan if index_delay.files is None else index_delay.files)
        used = self._caches()
        for name in {cache.name for cache in used}:
            self._hits.labels(name).set(sum(c.hits for c in used if c.name == name))
            self._misses.labels(name).set(sum(c.misses for c in used if c.name == name))
        return generate_latest(self._registry)
