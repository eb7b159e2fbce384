"""The supported languages: one file for each, with the query of its grammar beside it.

This module tells the language of a path without loading any of them; ``registry`` loads the file
of a language when something of that language is read. A script without an extension names its
interpreter in its first line.
"""

from __future__ import annotations

from gitmem.languages.index import ALSO, CODE, FILES, PROGRAMS, PROSE, RESOLVED

_BY_NAME = {word: language for language, words in FILES.items() for word in words.split()}
_BY_PROGRAM = {word: language for language, words in PROGRAMS.items() for word in words.split()}
_ALSO = {word: language for language, words in ALSO.items() for word in words.split()}
LANGUAGES = tuple(sorted(FILES))
SCRIPTS = tuple(sorted(PROGRAMS))
# Languages of code of which nothing is resolved, and how they are written.
UNRESOLVED = {name: written for name, written in CODE.items() if name not in RESOLVED}


def find_language(word: str) -> str:
    """The language (``python``) of this name or extension (``Python``, ``py``, ``.ts``), or ""."""
    low = word.strip().lower().removeprefix(".")
    return low if low in FILES else _ALSO.get(low) or _BY_NAME.get(low, "")


def similar_names(word: str) -> list[str]:
    """At most three names of languages that are similar to a word, the most similar first."""
    import difflib  # noqa: PLC0415 - for a hint only

    names = {*FILES, *_ALSO}
    return difflib.get_close_matches(word.strip().lower(), sorted(names), 3)


def language(path: str) -> str:
    """The language (``python``) of a file, by its name or extension; "" if these do not tell it."""
    name = path.rpartition("/")[2]
    if name in _BY_NAME:
        return _BY_NAME[name]
    stem, dot, extension = name.rpartition(".")
    if not dot or not stem:
        return ""
    return _BY_NAME.get(extension) or _BY_NAME.get(extension.lower(), "")


def is_prose(path: str) -> bool:
    """Whether a file is text for people, such as Markdown, by its name or extension."""
    return language(path) in PROSE


def may_be_script(path: str) -> bool:
    """Whether a path has no extension and no known name, so that it may be a script.

    The first line of such a file may name the language: see ``language_of_shebang``.
    """
    return "." not in path.rpartition("/")[2] and not language(path)


def language_of_shebang(data: bytes) -> str:
    """The language that a first line such as ``#!/usr/bin/env python3`` names, or empty."""
    if not data.startswith(b"#!"):
        return ""
    line = data[2:].split(b"\n", 1)[0].decode("ascii", "replace")
    for word in line.split():
        program = word.rpartition("/")[2]
        # What stands between env and the program: its options, and variables that it sets.
        if program == "env" or word.startswith("-") or "=" in word:
            continue
        return _BY_PROGRAM.get(program) or _BY_PROGRAM.get(program.rstrip("0123456789."), "")
    return ""
