"""In which lines of a file a symbol is defined.

The index knows it while the file is as it was indexed; else the file is read anew, in a process of
its own, as the index does.
"""

from collections.abc import Sequence

from gitmem.errors import InvalidInput
from gitmem.memory.citations import Citation
from gitmem.operations.ground import Ground, Look, fits
from gitmem.store import anchors, symbols
from gitmem.store.symbols import Symbol


def lines(ground: Ground, place: Citation, look: Look) -> tuple[int, int]:
    """First and last line of the definition; of several the first. Raises InvalidInput."""
    known = definitions(ground, place.path, look)
    found = [one for one in known if fits(one, place.symbol)]
    if not found:
        raise InvalidInput(
            f"{place.path} defines no {place.symbol[:80]}.", _hint(known, place.symbol)
        )
    # The one that is named whole before one that only ends so.
    best = min(found, key=lambda one: (len(one.container), one.start_line))
    return best.start_line, best.end_line


def definitions(ground: Ground, path: str, look: Look) -> Sequence[Symbol]:
    """What a file defines, as it is now."""
    app = ground.app
    if app.has_store and anchors.blob_at(app.store, ground.root, path) == ground.blob(path):
        known = symbols.of_path(app.store, ground.root, path)
        if known:
            return known
    return _read(ground, path, look.data or b"")


def _read(ground: Ground, path: str, data: bytes) -> Sequence[Symbol]:
    # Imported here: only for a file that is not indexed as it is. What reads syntax may hang or
    # crash on a strange file, so another process does.
    from gitmem.indexing import cutters, languages, workers  # noqa: PLC0415

    cutter = cutters.of_path(path, 500, 50)
    language = languages.language(path) or languages.of_shebang(data[:400])
    task = (ground.blob(path), cutter, language, path, data)
    rows = [row for _, results in workers.cut([[task]], 1) for row in results[0][3]]
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
