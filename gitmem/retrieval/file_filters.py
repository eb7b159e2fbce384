"""Checking the filters over files, and naming those that leave no file."""

from __future__ import annotations

import os
from collections.abc import Iterable

from gitmem import languages
from gitmem.app import App
from gitmem.errors import InvalidInput
from gitmem.retrieval.question import FileScope
from gitmem.store.code import chunks
from gitmem.text import globs
from gitmem.text.fence import one_line

_EXAMPLES = "python, typescript, go, rust, java, markdown"
_ALL = frozenset(("code", "notes"))


def parse_language_filter(words: Iterable[str]) -> frozenset[str]:
    """The languages in texts of names or file endings, separated by commas, as a frozenset.

    Raises InvalidInput for an unknown one.
    """
    return frozenset(_language(part) for word in words for part in word.split(",") if part.strip())


def _language(word: str) -> str:
    if found := languages.find_language(word):
        return found
    close = languages.similar_names(word)
    raise InvalidInput(
        f"Unknown language {word.strip()[:40]!r}.",
        f"Did you mean {' or '.join(close)}?" if close else f"Such as {_EXAMPLES}.",
    )


def validate_path_pattern(app: App, pattern: str) -> str:
    """Return the path pattern if it is well-formed. Raises InvalidInput."""
    there = pattern and os.path.lexists(os.path.join(app.worktree, pattern))
    if pattern and not there and globs.is_malformed_glob(pattern):
        raise InvalidInput(
            f"{pattern[:80]!r} is not a pattern: a bracket is not closed, or \\ escapes nothing.",
            "Close the bracket as in [ab], or write \\[ for the character itself.",
        )
    return pattern


def parse_file_endings(words: Iterable[str]) -> tuple[str, ...]:
    """The file endings in a text such as ``py,.pyi``, each with a dot. Raises InvalidInput."""
    parts = [part.strip().removeprefix("*").lower() for word in words for part in word.split(",")]
    for part in parts:
        if "/" in part or set(part) & set("*?["):
            raise InvalidInput(
                f"{part[:40]!r} is not the ending of a file name.", "Write it as py or d.ts."
            )
    return tuple(dict.fromkeys("." + part.lstrip(".") for part in parts if part.strip(".")))


def describe_filters_without_files(app: App, scope: FileScope) -> tuple[str, ...]:
    """A sentence for each filter of the scope that alone leaves no indexed file.

    If each leaves some but all together none, a sentence on that; none if some files are left.
    """
    if scope.is_unrestricted:
        return ()
    sentences = []
    if scope.path and not _any(app, FileScope(_ALL, scope.path)):
        sentences.append(f"No indexed file matches --path {one_line(scope.path, 80)}.")
    for language in sorted(scope.languages):
        if not _any(app, FileScope(_ALL, languages=frozenset((language,)))):
            sentences.append(f"No indexed file is in {language}.")
    if scope.endings and not _any(app, FileScope(_ALL, endings=scope.endings)):
        sentences.append(f"No indexed file ends in {' or '.join(scope.endings)}.")
    if scope.only and not _any(app, FileScope(_ALL, only=scope.only)):
        sentences.append(f"No indexed file is of the kind --only {scope.only}.")
    if not sentences and not _any(app, scope):
        sentences.append("No indexed file fits all of these filters together.")
    return tuple(sentences)


def _any(app: App, scope: FileScope) -> bool:
    known = chunks.paths_and_languages(app.store, app.worktree)
    return any(scope.contains_file(path, language) for path, language in known)
