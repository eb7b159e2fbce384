"""The order of files for a question, from what is known of each: pure.

BM25 of a file's best piece comes first. To it are added how much of the file answers, whether its
path and the names it defines hold the question's words, whether it defines a name that the question
writes, and whether past commits that speak of the same changed it. Kinds of files that only repeat
the words are put down (``kinds_of_files``). Every part is told, so that a rank can be explained.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence

from gitmem.model.value import dataclass
from gitmem.search import kinds_of_files
from gitmem.search.asked import Asked
from gitmem.text import identifiers

# Chosen by cross-validation over repositories: `python -m tests.bench.tune` (docs/benchmarks.md).
WEIGHTS = {
    "together": 0.4,
    "stem": 1.0,
    "folder": 0.0,
    "path": 2.0,
    "names": 0.5,
    "name": 1.0,
    "history": 0.75,
    "length": 0.2,
    "defines": 0.5,
    "defines_only": 3.0,
    "defines_loosely": 0.25,
    "own_file": 0.5,
}
SHORTEST_PREFIX = 3


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a file: of its pieces found the scores, and the names they define.

    ``defines`` is 1 where the file defines a name of the question exactly, 0.5 however it is
    written; ``history`` the share (0 to 1) of past commits that answer. ``lines`` is its length.
    """

    path: str
    language: str
    scores: tuple[float, ...] = ()
    names: tuple[str, ...] = ()
    defines: float = 0.0
    own_file: bool = False
    history: float = 0.0
    lines: int = 0


@dataclass(frozen=True, slots=True)
class Scored:
    """A file's score and the parts it is made of, by name; ``kind`` is a factor, the rest add."""

    score: float
    parts: Mapping[str, float]
    kinds: tuple[str, ...]


def score(
    files: Sequence[Evidence],
    asked: Asked,
    rarity: Mapping[str, float],
    *,
    weights: Mapping[str, float] = WEIGHTS,
    factors: Mapping[str, float] = kinds_of_files.FACTORS,
    without: Collection[str] = (),
) -> dict[str, Scored]:
    """Path -> score of every file. ``rarity`` is the inverse document frequency of each word.

    ``without`` names parts to leave out, for measurements.
    """
    best = max((max(one.scores) for one in files if one.scores), default=0.0) or 1.0
    most = max((sum(one.scores) for one in files), default=0.0) or 1.0
    meet = _meeting([word for word in asked.words if len(word) > 2], rarity)
    scored = {}
    for one in files:
        raw = {
            "text": max(one.scores, default=0.0) / best,
            "together": sum(one.scores) / most,
            "history": one.history,
            "length": math.log1p(one.lines) / 10,
            **_of_words(one, asked, meet),
            **_of_definition(one, asked),
        }
        parts = {
            name: round(weights.get(name, 1.0) * value, 4)
            for name, value in raw.items()
            if value and name not in without and weights.get(name, 1.0)
        }
        down = kinds_of_files.lowered(one.path, one.language, asked.wants, factors)
        factor = 1.0 if "kind" in without else down.factor
        if factor != 1.0:
            parts["kind"] = factor
        total = sum(value for name, value in parts.items() if name != "kind")
        scored[one.path] = Scored(total * factor, parts, down.kinds if factor != 1.0 else ())
    return scored


def _of_definition(one: Evidence, asked: Asked) -> dict[str, float]:
    if not one.defines:
        return {}
    if one.defines < 1:
        return {"defines_loosely": 1.0}
    found = {"defines_only" if asked.single else "defines": 1.0}
    # A file that is named after what it defines is its home.
    if one.own_file:
        found["own_file"] = WEIGHTS["defines_only" if asked.single else "defines"]
    return found


Meet = Callable[[Sequence[str]], tuple[float, float, float]]


def _of_words(one: Evidence, asked: Asked, meet: Meet) -> dict[str, float]:
    """Which of the question's words are in the path and in the names that the file defines."""
    if asked.single:
        return {}
    folders, _, name = one.path.rpartition("/")
    stem = identifiers.split(name.partition(".")[0] or name)
    near = identifiers.split(folders.rpartition("/")[2])
    stem_share, _, _ = meet(stem)
    folder_share, _, _ = meet(near)
    _, path_rarity, _ = meet([*identifiers.split(folders), *stem])
    words = [identifiers.split(name) for name in one.names]
    _, names_rarity, _ = meet([part for parts in words for part in parts])
    name_best = 0.0
    for parts in words:
        share, _, covered = meet(parts)
        name_best = max(name_best, share * covered)
    return {
        "stem": stem_share,
        "folder": folder_share,
        "path": path_rarity,
        "names": names_rarity,
        "name": name_best,
    }


def _meeting(words: Sequence[str], rarity: Mapping[str, float]) -> Meet:
    """A function: words of a name -> (share of the question's words met, the same by rarity,
    share of the name's words that the question has). Two words meet if one begins the other."""
    total = sum(rarity.get(word, 0.0) for word in words) or 1.0
    known: dict[str, frozenset[str]] = {}

    def met(part: str) -> frozenset[str]:
        here = known.get(part)
        if here is None:
            here = known[part] = frozenset(word for word in words if _alike(word, part))
        return here

    def meet(parts: Sequence[str]) -> tuple[float, float, float]:
        if not words or not parts:
            return 0.0, 0.0, 0.0
        sets = [met(part) for part in set(parts)]
        together = frozenset().union(*sets)
        if not together:
            return 0.0, 0.0, 0.0
        share = len(together) / len(words)
        by_rarity = sum(rarity.get(word, 0.0) for word in together) / total
        return share, by_rarity, sum(map(bool, sets)) / len(sets)

    return meet


def _alike(word: str, part: str) -> bool:
    if word == part:
        return True
    if min(len(word), len(part)) < SHORTEST_PREFIX:
        return False
    return word.startswith(part) or part.startswith(word)
