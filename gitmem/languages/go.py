"""Go: packages are folders below the module of go.mod."""

from __future__ import annotations

from re import MULTILINE, compile

from gitmem.languages.import_nodes import node_text, unquoted_text
from gitmem.languages.record import ALL, WHOLE, ImportedName, Language
from gitmem.languages.tree_paths import ImportTarget, TreePaths, folder_of, join_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node


_MODULE = compile(r"^\s*module\s+\"?([^\s\"]+)", MULTILINE)


def resolve_go_import(tree: TreePaths, importer: str, module: str, name: str) -> list[ImportTarget]:
    """Find the folder of the imported package ``module``, if it is in a module of this repository.

    Returns a list of at most one target, with ``name`` to look up in it.
    """
    del importer
    for prefix, folder in _modules(tree):
        if module == prefix or module.startswith(prefix + "/"):
            place = join_path(folder, module[len(prefix) :])
            if any(name.endswith(".go") for name in tree.folders.get(place, ())):
                return [ImportTarget(place + "/", name, 0.99, "package of this module")]
            return []
    return []


def _modules(tree: TreePaths) -> list[tuple[str, str]]:
    cached = tree.cache.get("go")
    if isinstance(cached, list):
        return cached
    modules = []
    for path in tree.manifests_named("go.mod"):
        if match := _MODULE.search(tree.manifests[path]):
            modules.append((match[1], folder_of(path)))
    modules.sort(key=lambda pair: -len(pair[0]))
    tree.cache["go"] = modules
    return modules


def package_name(module: str) -> str:
    """The name of a package by its path, whose last part may be the version of a module.

    ``github.com/go-chi/chi/v5`` is ``chi``, ``gopkg.in/yaml.v3`` is ``yaml``.
    """
    last = module.rpartition("/")[2]
    version = last.rpartition(".")[2]
    if version[:1] == "v" and version[1:].isdecimal() and version != module:
        last = module[: -len(version) - 1].rpartition("/")[2]
    return last


def _read_import(words: str, module: str, _before: str) -> list[ImportedName]:
    alias = words.partition('"')[0].strip()
    return [(module, ALL if alias == "." else WHOLE, alias or package_name(module))]


def _imported(node: Node) -> Iterator[ImportedName]:
    path, name = node.child_by_field_name("path"), node.child_by_field_name("name")
    if path is None:
        return
    module = unquoted_text(path)
    local = node_text(name) if name is not None else package_name(module)
    yield module, "", "" if local in ("_", ".") else local


LANGUAGE = Language(
    name="go",
    written="Go",
    files="go",
    also="golang",
    wheel="tree_sitter_go",
    exports="capital",
    calls={"call_expression": ("function",)},
    members=frozenset({"selector_expression"}),
    imports=frozenset({"import_spec"}),
    imported=_imported,
    origin=lambda module, _name: (module.rpartition("/")[2],),
    errors={"if_statement": ("condition", r"\w*[eE]rr!=nil\Z")},
    resolve=resolve_go_import,
    read_import=_read_import,
    manifests="go.mod",
    bindings=(
        rb"(?:^[ \t]*var |^[ \t]+|[(,][ \t]*)(?P<name>NAME)[ \t]+\*?(?P<type>PATH)",
        rb"\b(?P<name>NAME)(?:,[ \t]*\w+)*[ \t]*:?=[ \t]*&?(?P<value>PATH)(?P<call>[({]?)",
    ),
    shared="folder",
    packages=True,
    scattered=True,
    qualified=True,
)
