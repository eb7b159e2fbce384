"""Scoring and sorting memories. Pure.

Within one store BM25 decides: adding the share of the question in each hit made it worse (gitlog by
0.02 to 0.03, LoCoMo by 0.01). Stores are compared by the share of the question in their best hits,
since a word's rarity differs between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory

# How much of the best hit's score is the share of the question in it.
COVERAGE = 0.5
# Factors of a turn of a conversation, with their gain of NDCG@10 on LoCoMo: less for a question
# (+0.023), more for what the person named in the query said (+0.013), for the time named in it
# (+0.013), and, if it asks when, for a turn that names a time (+0.004).
ASKS, SPEAKS, THEN, TIME = 0.3, 0.1, 0.2, 0.1


@dataclass(frozen=True, slots=True)
class MemoryHit:
    """A memory (a stored note) that answers, with a score and the reasons (``why``).

    ``similarity`` is the cosine or None, ``parts`` is ``MemoryCandidate.parts``; ``doubted``:
    somebody marked it as wrong.
    """

    memory: Memory
    score: float
    why: tuple[str, ...]
    similarity: float | None = None
    parts: tuple[tuple[str, float], ...] = ()
    doubted: bool = False


@dataclass(frozen=True, slots=True)
class MemoryCandidate:
    """A memory before ranking: its score by words (``lexical``, 0 to 1), the terms in it.

    It may have no terms if only a neighbour in its conversation matched. Factors are ``strength``
    (how fresh and how much used it is, explained by ``notes``), ``feedback`` (``doubted``: readers
    found it wrong), ``turn`` (``rank_factors_of_turns``) and ``profile``
    (``profiles.memory_rank_factor``). ``smoothed`` replaces the similarity of a turn (a message).
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
    profile: float = 1.0

    @property
    def boost(self) -> float:
        """The factor of the score: weight / 3, strength, feedback, turn and profile multiplied."""
        return self.memory.weight / 3 * self.strength * self.feedback * self.turn * self.profile

    @property
    def parts(self) -> tuple[tuple[str, float], ...]:
        """The parts of its score as (name, value), rounded."""
        found = [("words", self.lexical), ("meaning", self.similarity)]
        found += [("beside", self.smoothed)]
        found += [("weight", self.memory.weight / 3), ("standing", self.strength)]
        found += [("feedback", self.feedback)] if self.feedback != 1 else []
        found += [("turn", self.turn)] if self.turn != 1 else []
        found += [("profile", self.profile)] if self.profile != 1 else []
        return tuple((name, round(value, 4)) for name, value in found if value is not None)


def rank_memories(candidates: Sequence[MemoryCandidate], limit: int) -> list[MemoryHit]:
    """The best of some memories as MemoryHit values, at most ``limit``, best first.

    Of equal scores the newer memory comes first.
    """
    hits = [_hit(candidate) for candidate in candidates]
    hits.sort(key=lambda hit: (-hit.score, -hit.memory.updated_at, hit.memory.id))
    return hits[:limit]


def fractions_of_largest(scores: Mapping[int, float]) -> dict[int, float]:
    """Key -> its score divided by the largest score; 0 if none is positive."""
    top = max(scores.values(), default=0.0)
    return {key: (score / top if top > 0 else 0.0) for key, score in scores.items()}


def memory_word_score(matched_terms: Sequence[object], term_count: int, bm25: float) -> float:
    """A score by words, 0 to 1: half the share of terms that match, half ``bm25`` (0 to 1)."""
    return COVERAGE * len(matched_terms) / max(term_count, 1) + (1 - COVERAGE) * bm25


def rank_factors_of_turns(question: str, texts_and_ms: Sequence[tuple[str, int]]) -> list[float]:
    """A factor of the rank of each turn (a message of a conversation), in order.

    ``texts_and_ms`` has the text of each turn and its time in milliseconds since 1970. A turn ranks
    higher if it is by the person or of the time that the question names, lower if it is a question.
    """
    from gitmem.text import spoken_turn  # noqa: PLC0415 - most stores hold no conversation

    speakers = [spoken_turn.speaker_of_turn(text) for text, _ in texts_and_ms]
    named = {
        speaker
        for speaker in set(speakers)
        if speaker and spoken_turn.mentions_speaker(question, speaker)
    }
    # If two people are named, either may have said it.
    meant = named if len(named) == 1 else ()
    when, dates = (
        spoken_turn.is_question_about_time(question),
        spoken_turn.date_in_question(question),
    )
    # Questions to a program contain what it needs to know; questions to a person do not.
    asking = [0.0 if spoken_turn.is_chat_role(speaker) else ASKS for speaker in speakers]
    return [
        (1 - less * (spoken_turn.question_fraction(text) if less else 0.0))
        * (1 + SPEAKS * (speaker in meant))
        * (1 + TIME * (when and spoken_turn.mentions_time(text)))
        * (1 + THEN * (spoken_turn.score_date_match(dates, at) if dates else 0))
        for (text, at), speaker, less in zip(texts_and_ms, speakers, asking, strict=True)
    ]


def reasons_of_candidate(candidate: MemoryCandidate) -> list[str]:
    """The reasons to show for a memory, such as "matches redis, port"."""
    matched = ["matches " + ", ".join(candidate.matched)] if candidate.matched else []
    if not matched and candidate.lexical:
        matched = ["next to a matching message"]
    return [*matched, *candidate.notes]


def _hit(candidate: MemoryCandidate) -> MemoryHit:
    memory = candidate.memory
    why = reasons_of_candidate(candidate)
    if memory.weight != 3:
        why.append(f"weight {memory.weight}")
    score = round(candidate.lexical * candidate.boost, 4)
    return MemoryHit(memory, score, tuple(why), parts=candidate.parts, doubted=candidate.doubted)
