"""Combines word scores and cosines into one ranking for hits of any kind. Pure.

Scores are fused, not ranks: rank fusion falls below the better leg on four of five sets. RRF and
fixed weights are options of the setting ``search.fusion``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gitmem.model.frozen import dataclass, replace

# Weight of the cosine. With the built-in model 0.5 is best or near best on CoSQA, gitlog and LoCoMo
# (python -m tests.bench.embedding_sets).
MEANING = 0.5
# The exponent that makes of it the weight of two models' mean cosine: 0.5 becomes 0.7. NDCG@10 of
# LoCoMo is .666 so, .649 with one model at 0.5, .634 by words; of devmembench .905, .886 and .879
# (docs/benchmarks.md).
OF_TWO = 0.5
# Weight of the cosine of each neighbouring turn of a conversation, and the characters of a turn
# from which on it decreases.
BESIDE, SHORT = 0.4, 140
# The least cosine that counts for a text that shares no word with the question.
LEAST_ALIKE = 0.35
RRF_K = 60
# The share of the cosine with fixed weights.
WEIGHTED = 0.7
_UNDER = 0.9


@dataclass(frozen=True, slots=True)
class FusionCandidate:
    """A hit before it is ranked; ``key`` is its (source, row number).

    ``lexical`` is its score by words, 0 to 1, made of ``parts``; ``similarity`` the cosine or None;
    ``boost`` a factor of the score, ``cosine_factor`` a factor of the cosine alone; ``notes`` are
    reasons to show. ``explicit``: the question names the file or quotes a phrase of it, so it ranks
    above all others. ``doubted``: somebody marked it as wrong. ``cosine_weight`` is the weight of
    its cosine, if it has its own; ``smoothed`` replaces the similarity in the score.
    ``answer_lexical`` replaces ``lexical`` when deciding whether the hit answers,
    ``lexical_within_kind`` when comparing it with hits of its kind. ``distant``: it counts without
    a common word too, however little it is alike.
    """

    key: tuple[str, int]
    lexical: float
    similarity: float | None
    boost: float = 1.0
    cosine_factor: float = 1.0
    parts: tuple[tuple[str, float], ...] = ()
    notes: tuple[str, ...] = ()
    explicit: bool = False
    doubted: bool = False
    cosine_weight: float | None = None
    smoothed: float | None = None
    answer_lexical: float | None = None
    lexical_within_kind: float | None = None
    distant: bool = False


@dataclass(frozen=True, slots=True)
class RankedHit:
    """A hit with its score (0 to about 1) and reasons (``why``) other than matching words.

    ``ranks`` is set by rank fusion only: the hit's places by words and by meaning, from 1, and the
    score made of them (``rrf``).
    """

    candidate: FusionCandidate
    score: float
    why: tuple[str, ...]
    ranks: tuple[tuple[str, float], ...] = ()


def cosine_weight_for_two_models(cosine_weight: float) -> float:
    """How much cosines count if two models give them: more than ``cosine_weight``, that of one."""
    power: float = cosine_weight**OF_TWO
    return power


def smooth_conversation_cosine(
    cosine: float, neighbour_cosines: Sequence[float], text_length: int
) -> float:
    """The cosine of a turn (a message of a conversation), smoothed with those of its neighbours.

    A short turn counts its neighbours more; ``text_length`` is that of the turn in characters.
    """
    weight = BESIDE * min(1.0, SHORT / max(text_length, 1))
    return (cosine + weight * sum(neighbour_cosines)) / (1 + weight * len(neighbour_cosines))


def rank_hits(
    candidates: Sequence[FusionCandidate],
    limit: int,
    *,
    mode: str,
    fusion: str = "score",
    cosine_weight: float = MEANING,
    rrf_k: int = RRF_K,
) -> list[RankedHit]:
    """The best of some candidates as RankedHit values, at most ``limit``, best first.

    ``mode`` is keyword, semantic or hybrid; ``cosine_weight`` is the share (0 to 1) of the cosine
    in the last. ``fusion`` is score, rrf (1 / (``rrf_k`` + rank)) or weighted (0.7 for the cosine).
    """
    if fusion == "weighted":
        candidates = [
            replace(candidate, cosine_weight=WEIGHTED, smoothed=None) for candidate in candidates
        ]
    ranks: Mapping[tuple[str, int], tuple[tuple[str, float], ...]] = {}
    if fusion == "rrf":
        scores, ranks = _by_rank(candidates, mode, rrf_k)
    else:
        scores = {
            candidate.key: combined_score(candidate, mode, cosine_weight)
            for candidate in candidates
        }
    boosted = {candidate.key: scores[candidate.key] * candidate.boost for candidate in candidates}
    below = _lowering_factor(candidates, boosted)
    ranked = [
        RankedHit(
            candidate,
            round(boosted[candidate.key] * (1.0 if candidate.explicit else below), 4),
            _reasons(candidate),
            ranks.get(candidate.key, ()),
        )
        for candidate in candidates
        if boosted[candidate.key] > 0
    ]
    ranked.sort(key=lambda hit: (-hit.score, not hit.candidate.explicit, hit.candidate.key))
    return ranked[:limit]


def _lowering_factor(
    candidates: Sequence[FusionCandidate], scores: Mapping[tuple[str, int], float]
) -> float:
    """The factor that puts all other hits below those that are explicit."""
    explicit = [scores[candidate.key] for candidate in candidates if candidate.explicit]
    lowest = min((score for score in explicit if score > 0), default=0.0)
    highest = max(
        (scores[candidate.key] for candidate in candidates if not candidate.explicit), default=0.0
    )
    return _UNDER * lowest / highest if 0 < lowest <= highest else 1.0


def combined_score(candidate: FusionCandidate, mode: str, cosine_weight: float) -> float:
    """A hit's score from words and meaning, 0 to about 1, before any boost.

    ``mode`` is keyword, semantic or hybrid; ``cosine_weight`` is the share of the cosine in the
    last.
    """
    return _combine(candidate, mode, cosine_weight, candidate.lexical, candidate.cosine_factor)


def answer_score(candidate: FusionCandidate, mode: str, cosine_weight: float) -> float:
    """The score of a hit by words and cosine, 0 to about 1, that decides whether it answers.

    ``mode`` is keyword, semantic or hybrid; ``cosine_weight`` is the share of the cosine in the
    last.
    """
    words = candidate.lexical if candidate.answer_lexical is None else candidate.answer_lexical
    return _combine(candidate, mode, cosine_weight, words, candidate.cosine_factor)


def score_within_kind(candidate: FusionCandidate, mode: str, cosine_weight: float) -> float:
    """The score of a hit with its boost, to compare it with others of its kind (code, commit ...).

    ``mode`` is keyword, semantic or hybrid; ``cosine_weight`` is the share of the cosine in the
    last.
    """
    if candidate.lexical_within_kind is None:
        return combined_score(candidate, mode, cosine_weight) * candidate.boost
    return (
        _combine(candidate, mode, cosine_weight, candidate.lexical_within_kind, 1.0)
        * candidate.boost
    )


def _combine(
    candidate: FusionCandidate, mode: str, cosine_share: float, words: float, meant: float
) -> float:
    own = cosine_share if candidate.cosine_weight is None else candidate.cosine_weight
    share = {"keyword": 0.0, "semantic": 1.0}.get(mode, own)
    return (1 - share) * words + share * (_alike(candidate, words) * meant)


def _by_rank(
    candidates: Sequence[FusionCandidate], mode: str, rrf_k: int
) -> tuple[dict[tuple[str, int], float], dict[tuple[str, int], tuple[tuple[str, float], ...]]]:
    """The score of each candidate, and its ranks as in ``RankedHit``."""
    legs: dict[str, Mapping[tuple[str, int], float]] = {}
    if mode != "semantic":
        legs["words_rank"] = {candidate.key: candidate.lexical for candidate in candidates}
    if mode != "keyword":
        legs["meaning_rank"] = {
            candidate.key: _alike(candidate, candidate.lexical) * candidate.cosine_factor
            for candidate in candidates
        }
    total = dict.fromkeys((candidate.key for candidate in candidates), 0.0)
    ranks: dict[tuple[str, int], tuple[tuple[str, float], ...]] = dict.fromkeys(total, ())
    for name, leg in legs.items():
        order = sorted((key for key, score in leg.items() if score > 0), key=lambda key: -leg[key])
        for place, key in enumerate(order, 1):
            # Scaled so that first in every leg is 1.
            total[key] += (rrf_k + 1) / (rrf_k + place) / len(legs)
            ranks[key] = (*ranks[key], (name, place))
    return total, {key: (*places, ("rrf", round(total[key], 4))) for key, places in ranks.items()}


def _alike(candidate: FusionCandidate, words: float) -> float:
    """The cosine that counts beside a word score."""
    similarity = candidate.similarity or 0.0
    if not (words or candidate.distant) and similarity < LEAST_ALIKE:
        return 0.0
    return max(similarity if candidate.smoothed is None else candidate.smoothed, 0.0)


def _reasons(candidate: FusionCandidate) -> tuple[str, ...]:
    why = list(candidate.notes)
    if candidate.similarity is not None and candidate.similarity >= LEAST_ALIKE:
        why.append(f"similar {candidate.similarity:.2f}")
    return tuple(why)
