"""In which lines of a file a symbol is defined.

The index knows it while the file is as it was indexed; else the file is read anew, in a process of
its own, as the index does.
"""

from collections.abc import Sequence

from gitmem.errors import InvalidInput
from gitmem.freshness.worktree import FileRead, WorktreeView, fits
from gitmem.memory.citations import Citation
from gitmem.store.code import symbols
from gitmem.store.code.symbols import Symbol
from gitmem.store.memory import anchors


def lines(view: WorktreeView, citation: Citation, read: FileRead) -> tuple[int, int]:
    """First and last line of the definition, with its overloads. Raises InvalidInput."""
    known = definitions(view, citation.path, read)
    found = [one for one in known if fits(one, citation.symbol)]
    if not found:
        raise InvalidInput(
            f"{citation.path} does not define {citation.symbol[:80]}.",
            _hint(known, citation.symbol),
        )
    return _together(known, found)


def _together(known: Sequence[Symbol], found: Sequence[Symbol]) -> tuple[int, int]:
    """The lines of what is named whole, before what only ends so.

    Overloads before a function, a property's getter and setter: what follows each other under one
    name is one thing. Of others the longest counts, since a signature alone says little.
    """
    container = min((one.container for one in found), key=len)
    named = [one for one in found if one.container == container]
    first = min(one.start_line for one in named)
    last = max(one.end_line for one in named)
    between = [
        one
        for one in known
        if one.container == container and first <= one.start_line <= last and one not in named
    ]
    if between:
        best = max(named, key=lambda one: (one.end_line - one.start_line, -one.start_line))
        return best.start_line, best.end_line
    return first, last


def definitions(view: WorktreeView, path: str, read: FileRead) -> Sequence[Symbol]:
    """What a file defines, as it is now."""
    app = view.app
    if app.has_store and anchors.blob_at(app.store, view.root, path) == view.blob(path):
        known = symbols.of_path(app.store, view.root, path)
        if known:
            return known
    return _read(view, path, read.data or b"")


def _read(view: WorktreeView, path: str, data: bytes) -> Sequence[Symbol]:
    # Imported here: only for a file that is not indexed as it is. What reads syntax may hang or
    # crash on a strange file, so another process does.
    from gitmem import languages  # noqa: PLC0415
    from gitmem.indexing import chunkers, worker_pool  # noqa: PLC0415

    cutter = chunkers.of_path(path, 500, 50)
    language = languages.language(path) or languages.of_shebang(data[:400])
    task = (view.blob(path), cutter, language, path, data)
    rows = [row for _, results in worker_pool.cut([[task]], 1) for row in results[0][3]]
    return [
        Symbol(0, path, language, name, kind, signature, doc, container, start, end, exported)
        for name, kind, signature, doc, container, start, end, exported in rows
    ]


def _hint(known: Sequence[Symbol], asked: str) -> str:
    import difflib  # noqa: PLC0415 - only for the hint

    names = {f"{one.container}.{one.name}".lstrip(".") for one in known}
    names |= {one.name for one in known}
    close = difflib.get_close_matches(asked.replace("::", "."), sorted(names), 3, 0.5)
    if close:
        return f"Did you mean {' or '.join(close)}?"
    return (
        "Cite its lines instead, as in src/app.py:40-60."
        if not known
        else (f"It defines {', '.join(sorted({one.name for one in known})[:5])}.")
    )
