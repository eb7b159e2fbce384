"""Finding the lines of a file that define a symbol.

From the index, while the file is as it was indexed; else the file is parsed in a process of its
own, as for the index.
"""

from collections.abc import Sequence

from gitmem.errors import InvalidInput
from gitmem.freshness.worktree import FileContent, WorktreeFiles, is_symbol_with_name
from gitmem.memory.citations import Citation
from gitmem.store.code import symbols
from gitmem.store.code.symbols import Symbol
from gitmem.store.memory import anchors


def lines_of_cited_definition(
    worktree_files: WorktreeFiles, citation: Citation, content: FileContent
) -> tuple[int, int]:
    """(first line, last line) of the definition that a citation names, with its overloads.

    ``content`` is the file's present content. Raises InvalidInput where it does not define the
    name.
    """
    known = definitions_in_file(worktree_files, citation.path, content)
    fitting = [symbol for symbol in known if is_symbol_with_name(symbol, citation.symbol)]
    if not fitting:
        raise InvalidInput(
            f"{citation.path} does not define {citation.symbol[:80]}.",
            _hint(known, citation.symbol),
        )
    return _together(known, fitting)


def _together(known: Sequence[Symbol], fitting: Sequence[Symbol]) -> tuple[int, int]:
    """The lines of the definitions with the shortest container, those not named fully come last.

    Adjacent definitions of one name (overloads, a property's getter and setter) count as one. Of
    others the longest counts, since a signature alone says little.
    """
    container = min((symbol.container for symbol in fitting), key=len)
    named = [symbol for symbol in fitting if symbol.container == container]
    first = min(symbol.start_line for symbol in named)
    last = max(symbol.end_line for symbol in named)
    between = [
        symbol
        for symbol in known
        if symbol.container == container
        and first <= symbol.start_line <= last
        and symbol not in named
    ]
    if between:
        best = max(
            named, key=lambda symbol: (symbol.end_line - symbol.start_line, -symbol.start_line)
        )
        return best.start_line, best.end_line
    return first, last


def definitions_in_file(
    worktree_files: WorktreeFiles, path: str, content: FileContent
) -> Sequence[Symbol]:
    """The definitions in a file as it is now, as Symbol values; ``content`` is its content."""
    app = worktree_files.app
    if app.has_store and anchors.blob_id_at(
        app.store, worktree_files.root, path
    ) == worktree_files.blob_id(path):
        known = symbols.symbols_of_path(app.store, worktree_files.root, path)
        if known:
            return known
    return _read(worktree_files, path, content.data or b"")


def _read(view: WorktreeFiles, path: str, data: bytes) -> Sequence[Symbol]:
    # Imported here: only for a file that differs from its index. A parser may hang or crash on a
    # strange file, so it runs in another process.
    from gitmem import languages  # noqa: PLC0415
    from gitmem.indexing import chunkers, worker_pool  # noqa: PLC0415

    cutter = chunkers.chunker_name_of_path(path, 500, 50)
    language = languages.language(path) or languages.language_of_shebang(data[:400])
    task = (view.blob_id(path), cutter, language, path, data)
    rows = [row for _, results in worker_pool.split_batches([[task]], 1) for row in results[0][3]]
    return [
        Symbol(0, path, language, name, kind, signature, doc, container, start, end, exported)
        for name, kind, signature, doc, container, start, end, exported in rows
    ]


def _hint(known: Sequence[Symbol], name: str) -> str:
    import difflib  # noqa: PLC0415 - only for the hint

    names = {f"{symbol.container}.{symbol.name}".lstrip(".") for symbol in known}
    names |= {symbol.name for symbol in known}
    close = difflib.get_close_matches(name.replace("::", "."), sorted(names), 3, 0.5)
    if close:
        return f"Did you mean {' or '.join(close)}?"
    return (
        "Cite its lines instead, as in src/app.py:40-60."
        if not known
        else (f"It defines {', '.join(sorted({symbol.name for symbol in known})[:5])}.")
    )
