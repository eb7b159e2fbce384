"""How much a memory matters right now, and what to suggest from those that do: pure.

The published table of additive boosts, multiplied by weight / 3 at the end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

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
# Of what is recent without a question to it.
RECENT = 0.8
_CHECK = re.compile(r"\b(?:test|tests|pytest|build|lint|check|tox|jest|vitest|mypy|ruff|tsc)\b")
_WORD = re.compile(r"[^\W\d]\w{2,}")
MOST_SUGGESTIONS = 5


@dataclass(frozen=True, slots=True)
class Situation:
    """What is going on; what is not known is empty. ``terms`` are words of goal and notes."""

    session: str = ""
    file: str = ""
    command: str = ""
    error: str = ""
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Weighed:
    """A memory with its score and what it is made of."""

    memory: Memory
    score: float
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Something worth a look; ``memories`` are the ids of those it rests on."""

    type: str
    text: str
    confidence: float
    memories: tuple[str, ...]


def terms(texts: Sequence[str]) -> tuple[str, ...]:
    """The words of some texts that can tell something, each once, at most ``MOST_TERMS``."""
    words = (word.lower() for text in texts for word in _WORD.findall(text))
    return tuple(dict.fromkeys(word for word in words if len(word) > 3))[:MOST_TERMS]


def weigh(memory: Memory, base: float, now: Situation) -> Weighed:
    """The score of a memory that answers ``base`` by itself, in a situation."""
    said = f"{memory.title} {memory.content}".lower()
    why = [name for name, held in _held(memory, said, now) if held]
    score = base + sum(BOOSTS[name] for name in why)
    met = [word for word in now.terms if word in said]
    if met:
        score += BOOSTS["term"] * len(met)
        why.append(f"{len(met)} terms")
    return Weighed(memory, round(score * memory.weight / 3, 4), tuple(why))


def _held(memory: Memory, said: str, now: Situation) -> list[tuple[str, bool]]:
    name = now.file.rpartition("/")[2].lower()
    cited = bool(now.file) and any(
        path.partition(":")[0].rstrip("/") == now.file
        or now.file.startswith(path.rstrip("/") + "/")
        for path in memory.paths
    )
    program = now.command.strip().split(" ")[0].lower()
    signature = signature_of(now.error)
    troubled = bool(now.error or _CHECK.search(now.command))
    return [
        ("same session", bool(now.session) and memory.session == now.session),
        ("cites the active file", cited),
        ("names the active file", bool(name) and name in said),
        ("names the command", bool(program) and program in said),
        ("error signature", bool(signature) and signature in said),
        ("decision on the active file", memory.kind == "decision" and cited),
        ("fix for an error or a check", memory.kind in ("fix", "error") and troubled),
    ]


def signature_of(error: str) -> str:
    """What stays the same of an error: its text in lower case without numbers and places."""
    bare = re.sub(r"0x[0-9a-f]+|\d+|[\"'`].*?[\"'`]|\S*/\S*", "", error.lower())
    return " ".join(bare.split())[:80].strip(" :.,")


def suggestions(
    relevant: Sequence[Weighed], *, symbol: str, file: str, error: str, used: dict[str, int]
) -> list[Suggestion]:
    """What to look at, the surest first; each names the memories it rests on.

    ``symbol`` is the active one, ``used`` says how often a memory was handed out.
    """
    found: list[Suggestion] = []
    if symbol:
        found.append(Suggestion("symbol", f"Start at {symbol} in {file}", 0.82, ()))
    decisions = [one.memory for one in relevant if one.memory.kind == "decision"]
    for memory in decisions[:2]:
        text = f"A decision concerns this: {memory.headline}"
        found.append(Suggestion("decision", text, 0.8, (memory.id,)))
    fixes = [one.memory.id for one in relevant if one.memory.kind in ("fix", "error")]
    if error:
        found.append(Suggestion("error", f"Recent error: {error}", 0.75, tuple(fixes[:2])))
    patterns = [one.memory for one in relevant if one.memory.kind in ("pattern", "convention")]
    for memory in patterns[:2]:
        sure = 0.9 if used.get(memory.id, 0) > 5 else 0.7
        found.append(Suggestion("pattern", f"Follow: {memory.headline}", sure, (memory.id,)))
    others = [one.memory for one in relevant if one.memory.kind not in ("decision", "pattern")]
    if others:
        ids = tuple(memory.id for memory in others[:3])
        found.append(Suggestion("explore", f"Related: {others[0].headline}", 0.6, ids))
    found.sort(key=lambda one: -one.confidence)
    return found[:MOST_SUGGESTIONS]
