"""Parsing a question: its words, names, paths and errors, and what it asks for. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gitmem.model.frozen import dataclass
from gitmem.search import common_tasks, intent
from gitmem.search.common_tasks import CommonTask
from gitmem.search.limits import LONG
from gitmem.text import identifiers
from gitmem.text.stop_words import OF_CODE, parse_words

# Words that are looked up for one question.
MOST_WORDS = 24
MOST_PHRASES = 4
# Longer texts were probably pasted.
SHORT = 300

_WORD = re.compile(r"(?<!\w)v?\d+(?:\.\d+)+|[^\W\d]\w*|\d+")
_QUOTED = re.compile(r'"([^"\n]{2,200})"|\u201c([^\u201d\n]{2,200})\u201d')
# Spellings of code: camelCase, PascalCase, snake_case, CONSTANT_CASE, v2Client.
_NAME = re.compile(r"[a-z][A-Z]|_\w|[A-Z]{2}[a-z]|\d[A-Z]")
_QUALIFIED = re.compile(r"::|->|[.#\\/]")
# No match can begin inside another run, so the time is linear.
_PATH = re.compile(
    r"(?<![\w@.+/-])/?(?:[\w@.+-]+/)+[\w@.+-]+|(?<![\w@.+/-])[\w-]+\.[a-z]{1,5}\b(?!\()"
)
_ERROR = re.compile(
    r"\b(?:[A-Z]\w*(?:Error|Exception|Warning|Fault|Panic)|E[A-Z]{3,}|[A-Z]{1,4}\d{3,5})\b"
)
# The message after the name of an error: at least three words, without inserted values.
_MESSAGE = re.compile(
    r"(?:Error|Exception|Warning|Fault|Panic): +([^\W\d_]+(?: [^\W\d_,;:.!-]+[,;:.!-]?){2,30})$"
)
_QUOTED_LEAST = 8  # characters
_PROPER = re.compile(r"(?<=[\w,;:] )[A-Z][a-z]{2,}\b")
# Seven and more hexadecimal digits; letters alone are probably a word.
_COMMIT = re.compile(r"\b(?=[a-f]*\d)[0-9a-f]{7,40}\b")
_ASKING = parse_words("where which what how who when why is are does do can")
_PLACE = frozenset(("where", "which", "what"))
# From this certainty on a question asks for the history.
_PAST = 0.8


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A parsed question. ``words`` are lower case, without stop words; identifiers also in parts.

    ``symbols`` are names of code, ``paths`` and ``errors`` what looks like one; ``is_single_name``:
    the question is just one name. ``phrases`` were in double quotes; if it ``requires_phrases``, as
    a pasted text does not, hits with all of them come first. ``requested_kinds`` is how surely (0
    to 1) it asks for kinds of file, ``outside_source`` for what is not source; ``task`` is the
    common task it asks about, such as running the tests.
    """

    text: str
    words: tuple[str, ...]
    symbols: tuple[str, ...]
    is_single_name: bool
    phrases: tuple[str, ...]
    requires_phrases: bool
    paths: tuple[str, ...]
    errors: tuple[str, ...]
    names: tuple[str, ...]
    requested_kinds: Mapping[str, float]
    outside_source: float
    task: CommonTask | None = None

    @property
    def is_natural_language(self) -> bool:
        """Whether the text is a question in words, not a name or keywords."""
        first = self.text.partition(" ")[0].lower()
        return not self.is_single_name and (first in _ASKING or "?" in self.text)

    @property
    def is_about_past(self) -> bool:
        """Whether the question is about the past (when, who, which commit), not only asks why."""
        return self.requested_kinds.get("history", 0.0) >= _PAST

    @property
    def asks_where(self) -> bool:
        """Whether the question asks for a place in the code."""
        return self.is_natural_language and self.text.partition(" ")[0].lower() in _PLACE

    @property
    def quoted_text(self) -> str:
        """The longest quotation (8 characters or more), else the message of an error, else ""."""
        message = _MESSAGE.search(self.text)
        text = max(self.phrases, key=len, default="") or (message[1] if message else "")
        return text if self.requires_phrases and len(text) >= _QUOTED_LEAST else ""

    @property
    def possible_commit_ids(self) -> tuple[str, ...]:
        """The words that may be ids of commits (7 to 40 hexadecimal digits), in lower case."""
        return _each(_COMMIT.findall(self.text.lower()))


def parse_question(text: str) -> ParsedQuestion:
    """A question as a ParsedQuestion: its words, names, paths and errors, and what it asks for."""
    known = text.encode("utf-8", "replace").decode("utf-8")
    clean = _last_line_first(known.replace("\x00", " ").strip())
    meant = intent.detect_intent(clean)
    task = common_tasks.find_common_task(clean)
    single = bool(clean) and not re.search(r"\s", clean) and len(clean) < 200
    return ParsedQuestion(
        text=clean,
        words=tuple(_words(move_informative_parts_first(clean) if len(clean) > LONG else clean))[
            :MOST_WORDS
        ],
        symbols=_symbols(clean, single),
        is_single_name=single,
        phrases=_phrases(clean),
        requires_phrases=len(clean) <= SHORT,
        paths=_paths(clean),
        errors=_each(_ERROR.findall(clean)),
        names=_each(_PROPER.findall(clean)),
        requested_kinds=common_tasks.WANTS if task else meant.kinds,
        outside_source=1.0 if task else 0.0 if single else meant.outside_source,
        task=task,
    )


def move_informative_parts_first(text: str) -> str:
    """A long text, with its errors, names of code and paths moved to the front."""
    ordered = _last_line_first(text)
    names = _symbols(ordered, single=False)
    return " ".join([*_each(_ERROR.findall(ordered)), *names, *_paths(ordered), ordered])


def _last_line_first(text: str) -> str:
    """The text; a long Python trace with its last line, the error, first."""
    if len(text) <= LONG or "most recent call last" not in text:
        return text
    return "\n".join(reversed(text.split("\n")))


def _phrases(text: str) -> tuple[str, ...]:
    found = (straight or other for straight, other in _QUOTED.findall(text))
    return _each(part.strip() for part in found if _WORD.search(part))[:MOST_PHRASES]


def _paths(text: str) -> tuple[str, ...]:
    return _each(_PATH.findall(text.replace("\\", "/")))


def _words(text: str) -> list[str]:
    """The words to look up, each once; stop words only if there are no others."""
    found: dict[str, None] = {}
    stops: dict[str, None] = {}
    for word in _WORD.findall(text):
        if len(found) >= MOST_WORDS:
            break
        low = word.lower()
        if low in OF_CODE:
            stops[low] = None
            continue
        if "." in low:
            # A version is one word: Python 3 and UTF-8 together are not Python 3.8.
            found[low.removeprefix("v")] = None
            continue
        found[low] = None
        parts = identifiers.split_identifiers(word)
        if len(parts) > 1:
            found.update(dict.fromkeys(part for part in parts if part not in OF_CODE))
    return list(found or stops)


def _symbols(text: str, single: bool) -> tuple[str, ...]:
    if single and "/" in text and "." in text.rpartition("/")[2]:
        text = _behind_a_path(text)
    if single:
        last = _QUALIFIED.split(text.rstrip("()"))[-1]
        return (last,) if re.fullmatch(r"[^\W\d]\w*[?!]?", last) else ()
    return _each(word for word in _WORD.findall(text) if _NAME.search(word))


def qualifiers_of_dotted_name(text: str) -> tuple[str, ...]:
    """The parts of a dotted name before the last, as a tuple: ``a`` and ``B`` of ``a.B.c``."""
    named = _behind_a_path(text.strip()) or text.strip()
    parts = (part.strip("()*&[]<> ") for part in _QUALIFIED.split(named.rstrip("()")))
    return tuple(part for part in parts if part)[:-1] if not re.search(r"\s", named) else ()


def _behind_a_path(text: str) -> str:
    """``Cart.add`` of ``src/cart.py::Cart.add``; empty if there is only a path."""
    return re.sub(r"^.*?\.\w+(?:::|#|$)", "", text) if "/" in text else ""


def _each(values: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))[:MOST_WORDS]  # type: ignore[call-overload]
