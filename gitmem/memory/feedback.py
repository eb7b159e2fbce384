"""Feedback on a memory, useful or wrong, and its effect on rank and lifetime. Pure.

Kept in the memory's metadata (so that its history shows who gave it): a moving average of 1 for
useful and -1 for wrong, in which the newest mark has a share of 0.3, and counts of both.
"""

from __future__ import annotations

from gitmem.model.frozen import dataclass, replace
from gitmem.model.memory import Memory
from gitmem.text import json_reader

KEY = "feedback"
USEFUL, WRONG = "useful", "wrong"
ALPHA = 0.3
# What each mark as useful adds to the score, and how many count.
PER_USEFUL, MAX_COUNTED_MARKS = 0.05, 10
# The factor on the decay score of a memory that is doubted.
DOUBTED_LIFE = 0.5


@dataclass(frozen=True, slots=True)
class MemoryFeedback:
    """Readers' feedback on a memory: how many called it useful or wrong, and a moving average.

    ``average`` is from -1 (wrong) to 1 (useful), 0 without feedback. ``doubted``: the last mark was
    "wrong", or the average is below 0.
    """

    average: float = 0.0
    useful: int = 0
    wrong: int = 0
    doubted: bool = False


NONE = MemoryFeedback()


def read_feedback(metadata: str) -> MemoryFeedback:
    """The MemoryFeedback in a memory's metadata (JSON text); all zero if it has none."""
    if f'"{KEY}"' not in metadata:
        return NONE
    fields = json_reader.loads(metadata).get(KEY)
    if not isinstance(fields, dict):
        return NONE
    average = fields.get("average")
    return MemoryFeedback(
        max(-1.0, min(1.0, float(average))) if isinstance(average, int | float) else 0.0,
        _count(fields.get(USEFUL)),
        _count(fields.get(WRONG)),
        fields.get("doubted") is True,
    )


def _count(value: object) -> int:
    return max(value, 0) if isinstance(value, int) else 0


def add_mark_to_feedback(feedback: MemoryFeedback, useful_or_wrong: str) -> MemoryFeedback:
    """The feedback after one more mark, ``useful`` or ``wrong``."""
    good = useful_or_wrong == USEFUL
    average = (1 - ALPHA) * feedback.average + ALPHA * (1 if good else -1)
    return MemoryFeedback(
        round(average, 4),
        feedback.useful + good,
        feedback.wrong + (not good),
        not good or round(average, 4) < 0,
    )


def add_mark_to_memory(
    memory: Memory, useful_or_wrong: str, *, rejected_by_person: bool = False
) -> Memory:
    """A copy of the memory with one more mark, ``useful`` or ``wrong``, in its metadata.

    ``rejected_by_person``: a person called it wrong, so it stays doubted whatever an agent says.
    """
    import json  # noqa: PLC0415 - not needed to read feedback

    new = add_mark_to_feedback(read_feedback(memory.metadata), useful_or_wrong)
    new = replace(new, doubted=new.doubted or rejected_by_person)
    facts = json_reader.loads(memory.metadata or "{}")
    facts[KEY] = {name: getattr(new, name) for name in MemoryFeedback.__slots__}
    return replace(memory, metadata=json.dumps(facts, ensure_ascii=False, sort_keys=True))


def feedback_rank_factor(feedback: MemoryFeedback) -> float:
    """The factor, 0.5 to 1.5, by which feedback changes a memory's score in a search."""
    return 1 + PER_USEFUL * min(feedback.useful, MAX_COUNTED_MARKS) + min(feedback.average, 0.0) / 2


def feedback_labels(feedback: MemoryFeedback) -> tuple[str, ...]:
    """The note for readers of a memory: ``marked wrong``, ``marked useful``, or an empty tuple."""
    if feedback.doubted:
        return ("marked wrong",)
    return ("marked useful",) if feedback.useful else ()
