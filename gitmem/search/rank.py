"""The order of keyword hits: how well they answer, and their weight.

Within one store and one source BM25 orders: adding the share of the question that each hit holds
made it worse (gitlog by 0.02 to 0.03, LoCoMo by 0.01). BM25 alone cannot compare two stores, since
a word's rarity differs between them; the share of the question that the best of each holds can.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory

# How much of the best hit's score is the share of the question that it holds.
COVERAGE = 0.5
# What a turn of a conversation says of itself. Who asks looks for what was told, not for where it
# was asked as well (+0.023 of NDCG@10 on LoCoMo), mostly for what the one who is named said
# (+0.013), or for what was said when it asks of (+0.013: of 495 questions 40 name a month), and a
# question for a time is answered by a turn that names one (+0.004).
ASKS, SPEAKS, THEN, TIME = 0.3, 0.1, 0.2, 0.1


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that answers, with a score from 0 to 1 before weight, and the reasons.

    ``similarity`` is the cosine of its vector and the question's, None where it was not computed.
    ``parts`` are what the score is made of: words, meaning, and the factors weight, standing and,
    where somebody gave any, feedback; of a turn of a conversation also beside and turn.
    ``doubted``: somebody marked it as wrong.
    """

    memory: Memory
    score: float
    why: tuple[str, ...]
    similarity: float | None = None
    parts: tuple[tuple[str, float], ...] = ()
    doubted: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory, how well words answer (0 to 1), and the labels it matched.

    It may answer and match none itself: a neighbour in its conversation does. ``strength`` is a
    factor for how fresh and how much used it is, ``notes`` say so. ``feedback`` is one for how
    useful its readers found it, ``doubted`` says that they found it wrong. ``turn`` is one for what
    a turn of a conversation is (``turn_factors``); ``smoothed`` stands for the similarity of one
    (``fusion.smoothed``).
    """

    memory: Memory
    lexical: float
    matched: tuple[str, ...]
    similarity: float | None = None
    strength: float = 1.0
    notes: tuple[str, ...] = ()
    feedback: float = 1.0
    doubted: bool = False
    turn: float = 1.0
    smoothed: float | None = None

    @property
    def boost(self) -> float:
        """What the score is multiplied by: weight / 3 (CF-15), strength, feedback and turn."""
        return self.memory.weight / 3 * self.strength * self.feedback * self.turn

    @property
    def parts(self) -> tuple[tuple[str, float], ...]:
        """What its score is made of, each rounded; without meaning where none was compared."""
        found = [("words", self.lexical), ("meaning", self.similarity)]
        found += [("beside", self.smoothed)]
        found += [("weight", self.memory.weight / 3), ("standing", self.strength)]
        found += [("feedback", self.feedback)] if self.feedback != 1 else []
        found += [("turn", self.turn)] if self.turn != 1 else []
        return tuple((name, round(value, 4)) for name, value in found if value is not None)


def order(candidates: Sequence[Candidate], limit: int) -> list[Hit]:
    """The best hits first, at most ``limit``.

    The score is multiplied by ``Candidate.boost``. Equal scores: the newer memory first.
    """
    hits = [_hit(candidate) for candidate in candidates]
    hits.sort(key=lambda hit: (-hit.score, -hit.memory.updated_at, hit.memory.id))
    return hits[:limit]


def shares(scores: Mapping[int, float]) -> dict[int, float]:
    """Scores as shares of the largest."""
    top = max(scores.values(), default=0.0)
    return {key: (score / top if top > 0 else 0.0) for key, score in scores.items()}


def lexical(matched: Sequence[object], terms: int, bm25: float) -> float:
    """How well words answer, 0 to 1: the share of the question held, and BM25 as a share."""
    return COVERAGE * len(matched) / max(terms, 1) + (1 - COVERAGE) * bm25


def turn_factors(question: str, turns: Sequence[tuple[str, int]]) -> list[float]:
    """For each turn, a text and when it was said, the factor for what it tells, who says it, when.

    Times are milliseconds.
    """
    from gitmem.text import spoken_turn  # noqa: PLC0415 - most stores hold no conversation

    speakers = [spoken_turn.speaker(text) for text, _ in turns]
    named = {one for one in set(speakers) if one and spoken_turn.names(question, one)}
    # Of two who are named either may tell.
    meant = named if len(named) == 1 else ()
    when, dates = spoken_turn.asks_when(question), spoken_turn.dates(question)
    # Who asks a program tells it there what it needs to know; who asks a person waits to be told.
    asking = [0.0 if spoken_turn.is_role(one) else ASKS for one in speakers]
    return [
        (1 - less * (spoken_turn.asking(text) if less else 0.0))
        * (1 + SPEAKS * (speaker in meant))
        * (1 + TIME * (when and spoken_turn.tells_time(text)))
        * (1 + THEN * (spoken_turn.date_match(dates, at) if dates else 0))
        for (text, at), speaker, less in zip(turns, speakers, asking, strict=True)
    ]


def reasons(candidate: Candidate) -> list[str]:
    """What of the question a memory holds, and what raises or lowers it."""
    matched = ["matches " + ", ".join(candidate.matched)] if candidate.matched else []
    if not matched and candidate.lexical:
        matched = ["next to a matching message"]
    return [*matched, *candidate.notes]


def _hit(candidate: Candidate) -> Hit:
    memory = candidate.memory
    why = reasons(candidate)
    if memory.weight != 3:
        why.append(f"weight {memory.weight}")
    score = round(candidate.lexical * candidate.boost, 4)
    return Hit(memory, score, tuple(why), parts=candidate.parts, doubted=candidate.doubted)
