"""Stemming English words, well enough to see that two forms are one word."""

from __future__ import annotations

from functools import lru_cache

# For words in code and prose, and in names: the longest ending that fits is removed.
_DERIVED = (
    (
        *("ations", "ation", "ators", "ator", "ions", "ings", "ion", "ing", "ies", "ers", "ors"),
        *("er", "or", "ed", "es", "s", "e", "y"),
    ),
)
# For words in a sentence: the plural, then endings of verbs. "migration" is not "migrator" there.
_INFLECTED = (("ies", "es", "s"), ("ing", "ed", "e", "y"))
_LEAST = 3
# Not "t": "settings" is not a form of "set".
_DOUBLED = "bdgkmnpr"
# Irregular verbs, by their plain form.
_IRREGULAR = {
    form: plain
    for plain, *forms in (
        ("send", "sent"),
        ("keep", "kept"),
        ("write", "wrote", "written"),
        ("build", "built"),
        ("run", "ran"),
        ("choose", "chose", "chosen"),
        ("hold", "held"),
        ("make", "made"),
        ("take", "took", "taken"),
        ("give", "gave", "given"),
        ("show", "shown"),
        ("throw", "threw", "thrown"),
        ("break", "broke", "broken"),
        ("hide", "hid", "hidden"),
        ("find", "found"),
        ("bind", "bound"),
        ("draw", "drew", "drawn"),
        ("drive", "drove", "driven"),
    )
    for form in forms
}


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the word without its endings, such as -s, -ing and -ation."""
    return _without(word, _DERIVED)


def strip_inflection(word: str) -> str:
    """Return the word without endings of plurals and verbs; unchanged if it is not all letters.

    A consonant doubled by the ending becomes single: logged, log.
    """
    if not word.isalpha():
        return word
    short = _without(base_form_of_verb(word), _INFLECTED)
    doubled = len(short) > _LEAST and short[-1] == short[-2] and short[-1] in _DOUBLED
    return short[:-1] if doubled and short != word else short


def base_form_of_verb(word: str) -> str:
    """Return the base form of an irregular verb (took: take); any other word unchanged."""
    return _IRREGULAR.get(word, word)


def singular(word: str) -> str:
    """Return the singular of a plural in -s; any other word unchanged."""
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word[:-1]
    return word


def _without(word: str, rounds: tuple[tuple[str, ...], ...]) -> str:
    """The word without the first ending of each group that leaves enough of it."""
    for endings in rounds:
        for ending in endings:
            if word.endswith(ending) and len(word) - len(ending) >= _LEAST:
                word = word[: -len(ending)]
                break
    return word
