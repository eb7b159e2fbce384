"""Which files come next beside one: pure, from what each source says to one order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gitmem.model.frozen import dataclass

# Views so near to each other belong to one thing.
WINDOW_MS = 300_000
MOST = 10
# How many files a source may name; of questions alike three, with three files each.
MOST_OF = {"viewed together": 5, "asked alike": 9, "imports": 5, "changed together": 10}
ALIKE, OF_EACH = 3, 3
LEAST_ALIKE = 0.4
# What each source counts; measured on six histories (docs/benchmarks.md).
WEIGHTS = {"viewed together": 1.0, "asked alike": 0.6, "imports": 0.4, "changed together": 1.0}

View = tuple[str, str, int]  # session, path, milliseconds


@dataclass(frozen=True, slots=True)
class PredictedFile:
    """A file, how likely it is beside others (a score, no probability), and what says so."""

    path: str
    score: float
    why: tuple[str, ...]


def rank(votes: Mapping[str, Mapping[str, float]], known: Iterable[str]) -> list[PredictedFile]:
    """The files that the sources name, each with a share from 0 to 1, the likeliest first."""
    scores: dict[str, float] = {}
    why: dict[str, list[str]] = {}
    there = set(known)
    for source, shares in votes.items():
        best = sorted(shares.items(), key=lambda pair: (-pair[1], pair[0]))
        for path, share in [one for one in best if one[0] in there][: MOST_OF[source]]:
            scores[path] = scores.get(path, 0.0) + WEIGHTS[source] * share
            why.setdefault(path, []).append(source)
    ranked = sorted(scores, key=lambda path: (-scores[path], path))[:MOST]
    return [PredictedFile(path, round(scores[path], 3), tuple(why[path])) for path in ranked]


def viewed_together(path: str, views: Sequence[View]) -> dict[str, float]:
    """In which part of the sessions that viewed a file others were viewed within ``WINDOW_MS``."""
    when = {session: at for session, other, at in views if other == path}
    counts: dict[str, int] = {}
    for session, other, at in views:
        if other != path and session in when and abs(at - when[session]) <= WINDOW_MS:
            counts[other] = counts.get(other, 0) + 1
    return {other: count / len(when) for other, count in counts.items()}


def asked_alike(
    words: Iterable[str], asked: Sequence[tuple[str, frozenset[str], int]], views: Sequence[View]
) -> dict[str, float]:
    """What was viewed within ``WINDOW_MS`` after questions that share words with one.

    ``asked`` are (session, words, milliseconds).
    """
    own = frozenset(words)
    alike = sorted(
        ((_jaccard(own, said), session, at) for session, said, at in asked), reverse=True
    )
    found: dict[str, float] = {}
    for share, session, at in alike[:ALIKE]:
        if share < LEAST_ALIKE:
            break
        after = [
            (when, path)
            for own_session, path, when in views
            if own_session == session and 0 <= when - at <= WINDOW_MS
        ]
        for _, path in sorted(after)[:OF_EACH]:
            found[path] = max(share, found.get(path, 0.0))
    return found


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0
