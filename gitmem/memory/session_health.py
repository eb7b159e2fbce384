"""How full and how scattered a session has become, and what of it to keep (ML-31). Pure.

Fill: tokens against a limit, with a warning from 70 % and an alarm from 85 % on. Drift, 0 to 1, is
0.4 times the share of the goal that nothing lately speaks of, plus 0.1 for each note that goes
against a rule (0.3 at most), plus 0.3 times the share of what was said lately that is new to the
session; it is moderate from 0.3 and high from 0.5 on. Relevance falls by 5 % with each entry that
came after (2 % for critical ones). The numbers are those of ML-31; which words count is ours.
Where nothing is known the answer is None or "unknown", never a zero.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from gitmem.memory import conflict
from gitmem.model.frozen import dataclass

WARN, CRITICAL = 0.70, 0.85
REQUIREMENTS, CONTRADICTION, CONTRADICTIONS, TOPIC = 0.4, 0.1, 0.3, 0.3
MODERATE, HIGH = 0.3, 0.5
DECAY, DECAY_CRITICAL = 0.95, 0.98
# Strategy -> the share of entries that stays.
STRATEGIES = {"summarise": 0.60, "selective": 0.50, "aggressive": 0.40}
ALWAYS_RECENT = 10
# So many of the newest notes are "lately"; so many of them and of older ones tell of a topic.
LATELY = 10
_LEAST_NOTES = 2
CHARACTERS = 4


@dataclass(frozen=True, slots=True)
class Drift:
    """How far a session has come from its goal; ``score`` None where nothing is known.

    The parts are already weighted; a part that is None is not known and counts as 0. ``absent``
    are words of the goal, ``against`` says what goes against a rule, one line each.
    """

    score: float | None
    band: str
    requirements: float | None
    contradictions: float | None
    topic: float | None
    absent: tuple[str, ...] = ()
    against: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entry:
    """Something of a session: a note or a memory, and whether it must never be lost."""

    id: str
    text: str
    at: int
    critical: bool = False


@dataclass(frozen=True, slots=True)
class Weighed:
    """An entry, what is left of its relevance (0 to 1), and whether it is to stay."""

    entry: Entry
    relevance: float
    keep: bool


def tokens(size: int) -> int:
    """About how many tokens a transcript of ``size`` bytes has: a quarter, rounded up."""
    return -(-max(size, 0) // CHARACTERS)


def level(count: int | None, limit: int) -> str:
    """``ok``, ``warn`` (70 %), ``critical`` (85 %), or ``unknown``."""
    if count is None or limit <= 0:
        return "unknown"
    share = count / limit
    return "critical" if share >= CRITICAL else "warn" if share >= WARN else "ok"


def strategy(level: str, count: int | None, limit: int) -> str:
    """How to compact at a level; empty where nothing need be done."""
    if level == "critical":
        return "aggressive" if count is not None and count >= limit else "selective"
    return "summarise" if level == "warn" else ""


def drift(
    goal: str, notes: Sequence[str], files: Iterable[str], contradictions: int | None
) -> Drift:
    """How far the notes (newest first) have come from the goal.

    ``files`` are paths worked on, ``contradictions`` how many notes go against a rule, None where
    nobody looked.
    """
    lately = _words(notes[:LATELY])
    worked = lately | _words(path.replace("/", " ").replace("_", " ") for path in files)
    asked = conflict.words(goal)
    requirements = topic = against = None
    absent: tuple[str, ...] = ()
    if asked and worked:
        absent = tuple(sorted(word for key, word in asked.items() if key not in worked))
        requirements = REQUIREMENTS * len(absent) / len(asked)
    if len(notes) >= _LEAST_NOTES:
        topic = _topic(notes, asked)
    if contradictions is not None and notes:
        against = min(CONTRADICTION * contradictions, CONTRADICTIONS)
    parts = [one for one in (requirements, topic) if one is not None]
    score = round(sum(parts) + (against or 0.0), 4) if parts else None
    return Drift(score, band(score), requirements, against, topic, absent)


def band(score: float | None) -> str:
    """``low``, ``moderate`` (0.3), ``high`` (0.5), or ``unknown``."""
    if score is None:
        return "unknown"
    return "high" if score >= HIGH else "moderate" if score >= MODERATE else "low"


def _topic(notes: Sequence[str], asked: Collection[str]) -> float | None:
    """How much of what was said lately is new to the session, weighted."""
    half = max(1, min(LATELY, len(notes) // 2))
    lately = _words(notes[:half])
    before = _words(notes[half:]) | set(asked)
    return TOPIC * len(lately - before) / len(lately) if lately else None


def _words(texts: Iterable[str]) -> set[str]:
    return {key for text in texts for key in conflict.words(text)}


def weighed(entries: Sequence[Entry], strategy: str) -> list[Weighed]:
    """Each entry, the newest first, with its relevance and whether a strategy keeps it.

    Kept are the strategy's share of all (the most relevant ones), the ten newest, and all that is
    critical. Without a strategy all stay.
    """
    order = sorted(entries, key=lambda one: (-one.at, one.id))
    left = [
        (DECAY_CRITICAL if one.critical else DECAY) ** number for number, one in enumerate(order)
    ]
    share = STRATEGIES.get(strategy, 1.0)
    count = -int(-share * len(order) // 1)
    best = sorted(range(len(order)), key=lambda at: (-left[at], at))[:count]
    kept = {*best, *range(min(ALWAYS_RECENT, len(order)))}
    return [
        Weighed(one, round(left[at], 4), at in kept or one.critical) for at, one in enumerate(order)
    ]
