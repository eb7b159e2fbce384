"""Scoring files for a question. Pure.

The BM25 of a file's best piece is one part; others are the BM25 of all its pieces, the question's
words in its path and names, definitions of names in the question, and past commits. The kind of a
file is a factor (``file_kinds``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache

from gitmem.model.frozen import dataclass
from gitmem.search import file_kinds
from gitmem.search.question import ParsedQuestion
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
class FileRankingFeatures:
    """The facts about a file by which it is scored for a question.

    ``scores`` are the BM25 scores of its matching pieces, ``names`` what they define. ``defines``
    is 1 if the file defines a name of the question, 0.5 if in another spelling; ``phrase`` is the
    share of the quoted phrases in it, ``path_named`` how surely (0 to 1) the question names its
    path, ``usual`` whether it is the usual place of the topic, ``history`` the share (0 to 1) of
    past commits for it, ``lines`` its length.
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
    path_named: float = 0.0
    usual: bool = False


@dataclass(frozen=True, slots=True)
class FileScore:
    """A file's score, and by name the numbers it is made of (``parts``).

    The part ``kind`` is a factor for the file's ``kinds`` (test, docs), the others are summands.
    """

    score: float
    parts: Mapping[str, float]
    kinds: tuple[str, ...]


def score_files(
    files: Sequence[FileRankingFeatures],
    question: ParsedQuestion,
    idf: Mapping[str, float],
    *,
    weights: Mapping[str, float] = WEIGHTS,
    factors: Mapping[str, float] = file_kinds.FACTORS,
    excluded_score_parts: Collection[str] = (),
) -> dict[str, FileScore]:
    """Path -> the file's score for a question, with its parts.

    ``idf`` maps the words of the question to their inverse document frequency; ``weights`` are
    those of the parts, ``factors`` those of the kinds of file; ``excluded_score_parts`` names parts
    to leave out.
    """
    best = max((max(file.scores) for file in files if file.scores), default=0.0) or 1.0
    most = max((sum(file.scores) for file in files), default=0.0) or 1.0
    meet = _meeting([word for word in question.words if len(word) > 2 or not word.isascii()], idf)
    lowered: dict[tuple[str, ...], file_kinds.KindFactor] = {}
    scored = {}
    for file in files:
        raw = {
            "text": max(file.scores, default=0.0) / best,
            "together": sum(file.scores) / most,
            "phrase": file.phrase,
            "asked_path": file.path_named,
            "usual": float(file.usual),
            "history": file.history,
            "length": math.log1p(file.lines) / 10,
            **_of_words(file, question, meet),
            **_of_definition(file, question),
        }
        parts = {
            name: part
            for name, value in raw.items()
            if value
            and name not in excluded_score_parts
            and (part := round(weights.get(name, 1.0) * value, 4))
        }
        # Length alone is no evidence.
        total = sum(parts.values()) if len(parts) > ("length" in parts) else 0.0
        own = file_kinds.kinds_of_file(file.path, file.language)
        if own not in lowered:
            lowered[own] = file_kinds.rank_factor_of_file(
                file.path, file.language, question.requested_kinds, question.outside_source, factors
            )
        down = lowered[own]
        # Files that are named, or are the usual place of a task, are not lowered.
        explicit = file.path_named or (file.usual and question.task is not None)
        factor = 1.0 if "kind" in excluded_score_parts or explicit else down.factor
        if factor != 1.0:
            parts["kind"] = factor
        scored[file.path] = FileScore(total * factor, parts, down.kinds if factor != 1.0 else ())
    return scored


def reasons_of_file_score(file_score: FileScore | None) -> tuple[str, ...]:
    """The reasons to show for a file's score, such as "defines it"; empty without a score."""
    if file_score is None:
        return ()
    texts = []
    if file_score.parts.get("asked_path"):
        texts.append("named in the question")
    if file_score.parts.get("phrase"):
        texts.append("contains the phrase")
    if file_score.parts.get("usual"):
        texts.append("where projects keep this")
    if {"defines", "defines_only"} & file_score.parts.keys():
        texts.append("defines it")
    elif "defines_loosely" in file_score.parts:
        texts.append("defines a similar name")
    history = file_score.parts.get("history", 0.0)
    if history >= 0.3 or (history and "text" not in file_score.parts):
        texts.append("changed by commits about it")
    return tuple(texts)


def _of_definition(evidence: FileRankingFeatures, question: ParsedQuestion) -> dict[str, float]:
    if not evidence.defines:
        return {}
    if evidence.defines < 1:
        return {"defines_loosely": 1.0}
    found = {"defines_only" if question.is_single_name else "defines": 1.0}
    # A file that is named after what it defines is its home.
    if evidence.own_file:
        found["own_file"] = WEIGHTS["defines_only" if question.is_single_name else "defines"]
    return found


def matches_any_path(path: str, paths: Collection[str]) -> bool:
    """Whether a path equals one of ``paths``, ends with one, or is the end of one."""
    return any(
        f"/{path}".endswith("/" + name.lstrip("./"))
        or ("/" in path and f"/{name}".endswith(f"/{path}"))
        for name in paths
        if name.strip("./")
    )


Meet = Callable[[Sequence[str]], tuple[float, float, float]]


def _of_words(
    evidence: FileRankingFeatures, question: ParsedQuestion, meet: Meet
) -> dict[str, float]:

    if question.is_single_name:
        return {}
    found: dict[str, float] = {}
    own, near, whole = _path(evidence.path)
    # Mostly the whole path matches nothing, so its parts need not be looked at.
    share_of_all, path_rarity, _ = meet(whole)
    if share_of_all:
        found = {"stem": meet(own)[0], "folder": meet(near)[0], "path": path_rarity}
    words = [_split(name) for name in evidence.names]
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
    """Part of a name -> the question's words that it matches, computed on first use.

    Two words match if one is a prefix of the other, or if their stems are equal.
    """

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__()
        # Matching words share their first letters, so most parts need one look-up.
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
    """A function: words of a name -> (share of the question's words matched, the same weighted by
    rarity, share of the name's words matched)."""
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
    return tuple(identifiers.split_identifiers(name))
