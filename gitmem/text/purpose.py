"""What a function is for, by the words of its name and of its documentation. Pure.

The purposes are those that MemoryLayer counts. Every part of the name counts, the first one most,
since it is the verb: ``load_session`` fetches, ``session_expired`` is about a login.
"""

from __future__ import annotations

from gitmem.text import identifiers

OTHER = "other"
_FIRST, _LATER, _DOCUMENTED = 1.5, 1.0, 0.5
# Purpose -> whole words, and the beginnings of longer ones.
_WORDS = {
    "authentication": ("auth jwt sso", "authen author login logout signin token session credential "
                       "password permission"),
    "validation": ("is has can must", "valid check verif assert ensure require"),
    "formatting": ("to fmt dump dumps", "format pars stringif seriali deseriali convert transform "
                   "encod decod render normali"),
    "fetching": ("get find http url", "fetch load retriev request query lookup download search"),
    "storage": ("set put add db", "save stor persist cach writ insert upsert delet remov updat"),
    "utility": ("", "util helper"),
    "error": ("err", "error exception rais throw catch fail handl"),
    "logging": ("log debug info warn trace", "logg warning"),
    "date": ("now day month year", "date time timestamp timezone duration"),
}  # fmt: skip


def function_purpose(function_name: str, documentation: str = "") -> str:
    """Return what a function is for, as a word, by its name and its documentation.

    The word is authentication, validation, formatting, fetching, storage, utility, error, logging
    or date; "other" for tests, and if nothing indicates one.
    """
    weighed: dict[str, float] = {}
    words = identifiers.split_identifiers(function_name)
    if words[:1] == ["test"]:
        return OTHER
    for number, word in enumerate(words):
        for purpose in _purposes_of(word):
            weight = _LATER if number else _FIRST
            weighed[purpose] = weighed.get(purpose, 0.0) + weight
    for word in dict.fromkeys(identifiers.split_identifiers(documentation)):
        for purpose in _purposes_of(word):
            weighed[purpose] = weighed.get(purpose, 0.0) + _DOCUMENTED
    return max(weighed, key=weighed.__getitem__, default=OTHER)


def _purposes_of(word: str) -> list[str]:
    return [
        purpose
        for purpose, (whole, beginnings) in _WORDS.items()
        if word in whole.split() or any(word.startswith(start) for start in beginnings.split())
    ]
