"""Checking the objects in a memory's metadata that describe code; other keys are free.

``codeBlock`` holds ``code``, its ``language`` and ``filePath``; ``fileContext`` holds ``path``,
``lines`` or ``lineStart`` and ``lineEnd``, and ``language``. A misspelt key is refused rather than
stored where nobody finds it.
"""

from __future__ import annotations

from collections.abc import Mapping

from gitmem.errors import InvalidInput

BLOCK, PLACE = "codeBlock", "fileContext"
# Key -> types that its value may have, and how an error names them.
_KEYS: dict[str, dict[str, tuple[tuple[type, ...], str]]] = {
    BLOCK: {
        "code": ((str,), "text"),
        "language": ((str,), "text"),
        "filePath": ((str,), "text"),
    },
    PLACE: {
        "path": ((str,), "text"),
        "lines": ((str, int, list), "a number, a text such as 3-9, or a list"),
        "lineStart": ((int,), "a whole number"),
        "lineEnd": ((int,), "a whole number"),
        "language": ((str,), "text"),
    },
}
_LONGEST_LANGUAGE = 40


def add_code_block(facts: Mapping[str, object], code: str, language: str) -> dict[str, object]:
    """The metadata, with a ``codeBlock`` added if ``code`` is given.

    Raises InvalidInput for a language without code, and for a second block.
    """
    if not code and not language:
        return dict(facts)
    if not code.strip():
        raise InvalidInput("--language needs --code, the code in that language.")
    if BLOCK in facts:
        raise InvalidInput(
            "The metadata has a codeBlock already.",
            "Give the code only once: in the metadata or with --code.",
        )
    block = {"code": code, **({"language": language.strip()} if language.strip() else {})}
    return {**facts, BLOCK: block}


def check_metadata(facts: Mapping[str, object]) -> Mapping[str, object]:
    """The metadata, unchanged. Raises InvalidInput where one of the two objects is malformed."""
    for name, keys in _KEYS.items():
        if name in facts:
            _check(name, facts[name], keys)
    return facts


def _check(name: str, value: object, keys: Mapping[str, tuple[tuple[type, ...], str]]) -> None:
    known = f"It may hold: {', '.join(keys)}."
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{name} in the metadata is no object.", known)
    for key, entry in value.items():
        if key not in keys:
            raise InvalidInput(f"Unknown key {str(key)[:40]!r} in {name} of the metadata.", known)
        types, expected = keys[key]
        if isinstance(entry, bool) or not isinstance(entry, types):
            raise InvalidInput(f"{name}.{key} in the metadata has to be {expected}.")
    language = str(value.get("language", ""))
    if len(language) > _LONGEST_LANGUAGE or len(language.splitlines()) > 1:
        raise InvalidInput(
            f"{name}.language has to be the name of a language.", "Such as python or go."
        )
    if name == BLOCK and not str(value.get("code", "")).strip():
        raise InvalidInput("codeBlock in the metadata has no code.", known)
