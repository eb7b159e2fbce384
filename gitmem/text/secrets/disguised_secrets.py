"""Secrets that are split, escaped, or hold invisible characters.

Such a text is searched a second time in a plain view: without invisible characters, with escapes
resolved and split strings joined. What is found there is traced back to its places in the text.
"""

from __future__ import annotations

import functools
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Span = tuple[int, int, str]
    Finder = Callable[[str], list[Span]]

# Soft hyphen, zero-width and joining marks, marks of direction, variation selectors.
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f"
    "\ufe00-\ufe0f\ufeff"
)
_ESCAPED = (
    r"\\u00[2-7][0-9a-fA-F]|\\u\{[2-7][0-9a-fA-F]\}|\\x[2-7][0-9a-fA-F]|%[2-7][0-9A-Fa-f]"
    r"|&#(?:x[2-7][0-9a-fA-F]|[0-9]{2,3});"
)
# "ab" + "cd", 'ab' . 'cd', "ab" "cd", a backslash at the end of a line.
_JOINT = (
    r"(?<=[\w+/=.~-])(?P<quote>[\"'`])\s{0,4}(?:\\\n)?\s{0,40}(?:[+.&~]|\.\.|<>|\+\+|\|\|)?\s{0,40}(?:\\\n\s{0,40})?[fbru]?(?P=quote)(?=[\w+/=.~-])"
    r"|(?<=[\w+/=.~-])\\{1,2}(?:\n|\\n)[ \t]{0,40}(?=[\w+/=.~-])"
    r"|\\u(?:00ad|034f|061c|180e|200[b-f]|202[a-e]|206[0-46-f]|fe0[0-9a-f]|feff)"
)
DISGUISE = re.compile(f"(?P<joint>{_JOINT})|(?P<escape>{_ESCAPED})|[{_INVISIBLE}]+")
# How a disguise can begin. Each of these begins with a literal that a search can jump to, which is
# twenty times faster than trying all disguises everywhere.
_BEGINNINGS = (
    *(rf"{quote}(?=[\s+.&~<>|\\]{{0,140}}+[fbru]?{quote}[\w+/=.~-])" for quote in "\"'`"),
    r"\\(?=[xu\n\\])",
    "%[2-7]",
    "&#",
)
_LOOKS_INVISIBLE = f"[{_INVISIBLE}]+"


# Disguises further apart than this are handled separately, with this much text around them.
_APART = 640


def find_disguised_secrets(text: str, find_plain: Finder) -> list[Span]:
    """Return where a text has disguised (split, escaped) secrets, as (start, end, kind).

    ``find_plain`` returns this for plain text. If a secret is in several pieces, only the first has
    its kind, the others "": they are to be deleted.
    """
    spans: list[Span] = []
    group: list[re.Match[str]] = []
    for match in find_disguises(text):
        if group and match.start() - group[-1].end() > 2 * _APART:
            spans += _find_in_group(text, group, find_plain)
            group = []
        group.append(match)
    return spans + (_find_in_group(text, group, find_plain) if group else [])


def find_disguises(text: str) -> Iterator[re.Match[str]]:
    """Yield a match for each disguise (an escape, a joint of a split string) in a text."""
    patterns = _BEGINNINGS if text.isascii() else (*_BEGINNINGS, _LOOKS_INVISIBLE)
    places = {match.start() for pattern in patterns for match in _beginning(pattern).finditer(text)}
    end = 0
    for place in sorted(places):
        match = DISGUISE.match(text, place) if place >= end else None
        if match:
            end = match.end()
            yield match


@functools.cache
def _beginning(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _find_in_group(text: str, group: list[re.Match[str]], inside: Finder) -> list[Span]:
    view: list[str] = []
    # Pieces of the text: start in the view, start and length in the text, and whether a disguise.
    pieces: list[tuple[int, int, int, bool]] = []
    at, read = max(0, group[0].start() - _APART), 0
    for match in group:
        start, end = match.span()
        if start > at:
            pieces.append((read, at, start - at, False))
            view.append(text[at:start])
            read += start - at
        meant = _plain_view(match)
        pieces.append((read, start, end - start, match["joint"] is not None))
        view.append(meant)
        read += len(meant)
        at = end
    last = min(len(text), at + _APART)
    pieces.append((read, at, last - at, False))
    view.append(text[at:last])
    return _trace_back("".join(view), pieces, view, inside)


def _plain_view(match: re.Match[str]) -> str:
    escape = match["escape"]
    return "" if escape is None else _unescape(escape)


@functools.lru_cache(maxsize=1024)
def _unescape(escape: str) -> str:
    digits = escape.strip("\\u{}x%&#;")
    base = 10 if escape[1] == "#" and escape[2] != "x" else 16
    code = int(digits, base)
    return chr(code) if 32 < code < 127 else escape


def _trace_back(
    whole: str, pieces: list[tuple[int, int, int, bool]], view: list[str], inside: Finder
) -> list[Span]:
    spans: list[Span] = []
    first = 0
    for start, end, kind in inside(whole):
        while first + 1 < len(pieces) and pieces[first + 1][0] <= start:
            first += 1
        places = _places(start, end, first, pieces, view)
        if len(places) > 1 or (places and places[0][2]):
            at, to, _ = places[0]
            spans.append((at, to, kind))
            spans += [(at, to, "") for at, to, _ in places[1:]]
    return spans


def _places(
    start: int, end: int, first: int, pieces: list[tuple[int, int, int, bool]], view: list[str]
) -> list[tuple[int, int, bool]]:
    """The pieces of the text that a span of the view covers, without the joints.

    Each is (start, end, whether it includes a disguise).
    """
    places: list[tuple[int, int, bool]] = []
    for index in range(first, len(pieces)):
        length, at, size, joint = pieces[index]
        if length >= end:
            break
        shown = len(view[index])
        if joint or (shown and length + shown <= start):
            continue
        if not shown and not places:
            continue
        disguised = shown != size
        low = at if disguised else at + max(0, start - length)
        high = at + size if disguised else at + min(size, end - length)
        if places and places[-1][1] == low:
            places[-1] = (places[-1][0], high, True)
        elif high > low:
            places.append((low, high, disguised))
    return places
