"""Converting a path as the user gave it to a path inside the repository.

It may be absolute, relative to the current folder, or relative to the repository's root, and may
end with lines or a symbol (``src/app.py:40-60``, ``src/app.py::Server``). Only the disk is read.
"""

from __future__ import annotations

import os

from gitmem.errors import InvalidInput

_WILD = frozenset("*?[")


def to_repository_path(
    path: str, root: str, current_folder: str, *, is_glob_pattern: bool = False
) -> str:
    """Convert a path as the user typed it to one relative to the repository's ``root``, with ``/``.

    A path that exists below ``current_folder`` is relative to that folder, any other to the root.
    What follows a path is left as it is: a slash, lines (``app.py:40-60``), a symbol
    (``app.py::Server``), or, with ``is_glob_pattern``, wildcards. Raises InvalidInput for a path
    that leads out of the repository.
    """
    if "\0" in path:
        return path
    text = path.strip().replace("\\", "/") if os.name == "nt" else path.strip()
    current_folder = os.path.abspath(current_folder)
    named, rest = (
        _split_pattern(text, root, current_folder)
        if is_glob_pattern
        else _split_citation(text, root, current_folder)
    )
    if not named:
        return text
    plain = os.path.normpath(named)
    anchored = os.path.isabs(plain) or {named.split("/")[0], plain.split(os.sep)[0]} & {".", ".."}
    if not anchored and not _is_there(plain, current_folder):
        return plain.replace(os.sep, "/") + rest
    inside = _inside(os.path.normpath(os.path.join(current_folder, plain)), root)
    if inside is None and is_glob_pattern and (plain == "/" or not os.path.lexists(plain)):
        return text  # `/src/*.py`: git reads it from the root
    if inside is None:
        raise InvalidInput(
            f"{path[:200]!r} is not a path inside the repository.",
            f"Give one below {root}, absolute or relative, such as src/app.py:40-60.",
        )
    if not is_glob_pattern:
        return inside + rest if inside else "."
    # A pattern from the root keeps its slash: a name alone would match anywhere.
    return (inside + rest) if inside else (rest.lstrip("/") if "/" in rest.strip("/") else rest)


def _split_pattern(text: str, root: str, start: str) -> tuple[str, str]:
    """The leading folders of a pattern without wildcards, and the rest."""
    parts = text.split("/")
    wild = [at for at, part in enumerate(parts) if set(part) & _WILD]
    if not wild or _is_there(text, start) or _is_there(text, root):  # a name may hold brackets
        plain = text.rstrip("/")
        return (plain, text[len(plain) :]) if plain else (text, "")
    return "/".join(parts[: wild[0]]) or text[:1].strip("*?["), "/" + "/".join(parts[wild[0] :])


def _split_citation(text: str, root: str, start: str) -> tuple[str, str]:
    """The path, and what follows: a slash, lines or a symbol."""
    plain = text.rstrip("/")
    if not plain or plain != text:
        return plain or text, text[len(plain) :]
    if _is_there(text, start) or _is_there(text, root):  # a name may hold a colon
        return text, ""
    name, mark, symbol = text.partition("::")
    if mark and name:
        return name, mark + symbol
    name, colon, lines = text.rpartition(":")
    if name and lines.replace("-", "").isdigit():
        return name, colon + lines
    return text, ""


def _is_there(path: str, folder: str) -> bool:
    try:
        return bool(path) and os.path.lexists(os.path.join(folder, path))
    except ValueError:  # a NUL
        return False


def _inside(place: str, root: str) -> str | None:
    """An absolute path relative to the root, empty for the root; None where it is outside.

    Links below the root are not resolved; those above it (``/tmp`` for ``/private/tmp``) do not
    matter, because folders are compared by identity.
    """
    if (below := _below(place, root)) is not None:
        return below
    above, names = place, list[str]()
    while above != os.path.dirname(above):
        if _same(above, root):
            return "/".join(reversed(names))
        names.append(os.path.basename(above))
        above = os.path.dirname(above)
    try:
        return _below(os.path.realpath(place), os.path.realpath(root))
    except (OSError, ValueError):
        return None


def _below(place: str, root: str) -> str | None:
    if place == root:
        return ""
    if place.startswith(head := root.rstrip(os.sep) + os.sep):
        return place[len(head) :].replace(os.sep, "/")
    return None


def _same(place: str, root: str) -> bool:
    try:
        return os.path.samefile(place, root)
    except (OSError, ValueError):
        return False
