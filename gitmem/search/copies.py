"""Translations and near copies among hits, which share one place: pure.

A translation stands in a file or folder that is named after a language (``README.zh-CN.md``,
``docs/fr/guide.md``); a near copy has the name of another file and nearly all of its words, or the
very same text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache

from gitmem.model.frozen import dataclass
from gitmem.text.quantity import quantity
from gitmem.text.stop_words import word_set

# Not those that folders of documents are likelier called for: io, ml, os, ps, so.
_LANGUAGES = word_set(
    "af ar az be bg bn bs ca cn cs cy da de el en eo es et eu fa fi fr ga gl gu he hi hr hu hy id "
    "it ja jp ka kk km kn ko kr lb lo lt lv mk mn mr ms my nb ne nl nn no pa pl pt ro ru si sk sl "
    "sq sr sv sw ta te tg th tr tw uk ur uz vi zh zu"
)
_SCRIPTS = frozenset(("hans", "hant", "latn", "cyrl"))
# So much of all words of two passages is in both of a near copy; of few words that is chance.
ALIKE, FEWEST = 0.8, 8


@dataclass(frozen=True, slots=True)
class Passage:
    """A hit's path, empty for what is no file, its text, and whether it is prose."""

    path: str
    text: str
    prose: bool


def untranslated(path: str) -> str:
    """A path without the languages that it names."""
    return _read(path)[0]


@lru_cache(1 << 12)
def _read(path: str) -> tuple[str, str]:
    """A path without the languages that it names, and the last of them."""
    *folders, name = path.split("/")
    stem, dot, ending = name.rpartition(".")
    named = [one for one in folders if _language(one)]
    for at in range(1, len(stem)):
        if stem[at] in "-_." and _language(stem[at + 1 :]):
            named.append(stem[at + 1 :])
            stem = stem[:at]
            break
    plain = "/".join([*(one for one in folders if not _language(one)), f"{stem}{dot}{ending}"])
    return plain, _language(named[-1]) if named else ""


def _language(word: str) -> str:
    """The language that a word such as zh, pt-BR or zh_Hans names; empty for any other."""
    language, _, region = word.lower().replace("_", "-").partition("-")
    known = not region or region in _SCRIPTS or (len(region) == 2 and region.isalpha())
    return language if known and language in _LANGUAGES else ""


def together(passages: Sequence[Passage], *, english: bool = True) -> dict[int, str]:
    """The number of each passage that keeps its place, and what it stands for beside itself.

    Of translations the first is kept; for an ``english`` question the one that names no language,
    or English, at the place of the first.
    """
    kept: dict[int, list[int]] = {}
    others: dict[int, list[int]] = {}
    by_text: dict[str, int] = {}
    by_name: dict[str, list[int]] = {}
    by_path: dict[str, int] = {}
    words = cache(lambda number: _words(passages[number].text))
    for number, one in enumerate(passages):
        same = by_text.get(one.text) if len(one.text) > FEWEST else None
        plain = untranslated(one.path) if one.prose else ""
        name = one.path.rpartition("/")[2]
        if plain and plain in by_path:
            kept[by_path[plain]].append(number)
        elif same is not None and one.path:
            others[same].append(number)
        elif (near := _near(words, number, by_name.get(name, ()))) is not None:
            others[near].append(number)
        else:
            kept[number], others[number] = [], []
            by_text.setdefault(one.text, number)
            if one.path:
                by_name.setdefault(name, []).append(number)
            if plain:
                by_path[plain] = number
    return {
        _original(passages, number, kept[number] if english else ()): _told(
            len(kept[number]), len(others[number])
        )
        for number in kept
    }


def _near(words: Callable[[int], set[str]], number: int, before: Iterable[int]) -> int | None:
    """The passage of a file of that name that has nearly the same words."""
    for other in before:
        own, its = words(number), words(other)
        if min(len(own), len(its)) >= FEWEST and len(own & its) >= ALIKE * len(own | its):
            return other
    return None


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def _original(passages: Sequence[Passage], first: int, translations: Sequence[int]) -> int:
    """The one of some translations that names no language or English, else the first."""
    languages = {at: _read(passages[at].path)[1] for at in (first, *translations)}
    return min(languages, key=lambda at: ("", "en", languages[at]).index(languages[at]))


def _told(translations: int, variants: int) -> str:
    parts = [quantity(translations, "translation")] if translations else []
    parts += [quantity(variants, "variant")] if variants else []
    return f"also: {', '.join(parts)}" if parts else ""
