"""Which of the newest commits most likely broke something: evidence in, a score with reasons out.

Pure. The weights were set on half of the repositories of ``tests.bench.why_broke`` and are reported
on the other half (docs/benchmarks.md); its cases have no traces, so what a trace tells (``line``,
``place``) is weighed by judgement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log2

from gitmem.model.frozen import dataclass

# What each piece of evidence is worth when it is as strong as it can be.
WEIGHTS: Mapping[str, float] = {
    "line": 3.0,
    "wrote": 1.5,
    "place": 1.0,
    "symbol": 0.5,
    "words": 1.0,
    "message": 0.6,
    "files": 0.8,
    "together": 0.2,
    "size": 0.3,
    "recent": 0.4,
}
HALF_LIFE = 40  # commits after which being recent counts half
NO_SOURCE = 0.3  # of a commit that touches tests, documents or settings only
# What is said of evidence that is at least half as strong as the strongest.
SAID = {
    "line": "wrote a line that the trace names",
    "wrote": "wrote lines that the error leads to",
    "place": "changed a file of the trace",
    "symbol": "changed what is named there",
    "words": "its lines hold words of the error",
    "message": "its message is like the error",
    "files": "changed files that the words lead to",
    "together": "changed what often changes with them",
    "recent": "recent",
}
_HIGH, _MEDIUM = 0.5, 0.4
# Words say something only of a suspect against which more speaks than they.
_LEAST = 0.15


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks against a commit, each as a number from 0 to 1 by the names of ``WEIGHTS``.

    ``rank`` counts from the newest, 0; ``source`` says whether it changed any source file.
    """

    sha: str
    rank: int
    source: bool
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Suspect:
    """A commit with its score, from 0 to 1, how sure that is (high, medium, low), and why."""

    sha: str
    score: float
    confidence: str
    why: tuple[str, ...]


def recent(rank: int) -> float:
    """How much a commit counts for being new: 1, and half after each forty."""
    return float(0.5 ** (rank / HALF_LIFE))


def sized(lines: int) -> float:
    """How much more a large commit is to be suspected: 0 for none, near 1 from 500 lines on."""
    return min(log2(1 + lines) / 9, 1.0)


def saturated(amount: float) -> float:
    """An amount without end as a number below 1: more of the same says less and less."""
    return 1 - exp(-amount)


def rank(
    found: Sequence[Evidence], weights: Mapping[str, float] = WEIGHTS, *, known: bool = True
) -> list[Suspect]:
    """The suspects, the likeliest first; of equals the newest.

    Where the error names nothing ``known`` here, words are all there is, and no suspect is sure.
    """
    total = sum(weights.values())
    scored = []
    for one in found:
        amount = sum(weights.get(name, 0.0) * part for name, part in one.parts.items()) / total
        scored.append((amount * (1.0 if one.source else NO_SOURCE), one))
    scored.sort(key=lambda pair: (-pair[0], pair[1].rank))
    return [
        Suspect(
            one.sha,
            round(score, 4),
            _confidence(one, score) if known else "low",
            _why(one, weights),
        )
        for score, one in scored
    ]


def _confidence(evidence: Evidence, score: float) -> str:
    parts = evidence.parts
    if parts.get("line", 0.0) >= _HIGH and evidence.source:
        return "high"
    telling = max(parts.get(name, 0.0) for name in ("wrote", "place", "symbol"))
    if score >= _LEAST:
        telling = max(telling, parts.get("words", 0.0))
    return "medium" if telling >= _MEDIUM and evidence.source else "low"


def _why(evidence: Evidence, weights: Mapping[str, float]) -> tuple[str, ...]:
    worth = {name: weights.get(name, 0.0) * part for name, part in evidence.parts.items()}
    least = 0.5 * max(worth.values(), default=0.0)
    ranked = sorted(SAID, key=lambda name: -worth.get(name, 0.0))
    return tuple(SAID[name] for name in ranked if worth.get(name, 0.0) >= max(least, 0.05))
