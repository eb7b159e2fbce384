"""Java, and what languages of its machine share: classes are in the folder of their package."""

from __future__ import annotations

from gitmem.languages.binding_patterns import MADE, TYPE_FIRST
from gitmem.languages.import_nodes import AS, node_text
from gitmem.languages.record import ALL, ImportedName, Language
from gitmem.languages.tree_paths import ImportTarget, TreePaths, nearest_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node


_ENDINGS = (".java", ".kt", ".kts")


def resolve_java_import(
    tree: TreePaths, importer: str, module: str, name: str
) -> list[ImportTarget]:
    """Find the file of the imported class ``module.name``, or the folders of a package ``module``.

    Returns a list of targets, empty if neither is in the repository; of several files, that nearest
    to the file ``importer``.
    """
    place = module.replace(".", "/")
    if name and (found := _file(tree, f"{place}/{name}", importer)):
        return [ImportTarget(found, name, 0.99, "class in the folder of its package")]
    if module.rpartition(".")[2][:1].isupper():  # nested classes or a static member
        names = [name] if name else []
        while (inner := module.rpartition(".")[2])[:1].isupper():
            names.insert(0, inner)
            if found := _file(tree, module.replace(".", "/"), importer):
                rest = ".".join(names)
                return [ImportTarget(found, rest, 0.97, "member of a class in its package")]
            module = module.rpartition(".")[0]
        return []
    evidence = "folder of the package"
    return [ImportTarget(folder + "/", name, 0.95, evidence) for folder in _folders(tree, place)]


def _folders(tree: TreePaths, place: str) -> list[str]:
    # Kept: each file of a package asks for the same few, and all folders are looked at for each.
    cached = tree.cache.get(("jvm", place))
    if isinstance(cached, list):
        return cached
    folders = [
        folder
        for folder, files in tree.folders.items()
        if (folder == place or folder.endswith("/" + place))
        and any(f.endswith(_ENDINGS) for f in files)
    ]
    tree.cache["jvm", place] = first_four = sorted(folders)[:4]
    return first_four


def _file(tree: TreePaths, place: str, importer: str) -> str:
    paths = [path for ending in _ENDINGS for path in tree.paths_ending_in(place + ending)]
    return nearest_path(paths, importer) if paths else ""


def parse_java_import(import_text: str, _module: str, _before: str) -> list[ImportedName]:
    """The names in an import's text, ``import [static] a.b.C [as D]``, of Java and Kotlin.

    Returns a list of one tuple: module, name in it (``*``: all), name in this file.
    """
    body = import_text.partition("import")[2].strip().rstrip(";").strip()
    static = body.startswith("static ")
    path, *alias = AS.split(body.removeprefix("static ").strip())
    module, _, name = path.replace(" ", "").rpartition(".")
    if name == "*":
        return [(module, "static *" if static else ALL, "")]
    return [(module, name, alias[0].strip() if alias else name)]


def _imported(node: Node) -> Iterator[ImportedName]:
    for each in node.named_children:
        if each.type in ("identifier", "scoped_identifier"):
            whole = node_text(each)
            every = any(child.type == "asterisk" for child in node.named_children)
            module, _, name = whole.rpartition(".")
            yield (whole, "", "") if every or not module else (module, name, name)


LANGUAGE = Language(
    name="java",
    written="Java",
    files="java",
    wheel="tree_sitter_java",
    calls={
        "method_invocation": ("object", "name"),
        "object_creation_expression": ("type",),
        "method_reference": (),
    },
    members=frozenset({"field_access", "scoped_identifier"}),
    imports=frozenset({"import_declaration"}),
    imported=_imported,
    resolve=resolve_java_import,
    read_import=parse_java_import,
    bindings=(TYPE_FIRST, MADE),
    shared="folder",
    source_root=r"^(?:.*/)?src/[^/]+/(?:java|kotlin)\d*(?:/|$)",
    packages=True,
    bare_members=True,
    type_first=True,
    family="jvm",
)
