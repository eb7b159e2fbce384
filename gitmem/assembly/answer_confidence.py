"""The confidence of a context and of an answer. Pure.

A context is judged by how well code, decisions and patterns answer. The confidence of an answer is
measured: ``python -m tests.bench.sureness`` counts how many answers of each level are right
(``docs/benchmarks.md``).
"""

from __future__ import annotations

import re

from gitmem.model.frozen import dataclass

# The weights of code, decisions and patterns in the score.
SHARES = {"codebase": 0.5, "decisions": 0.3, "patterns": 0.2}
# The lowest score of each level, the highest first.
LEVELS = ((80, "high"), (50, "medium"), (20, "low"))
UNSURE = "guess"
# The most that code counts if it is merely the nearest (``search.answered`` decides that): less
# than low, whatever its score relative to other code.
NEAREST = 0.15
# Levels of an answer in sentences: the lowest value of its best place, and how many of a hundred
# judged answers are right, on the part left out when these limits were chosen.
MEASURED = (("high", 1.4, 74), ("medium", 1.0, 59), ("low", 0.0, 47))
# The same for the answer of a verb: complete, and known in part.
OF_VERBS = (("high", 96), ("medium", 53))
# The confidence was measured for questions that begin like a judged one: how to, where, when, what,
# which, or no question word at all (a name, an error, an instruction), at least seven of each. Of
# the beginnings in ``_ASKING`` only those in ``_JUDGED`` were among them.
_ASKING = re.compile(
    r"\W*(?:who|whose|whom|why|how|is|are|was|were|do|does|did|has|have|had|can|could|should|would|"
    r"will|may|might|must|count)\b",
    re.IGNORECASE,
)
_JUDGED = re.compile(
    r"\W*(?:how (?:do|does|did|can|could|should|to|is|are|much|many|long|often|large|big)|"
    r"(?:is|are) there|is it possible|(?:is|are)\b.*\btested)\b",
    re.IGNORECASE,
)
# Judged questions asked for values that are written down, never for the number of things.
_COUNTED = re.compile(
    r"\bhow (?:many|much)\b.*\b(?:(?:are|is) there|exists?|do we have|(?:does|do) .* have|"
    r"in (?:all|total))\b|\b(?:number|count) of\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class AnswerConfidence:
    """How surely an answer is right: ``score`` 0 to 100, ``level`` high, medium, low or guess.

    For an answer, ``score`` is how many of a hundred such answers were right when measured; for a
    context it is a weighted mean of ``parts``: the best search score, 0 to 1, of codebase,
    decisions and patterns.
    """

    score: int
    level: str
    parts: dict[str, float]


# For no question, or no answer.
UNJUDGED = AnswerConfidence(0, UNSURE, {})


def confidence_of_context(
    best_scores: dict[str, float], *, code_is_relevant: bool = True
) -> AnswerConfidence:
    """Return the confidence of a context from the best search score, 0 to 1, of each source.

    The sources are codebase, decisions and patterns, as far as the repository has them. Without
    ``code_is_relevant`` (the code found is merely the nearest) its score is at most 0.15.
    """
    parts = _parts(best_scores)
    if not code_is_relevant and "codebase" in parts:
        parts["codebase"] = min(parts["codebase"], NEAREST)
    whole = sum(SHARES[name] for name in parts)
    total = sum(SHARES[name] * value for name, value in parts.items())
    score = round(100 * total / whole) if whole else 0
    level = next((word for least, word in LEVELS if score >= least), UNSURE)
    return AnswerConfidence(score, level, parts)


def _parts(best: dict[str, float]) -> dict[str, float]:
    return {name: round(min(max(best[name], 0.0), 1.0), 3) for name in SHARES if name in best}


def confidence_of_sentences(
    question: str, best_passage_value: float, best_scores: dict[str, float]
) -> AnswerConfidence:
    """Return how surely an answer made of quoted sentences is right.

    ``best_passage_value`` is the highest relevance of a quoted passage, about 0 to 2;
    ``best_scores`` are 0 to 1 by source (see ``SHARES``). The score is 0 and the level ``guess`` if
    ``question`` has a form (such as "who") for which nothing was measured.
    """
    if (_ASKING.match(question) and not _JUDGED.match(question)) or _COUNTED.search(question):
        return AnswerConfidence(0, UNSURE, _parts(best_scores))
    level, _, right = next(
        row for row in MEASURED if best_passage_value >= row[1] or row is MEASURED[-1]
    )
    return AnswerConfidence(right, level, _parts(best_scores))


def confidence_of_command(*, complete: bool) -> AnswerConfidence:
    """Return the confidence of an answer that a command gave: high if ``complete``, else medium."""
    level, right = OF_VERBS[0 if complete else 1]
    return AnswerConfidence(right, level, {})
