"""Rust: a path begins at its crate, at its module, or at another crate of the workspace."""

from __future__ import annotations

from re import MULTILINE, compile

from gitmem.languages.binding_patterns import COLON
from gitmem.languages.import_nodes import AS, imported_and_local_name, node_text
from gitmem.languages.record import ALL, ImportedName, Language
from gitmem.languages.tree_paths import ImportTarget, TreePaths, folder_of, folders_above, join_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_ROOTS = ("lib.rs", "main.rs")
_NAME = compile(r"^\s*name\s*=\s*[\"']([\w-]+)[\"']", MULTILINE)
_OWN, _RELATIVE, _OTHER, _BARE = 0.98, 0.98, 0.93, 0.9


def resolve_rust_path(tree: TreePaths, importer: str, module: str, name: str) -> list[ImportTarget]:
    """Find the file that the path ``module::name``, such as ``crate::a::b``, refers to.

    Returns a list of at most one target: the file of the last module in the path, with ``rest``,
    the names after it.
    """
    parts = [part for part in module.replace("::", ".").split(".") if part]
    if name:
        parts.append(name)
    if not parts:
        return []
    first = parts[0]
    if first == "crate":
        root = _crate(tree, importer)
        return _walk(tree, root, parts[1:], _OWN, "path in the crate")
    if first in ("self", "super"):
        place = importer
        while parts and parts[0] in ("self", "super"):
            if parts.pop(0) == "super":
                place = _parent(tree, place)
        return _walk(tree, place, parts, _RELATIVE, "path relative to the module")
    if root := _members(tree).get(first, ""):
        return _walk(tree, root, parts[1:], _OTHER, "crate of this workspace")
    if len(parts) > 1 and file_of_module(tree, importer, first):
        return _walk(tree, importer, parts, _BARE, "module declared here")
    return []


def _walk(
    tree: TreePaths, place: str, parts: list[str], confidence: float, evidence: str
) -> list[ImportTarget]:
    if not place:
        return []
    for number, part in enumerate(parts):
        below = file_of_module(tree, place, part)
        if not below:
            return [ImportTarget(place, ".".join(parts[number:]), confidence, evidence)]
        place = below
    return [ImportTarget(place, "", confidence, evidence)]


def file_of_module(tree: TreePaths, path: str, name: str) -> str:
    """The path of the module that ``mod name;`` in the Rust file ``path`` declares, or ""."""
    folder, file = folder_of(path), path.rpartition("/")[2]
    if file not in (*_ROOTS, "mod.rs", "build.rs"):
        folder = join_path(folder, file.removesuffix(".rs"))
    return tree.first_existing((join_path(folder, f"{name}.rs"), join_path(folder, name, "mod.rs")))


def _parent(tree: TreePaths, path: str) -> str:
    """The file that declares the module of another."""
    folder, file = folder_of(path), path.rpartition("/")[2]
    if file == "mod.rs":
        folder = folder_of(folder)
    elif file in _ROOTS:
        return path
    inside = [join_path(folder, root) for root in ("mod.rs", *_ROOTS)]
    return tree.first_existing([*inside, f"{folder}.rs"])


def _crate(tree: TreePaths, importer: str) -> str:
    """The root of the crate that a file belongs to."""
    for folder in folders_above(folder_of(importer)):
        if f"{folder}/Cargo.toml".removeprefix("/") in tree.paths:
            name = importer.rpartition("/")[2]
            if folder_of(importer) in (join_path(folder, "src/bin"), join_path(folder, "tests")):
                return importer
            if name in _ROOTS and folder_of(importer) == join_path(folder, "src"):
                return importer
            return tree.first_existing([join_path(folder, "src", root) for root in _ROOTS])
    return tree.first_existing([join_path("src", root) for root in _ROOTS])


def _members(tree: TreePaths) -> dict[str, str]:
    """Crate name -> the root of each library of this repository."""
    cached = tree.cache.get("crates")
    if isinstance(cached, dict):
        return cached
    found: dict[str, str] = {}
    for path in tree.manifests_named("Cargo.toml"):
        text = tree.manifests[path]
        named = _NAME.search(text, max(text.find("[package]"), 0)) if "[package]" in text else None
        root = tree.first_existing([join_path(folder_of(path), "src", root) for root in _ROOTS])
        if named and root:
            found.setdefault(named[1].replace("-", "_"), root)
    tree.cache["crates"] = found
    return found


def _read_import(words: str, _module: str, _before: str) -> list[ImportedName]:
    """The paths of a ``use``, each with the name by which it is known here."""
    body = words.partition("use")[2] if "use" in words else words.partition("crate")[2]
    body = body.strip().rstrip(";").strip()
    found: list[ImportedName] = []
    open_: list[tuple[str, str]] = [("", body)]
    while open_ and len(found) < 500:
        prefix, listed = open_.pop()
        for part in _split(listed):
            head, brace, rest = part.partition("{")
            if brace:
                open_.append((prefix + head.strip(), rest.rpartition("}")[0]))
                continue
            path, *alias = AS.split(part.strip())
            if path:
                found.append(_taken(prefix + path.strip(), alias[0].strip() if alias else ""))
    return found


def _split(words: str) -> list[str]:
    """The parts between commas that stand in no braces."""
    parts, depth, last = [], 0, 0
    for at, letter in enumerate(words):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            parts.append(words[last:at])
            last = at + 1
    return [*parts, words[last:]]


def _taken(path: str, here: str) -> ImportedName:
    parts = path.split("::")
    if parts[-1] == "self":
        parts.pop()
    module, name = "::".join(parts[:-1]), parts[-1] if parts else ""
    if name == "*":
        return module, ALL, ""
    return module, name, here or name


def _imported(node: Node) -> Iterator[ImportedName]:
    argument = node.child_by_field_name("argument")
    if argument is not None:
        yield from _tree(argument, "")


def _tree(node: Node, prefix: str) -> Iterator[ImportedName]:
    if node.type == "use_list":
        for each in node.named_children:
            yield from _tree(each, prefix)
    elif node.type == "scoped_use_list":
        path, inner = node.child_by_field_name("path"), node.child_by_field_name("list")
        if inner is not None:
            yield from _tree(inner, _joined(prefix, node_text(path) if path is not None else ""))
    elif node.type == "use_as_clause":
        name, local = imported_and_local_name(node, "path")
        yield *_parted(_joined(prefix, name)), local
    elif node.type == "use_wildcard":
        yield _joined(prefix, node_text(node).removesuffix("*").rstrip(":")), "", ""
    elif node.type in ("identifier", "scoped_identifier", "self", "crate"):
        whole = _joined(prefix, node_text(node)).removesuffix("::self")
        module, name = _parted(whole)
        yield module, name, name or module


def _joined(prefix: str, name: str) -> str:
    return f"{prefix}::{name}" if prefix and name else prefix or name


def _parted(whole: str) -> tuple[str, str]:
    module, dots, name = whole.rpartition("::")
    return (module, name) if dots else (whole, "")


LANGUAGE = Language(
    name="rust",
    written="Rust",
    files="rs",
    wheel="tree_sitter_rust",
    calls={"call_expression": ("function",), "macro_invocation": ("macro",)},
    members=frozenset({"scoped_identifier", "field_expression"}),
    imports=frozenset({"use_declaration"}),
    imported=_imported,
    errors={
        "match_arm": ("pattern", r"(?:let)?Err\("),
        "if_expression": ("condition", r"(?:let)?Err\("),
    },
    resolve=resolve_rust_path,
    read_import=_read_import,
    manifests="Cargo.toml",
    bindings=(
        COLON,
        rb"\blet[ \t]+(?:mut[ \t]+)?(?P<name>NAME)(?:[ \t]*:[^=\n]+)?[ \t]*=[ \t]*&?(?:mut )?"
        rb"(?P<value>PATH)(?P<call>[({]?)",
    ),
    paths=True,
    module_file=file_of_module,
    scattered=True,
    qualified=True,
)
