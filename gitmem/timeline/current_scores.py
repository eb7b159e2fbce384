"""Scoring memories for the current situation, and making suggestions from the best. Pure.

Additive boosts, multiplied by weight / 3 at the end.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gitmem.model.frozen import dataclass
from gitmem.model.memory import Memory

BOOSTS = {
    "same session": 0.25,
    "cites the active file": 0.55,
    "names the active file": 0.35,
    "names the command": 0.30,
    "error signature": 0.35,
    "term": 0.04,
    "decision on the active file": 0.12,
    "fix for an error or a check": 0.20,
}
MOST_TERMS = 12
RECENT = 0.8  # the base score of a recent memory that no question asked for
# The words by which the setting ``context.scores`` names the scores.
NAMES = {
    "recent": "recent",
    "session": "same session",
    "file": "cites the active file",
    "filename": "names the active file",
    "command": "names the command",
    "error": "error signature",
    "term": "term",
    "decision": "decision on the active file",
    "fix": "fix for an error or a check",
}
_MOST_SCORE = 10
_CHECK = re.compile(r"\b(?:test|tests|pytest|build|lint|check|tox|jest|vitest|mypy|ruff|tsc)\b")
_WORD = re.compile(r"[^\W\d]\w{2,}")
MOST_SUGGESTIONS = 5


@dataclass(frozen=True, slots=True)
class WorkSituation:
    """What a person or agent works on now: session id, active file, last command and error.

    ``terms`` are words of its goal and notes. Unknown fields are empty.
    """

    session: str = ""
    file: str = ""
    command: str = ""
    error: str = ""
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScoredMemory:
    """A memory, its score in a situation, and the reasons for it, such as ``term +0.04``."""

    memory: Memory
    score: float
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NextStepSuggestion:
    """A suggestion of what to do next; ``memories`` are the ids that it is based on.

    ``type`` is symbol, decision, error, pattern or explore; ``confidence`` is 0 to 1.
    """

    type: str
    text: str
    confidence: float
    memories: tuple[str, ...]


def extract_long_words(texts: Sequence[str]) -> tuple[str, ...]:
    """At most twelve different words of four or more letters from some texts, in lower case."""
    words = (word.lower() for text in texts for word in _WORD.findall(text))
    return tuple(dict.fromkeys(word for word in words if len(word) > 3))[:MOST_TERMS]


def is_test_or_build_command(command: str) -> bool:
    """Whether a command line has a word such as test, build, lint or mypy."""
    return _CHECK.search(command) is not None


def parse_score_boosts(text: str) -> dict[str, float]:
    """{reason: score} for ``score_memory_in_situation``, changed by a text such as ``file=0.6``.

    Several are separated by commas. Raises ValueError for an unknown name or an invalid number.
    """
    scores = {"recent": RECENT, **BOOSTS}
    for item in filter(None, map(str.strip, text.split(","))):
        name, _, number = item.partition("=")
        score = float(number)
        if name.strip() not in NAMES or not 0 <= score <= _MOST_SCORE:
            raise ValueError(item)
        scores[NAMES[name.strip()]] = score
    return scores


def score_memory_in_situation(
    memory: Memory,
    base_score: float,
    situation: WorkSituation,
    boosts: Mapping[str, float] = BOOSTS,
) -> ScoredMemory:
    """The ScoredMemory for a memory in a situation.

    ``base_score`` is its score before; each reason that applies adds its number of ``boosts``, and
    the sum is multiplied by the memory's weight / 3.
    """
    text = f"{memory.title} {memory.content}".lower()
    parts = [(name, boosts[name]) for name, held in _boosts(memory, text, situation) if held]
    term_count = sum(word in text for word in situation.terms)
    if term_count:
        parts.append((f"{term_count} terms", boosts["term"] * term_count))
    score = base_score + sum(part for _, part in parts)
    why = [f"base {base_score:.2f}", *(f"{name} +{part:.2f}" for name, part in parts)]
    if memory.weight != 3:
        why.append(f"weight x{memory.weight / 3:.2f}")
    return ScoredMemory(memory, round(score * memory.weight / 3, 4), tuple(why))


def _boosts(memory: Memory, text: str, situation: WorkSituation) -> list[tuple[str, bool]]:
    name = situation.file.rpartition("/")[2].lower()
    cited = bool(situation.file) and any(
        path.partition(":")[0].rstrip("/") == situation.file
        or situation.file.startswith(path.rstrip("/") + "/")
        for path in memory.paths
    )
    program = situation.command.strip().split(" ")[0].lower()
    signature = stable_part_of_error(situation.error)
    troubled = bool(situation.error) or is_test_or_build_command(situation.command)
    return [
        ("same session", bool(situation.session) and memory.session == situation.session),
        ("cites the active file", cited),
        ("names the active file", bool(name) and name in text),
        ("names the command", bool(program) and program in text),
        ("error signature", bool(signature) and signature in text),
        ("decision on the active file", memory.kind == "decision" and cited),
        ("fix for an error or a check", memory.kind in ("fix", "error") and troubled),
    ]


def stable_part_of_error(error: str) -> str:
    """An error message in lower case without numbers, quotes and paths, cut to 80 characters."""
    bare = re.sub(r"0x[0-9a-f]+|\d+|[\"'`].*?[\"'`]|\S*/\S*", "", error.lower())
    return " ".join(bare.split())[:80].strip(" :.,")


def suggest_next_steps(
    relevant_memories: Sequence[ScoredMemory],
    *,
    current_symbol: str,
    current_file: str,
    current_error: str,
    uses_by_memory_id: dict[str, int],
    pattern_names_by_id: Mapping[str, str],
) -> list[NextStepSuggestion]:
    """At most five NextStepSuggestions from the relevant memories, the surest first.

    ``current_symbol``, ``current_file`` and ``current_error`` are the current ones, empty if
    unknown. ``uses_by_memory_id`` maps ids of memories to how often each was read,
    ``pattern_names_by_id`` ids of code patterns to names.
    """
    chosen: list[NextStepSuggestion] = []
    if current_symbol:
        chosen.append(
            NextStepSuggestion("symbol", f"Start at {current_symbol} in {current_file}", 0.82, ())
        )
    decisions = [item.memory for item in relevant_memories if item.memory.kind == "decision"]
    for memory in decisions[:2]:
        text = f"A decision concerns this: {memory.headline}"
        chosen.append(NextStepSuggestion("decision", text, 0.8, (memory.id,)))
    fixes = [item.memory.id for item in relevant_memories if item.memory.kind in ("fix", "error")]
    if current_error:
        chosen.append(
            NextStepSuggestion("error", f"Recent error: {current_error}", 0.75, tuple(fixes[:2]))
        )
    rules = [
        item.memory for item in relevant_memories if item.memory.kind in ("pattern", "convention")
    ]
    follow = {**{memory.id: memory.headline for memory in rules}, **pattern_names_by_id}
    for id, name in list(follow.items())[:2]:
        sure = 0.9 if uses_by_memory_id.get(id, 0) > 5 else 0.7
        chosen.append(NextStepSuggestion("pattern", f"Follow: {name}", sure, (id,)))
    cited = {id for suggestion in chosen for id in suggestion.memories}
    others = [
        item.memory
        for item in relevant_memories
        if item.memory.kind not in ("decision", "pattern") and item.memory.id not in cited
    ]
    if others:
        ids = tuple(memory.id for memory in others[:3])
        chosen.append(NextStepSuggestion("explore", f"Related: {others[0].headline}", 0.6, ids))
    chosen.sort(key=lambda suggestion: -suggestion.confidence)
    return chosen[:MOST_SUGGESTIONS]
