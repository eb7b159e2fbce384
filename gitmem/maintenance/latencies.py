"""How long questions to the memories took, by their mode: a histogram that is kept by day."""

from gitmem.app import App
from gitmem.maintenance.funnel import PATIENCE_MS
from gitmem.maintenance.usage import fold
from gitmem.model.frozen import dataclass
from gitmem.store.session import usage

_SHARES = (0.50, 0.95, 0.99)


@dataclass(frozen=True, slots=True)
class Latency:
    """How many questions there were, and what half, 95 and 99 % of them took at most.

    Milliseconds, each the next power of two: only how many took up to so long is kept.
    """

    count: int
    p50: int
    p95: int
    p99: int


def by_mode(app: App, day: int) -> dict[str, Latency]:
    """By mode (hybrid, semantic, keyword) what questions took since a day (since 1970, UTC)."""
    folded = fold(app, wait_ms=PATIENCE_MS)
    agents = usage.since(app.store, day, more=not folded).values()
    found = {}
    for mode in usage.MODES:
        counts = [
            sum(counted.get(usage.took(mode, most), (0, 0, 0))[0] for counted in agents)
            for most in usage.AT_MOST_MS
        ]
        if any(counts):
            found[mode] = Latency(sum(counts), *(_within(counts, share) for share in _SHARES))
    return found


def _within(counts: list[int], share: float) -> int:
    """The least time that this share of the questions took at most."""
    wanted, seen = share * sum(counts), 0
    for most, count in zip(usage.AT_MOST_MS, counts, strict=True):
        seen += count
        if seen >= wanted:
            return most
    return usage.AT_MOST_MS[-1]
