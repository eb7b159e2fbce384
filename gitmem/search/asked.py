"""What a question tells beyond its words: names, paths, errors, dates, and what it asks for (CF-14).

Pure. The same reading serves ranking, filters and the profiles.
"""

from __future__ import annotations

import re

from gitmem.model.value import dataclass
from gitmem.search.stop_words import OF_CODE
from gitmem.text import identifiers

# Words that are looked up for one question. A pasted stack trace has hundreds: its errors, names
# and paths come first.
MOST_WORDS = 24

_WORD = re.compile(r"[^\W\d]\w*|\d+")
_QUOTED = re.compile(r'"([^"\n]{2,200})"|`([^`\n]{2,200})`')
# camelCase, PascalCase of two humps, snake_case, CONSTANT_CASE, v2Client: what only code writes.
_NAME = re.compile(r"\w*(?:[a-z][A-Z]|_\w|[A-Z]{2,}[a-z]|\d[A-Z])\w*")
_QUALIFIED = re.compile(r"::|->|[.#\\/]")
_PATH = re.compile(r"(?<![\w/])(?:[\w@.+-]+/)+[\w@.+-]+|(?<![\w/.])[\w-]+\.[a-z]{1,5}\b(?!\()")
_ERROR = re.compile(
    r"\b(?:[A-Z]\w*(?:Error|Exception|Warning|Fault|Panic)|E[A-Z]{3,}|[A-Z]{1,4}\d{3,5})\b"
)
_PROPER = re.compile(r"(?<=[\w,;:] )[A-Z][a-z]{2,}\b")
_DATE = re.compile(
    r"\b(?:\d{4}-\d\d(?:-\d\d)?|\d{1,2}/\d{1,2}/\d{2,4}|yesterday|today|tomorrow|last (?:week|month|"
    r"year|night)|\d+ (?:days?|weeks?|months?|years?) ago|"
    r"(?:january|february|march|april|june|july|august|september|october|november|december)\b)",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"\b(?:prefer\w*|favou?rite|like[sd]?|want[sed]*|usually|always|never|convention|style)\b",
    re.IGNORECASE,
)
# A kind of file that ranks low unless the question names it.
_WANTS = {
    "test": r"tests?|testing|specs?|fixtures?|mocks?|unittests?|pytest|suite",
    "example": r"examples?|samples?|demos?|tutorials?",
    "docs": r"docs?|documentation|readme|changelog|guide|manual|contributing|license",
    "config": r"config\w*|settings?|ya?ml|toml|json|ini|workflows?|pipelines?|ci|dockerfile|makefile",
    "markup": r"html|css|styles?|stylesheets?|templates?|pages?",
    "generated": r"generated|minified|bundle[sd]?|dist",
    "vendor": r"vendor(?:ed)?|third.?party",
}
_WANTED = {kind: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for kind, words in _WANTS.items()}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, read. ``words`` are lower case, identifiers whole and in parts, no stop words.

    ``symbols`` are names of code; ``single`` says that the question is one name and nothing else.
    ``wants`` are kinds of files that it asks for: test, example, docs, config, markup, generated,
    vendor.
    """

    text: str
    words: tuple[str, ...]
    symbols: tuple[str, ...]
    single: bool
    phrases: tuple[str, ...]
    paths: tuple[str, ...]
    errors: tuple[str, ...]
    names: tuple[str, ...]
    dates: tuple[str, ...]
    preference: bool
    wants: frozenset[str]


def read(text: str) -> Asked:
    """The question with all that it tells."""
    clean = text.replace("\x00", " ").strip()
    single = bool(clean) and not re.search(r"\s", clean) and len(clean) < 200
    symbols = _symbols(clean, single)
    errors = _each(_ERROR.findall(clean))
    paths = () if single and "/" not in clean else _each(_PATH.findall(clean))
    first = " ".join([*errors, *symbols, *paths]) if len(clean) > 2000 else ""
    return Asked(
        text=clean,
        words=tuple(_words(f"{first} {clean}"))[:MOST_WORDS],
        symbols=symbols,
        single=single,
        phrases=_each(one or other for one, other in _QUOTED.findall(clean)),
        paths=paths,
        errors=errors,
        names=_each(_PROPER.findall(clean)),
        dates=_each(_DATE.findall(clean)),
        preference=bool(_PREFERENCE.search(clean)),
        wants=frozenset(kind for kind, word in _WANTED.items() if word.search(clean)),
    )


def _words(text: str) -> list[str]:
    """The words that select, each once; the stop words where there are no others."""
    found: dict[str, None] = {}
    stops: dict[str, None] = {}
    for word in _WORD.findall(text):
        low = word.lower()
        if low in OF_CODE:
            stops[low] = None
            continue
        found[low] = None
        parts = identifiers.split(word)
        if len(parts) > 1:
            found.update(dict.fromkeys(part for part in parts if part not in OF_CODE))
    return list(found or stops)


def _symbols(text: str, single: bool) -> tuple[str, ...]:
    if single:
        last = _QUALIFIED.split(text.rstrip("()"))[-1]
        return (last,) if re.fullmatch(r"[^\W\d]\w*[?!]?", last) else ()
    return _each(word for word in _WORD.findall(text) if _NAME.fullmatch(word))


def _each(values: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))[:MOST_WORDS]  # type: ignore[call-overload]
