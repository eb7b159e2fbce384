"""Grouping translations and near copies among hits, so that each group takes one place. Pure.

A translation's file or folder is named after a language (``README.zh-CN.md``, ``docs/fr/x.md``). A
near copy has the same file name and nearly the same words, or exactly the same text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache

from gitmem.model.frozen import dataclass
from gitmem.text.quantity import quantity
from gitmem.text.stop_words import parse_words

# Without io, ml, os, ps and so, which rather name topics.
_LANGUAGES = parse_words(
    "af ar az be bg bn bs ca cn cs cy da de el en eo es et eu fa fi fr ga gl gu he hi hr hu hy id "
    "it ja jp ka kk km kn ko kr lb lo lt lv mk mn mr ms my nb ne nl nn no pa pl pt ro ru si sk sl "
    "sq sr sv sw ta te tg th tr tw uk ur uz vi zh zu"
)
_SCRIPTS = frozenset(("hans", "hant", "latn", "cyrl"))
# Share of common words in near copies, and the fewest words for it to matter.
ALIKE, FEWEST = 0.8, 8
# From this share of common word triples on a hit is a near copy of pasted code.
COPIED = 0.5


@dataclass(frozen=True, slots=True)
class CopyCandidate:
    """A hit that may be a copy of another: its path (empty: no file), text, whether it is prose."""

    path: str
    text: str
    prose: bool


Shingles = frozenset[tuple[str, ...]]


def word_triples(text: str) -> Shingles:
    """Every three words that follow each other in a text, as a frozenset of tuples."""
    words = re.findall(r"\w+", text.lower())
    return frozenset(zip(words, words[1:], words[2:], strict=False))


def overlap_fraction(triples: Shingles, other_triples: Shingles) -> float:
    """The share (0 to 1) of the smaller set of word triples that the larger also has.

    ``word_triples`` makes the sets. 0 for texts of too few words.
    """
    least = min(len(triples), len(other_triples))
    return len(triples & other_triples) / least if least >= FEWEST else 0.0


def copied_fraction(question: str, text: str) -> float:
    """The share of a pasted text's word triples that another text has: 0.5 to 1, else 0."""
    if question.count(" ") < FEWEST:
        return 0.0
    found = overlap_fraction(_shingles_of(question), word_triples(text))
    return found if found >= COPIED else 0.0


@lru_cache(8)
def _shingles_of(question: str) -> Shingles:
    return word_triples(question)


def path_without_human_language(path: str) -> str:
    """The path without human languages in it: ``docs/de/index.md`` becomes ``docs/index.md``."""
    return _split_languages(path)[0]


@lru_cache(1 << 12)
def _split_languages(path: str) -> tuple[str, str]:
    """A path without the languages that it names, and the last of them."""
    *folders, name = path.split("/")
    stem, dot, ending = name.rpartition(".")
    named = [folder for folder in folders if _language(folder)]
    for at in range(1, len(stem)):
        if stem[at] in "-_." and _language(stem[at + 1 :]):
            named.append(stem[at + 1 :])
            stem = stem[:at]
            break
    plain = "/".join(
        [*(folder for folder in folders if not _language(folder)), f"{stem}{dot}{ending}"]
    )
    return plain, _language(named[-1]) if named else ""


def _language(word: str) -> str:
    """The language that a word such as zh, pt-BR or zh_Hans names; empty for any other."""
    language, _, region = word.lower().replace("_", "-").partition("-")
    known = not region or region in _SCRIPTS or (len(region) == 2 and region.isalpha())
    return language if known and language in _LANGUAGES else ""


def group_copies(
    passages: Sequence[CopyCandidate], *, is_english_question: bool = True
) -> dict[int, str]:
    """Index of each passage to show -> a note on the copies that it stands for, "" if none.

    Of translations the first is shown; for an English question the translation without a language
    in its path, or in English, is shown instead.
    """
    places: dict[int, list[int]] = {}
    others: dict[int, list[int]] = {}
    by_text: dict[str, int] = {}
    by_name: dict[str, list[int]] = {}
    by_path: dict[str, int] = {}
    words = cache(lambda number: set(re.findall(r"\w+", passages[number].text.lower())))
    for number, passage in enumerate(passages):
        same = by_text.get(passage.text) if len(passage.text) > FEWEST else None
        plain = path_without_human_language(passage.path) if passage.prose else ""
        name = passage.path.rpartition("/")[2]
        if plain and plain in by_path:
            places[by_path[plain]].append(number)
        elif same is not None and passage.path:
            others[same].append(number)
        elif (near := _find_near_copy(words, number, by_name.get(name, ()))) is not None:
            others[near].append(number)
        else:
            places[number], others[number] = [], []
            by_text.setdefault(passage.text, number)
            if passage.path:
                by_name.setdefault(name, []).append(number)
            if plain:
                by_path[plain] = number
    return {
        _original(passages, number, places[number] if is_english_question else ()): _describe(
            len(places[number]), len(others[number])
        )
        for number in places
    }


def _find_near_copy(
    words: Callable[[int], set[str]], number: int, before: Iterable[int]
) -> int | None:

    for other in before:
        own, its = words(number), words(other)
        if min(len(own), len(its)) >= FEWEST and len(own & its) >= ALIKE * len(own | its):
            return other
    return None


def _original(passages: Sequence[CopyCandidate], first: int, translations: Sequence[int]) -> int:

    languages = {at: _split_languages(passages[at].path)[1] for at in (first, *translations)}
    return min(languages, key=lambda at: ("", "en", languages[at]).index(languages[at]))


def _describe(translations: int, variants: int) -> str:
    parts = [quantity(translations, "translation")] if translations else []
    parts += [quantity(variants, "variant")] if variants else []
    return f"also: {', '.join(parts)}" if parts else ""
