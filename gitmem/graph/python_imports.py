"""Which file a Python import means: relative, by package, or a package without ``__init__``."""

from __future__ import annotations

import sys

from gitmem.graph.tree_paths import TreePaths, above, folder_of
from gitmem.graph.values import Found

_ENDINGS = (".py", "/__init__.py", ".pyi", "/__init__.pyi")
_RELATIVE, _OWN, _OTHER = 0.99, 0.98, 0.95


def resolve(tree: TreePaths, importer: str, module: str, name: str) -> list[Found]:
    """Where ``from module import name`` leads, or ``import module`` where the name is empty."""
    if module.startswith("."):
        bare = module.lstrip(".")
        folder = folder_of(importer)
        for _ in range(len(module) - len(bare) - 1):
            if not folder:
                return []
            folder = folder_of(folder)
        return _in(tree, folder, bare, name, _RELATIVE, "relative import")
    roots = _roots(tree, folder_of(importer))
    top = module.partition(".")[0]
    standard = top in sys.stdlib_module_names
    for number, root in enumerate(roots[:1] if standard else roots):
        own = number == 0
        found = _in(tree, root, module, name, _OWN if own else _OTHER, "import by package")
        # A folder without `__init__` never stands before a module of the standard library.
        if found and not (standard and not _file(tree, "/".join(filter(None, (root, top))))):
            return found
    return []


def _in(
    tree: TreePaths, root: str, module: str, name: str, confidence: float, evidence: str
) -> list[Found]:
    place = "/".join(filter(None, (root, module.replace(".", "/"))))
    if name:
        below = f"{place}/{name}" if place else name
        if path := _file(tree, below):
            return [Found(path, "", confidence, evidence)]
        if below in tree.folders and not _file(tree, place) and tree.folders[below]:
            return [Found(below + "/", "", confidence, f"{evidence}, namespace package")]
    if path := _file(tree, place):
        return [Found(path, name, confidence, evidence)]
    if not name and module and place in tree.folders and _python_inside(tree, place):
        return [Found(place + "/", name, confidence, f"{evidence}, namespace package")]
    return []


def _file(tree: TreePaths, place: str) -> str:
    if not place:
        return tree.first(("__init__.py",))
    return tree.first([place + ending for ending in _ENDINGS])


def _python_inside(tree: TreePaths, folder: str) -> bool:
    inside = tree.folders.get(folder, [])
    return any(one.endswith((".py", ".pyi")) for one in inside) or not inside


def _roots(tree: TreePaths, folder: str) -> list[str]:
    """The folders from which modules are named, for files of a folder; the likeliest first."""
    key = ("python", folder)
    known = tree.kept.get(key)
    if isinstance(known, list):
        return known
    own = folder
    while own and f"{own}/__init__.py" in tree.paths:
        own = folder_of(own)
    roots = dict.fromkeys([own, *above(folder), "src", "lib", *_package_roots(tree)])
    found = [
        one for one in roots if one == own or not one or f"{one}/__init__.py" not in tree.paths
    ]
    tree.kept[key] = found
    return found


def _package_roots(tree: TreePaths) -> list[str]:
    """The folders in which a package lies that lies in no other."""
    known = tree.kept.get("python roots")
    if isinstance(known, list):
        return known
    packages = {folder_of(one) for one in tree.stem("__init__") if one.endswith(".py")}
    roots = {folder_of(one) for one in packages if one and folder_of(one) not in packages}
    found = sorted(roots, key=lambda one: (one.count("/"), one))
    tree.kept["python roots"] = found
    return found
