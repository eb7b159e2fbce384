"""Imports of Python that name nothing: relative, by package, and of packages from elsewhere."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence

from gitmem.indexing.syntax.values import Use
from gitmem.languages import python
from gitmem.languages.tree_paths import folder_of, join_path
from gitmem.review import verify_imports
from gitmem.review.known_modules import PYTHON
from gitmem.review.reviewed_diff import ReviewedFile
from gitmem.review.verify_imports import (
    MISSING,
    NAME,
    UNLISTED,
    UnresolvedImport,
    contains_word,
    did_you_mean,
    module_names_in_folder,
)
from gitmem.review.verify_tree import TreeAfterDiff

# Files in which packages are named: a name that stands in one of them is no invention.
_MANIFESTS = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|tox\.ini|noxfile\.py|Pipfile(?:\.lock)?|"
    r"(?:uv|poetry|pdm|pylock[\w.]*)\.(?:lock|toml)|environment[\w.-]*\.ya?ml|meta\.ya?ml|"
    r"[\w.-]*(?:requirements|constraints)[\w.-]*\.(?:txt|in)|Dockerfile|Makefile|justfile|"
    r"conftest\.py|readthedocs\.ya?ml|\.readthedocs\.ya?ml|\.pre-commit-config\.ya?ml)$"
    r"|(?:^|/)(?:requirements|constraints)/[^/]+\.(?:txt|in)$|^\.github/workflows/"
)
_LISTS = re.compile(
    r"(?:pyproject\.toml|setup\.(?:py|cfg)|Pipfile|\.txt|environment[\w.-]*\.ya?ml)$"
)
_DISTRIBUTION = re.compile(r"[A-Za-z0-9][\w.-]*")
_SEPARATORS = re.compile(r"[-_.]+")
_GUARD = re.compile(r"(?:if|elif|else|try|except|finally|with|match|case)\b")
# What gives a module names that do not stand in it, and a package modules that are no files of it.
_MODULES = (
    r"sys\.modules(?:\[[^\]\n]*\]\s*=(?!=)|\.(?:setdefault|update|__setitem__)\(|\s*\|?=(?!=))"
)
_TRICKS = re.compile(
    rf"__getattr__|__path__|extend_path|globals\(\)|{_MODULES}|setattr\(|exec\(|import \*|\blazy"
)
_PATHS = re.compile(rf"__path__|extend_path|declare_namespace|{_MODULES}|meta_path|[Ii]mporter")
_ASIDE = re.compile(r"(?:^|/)(?:docs?|examples?|demos?|tutorials?)/")


def unresolved_python_imports(
    tree: TreeAfterDiff, file: ReviewedFile, uses: Sequence[Use]
) -> Iterator[UnresolvedImport]:
    """Yield those of ``uses`` (the imports of a Python file) that lead to no module or name."""
    if file.path.endswith((".pyx", ".pxd")):
        return
    foreign: set[tuple[int, str]] = set()
    for use in uses:
        module, name = use[2], use[3]
        name = "" if name == "*" else name
        if not re.fullmatch(r"\.*[\w.]*", module) or (use[0], module) in foreign:
            continue
        targets = python.resolve_python_import(tree, file.path, module, name)
        if targets:
            path, rest = targets[0].path, targets[0].rest
            top = module.partition(".")[0]
            sure = not top or _is_own(path, top) or not _declared(tree, top)
            if sure and rest and not path.endswith("/"):
                yield from _name(tree, file, use, path, rest)
        elif module.startswith("."):
            yield from _relative(tree, file, use, module, name)
        else:
            foreign.add((use[0], module))  # several names of one module are one doubt
            yield from _absolute(tree, file, use, module, name)


def _is_own(path: str, top: str) -> bool:
    """Whether a file is of a package that the repository is there for, not of one beside it."""
    return re.match(rf"(?:src/|lib/)?{re.escape(top)}(?:/|\.py$)", path) is not None


def _name(
    tree: TreeAfterDiff, file: ReviewedFile, use: Use, path: str, name: str
) -> Iterator[UnresolvedImport]:
    """A name that does not stand anywhere in the module that is to have it."""
    text = tree.file_text(path)
    if not text.strip() and not path.endswith("/__init__.py"):
        return  # too large, or binary
    if name.startswith("__") or contains_word(text, name) or _TRICKS.search(text):
        return
    if path.endswith(".pyi") or path == file.path or _built(tree, folder_of(path), name):
        return
    candidates = verify_imports.identifiers_in_text(text)
    if path.endswith("/__init__.py"):
        candidates |= module_names_in_folder(tree, folder_of(path)).keys()
    where = f"{path} has no {name}"
    place = join_path(folder_of(path), f"{name}.py")
    yield UnresolvedImport(NAME, verify_imports.line_of_imported_name(file, use, name), use[2],
                         f"{where}{did_you_mean(name, candidates)}", (place,))  # fmt: skip


def _relative(
    tree: TreeAfterDiff, file: ReviewedFile, use: Use, module: str, name: str
) -> Iterator[UnresolvedImport]:
    bare = module.lstrip(".")
    folder = folder_of(file.path)
    for _ in range(len(module) - len(bare) - 1):
        if not folder:
            return
        folder = folder_of(folder)
    parts = bare.split(".") if bare else []
    yield from _missing(tree, file, use, folder, [*parts, name], len(parts))


def _absolute(
    tree: TreeAfterDiff, file: ReviewedFile, use: Use, module: str, name: str
) -> Iterator[UnresolvedImport]:
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names or not top:
        return
    own = python.resolve_python_import(tree, file.path, top, "")
    if not own:
        yield from _foreign(tree, file, use, top)
        return
    path = own[0].path
    if path.endswith(("/__init__.py", "/")):
        folder = path.removesuffix("__init__.py").rstrip("/")
        if not _is_own(path, top) and (
            _declared(tree, top) or sum(each.rpartition("/")[2] == top for each in tree.folders) > 1
        ):
            return  # which of several packages is meant is not known here
        parts = module.split(".")[1:]
        yield from _missing(tree, file, use, folder, [*parts, name], len(parts))


def _missing(
    tree: TreeAfterDiff,
    file: ReviewedFile,
    use: Use,
    folder: str,
    parts: Sequence[str],
    modules: int,
) -> Iterator[UnresolvedImport]:
    """The first part of a path of modules that is neither a file nor a folder.

    The first so many parts are ``modules``, the last one may also be a name in a package.
    """
    if _guarded(file, use):
        return
    for number, part in enumerate(parts):
        is_name = number == modules
        place = join_path(folder, part) if folder else part
        package = tree.file_text(join_path(folder, "__init__.py"))
        if not part or tree.is_outside_index(place) or _PATHS.search(package):
            return
        if is_name and (_TRICKS.search(package) or contains_word(package, part)):
            return
        if tree.first_existing([place + ".py"]):
            return
        if place not in tree.folders:
            if _built(tree, folder, part) or _made(tree, part):
                return
            around = did_you_mean(part, module_names_in_folder(tree, folder), 0.7)
            line = verify_imports.line_of_imported_name(file, use, part)
            message = f"There is no {place}.py and no folder {place}{around}"
            files = (f"{place}.py", f"{place}/__init__.py")
            yield UnresolvedImport(MISSING, line, use[2], message, files)
            return
        folder = place


def _made(tree: TreeAfterDiff, name: str) -> bool:
    """Whether a manifest names the file of a module: it is made when the package is."""
    paths = tree.paths_matching(_MANIFESTS)
    tree.load_texts(paths)
    return any(f"{name}.py" in tree.file_text(path) for path in paths)


def _built(tree: TreeAfterDiff, folder: str, name: str) -> bool:
    """Whether something of that name but for its ending lies in a folder: an extension in C."""
    return any(
        path.rpartition("/")[2].partition(".")[0] == name for path in tree.folders.get(folder, ())
    )


# --- packages from elsewhere --------------------------------------------------------------------


def _foreign(
    tree: TreeAfterDiff, file: ReviewedFile, use: Use, top: str
) -> Iterator[UnresolvedImport]:
    future = did_you_mean(top, ("__future__",), 0.8)
    if (top.startswith("_") and not future) or _guarded(file, use):
        return
    if use[1] == "late-import":
        return  # what a function takes in itself is often optional, or just written by a test
    if any(folder.rpartition("/")[2] == top for folder in tree.folders):
        return
    paths = tree.paths_with_stem(top)
    if any(path.endswith((".py", ".pyi", ".pyx", ".c", ".so")) for path in paths):
        return  # a script puts its folder on the path
    lists = [
        path
        for path in tree.paths_matching(_MANIFESTS)
        if _LISTS.search(path) and file.path.startswith(_around(path))
    ]
    if not lists or _declared(tree, top):
        return
    near = {name for name in _known(tree) if name[:1] == top[:1] and abs(len(name) - len(top)) < 2}
    close = did_you_mean(top, near, 0.8)
    misspelt = bool(close)
    if not misspelt and (use[1] == "type-import" or _ASIDE.search(file.path)):
        return
    message = (
        f"No module of this repository or of Python is called {top}, and no manifest names such a "
        f"package{close if misspelt else f' ({lists[0]})'}"
    )
    line = verify_imports.line_of_imported_name(file, use, top)
    pattern = rf"^[[:space:]]*(from|import)[[:space:]]+{top}(\.|[[:space:]]|,|$)"
    yield UnresolvedImport(MISSING if misspelt else UNLISTED, line, top, message, (), pattern)


def _guarded(file: ReviewedFile, use: Use) -> bool:
    """Whether an import stands below an `if`, `try` or `with`, by its indentation."""
    lines, line = file.new_lines, use[0]
    if use[1] == "type-import":
        return False
    if not 0 < line <= len(lines):
        return True
    depth = _depth(lines[line - 1])
    for text in reversed(lines[max(0, line - 400) : line - 1]):
        if depth and text.strip() and _depth(text) < depth and not text.lstrip().startswith("#"):
            if _GUARD.match(text.lstrip()):
                return True
            depth = _depth(text)
    return depth > 0


def _around(manifest: str) -> str:
    """The folder whose files a manifest concerns, with a slash; empty for the root."""
    folder = folder_of(manifest)
    if folder.rpartition("/")[2] in ("requirements", "constraints"):
        folder = folder_of(folder)
    return f"{folder}/" if folder else ""


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _declared(tree: TreeAfterDiff, top: str) -> bool:
    """Whether a manifest has a word that may be the package of a module."""
    key = ("python packages",)
    packages = tree.cache.get(key)
    if not isinstance(packages, set):
        paths = list(tree.paths_matching(_MANIFESTS))
        tree.load_texts(paths)
        tree.cache[key] = packages = {
            _normal(word.rstrip(".-_"))
            for path in paths
            for word in _DISTRIBUTION.findall(tree.file_text(path))
        }
    bare = _normal(top)
    plain = bare.removeprefix("py").removeprefix("-")
    names = {bare, plain, PYTHON.get(top, ""), f"py{bare}", f"python-{bare}", f"{bare}-python"}
    return not names.isdisjoint(packages) or any(
        word.startswith((f"{bare}-", f"{PYTHON.get(top, bare)}-")) for word in packages
    )


def _normal(name: str) -> str:
    return _SEPARATORS.sub("-", name).lower()


def _known(tree: TreeAfterDiff) -> set[str]:
    """The modules that may have been meant."""
    own = {path.rpartition("/")[2].removesuffix(".py") for path in tree.folders.get("", ())}
    own |= {folder.rpartition("/")[2] for folder in tree.folders if folder.count("/") < 2}
    packages = tree.cache.get(("python packages",))
    package_modules = (
        {package.replace("-", "_") for package in packages} if isinstance(packages, set) else set()
    )
    return own | {*sys.stdlib_module_names, "__future__"} | package_modules
