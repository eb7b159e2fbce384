"""The code that `gitmem why` explains: a file, lines of it, or a definition."""

import os

from gitmem.app import App
from gitmem.code_relations import graph_target
from gitmem.errors import InvalidInput, NotFound
from gitmem.files import repository_path
from gitmem.git import listing
from gitmem.git.lines import line_history, removed_lines
from gitmem.git.lines.removed_lines import RemovedLine
from gitmem.indexing import file_filter
from gitmem.memory import citations
from gitmem.model.frozen import dataclass
from gitmem.search import file_kinds
from gitmem.store.code import commits
from gitmem.store.code.symbols import Symbol
from gitmem.text.quantity import quantity

# The preferred kinds if a name has several definitions.
_ORDER = ("class", "struct", "interface", "trait", "function", "method")

_NAME = 3  # letters of a name that is looked for in removed lines


@dataclass(frozen=True, slots=True)
class CodeTarget:
    """The code to explain: a path, optionally lines (first and last, from 1) or a symbol.

    ``there``: the file exists. ``others`` are further definitions of the name, ``removed`` is the
    line that defined a name that is gone.
    """

    path: str
    lines: tuple[int, int] | None = None
    symbol: str = ""
    there: bool = True
    others: tuple[str, ...] = ()
    removed: RemovedLine | None = None


def resolve_code_target(app: App, target_text: str, *, search_removed: bool = False) -> CodeTarget:
    """Return the file, lines or definition that a text names; files come before definitions.

    With ``search_removed`` git looks for a deleted definition, for some seconds at most. Raises
    InvalidInput for a folder, for lines that do not exist and for a path outside of the repository,
    NotFound if there is and was no such file or definition.
    """
    if not target_text.strip():
        raise InvalidInput("No path or name was given.", "Give one: gitmem why src/app.py:40")
    path = (
        target_text
        if "\0" in target_text
        else repository_path.to_repository_path(target_text, app.worktree, app.start)
    )
    cited = citations.parse_citation(path.rstrip("/") or ".")
    place, mark, name = path.rpartition(":")
    if mark and name.replace(".", "_").isidentifier() and _is_file(app, place):
        cited = citations.parse_citation(f"{place}::{name}")
    if _is_file(app, cited.path):
        return _in_file(app, cited)
    if os.path.isdir(os.path.join(app.worktree, cited.path)):
        raise InvalidInput(
            f"{cited.path} is a folder.",
            f"Run `gitmem changes --path {cited.path}`, or name a file.",
        )
    named = (
        graph_target.find_indexed_file(app, target_text.strip())
        if app.has_store and "." in target_text
        else ""
    )
    if named and _is_file(app, named):
        return CodeTarget(named)
    defined = _defined(app, target_text.strip()) if app.has_store else None
    if defined is not None:
        return defined
    gone = (
        commits.latest_path_with_file_name(app.store, cited.path)
        if app.has_store and cited.is_whole_file
        else ""
    )
    gone = gone if gone and not _is_file(app, gone) else ""
    return _removed_target(
        app, citations.parse_citation(gone) if gone else cited, removed=search_removed
    )


def _is_file(app: App, path: str) -> bool:
    if app.layout.worktree is None:
        return bool(line_history.blob_id_at_head(app.layout.cwd, path))
    return os.path.isfile(os.path.join(app.layout.worktree, path))


def _in_file(app: App, cited: citations.Citation) -> CodeTarget:
    if cited.symbol:
        target = f"{cited.path}:{cited.symbol}"
        inside = graph_target.find_definitions(app, target) if app.has_store else []
        if not inside:
            raise NotFound(
                f"{cited.path} defines no {cited.symbol[:80]!r}, as far as is indexed.",
                f"Name lines instead, as in {cited.path}:40-60.",
            )
        return _of_definitions(app, inside, cited.symbol)
    if cited.first_line is None or cited.last_line is None:
        return CodeTarget(cited.path)
    count = len(_lines(app, cited.path))
    if count and cited.first_line > count:
        raise InvalidInput(
            f"{cited.path} has {quantity(count, 'line')}.", "Name lines that the file has."
        )
    last = min(cited.last_line, count) if count else cited.last_line
    return CodeTarget(cited.path, (cited.first_line, last))


def _defined(app: App, name: str) -> CodeTarget | None:
    if any(part.isspace() for part in name):
        return None
    definitions = graph_target.find_definitions(app, name)
    return _of_definitions(app, definitions, name) if definitions else None


def _of_definitions(app: App, symbols: list[Symbol], name: str) -> CodeTarget:
    ranked = sorted(symbols, key=_rank)
    first = ranked[0]
    others = tuple(f"{symbol.path}:{symbol.start_line}" for symbol in ranked[1:])
    return CodeTarget(first.path, _where_now(app, first), name, _is_file(app, first.path), others)


def _rank(symbol: Symbol) -> tuple[bool, int, bool, str, int]:
    place = _ORDER.index(symbol.kind) if symbol.kind in _ORDER else len(_ORDER)
    return (
        file_kinds.is_test_path(symbol.path),
        place,
        not symbol.exported,
        symbol.path,
        symbol.start_line,
    )


def _where_now(app: App, symbol: Symbol) -> tuple[int, int] | None:
    """The lines of a definition in the present file, which may have moved since indexing."""
    lines = _lines(app, symbol.path)
    head = next(iter(symbol.signature.split("\n")), "").strip() or symbol.name
    places = [
        number for number, line in enumerate(lines, 1) if head in line or line.strip() == head
    ]
    if not places:  # the stored signature differs from the text
        places = [number for number, line in enumerate(lines, 1) if symbol.name in line]
    if not places:
        return None
    begin = min(places, key=lambda number: abs(number - symbol.start_line))
    # Decorators and the like before the name belong to it.
    start = symbol.start_line if symbol.start_line <= begin <= symbol.end_line else begin
    return start, min(start + symbol.end_line - symbol.start_line, len(lines))


def _lines(app: App, path: str) -> list[str]:
    if app.layout.worktree is None:
        return []
    data = listing.read_worktree_file(app.layout.worktree, path)
    if data is None:
        return []
    return file_filter.decode_text(data).split("\n") if data else []


def _removed_target(app: App, cited: citations.Citation, *, removed: bool) -> CodeTarget:
    """The target for a removed file or definition. Raises NotFound."""
    was, _ = (
        line_history.commits_changing_path(app.layout.cwd, cited.path, 1)
        if app.git_head.commit
        else ([], True)
    )
    if not was:
        gone, complete = None, True
        if (
            removed
            and app.git_head.commit
            and len(cited.path) >= _NAME
            and cited.path.isidentifier()
        ):
            gone, complete = removed_lines.find_removed_definition(app.layout.cwd, cited.path)
        if gone is not None:
            return CodeTarget(gone.path, symbol=cited.path, there=False, removed=gone)
        late = "" if complete else " What was removed git could not tell."
        raise NotFound(
            f"There is no file {cited.path[:200]} here, and nothing by that name is defined.{late}",
            "Give a path, lines as in src/app.py:40-60, or a name; `gitmem index` adds new names.",
        )
    if not cited.is_whole_file:
        raise NotFound(f"{cited.path} is gone: it has no lines.", f"Run `gitmem why {cited.path}`.")
    return CodeTarget(cited.path, there=False)
