"""Measuring how long questions to the memories took, from a histogram by day."""

from gitmem.app import App
from gitmem.maintenance.funnel import PATIENCE_MS
from gitmem.maintenance.usage import fold
from gitmem.model.frozen import dataclass
from gitmem.store.session import usage

_SHARES = (0.50, 0.95, 0.99)


@dataclass(frozen=True, slots=True)
class Latency:
    """The number of questions, and the time (ms) within which 50, 95 and 99 % were answered.

    Times are rounded up to a power of two.
    """

    count: int
    p50: int
    p95: int
    p99: int


def latency_by_mode(app: App, day: int) -> dict[str, Latency]:
    """The latency of each mode (hybrid, semantic, keyword) since a day.

    Days count from 1970, UTC.
    """
    folded = fold(app, wait_ms=PATIENCE_MS)
    agents = usage.counts_since(app.store, day, more=not folded).values()
    latencies = {}
    for mode in usage.MODES:
        counts = [
            sum(counted.get(usage.duration_counter(mode, most), (0, 0, 0))[0] for counted in agents)
            for most in usage.AT_MOST_MS
        ]
        if any(counts):
            latencies[mode] = Latency(sum(counts), *(_within(counts, share) for share in _SHARES))
    return latencies


def _within(counts: list[int], share: float) -> int:
    """The time within which this share of the questions was answered."""
    share_of_all, count_so_far = share * sum(counts), 0
    for most, count in zip(usage.AT_MOST_MS, counts, strict=True):
        count_so_far += count
        if count_so_far >= share_of_all:
            return most
    return usage.AT_MOST_MS[-1]
