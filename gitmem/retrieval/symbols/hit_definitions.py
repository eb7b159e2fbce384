"""The definition that each hit in code is part of: its kind, signature, documentation and lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gitmem.app import App
from gitmem.languages.index import PROSE
from gitmem.model.frozen import replace
from gitmem.retrieval.edited_file import EDITED
from gitmem.retrieval.hit_view import DefinitionItem, HitItem
from gitmem.retrieval.symbols import symbol_kinds
from gitmem.store.code import symbols
from gitmem.store.code.symbols import Symbol
from gitmem.text.fence import make_printable
from gitmem.text.redact import redact


def add_definitions_to_hits(
    app: App, hits: Iterable[HitItem], kinds: Sequence[str] = ()
) -> list[HitItem]:
    """The hits, each with the definition it shows or is part of, where there is one.

    Only definitions of some ``kinds``, if any are given. A hit in a file that was edited since it
    was indexed gets none.
    """
    return [_with_definition(app, hit, kinds) for hit in hits]


def make_definition_item(symbol: Symbol) -> DefinitionItem:
    """A definition as a DefinitionItem, the form in which results show it; secrets are masked."""
    return DefinitionItem(
        symbol.name,
        symbol.kind,
        make_printable(redact(symbol.signature).text),
        make_printable(redact(symbol.doc).text),
        symbol.start_line,
        symbol.end_line,
    )


def _with_definition(app: App, hit: HitItem, kinds: Sequence[str]) -> HitItem:
    first, last = hit.start_line, hit.end_line
    if hit.kind != "code" or hit.definition or not (first and last) or EDITED in hit.why:
        return hit
    if hit.language in PROSE:
        return hit
    around = symbols.symbols_in_lines(app.store, app.worktree, hit.path, first, last)
    symbol = _meant(list(filter(symbol_kinds.make_symbol_kind_filter(kinds), around)), hit, first)
    return replace(hit, definition=make_definition_item(symbol)) if symbol else hit


def _meant(around: Sequence[Symbol], hit: HitItem, line: int) -> Symbol | None:
    """The definition that a hit shows.

    One that begins in its snippet, else one that the snippet names, else the first of its lines; of
    several the one whose name matched, else the first.
    """
    begun = [symbol for symbol in around if symbol.start_line >= line]
    if line == hit.end_line or not begun:
        return symbols.innermost_symbol(around, line)
    heads = ((symbol, symbol.signature.partition("(")[0]) for symbol in begun)
    shown = [symbol for symbol, head in heads if head and head in hit.snippet]
    words = set(re.findall(r"\w+", hit.snippet))
    named = [symbol for symbol in begun if symbol.name in words]

    def worth(symbol: Symbol) -> int:
        name = symbol.name.lower()
        return (name in hit.matched) + any(word in name for word in hit.matched)

    return max(shown or named or begun[:1], key=worth)
