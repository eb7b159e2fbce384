"""What a question tells beyond its words (CF-14): names, paths, errors, dates, what it asks for.

Pure. The same reading serves ranking, filters and the profiles.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from gitmem.model.frozen import dataclass
from gitmem.search import common_tasks, intent
from gitmem.search.common_tasks import Task
from gitmem.search.limits import LONG
from gitmem.text import identifiers
from gitmem.text.stop_words import OF_CODE, word_set

# Words that are looked up for one question. A pasted stack trace has hundreds: its errors, names
# and paths come first.
MOST_WORDS = 24
MOST_PHRASES = 4
# Characters of a question that somebody wrote, at most, and of something pasted, at least.
SHORT = 300

_WORD = re.compile(r"(?<!\w)v?\d+(?:\.\d+)+|[^\W\d]\w*|\d+")
_QUOTED = re.compile(r'"([^"\n]{2,200})"|\u201c([^\u201d\n]{2,200})\u201d')
# camelCase, PascalCase of two humps, snake_case, CONSTANT_CASE, v2Client: what only code writes.
_NAME = re.compile(r"[a-z][A-Z]|_\w|[A-Z]{2}[a-z]|\d[A-Z]")
_QUALIFIED = re.compile(r"::|->|[.#\\/]")
# A run that cannot begin inside another is looked through once: the time stays linear.
_PATH = re.compile(
    r"(?<![\w@.+/-])/?(?:[\w@.+-]+/)+[\w@.+-]+|(?<![\w@.+/-])[\w-]+\.[a-z]{1,5}\b(?!\()"
)
_ERROR = re.compile(
    r"\b(?:[A-Z]\w*(?:Error|Exception|Warning|Fault|Panic)|E[A-Z]{3,}|[A-Z]{1,4}\d{3,5})\b"
)
# What stands behind the name of an error, as somebody would quote it: three words and more, and
# nothing that a program puts in, such as a number or a value in quotes.
_MESSAGE = re.compile(
    r"(?:Error|Exception|Warning|Fault|Panic): +([^\W\d_]+(?: [^\W\d_,;:.!-]+[,;:.!-]?){2,30})$"
)
_QUOTED_LEAST = 8  # characters
_PROPER = re.compile(r"(?<=[\w,;:] )[A-Z][a-z]{2,}\b")
# Seven digits and more, as git shortens an id; one of letters alone is likelier a word.
_COMMIT = re.compile(r"\b(?=[a-f]*\d)[0-9a-f]{7,40}\b")
_DATE = re.compile(
    r"\b(?:\d{4}-\d\d(?:-\d\d)?|\d{1,2}/\d{1,2}/\d{2,4}|yesterday|today|tomorrow|last "
    r"(?:week|month|year|night)|\d+ (?:days?|weeks?|months?|years?) ago|"
    r"(?:january|february|march|april|june|july|august|september|october|november|december)\b)",
    re.IGNORECASE,
)
_ASKING = word_set("where which what how who when why is are does do can")
_PLACE = frozenset(("where", "which", "what"))
# How surely it asks for the history then.
_PAST = 0.8
_PREFERENCE = re.compile(
    r"\b(?:prefer\w*|favou?rite|like[sd]?|want[sed]*|usually|always|never|convention|style)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, read. ``words`` are lower case, identifiers whole and in parts, no stop words.

    ``symbols`` are names of code; ``single`` says that the question is one name and nothing else.
    ``phrases`` stand in double quotes; where it is ``strict`` a hit that holds them comes first: in
    something long that was pasted, quotes are not meant so.
    ``wants`` is how surely (0 to 1) it asks for a kind of file, or for the history (``intent``),
    ``beside`` how surely its answer is in no plain source. ``task`` is the task of every repository
    that it asks for.
    """

    text: str
    words: tuple[str, ...]
    symbols: tuple[str, ...]
    single: bool
    phrases: tuple[str, ...]
    strict: bool
    paths: tuple[str, ...]
    errors: tuple[str, ...]
    names: tuple[str, ...]
    dates: tuple[str, ...]
    preference: bool
    wants: Mapping[str, float]
    beside: float
    task: Task | None = None

    @property
    def asks(self) -> bool:
        """Whether somebody asks in words, who may not know what the code calls it."""
        first = self.text.partition(" ")[0].lower()
        return not self.single and (first in _ASKING or "?" in self.text)

    @property
    def past(self) -> bool:
        """Whether it asks about the past: when, who, which commit; not why alone."""
        return self.wants.get("history", 0.0) >= _PAST

    @property
    def place(self) -> bool:
        """Whether it asks which place in the code does something."""
        return self.asks and self.text.partition(" ")[0].lower() in _PLACE

    @property
    def quoted(self) -> str:
        """The longest text it quotes, else the message of an error, where that is plain words.

        Empty in something long that was pasted.
        """
        message = _MESSAGE.search(self.text)
        text = max(self.phrases, key=len, default="") or (message[1] if message else "")
        return text if self.strict and len(text) >= _QUOTED_LEAST else ""

    @property
    def commits(self) -> tuple[str, ...]:
        """What may be the id of a commit, whole or shortened, in lower case."""
        return _each(_COMMIT.findall(self.text.lower()))


def read(text: str) -> Asked:
    """The question with all that it tells."""
    # What cannot be written as UTF-8 cannot be looked for either.
    known = text.encode("utf-8", "replace").decode("utf-8")
    clean = _inside_out(known.replace("\x00", " ").strip())
    meant = intent.read(clean)
    task = common_tasks.task(clean)
    single = bool(clean) and not re.search(r"\s", clean) and len(clean) < 200
    return Asked(
        text=clean,
        words=tuple(_words(telling_first(clean) if len(clean) > LONG else clean))[:MOST_WORDS],
        symbols=_symbols(clean, single),
        single=single,
        phrases=_phrases(clean),
        strict=len(clean) <= SHORT,
        paths=_paths(clean),
        errors=_each(_ERROR.findall(clean)),
        names=_each(_PROPER.findall(clean)),
        dates=_each(_DATE.findall(clean)),
        preference=bool(_PREFERENCE.search(clean)),
        wants=common_tasks.WANTS if task else meant.kinds,
        beside=1.0 if task else 0.0 if single else meant.beside,
        task=task,
    )


def telling_first(text: str) -> str:
    """A long text with what tells most of it in front: its errors, the names of code, the paths."""
    told = _inside_out(text)
    names = _symbols(told, single=False)
    return " ".join([*_each(_ERROR.findall(told)), *names, *_paths(told), told])


def _inside_out(text: str) -> str:
    """A long Python trace with its last line first: there it says what went wrong, and where."""
    if len(text) <= LONG or "most recent call last" not in text:
        return text
    return "\n".join(reversed(text.split("\n")))


def _phrases(text: str) -> tuple[str, ...]:
    found = (one or other for one, other in _QUOTED.findall(text))
    return _each(part.strip() for part in found if _WORD.search(part))[:MOST_PHRASES]


def _paths(text: str) -> tuple[str, ...]:
    return _each(_PATH.findall(text.replace("\\", "/")))


def _words(text: str) -> list[str]:
    """The words that select, each once; the stop words where there are no others."""
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
        parts = identifiers.split(word)
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


def qualifiers(text: str) -> tuple[str, ...]:
    """What a name stands in, outermost first: requests and Session of ``requests.Session.send``."""
    named = _behind_a_path(text.strip()) or text.strip()
    parts = (part.strip("()*&[]<> ") for part in _QUALIFIED.split(named.rstrip("()")))
    return tuple(part for part in parts if part)[:-1] if not re.search(r"\s", named) else ()


def _behind_a_path(text: str) -> str:
    """``Cart.add`` of ``src/cart.py::Cart.add``; empty where a path stands alone."""
    return re.sub(r"^.*?\.\w+(?:::|#|$)", "", text) if "/" in text else ""


def _each(values: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))[:MOST_WORDS]  # type: ignore[call-overload]
