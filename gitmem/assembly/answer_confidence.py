"""How sure a context is, from how well code, decisions and patterns answer (ML-32), and an answer.

The words for an answer are measured: ``python -m tests.bench.sureness`` counts how many of each are
right (``docs/benchmarks.md``). Pure.
"""

from __future__ import annotations

import re

from gitmem.model.frozen import dataclass

# What code, decisions and patterns say for an answer.
SHARES = {"codebase": 0.5, "decisions": 0.3, "patterns": 0.2}
# The least score of each word, the highest first.
LEVELS = ((80, "high"), (50, "medium"), (20, "low"))
UNSURE = "guess"
# What code that is only the nearest there is says at most (``search.answered`` tells which is):
# less than is low, whatever its score beside other code.
NEAREST = 0.15
# The words of an answer in sentences: what the place that answers best is worth at least, and of a
# hundred judged answers how many are right, on the part left out when the limits were chosen.
MEASURED = (("high", 1.4, 74), ("medium", 1.0, 59), ("low", 0.0, 47))
# The same of what a verb answers that knows it whole, and of what it says to know in part.
OF_VERBS = (("high", 96), ("medium", 53))
# Questions as the judged ones begin, each way at least seven times: for the way to do something, a
# place, a time, a thing, a value, a test; or with no such word at all (a name, an error, an order).
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
# Asked for were values that are written down; how many there are of something never was.
_COUNTED = re.compile(
    r"\bhow (?:many|much)\b.*\b(?:(?:are|is) there|exists?|do we have|(?:does|do) .* have|"
    r"in (?:all|total))\b|\b(?:number|count) of\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Confidence:
    """``score`` from 0 to 100 and its word: high, medium, low or guess.

    ``parts`` says of what (codebase, decisions, patterns) how well the best answers, 0 to 1; what
    the repository has none of is left out, and its share goes to the others. Of an answer the score
    is how many of a hundred with its word are right.
    """

    score: int
    level: str
    parts: dict[str, float]


# Where nothing was asked, or nothing answers.
UNJUDGED = Confidence(0, UNSURE, {})


def judge(best: dict[str, float], *, sure: bool = True) -> Confidence:
    """The confidence of an answer whose best hits score so, by the names of ``SHARES``.

    ``sure`` says whether the code found likely answers; a score alone only orders.
    """
    parts = _parts(best)
    if not sure and "codebase" in parts:
        parts["codebase"] = min(parts["codebase"], NEAREST)
    whole = sum(SHARES[name] for name in parts)
    total = sum(SHARES[name] * value for name, value in parts.items())
    score = round(100 * total / whole) if whole else 0
    level = next((word for least, word in LEVELS if score >= least), UNSURE)
    return Confidence(score, level, parts)


def _parts(best: dict[str, float]) -> dict[str, float]:
    return {name: round(min(max(best[name], 0.0), 1.0), 3) for name in SHARES if name in best}


def of_worth(text: str, worth: float, best: dict[str, float]) -> Confidence:
    """The confidence of sentences whose best place is worth so much.

    A guess, without a score, where no question like ``text`` was judged.
    """
    if (_ASKING.match(text) and not _JUDGED.match(text)) or _COUNTED.search(text):
        return Confidence(0, UNSURE, _parts(best))
    level, _, right = next(one for one in MEASURED if worth >= one[1] or one is MEASURED[-1])
    return Confidence(right, level, _parts(best))


def of_verb(*, complete: bool) -> Confidence:
    """The confidence of a verb's answer: high unless it says that something is not known."""
    level, right = OF_VERBS[0 if complete else 1]
    return Confidence(right, level, {})
