"""Guessing the files that an import means by its words, in languages without a resolver."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence


def guess_imported_files(
    path: str,
    imported_modules: Iterable[tuple[str, Sequence[str]]],
    repository_paths: Iterable[str],
) -> list[str]:
    """The paths of the files that the imports in the file ``path`` mean, guessed from names alone.

    ``imported_modules`` are (module as it is written, names taken from it), ``repository_paths``
    the repository's files. An import that fits several files, or none of the repository, is left
    out.
    """
    by_end: dict[str, list[str]] = {}
    for each in repository_paths:
        by_end.setdefault(_stem(each).rpartition("/")[2], []).append(each)
    found: dict[str, None] = {}
    for module, names in imported_modules:
        place = _place(path, module)
        # From a package also its modules are taken by name; a first name may stand for a folder
        # of another name (PHP's Acme\\Http\\Client in src/Http/Client.php).
        shorter = place.partition("/")[2]
        also = (shorter,) if "/" in shorter else ()
        for stem in (*(f"{place}/{name}" for name in names), place, *also):
            near = by_end.get(stem.rpartition("/")[2], [])
            fitting = [path for path in near if _is(_stem(path), stem)]
            if len(fitting) == 1 and fitting[0] != path:
                found[fitting[0]] = None
    return list(found)


def _is(file: str, stem: str) -> bool:
    return file == stem or file.endswith(f"/{stem}")


def _place(path: str, module: str) -> str:
    """The place of a module: relative to its importer where written so, else by its name."""
    folder = path.rpartition("/")[0]
    if module.startswith(("./", "../")):
        return _stem(posixpath.normpath(posixpath.join(folder, module)))
    name = module.lstrip(".").replace("\\", "/")
    bare = name.replace("::", "/").replace(".", "/") if "/" not in name else _stem(name)
    if not module.startswith("."):
        return bare
    up = "../" * (len(module) - len(name) - 1)
    return posixpath.normpath(posixpath.join(folder, up, bare)).strip("/")


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    stem = path.rpartition(".")[0] if "." in name.lstrip(".") else path
    for ending in ("/__init__", "/index", "/mod"):
        stem = stem.removesuffix(ending)
    return stem
