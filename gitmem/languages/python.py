"""Python: an import is relative, by package, or of a package without ``__init__``."""

from __future__ import annotations

import sys

from gitmem.languages.binding_patterns import COLON
from gitmem.languages.import_nodes import AS, imported_and_local_name, node_text
from gitmem.languages.record import ALL, WHOLE, ImportedName, Language
from gitmem.languages.tree_paths import ImportTarget, TreePaths, folder_of, folders_above

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_ENDINGS = (".py", "/__init__.py", ".pyi", "/__init__.pyi")
_RELATIVE, _OWN, _OTHER = 0.99, 0.98, 0.95


def resolve_python_import(
    tree: TreePaths, importer: str, module: str, name: str
) -> list[ImportTarget]:
    """Find the file that ``from module import name`` in the file ``importer`` refers to.

    Returns a list of at most one target. An empty ``name`` means ``import module``.
    """
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
        targets = _in(tree, root, module, name, _OWN if own else _OTHER, "import by package")
        # A folder without `__init__` never stands before a module of the standard library.
        if targets and not (standard and not _file(tree, "/".join(filter(None, (root, top))))):
            return targets
    return []


def _in(
    tree: TreePaths, root: str, module: str, name: str, confidence: float, evidence: str
) -> list[ImportTarget]:
    place = "/".join(filter(None, (root, module.replace(".", "/"))))
    if name:
        below = f"{place}/{name}" if place else name
        if path := _file(tree, below):
            return [ImportTarget(path, "", confidence, evidence)]
        if below in tree.folders and not _file(tree, place) and tree.folders[below]:
            return [ImportTarget(below + "/", "", confidence, f"{evidence}, namespace package")]
    if path := _file(tree, place):
        return [ImportTarget(path, name, confidence, evidence)]
    if not name and module and place in tree.folders and _python_inside(tree, place):
        return [ImportTarget(place + "/", name, confidence, f"{evidence}, namespace package")]
    return []


def _file(tree: TreePaths, place: str) -> str:
    if not place:
        return tree.first_existing(("__init__.py",))
    return tree.first_existing([place + ending for ending in _ENDINGS])


def _python_inside(tree: TreePaths, folder: str) -> bool:
    inside = tree.folders.get(folder, [])
    return any(path.endswith((".py", ".pyi")) for path in inside) or not inside


def _roots(tree: TreePaths, folder: str) -> list[str]:
    """The folders from which modules are named, for files of a folder; the likeliest first."""
    key = ("python", folder)
    cached = tree.cache.get(key)
    if isinstance(cached, list):
        return cached
    own = folder
    while own and f"{own}/__init__.py" in tree.paths:
        own = folder_of(own)
    roots = dict.fromkeys([own, *folders_above(folder), "src", "lib", *_package_roots(tree)])
    found = [
        root for root in roots if root == own or not root or f"{root}/__init__.py" not in tree.paths
    ]
    tree.cache[key] = found
    return found


def _package_roots(tree: TreePaths) -> list[str]:
    """The folders in which a package lies that lies in no other."""
    known = tree.cache.get("python roots")
    if isinstance(known, list):
        return known
    inits = tree.paths_with_stem("__init__")
    packages = {folder_of(path) for path in inits if path.endswith(".py")}
    roots = {
        folder_of(package) for package in packages if package and folder_of(package) not in packages
    }
    found = sorted(roots, key=lambda root: (root.count("/"), root))
    tree.cache["python roots"] = found
    return found


def _read_import(words: str, module: str, _before: str) -> list[ImportedName]:
    if words.startswith("import"):
        for part in words[6:].split(","):
            name, *alias = AS.split(part.strip())
            if name.strip() == module:
                return [(module, WHOLE, alias[0].strip() if alias else module)]
        return [(module, WHOLE, module)]
    listed = (
        words.partition("import")[2] if "import" not in module else words.rpartition("import")[2]
    )
    found: list[ImportedName] = []
    for part in listed.strip(" \t\r\n()\\").split(","):
        name, *alias = AS.split(part.strip(" \t\r\n()\\"))
        if name == "*":
            found.append((module, ALL, ""))
        elif name:
            found.append((module, name, alias[0].strip() if alias else name))
    return found


def _imported(node: Node) -> Iterator[ImportedName]:
    module = node.child_by_field_name("module_name")
    names = node.children_by_field_name("name")
    if module is not None:
        origin = node_text(module)
        if not names:  # import *
            yield origin, "", ""
        for each in names:
            name, local = imported_and_local_name(each, "name")
            yield origin, name, local or name
        return
    for each in names:
        name, local = imported_and_local_name(each, "name")
        # `import os.path` binds `os`, which is its own name.
        yield name, "", local or (name if "." not in name else "")


LANGUAGE = Language(
    name="python",
    written="Python",
    files="py pyi pyx pxd pyw SConstruct",
    programs="python pypy uv",
    wheel="tree_sitter_python",
    grammars={"pyx": "", "pxd": ""},
    comment=r"\#:?",
    comments=("#",),
    exports="underscore",
    calls={"call": ("function",)},
    members=frozenset({"attribute"}),
    imports=frozenset({"import_statement", "import_from_statement"}),
    imported=_imported,
    resolve=resolve_python_import,
    read_import=_read_import,
    functions=frozenset({"function_definition", "lambda"}),
    bindings=(
        COLON,
        rb"(?<![\w.])(?P<name>(?:self\.|cls\.)?NAME)(?:[ \t]*:[^=\n(]+)?[ \t]*=[ \t]*(?:await )?"
        rb"(?P<value>PATH)[ \t]*(?P<call>\(?)",
        rb"\bwith[ \t]+(?P<value>PATH)[ \t]*(?P<call>\()[^\n]*?\)[ \t]+as[ \t]+(?P<name>NAME)",
        rb"^[ \t]+return[ \t]+(?P<value>(?:NAME\.)*[A-Z][\w]*)(?P<call>\()",
    ),
    submodules=True,
    qualified=True,
)
