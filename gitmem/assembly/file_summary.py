"""A file in about a tenth of its tokens: what it is for, what it takes in, what it defines."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from gitmem.store.code.symbols import Import, Symbol
from gitmem.text.fence import one_line

# The part of a file's tokens that its summary may cost, and what a short file's may.
SHARE, LEAST = 0.1, 60
_WIDTH, _DOC = 140, 90
# Lines in which a file says what it is for, how such lines begin, and what may stand before them.
_LOOKED_AT = 30
_OPENINGS = ("#", "//", "/*", "*", '"', "'", ";", "--", "%", "<!--", "{-", "=begin")
_BEFORE = ("package ", "<?", "use strict", "'use strict", "module ")
# How a notice of copyright is known: it says nothing of what a file is for.
_LEGAL = re.compile(
    r"\b(?:copyright|licen[cs]ed? (?:to|under|by|agreement)|spdx-licen[cs]e|all rights reserved)\b",
    re.IGNORECASE,
)
_MORE = "… {} more"
_NOT_TOLD = frozenset(("field", "property", "variable"))


def summarise(
    opening: str,
    symbols: Sequence[Symbol],
    imports: Sequence[Import],
    *,
    tokens: int,
    count: Callable[[str], int],
    most: int = 0,
) -> str:
    """The summary of a file that costs ``tokens``: at most a tenth of them (``LEAST`` if few).

    And where ``most`` is given no more than that.

    ``opening`` is its first text, ``symbols`` and ``imports`` are in the order of the file. What
    others can see and what stands at the top comes first where not all has room.
    """
    room = max(LEAST, int(SHARE * tokens))
    room = min(room, most) if most else room
    lines = [line for line in (purpose(opening), _imports(imports)) if line]
    kept = [line for line in lines if count(line) < room // 3]
    # A line with its end: what they cost one by one they cost at most together.
    left = room - sum(count(line + "\n") for line in kept) - count(_MORE.format(len(symbols)))
    told = [one for one in symbols if one.kind not in _NOT_TOLD or not one.container]
    ranked = sorted(
        range(len(told)),
        key=lambda place: (bool(told[place].container), not told[place].exported, place),
    )
    chosen: dict[int, str] = {}
    for place in ranked:
        line = _symbol(told[place])
        left -= count(line + "\n")
        if left < 0:
            break
        chosen[place] = line
    rest = len(told) - len(chosen)
    more = [_MORE.format(rest)] if rest and chosen else []
    return "\n".join([*kept, *(chosen[place] for place in sorted(chosen)), *more])


def purpose(opening: str) -> str:
    """The first line that says something in a file's documentation: comment, docstring, heading."""
    inside = legal = False
    for line in opening.split("\n")[:_LOOKED_AT]:
        plain = line.strip()
        bare = plain.lstrip("#/*;-%!<> \"'`").rstrip("*/ \"'`->")
        begins = plain.startswith(_OPENINGS)
        if (begins or inside) and (legal or _LEGAL.search(bare)):
            # A notice goes to the end of its comment.
            legal = not plain.endswith(("*/", "-->"))
            inside = inside and legal
            continue
        legal = False
        if (begins or inside) and not plain.startswith("#!") and len(bare.split()) > 1:
            return one_line(bare, _WIDTH)
        inside = inside or (begins and not bare)
        if bare and not begins and not plain.startswith(_BEFORE):
            return ""
    return ""


def _imports(imports: Sequence[Import]) -> str:
    modules = list(dict.fromkeys(one.module for one in imports))
    return one_line("imports " + ", ".join(modules), _WIDTH) if modules else ""


def _symbol(one: Symbol) -> str:
    indent = "  " if one.container else ""
    doc = one.doc.strip().split("\n", 1)[0].split(". ", 1)[0].rstrip(".")
    doc = "" if _LEGAL.search(doc) else doc
    said = one.signature or f"{one.kind} {one.name}"
    told = f"{one_line(said, _WIDTH - 20)}: {one_line(doc, _DOC)}" if doc else said
    return f"{indent}{one.start_line} {one_line(told, _WIDTH + _DOC)}"
