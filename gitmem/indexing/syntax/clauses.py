"""Definitions written in several clauses: equations of Haskell, clauses of Elixir, told as one.

A type signature counts as the first clause: it is the best signature there is.
"""

from __future__ import annotations

from gitmem.indexing.syntax.values import Definition
from gitmem.model.frozen import replace


def joined(definitions: list[Definition]) -> list[Definition]:
    """Neighbours of one name, kind and container made one, from the first line to the last.

    What stands inside of a clause does not part it from the next one, and names declared in one
    line (`f, g :: Int`) are neighbours of whatever follows that line.
    """
    kept: list[Definition] = []
    latest: dict[str, list[int]] = {}  # container -> where in kept its last line's stand
    for each in definitions:
        near = latest.setdefault(each.container, [])
        at = next((one for one in near if _same(kept[one], each)), None)
        if at is not None:
            kept[at] = _both(kept[at], each)
            continue
        if near and kept[near[0]].start_line != each.start_line:
            near.clear()
        near.append(len(kept))
        kept.append(each)
    return kept


def _same(one: Definition, other: Definition) -> bool:
    return (one.name, one.kind) == (other.name, other.kind)


def _both(first: Definition, next_: Definition) -> Definition:
    return replace(
        first,
        end_line=max(first.end_line, next_.end_line),
        doc=first.doc or next_.doc,
        exported=first.exported or next_.exported,
    )
