"""The order of files for a question, from what is known of each: pure.

BM25 of a file's best piece comes first. To it are added how much of the file answers, whether its
path and the names it defines hold the question's words, whether it defines a name that the question
writes, and whether past commits that speak of the same changed it. Kinds of files that only repeat
the words are put down (``kinds_of_files``). Every part is told, so that a rank can be explained.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache

from gitmem.model.frozen import dataclass
from gitmem.search import file_kinds
from gitmem.search.question import Asked
from gitmem.text import identifiers
from gitmem.text.stem import stem

# Chosen by cross-validation over repositories: `python -m tests.bench.tune` (docs/benchmarks.md).
WEIGHTS = {
    "phrase": 1.0,
    "asked_path": 5.0,
    "together": 0.4,
    "stem": 1.0,
    "folder": 0.75,
    "path": 2.0,
    "names": 0.25,
    "name": 0.5,
    "history": 0.75,
    "length": 0.25,
    "defines": 0.5,
    "defines_only": 3.0,
    "defines_loosely": 0.25,
    "own_file": 0.5,
    "usual": 1.5,
}
SHORTEST_PREFIX = 3


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a file: of its pieces found the scores, and the names they define.

    ``defines`` is 1 where the file defines a name of the question exactly, 0.5 however it is
    written; ``phrase`` is the share of the phrases in quotes that it holds, ``asked_path`` how
    surely the question names its path (0 to 1), ``usual`` that such things are kept in files of its
    name; ``history`` the share (0 to 1) of past commits that answer. ``lines`` is its length.
    """

    path: str
    language: str
    scores: tuple[float, ...] = ()
    names: tuple[str, ...] = ()
    defines: float = 0.0
    own_file: bool = False
    history: float = 0.0
    lines: int = 0
    phrase: float = 0.0
    asked_path: float = 0.0
    usual: bool = False


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
    factors: Mapping[str, float] = file_kinds.FACTORS,
    without: Collection[str] = (),
) -> dict[str, Scored]:
    """Path -> score of every file. ``rarity`` is the inverse document frequency of each word.

    ``without`` names parts to leave out, for measurements.
    """
    best = max((max(one.scores) for one in files if one.scores), default=0.0) or 1.0
    most = max((sum(one.scores) for one in files), default=0.0) or 1.0
    meet = _meeting([word for word in asked.words if len(word) > 2 or not word.isascii()], rarity)
    lowered: dict[tuple[str, ...], file_kinds.Lowered] = {}
    scored = {}
    for one in files:
        raw = {
            "text": max(one.scores, default=0.0) / best,
            "together": sum(one.scores) / most,
            "phrase": one.phrase,
            "asked_path": one.asked_path,
            "usual": float(one.usual),
            "history": one.history,
            "length": math.log1p(one.lines) / 10,
            **_of_words(one, asked, meet),
            **_of_definition(one, asked),
        }
        parts = {
            name: part
            for name, value in raw.items()
            if value and name not in without and (part := round(weights.get(name, 1.0) * value, 4))
        }
        # Being long is no answer by itself: a file that only meaning found has no score of words.
        total = sum(parts.values()) if len(parts) > ("length" in parts) else 0.0
        own = file_kinds.kinds(one.path, one.language)
        if own not in lowered:
            lowered[own] = file_kinds.lowered(
                one.path, one.language, asked.wants, asked.beside, factors
            )
        down = lowered[own]
        # A file that is called by its name is wanted, whatever its kind; so is one that tells of a
        # task, be it a script.
        wanted = one.asked_path or (one.usual and asked.task is not None)
        factor = 1.0 if "kind" in without or wanted else down.factor
        if factor != 1.0:
            parts["kind"] = factor
        scored[one.path] = Scored(total * factor, parts, down.kinds if factor != 1.0 else ())
    return scored


def reasons(score: Scored | None) -> tuple[str, ...]:
    """What of a file's score a person is told: why it is a hit, and what put it down."""
    if score is None:
        return ()
    told = []
    if score.parts.get("asked_path"):
        told.append("named in the question")
    if score.parts.get("phrase"):
        told.append("contains the phrase")
    if score.parts.get("usual"):
        told.append("where projects keep this")
    if {"defines", "defines_only"} & score.parts.keys():
        told.append("defines it")
    elif "defines_loosely" in score.parts:
        told.append("defines a similar name")
    history = score.parts.get("history", 0.0)
    if history >= 0.3 or (history and "text" not in score.parts):
        told.append("changed by commits about it")
    return tuple(told)


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


def named_by(path: str, asked: Collection[str]) -> bool:
    """Whether one of the paths that a question names is this one, or its end, or holds it whole.

    The last is a path from another machine: ``/home/me/shop/src/cart.py`` for ``src/cart.py``.
    """
    return any(
        f"/{path}".endswith("/" + one.lstrip("./"))
        or ("/" in path and f"/{one}".endswith(f"/{path}"))
        for one in asked
        if one.strip("./")
    )


Meet = Callable[[Sequence[str]], tuple[float, float, float]]


def _of_words(one: Evidence, asked: Asked, meet: Meet) -> dict[str, float]:
    """Which of the question's words are in the path and in the names that the file defines."""
    if asked.single:
        return {}
    found: dict[str, float] = {}
    own, near, whole = _path(one.path)
    # Mostly a path as a whole meets nothing, and all names together: then no part has to be looked
    # at by itself.
    share_of_all, path_rarity, _ = meet(whole)
    if share_of_all:
        found = {"stem": meet(own)[0], "folder": meet(near)[0], "path": path_rarity}
    words = [_split(name) for name in one.names]
    share_of_all, names_rarity, _ = meet([part for parts in words for part in parts])
    if share_of_all:
        met = [meet(parts) for parts in words]
        found["names"] = names_rarity
        found["name"] = max(share * covered for share, _, covered in met)
    return found


@lru_cache(maxsize=20_000)
def _path(path: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The parts of a file's name, of its folder's, and of the whole path."""
    folders, _, name = path.rpartition("/")
    own = _split(name.partition(".")[0] or name)
    return own, _split(folders.rpartition("/")[2]), (*_split(folders), *own)


_NONE: frozenset[str] = frozenset()


class _Met(dict[str, frozenset[str]]):
    """Part of a name -> the words that it meets, worked out when it is first asked for.

    Two words meet if one begins the other, or if both are forms of one (formatter, formatting).
    """

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__()
        # Words that meet share their first letters, so most parts are done with after one look.
        self._alike: dict[str, list[tuple[str, str]]] = {}
        for word in words:
            self._alike.setdefault(word[:SHORTEST_PREFIX], []).append((word, stem(word)))

    def __missing__(self, part: str) -> frozenset[str]:
        near = self._alike.get(part[:SHORTEST_PREFIX])
        here = _NONE
        if near is not None:
            here = frozenset([word for word, its in near if _meets(word, its, part)])
        self[part] = here
        return here


def _meeting(words: Sequence[str], rarity: Mapping[str, float]) -> Meet:
    """A function: words of a name -> (share of the question's words met, the same by rarity,
    share of the name's words that the question has)."""
    total = sum(rarity.get(word, 0.0) for word in words) or 1.0
    met = _Met(words)

    def meet(parts: Sequence[str]) -> tuple[float, float, float]:
        sets = [here for part in parts if (here := met[part])]
        if not sets:
            return 0.0, 0.0, 0.0
        together = sets[0].union(*sets)
        by_rarity = sum([rarity.get(word, 0.0) for word in words if word in together]) / total
        return len(together) / len(words), by_rarity, len(sets) / len(parts)

    return meet


def _meets(word: str, its_stem: str, part: str) -> bool:
    if len(part) < SHORTEST_PREFIX or len(word) < SHORTEST_PREFIX:
        return word == part
    return word.startswith(part) or part.startswith(word) or its_stem == stem(part)


@lru_cache(maxsize=50_000)
def _split(name: str) -> tuple[str, ...]:
    return tuple(identifiers.split(name))
