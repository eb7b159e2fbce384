"""Whether the best hits answer a question or are only the nearest ones. Pure.

The share of the question's words that a single hit contains (weighted by rarity), the similarity
and the search score count in favour. The rarest word that no hit contains counts against, and more
so if it is a name such as OpenAPI. The limits are set so that fewer than one in 20 questions that
have an answer is doubted (``docs/benchmarks.md``).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from gitmem.model.frozen import dataclass
from gitmem.search.matched_words import words_in_text

# Hits whose words are looked at.
TOP = 3
# What a word costs that no hit holds, as a share of what an unknown one costs.
MISSING = 0.66
# Additional cost of a missing name, and the rarity (of the maximum) from which it applies.
NAMELESS, RARE = 0.45, 0.75
# Bonus for a hit at the usual place of the topic: such files seldom contain the words.
USUAL = 0.15
# The least score that counts as an answer, by search mode.
LEAST = {"keyword": -0.42, "semantic": 0.3, "hybrid": 0.38}
# The same for questions about a place: their nearest hits contain more of the words anyway.
OF_PLACE = {**LEAST, "hybrid": 0.5}

# Letters, each run optionally followed by digits (Http2Stream): a pasted key or id is no name.
_NAME = re.compile(r"\b(?:[A-Za-z]{2,20}\d{1,3}){0,3}[A-Za-z]{2,20}\d{0,3}\b")
# Names of several parts: HTTP/3, ISO-8859-1, JSON-RPC; not plain words such as thread-safe.
_JOINED = re.compile(r"(?<![\w./-])(?:[A-Za-z]+(?:[/-]\d+)+|[A-Z]\w*(?:-[A-Z]\w*)+)(?![\w/-]|\.\w)")
_NUMBER = re.compile(r"(?<!\w)\d+(?!\w)")
# What may separate their parts in other spellings.
_BETWEEN = r"[\W_]{0,2}"
# Placeholder for all unmatched names; never a word of a question.
_NOWHERE = ""
_INSIDE = re.compile(r"(?<=[\w,;:)] )[A-Z][A-Za-z]{1,19}\d{0,3}\b")
# Keyboard keys, and the beginning of a pasted message, whose names come from other code.
_KEYS = re.compile(r"\b(?:ctrl|control|alt|shift|cmd|meta)[-+ ]\w+", re.IGNORECASE)
_PASTED = re.compile(
    r"\s*[\w.]{0,60}?(?:error|exception|panic|fatal|warning)(?:\[\w+\])?:\s", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class HitRelevance:
    """What tells whether a hit answers: the question's ``words`` in it, its cosine and score.

    ``similarity`` is the cosine or None; ``score`` (0 to about 1) leaves out boosts for what
    somebody is working on.
    """

    words: Collection[str]
    similarity: float | None
    score: float


def measure_hit_relevance(
    text: str, similarity: float | None, score: float, idf: Mapping[str, float]
) -> HitRelevance:
    """The HitRelevance for a hit whose ``text`` includes its names and path.

    ``similarity`` is its cosine or None, ``score`` its search score; the keys of ``idf`` are the
    words of the question.
    """
    return HitRelevance(words_in_text([*idf], text), similarity, score)


def idf_without_embedded_numbers(idf: Mapping[str, float], question_text: str) -> dict[str, float]:
    """``idf``, the weight of each word of the question ``question_text``, without some numbers.

    A number that occurs only inside a name, as in Http2Stream, is left out: it is in most texts.
    """
    alone = set(_NUMBER.findall(question_text))
    return {word: rare for word, rare in idf.items() if not word.isdigit() or word in alone}


def names_in_question(text: str) -> frozenset[str]:
    """The words of a question that look like names of code, in lower case, as a frozenset.

    Such a word has two capitals, or a capital and does not begin a sentence. A pasted error message
    has no names.
    """
    if _PASTED.match(text):
        return frozenset()
    text = _KEYS.sub(" ", text)
    found = {word for word in _NAME.findall(text) if sum(map(str.isupper, word)) > 1}
    found.update(_INSIDE.findall(text))
    return frozenset(word.lower() for word in found)


def unmatched_names(text: str, texts: Sequence[str]) -> frozenset[str]:
    """The parts, in lower case, of names like ``Content-Type`` in ``text`` that no text contains.

    A name has hyphens or slashes; up to two characters may separate its parts in a text. Empty for
    a pasted error message.
    """
    if _PASTED.match(text):
        return frozenset()
    low = [passage.lower() for passage in texts]
    found = set[str]()
    for named in _JOINED.findall(_KEYS.sub(" ", text)):
        parts = re.split("[/-]", named.lower())
        written = re.compile(rf"(?<![^\W_]){_BETWEEN.join(parts)}(?![^\W_])")
        if not any(written.search(passage) for passage in low):
            found.update(parts)
    return frozenset(found)


def has_likely_answer(
    idf: Mapping[str, float],
    max_idf: float,
    best_hits: Sequence[HitRelevance],
    mode: str,
    question_names: Collection[str] = (),
    *,
    unmatched: Collection[str] = (),
    is_at_usual_place: bool = False,
    asks_for_place: bool = False,
) -> bool:
    """Whether one of the best hits likely answers the question.

    ``idf`` maps the words of the question to their rarity, ``max_idf`` is that of an unknown word;
    ``mode`` is keyword, semantic or hybrid; ``question_names`` come from ``names_in_question``,
    ``unmatched`` from ``unmatched_names``. ``is_at_usual_place``: a hit is at the usual place of
    the configuration asked about. ``asks_for_place``: the question asks where in the code something
    is done, which needs better hits.
    """
    if not best_hits:
        return False
    if unmatched:
        idf = {word: idf[word] for word in idf.keys() - set(unmatched)} | {_NOWHERE: max_idf}
        question_names = {*question_names, _NOWHERE}
    there = [idf.keys() & set(hit.words) for hit in best_hits[:TOP]]
    total = sum(idf.values()) or 1.0
    share = max(sum(idf[word] for word in some) for some in there) / total
    absent = idf.keys() - set().union(*there)
    missed = max((idf[word] for word in absent), default=0.0)
    nameless = any(idf[word] >= RARE * max_idf for word in absent.intersection(question_names))
    if nameless and not share and mode != "semantic":
        return False  # Not a word of the question occurs: what is similar is a coincidence.
    words = share - MISSING * missed / max_idf - (NAMELESS if nameless else 0.0)
    words += USUAL if is_at_usual_place else 0.0
    alike = max((hit.similarity or 0.0) for hit in best_hits)
    score = max(hit.score for hit in best_hits)
    reached = {"keyword": words, "semantic": alike}.get(mode, words + alike + score)
    return reached >= (OF_PLACE if asks_for_place else LEAST)[mode]
