"""Words set off in text for a terminal: pure."""

from __future__ import annotations

import re
from collections.abc import Iterable

_BOLD, _PLAIN = "\x1b[1m", "\x1b[22m"
# A word of fewer letters is in too many others.
_SHORTEST = 2


def highlight(text: str, words: Iterable[str]) -> str:
    """The text with each word in bold where it stands or begins one, however it is written."""
    terms = sorted({word for word in words if len(word) >= _SHORTEST}, key=lambda term: -len(term))
    if not terms:
        return text
    either = "|".join(map(re.escape, terms))
    return re.sub(
        rf"(?<![^\W_])(?:{either})", lambda match: _BOLD + match[0] + _PLAIN, text, flags=re.I
    )
