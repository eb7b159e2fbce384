"""How full a session's context is, how far the session drifted, which entries to keep. Pure.

Fill: tokens against a limit, with a warning from 70 % and an alarm from 85 % on. Drift, 0 to 1, is
0.4 times the share of the goal's words that no recent note has, plus 0.1 for each note that
contradicts a rule (at most 0.3), plus 0.3 times the share of recent words that are new to the
session; it is moderate from 0.3 and high from 0.5 on. An entry loses 5 % of its relevance with each
later entry (2 % if it is critical). What is not known is None or "unknown", never 0.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from gitmem.memory import conflict
from gitmem.model.frozen import dataclass

WARN, CRITICAL = 0.70, 0.85
REQUIREMENTS, CONTRADICTION, CONTRADICTIONS, TOPIC = 0.4, 0.1, 0.3, 0.3
MODERATE, HIGH = 0.3, 0.5
DECAY, DECAY_CRITICAL = 0.95, 0.98
# Strategy -> share of entries that stay.
STRATEGIES = {"summarise": 0.60, "selective": 0.50, "aggressive": 0.40}
ALWAYS_RECENT = 10
LATELY = 10  # notes that count as recent
_LEAST_NOTES = 2  # for a drift of the topic
CHARACTERS = 4


@dataclass(frozen=True, slots=True)
class GoalDrift:
    """How far an agent's session has drifted from its goal: ``score``, 0 to 1, None if unknown.

    ``band`` is low, moderate, high or unknown. The score is the sum of ``requirements`` (words of
    the goal in no recent note, at most 0.4), ``contradictions`` (notes against rules, at most 0.3)
    and ``topic`` (new words, at most 0.3); an unknown one is None. ``absent`` are these words of
    the goal, ``against`` the contradicted rules.
    """

    score: float | None
    band: str
    requirements: float | None
    contradictions: float | None
    topic: float | None
    absent: tuple[str, ...] = ()
    against: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionEntry:
    """A note or memory of a session, made ``at`` (ms since 1970); a critical one is always kept."""

    id: str
    text: str
    at: int
    critical: bool = False


@dataclass(frozen=True, slots=True)
class RankedSessionEntry:
    """A session's entry, its relevance (0 to 1), and whether a reduced context keeps it."""

    entry: SessionEntry
    relevance: float
    keep: bool


def estimate_tokens(byte_count: int) -> int:
    """An estimate of the tokens in a transcript of ``byte_count`` bytes: size / 4, rounded up."""
    return -(-max(byte_count, 0) // CHARACTERS)


def context_fill_level(token_count: int | None, token_limit: int) -> str:
    """How full a context of ``token_count`` tokens is: ok, warn, critical; for None unknown.

    It is ``warn`` from 70 % of ``token_limit`` on, ``critical`` from 85 %.
    """
    if token_count is None or token_limit <= 0:
        return "unknown"
    share = token_count / token_limit
    return "critical" if share >= CRITICAL else "warn" if share >= WARN else "ok"


def compaction_strategy(fill_level: str, token_count: int | None, token_limit: int) -> str:
    """How to reduce a context: ``aggressive``, ``selective``, ``summarise``; empty: not at all.

    ``fill_level`` is from ``context_fill_level``; ``aggressive`` is for a context over its limit.
    """
    if fill_level == "critical":
        return (
            "aggressive" if token_count is not None and token_count >= token_limit else "selective"
        )
    return "summarise" if fill_level == "warn" else ""


def measure_goal_drift(
    goal: str,
    notes: Sequence[str],
    worked_on_paths: Iterable[str],
    contradicting_note_count: int | None,
) -> GoalDrift:
    """The GoalDrift of an agent's session, from the words of its notes, the newest first.

    ``contradicting_note_count`` is how many notes contradict a rule, None if that was not checked.
    """
    lately = _words(notes[:LATELY])
    worked = lately | _words(re.sub(r"[/_.]", " ", path) for path in worked_on_paths)
    goal_words = conflict.words_by_stem(goal)
    requirements = topic = against = None
    absent: tuple[str, ...] = ()
    if goal_words and worked:
        absent = tuple(sorted(word for key, word in goal_words.items() if key not in worked))
        requirements = REQUIREMENTS * len(absent) / len(goal_words)
    if len(notes) >= _LEAST_NOTES:
        topic = _topic_drift(notes, goal_words)
    if contradicting_note_count is not None and notes:
        against = min(CONTRADICTION * contradicting_note_count, CONTRADICTIONS)
    parts = [part for part in (requirements, topic) if part is not None]
    score = round(sum(parts) + (against or 0.0), 4) if parts else None
    return GoalDrift(score, drift_level(score), requirements, against, topic, absent)


def drift_level(drift_score: float | None) -> str:
    """``low``, ``moderate`` (from 0.3 on), ``high`` (from 0.5), or ``unknown`` for None."""
    if drift_score is None:
        return "unknown"
    return "high" if drift_score >= HIGH else "moderate" if drift_score >= MODERATE else "low"


def _topic_drift(notes: Sequence[str], goal_words: Collection[str]) -> float | None:
    """The weighted share of words in recent notes that are new to the session."""
    half = max(1, min(LATELY, len(notes) // 2))
    lately = _words(notes[:half])
    before = _words(notes[half:]) | set(goal_words)
    return TOPIC * len(lately - before) / len(lately) if lately else None


def _words(texts: Iterable[str]) -> set[str]:
    return {key for text in texts for key in conflict.words_by_stem(text)}


def rank_session_entries(
    entries_newest_first: Sequence[SessionEntry], compaction_strategy_name: str
) -> list[RankedSessionEntry]:
    """The entries as RankedSessionEntries, the newest first; the newest has the relevance 1.

    ``compaction_strategy_name`` is ``summarise``, ``selective`` or ``aggressive``, which keep 60,
    50 and 40 % of them, and always the ten newest and the critical ones; an empty one keeps all.
    """
    order = sorted(entries_newest_first, key=lambda entry: (-entry.at, entry.id))
    left = [
        (DECAY_CRITICAL if entry.critical else DECAY) ** number
        for number, entry in enumerate(order)
    ]
    share = STRATEGIES.get(compaction_strategy_name, 1.0)
    count = -int(-share * len(order) // 1)
    best = sorted(range(len(order)), key=lambda at: (-left[at], at))[:count]
    chosen = {*best, *range(min(ALWAYS_RECENT, len(order)))}
    return [
        RankedSessionEntry(entry, round(left[at], 4), at in chosen or entry.critical)
        for at, entry in enumerate(order)
    ]
