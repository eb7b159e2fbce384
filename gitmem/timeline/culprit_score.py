"""Scoring how likely each recent commit broke something, from evidence. Pure.

The weights were set on half of the repositories of ``tests.bench.why_broke`` and are reported on
the other half (docs/benchmarks.md). Its cases have no traces, so the weights of evidence from a
trace (``line``, ``place``) are a judgement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, log2

from gitmem.model.frozen import dataclass

# The weight of each piece of evidence at its strongest.
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
HALF_LIFE = 40  # commits after which recency counts half
NO_SOURCE = 0.3  # the factor for a commit of tests, documents or settings only
# The reason that is shown for evidence at least half as strong as the strongest.
REASONS = {
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
# The score from which on common words count for the confidence.
_LEAST = 0.15


@dataclass(frozen=True, slots=True)
class SuspectCommitEvidence:
    """The evidence that a commit caused an error.

    ``parts`` are numbers from 0 to 1 by the keys of ``WEIGHTS``, such as ``line``. ``rank`` is its
    position, 0 for the newest commit; ``source``: it changed a source file.
    """

    sha: str
    rank: int
    source: bool
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class RankedSuspect:
    """A commit that may have caused an error: its score (0 to 1) and the reasons (``why``).

    ``confidence`` is high, medium or low.
    """

    sha: str
    score: float
    confidence: str
    why: tuple[str, ...]


def recency_score(later_commit_count: int) -> float:
    """1 for the newest commit, and half as much after every forty commits since."""
    return float(0.5 ** (later_commit_count / HALF_LIFE))


def suspicion_by_size(changed_lines: int) -> float:
    """The suspicion for the number of changed lines: 0 for none, near 1 from 500 lines on."""
    return min(log2(1 + changed_lines) / 9, 1.0)


def map_to_unit_interval(amount: float) -> float:
    """A number from 0 on mapped to 0 to 1: ``1 - exp(-amount)``."""
    return 1 - exp(-amount)


def rank_suspect_commits(
    evidence: Sequence[SuspectCommitEvidence],
    weights: Mapping[str, float] = WEIGHTS,
    *,
    error_names_known_code: bool = True,
) -> list[RankedSuspect]:
    """A RankedSuspect for each commit, the likeliest culprit first; of equals the newest first.

    ``weights`` gives the weight of each part of the evidence. Unless the error names code of the
    project (``error_names_known_code``), the confidence is always low.
    """
    total = sum(weights.values())
    scored = []
    for item in evidence:
        amount = sum(weights.get(name, 0.0) * part for name, part in item.parts.items()) / total
        scored.append((amount * (1.0 if item.source else NO_SOURCE), item))
    scored.sort(key=lambda pair: (-pair[0], pair[1].rank))
    return [
        RankedSuspect(
            item.sha,
            round(score, 4),
            _confidence(item, score) if error_names_known_code else "low",
            _why(item, weights),
        )
        for score, item in scored
    ]


def _confidence(evidence: SuspectCommitEvidence, score: float) -> str:
    parts = evidence.parts
    if parts.get("line", 0.0) >= _HIGH and evidence.source:
        return "high"
    telling = max(parts.get(name, 0.0) for name in ("wrote", "place", "symbol"))
    if score >= _LEAST:
        telling = max(telling, parts.get("words", 0.0))
    return "medium" if telling >= _MEDIUM and evidence.source else "low"


def _why(evidence: SuspectCommitEvidence, weights: Mapping[str, float]) -> tuple[str, ...]:
    worth = {name: weights.get(name, 0.0) * part for name, part in evidence.parts.items()}
    least = 0.5 * max(worth.values(), default=0.0)
    ranked = sorted(REASONS, key=lambda name: -worth.get(name, 0.0))
    return tuple(REASONS[name] for name in ranked if worth.get(name, 0.0) >= max(least, 0.05))
