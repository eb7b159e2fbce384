"""The kinds of symbols that a search may ask for, and imports as symbols.

Most are kinds of definitions, as the grammars' queries name them. ``export``, ``import`` and
``test`` are read from what the index has anyhow: what other files see, the statements that import a
name, and definitions in the files of tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from gitmem.app import App
from gitmem.model.frozen import replace
from gitmem.model.kinds import require_one_of
from gitmem.retrieval.hit_view import DefinitionItem, HitItem
from gitmem.retrieval.question import FileScope
from gitmem.retrieval.symbols.symbol_mentions import make_hit_of_lines, sort_hits_by_score
from gitmem.search import file_kinds
from gitmem.store.code import chunks, symbols
from gitmem.store.code.symbols import Symbol

EXPORT, IMPORT, TEST = "export", "import", "test"
_ALL = (
    "annotation class constant constructor enum export extension field function import index "
    "interface macro member method mixin module namespace object property protocol record section "
    "selector struct table test trait trigger type union variable view"
)
KINDS = tuple(_ALL.split())
# How other programs call them.
_ALIASES = {"const": "constant", "func": "function", "fn": "function", "var": "variable"}


def parse_definition_kinds(kinds: Iterable[str]) -> tuple[str, ...]:
    """Kinds of definitions as gitmem names them (``func``: ``function``). Raises InvalidInput."""
    names = [kind.strip().lower() for kind in kinds]
    return tuple(require_one_of("--kind", _ALIASES.get(name, name), KINDS) for name in names)


def make_symbol_kind_filter(kinds: Sequence[str]) -> Callable[[Symbol], bool]:
    """A function that says whether a definition is of one of these kinds; without kinds: True."""

    def fits(symbol: Symbol) -> bool:
        return (
            not kinds
            or symbol.kind in kinds
            or (EXPORT in kinds and symbol.exported)
            or (TEST in kinds and _is_test(symbol))
        )

    return fits


def _is_test(symbol: Symbol) -> bool:
    named = symbol.name.lower().startswith("test") or symbol.name.endswith(("Test", "Tests"))
    return named and TEST in file_kinds.kinds_of_file(symbol.path, symbol.language)


def find_imports(app: App, names: Iterable[str], scope: FileScope) -> list[HitItem]:
    """The statements that import any of these names or modules, one hit for each file."""
    hits = []
    for name in names:
        lines: dict[str, list[int]] = {}
        for statement in symbols.imports_containing(app.store, app.worktree, name):
            if name in statement.names or name == statement.module:
                lines.setdefault(statement.path, []).append(statement.line)
        known = chunks.indexed_files_by_path(app.store, app.worktree, set(lines))
        for path, shown in known.items():
            if scope.contains_file(path, shown.language):
                hit = make_hit_of_lines(app, path, tuple(lines[path]), shown.language, "imports it")
                hits.append(_import(hit, name))
    return sort_hits_by_score(hits)


def _import(hit: HitItem, name: str) -> HitItem:
    line = hit.start_line or 0
    made = DefinitionItem(name, IMPORT, hit.snippet.strip(), "", line, line)
    return replace(hit, symbol=name, context="", definition=made)
