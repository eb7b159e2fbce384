"""Whether what was found answers, or is only the nearest there is: pure, for `search` and `ask`.

Of the best hits three things tell: how much of the question one of them holds, by the rarity of its
words; how like it they are in meaning; and how well the search found them. Words that stand in
several hits, each in another, are no answer together. Against it speaks the rarest word that none
of them holds, since a thing the repository does not have is mostly called by its name: a name in
the question (OpenAPI, AWS) that no hit and hardly any file holds costs more than a plain word, for
which code has others. It is held as it is written: what has HTTP here and a 3 there has no HTTP/3.
People ask for what is there in other words too, so the limits are low: they were set so that fewer
than one in 20 questions with an answer is doubted (``docs/benchmarks.md``).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from gitmem.model.frozen import dataclass
from gitmem.search.matched_words import held

# Hits whose words are looked at.
TOP = 3
# What a word costs that no hit holds, as a share of what an unknown one costs.
MISSING = 0.66
# What a name costs beside, that none of them holds and hardly any file: so rare, of the rarest.
NAMELESS, RARE = 0.45, 0.75
# What it counts that a hit is kept where projects keep what is asked: it seldom holds the words.
USUAL = 0.15
# What has to be reached, by the legs that were asked.
LEAST = {"keyword": -0.42, "semantic": 0.3, "hybrid": 0.38}
# The same for a question that asks for a place: the pieces that hold most of it come first, so that
# more of its words are held by what is only the nearest.
OF_PLACE = {**LEAST, "hybrid": 0.5}

# Letters, and digits only behind them: a key or an id that was pasted is no name.
_NAME = re.compile(r"\b[A-Za-z]{2,20}\d{0,3}\b")
# Names of several parts: HTTP/3, ISO-8859-1, JSON-RPC. Of two plain words (thread-safe) code mostly
# has one, or others.
_JOINED = re.compile(r"(?<![\w./-])(?:[A-Za-z]+(?:[/-]\d+)+|[A-Z]\w*(?:-[A-Z]\w*)+)(?![\w/-]|\.\w)")
# What stands between their parts elsewhere.
_BETWEEN = r"[\W_]{0,2}"
# Stands for those that no hit holds; no word of a question is so.
_NOWHERE = ""
_INSIDE = re.compile(r"(?<=[\w,;:)] )[A-Z][A-Za-z]{1,19}\d{0,3}\b")
# Keys of a keyboard, and how a message begins that was pasted: it names what somebody's own code
# calls it.
_KEYS = re.compile(r"\b(?:ctrl|control|alt|shift|cmd|meta)[-+ ]\w+", re.IGNORECASE)
_PASTED = re.compile(
    r"\s*[\w.]{0,60}?(?:error|exception|panic|fatal|warning)(?:\[\w+\])?:\s", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class JudgedHit:
    """A hit: the words of the question it holds, its cosine, its score by words and meaning.

    The cosine is None where it was not computed; the score, 0 to about 1, is without what somebody
    works on, which makes nothing an answer.
    """

    words: Collection[str]
    similarity: float | None
    score: float


def judge(
    text: str, similarity: float | None, score: float, rarity: Mapping[str, float]
) -> JudgedHit:
    """A hit by its text with its names and path; ``rarity`` has the words of the question."""
    return JudgedHit(held([*rarity], text), similarity, score)


def names(text: str) -> frozenset[str]:
    """The words of a question that are written as names, in lower case.

    With two capitals, or with one behind the beginning of a sentence; none in a pasted message.
    """
    if _PASTED.match(text):
        return frozenset()
    text = _KEYS.sub(" ", text)
    found = {word for word in _NAME.findall(text) if sum(map(str.isupper, word)) > 1}
    found.update(_INSIDE.findall(text))
    return frozenset(word.lower() for word in found)


def unmatched_names(text: str, best: Sequence[str]) -> frozenset[str]:
    """The parts, in lower case, of names in a question that none of the texts holds as one.

    What may stand between them there is one sign or two; none in a pasted message.
    """
    if _PASTED.match(text):
        return frozenset()
    low = [passage.lower() for passage in best]
    found = set[str]()
    for named in _JOINED.findall(_KEYS.sub(" ", text)):
        parts = re.split("[/-]", named.lower())
        written = re.compile(rf"(?<![^\W_]){_BETWEEN.join(parts)}(?![^\W_])")
        if not any(written.search(passage) for passage in low):
            found.update(parts)
    return frozenset(found)


def answers(
    rarity: Mapping[str, float],
    most: float,
    best: Sequence[JudgedHit],
    mode: str,
    names: Collection[str] = (),
    *,
    apart: Collection[str] = (),
    usual: bool = False,
    place: bool = False,
) -> bool:
    """Whether one of the best hits, in their order, likely answers.

    ``rarity`` has the words of the question, ``most`` is that of an unknown word; ``mode`` is
    keyword, semantic or hybrid, ``names`` are those of the words that are names, ``apart`` the
    parts of those that no hit holds as one. ``usual``: the question is one to configuration, and a
    hit stands where projects keep such. ``place``: it asks where in the code something is done.
    """
    if not best:
        return False
    if apart:
        rarity = {word: rarity[word] for word in rarity.keys() - set(apart)} | {_NOWHERE: most}
        names = {*names, _NOWHERE}
    there = [rarity.keys() & set(hit.words) for hit in best[:TOP]]
    total = sum(rarity.values()) or 1.0
    share = max(sum(rarity[word] for word in some) for some in there) / total
    absent = rarity.keys() - set().union(*there)
    missed = max((rarity[word] for word in absent), default=0.0)
    nameless = any(rarity[word] >= RARE * most for word in absent.intersection(names))
    words = share - MISSING * missed / most - (NAMELESS if nameless else 0.0)
    words += USUAL if usual else 0.0
    alike = max((hit.similarity or 0.0) for hit in best)
    score = max(hit.score for hit in best)
    reached = {"keyword": words, "semantic": alike}.get(mode, words + alike + score)
    return reached >= (OF_PLACE if place else LEAST)[mode]
