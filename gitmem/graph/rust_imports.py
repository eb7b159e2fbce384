"""Which file a path of Rust means: of its crate, from its module on, or of another crate."""

from __future__ import annotations

from re import MULTILINE, compile

from gitmem.graph.tree_paths import TreePaths, above, folder_of, joined
from gitmem.graph.values import Definition, Found

_ROOTS = ("lib.rs", "main.rs")
_NAME = compile(r"^\s*name\s*=\s*[\"']([\w-]+)[\"']", MULTILINE)
_OWN, _RELATIVE, _OTHER, _BARE = 0.98, 0.98, 0.93, 0.9


def resolve(tree: TreePaths, importer: str, module: str, name: str) -> list[Found]:
    """Where a path leads: the longest part of it that is a file, and the names left over."""
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
    if len(parts) > 1 and _child(tree, importer, first):
        return _walk(tree, importer, parts, _BARE, "module declared here")
    return []


def _walk(
    tree: TreePaths, place: str, parts: list[str], confidence: float, evidence: str
) -> list[Found]:
    if not place:
        return []
    for number, part in enumerate(parts):
        below = _child(tree, place, part)
        if not below:
            return [Found(place, ".".join(parts[number:]), confidence, evidence)]
        place = below
    return [Found(place, "", confidence, evidence)]


def declared(tree: TreePaths, path: str, one: Definition) -> str:
    """The file of a module that another file declares (``mod name;``), "" for anything else."""
    said = one.kind == "module" and one.start == one.end
    return _child(tree, path, one.name) if said else ""


def _child(tree: TreePaths, path: str, name: str) -> str:
    folder, file = folder_of(path), path.rpartition("/")[2]
    if file not in (*_ROOTS, "mod.rs", "build.rs"):
        folder = joined(folder, file.removesuffix(".rs"))
    return tree.first((joined(folder, f"{name}.rs"), joined(folder, name, "mod.rs")))


def _parent(tree: TreePaths, path: str) -> str:
    """The file that declares the module of another."""
    folder, file = folder_of(path), path.rpartition("/")[2]
    if file == "mod.rs":
        folder = folder_of(folder)
    elif file in _ROOTS:
        return path
    inside = [joined(folder, one) for one in ("mod.rs", *_ROOTS)]
    return tree.first([*inside, f"{folder}.rs"])


def _crate(tree: TreePaths, importer: str) -> str:
    """The root of the crate that a file belongs to."""
    for folder in above(folder_of(importer)):
        if f"{folder}/Cargo.toml".removeprefix("/") in tree.paths:
            name = importer.rpartition("/")[2]
            if folder_of(importer) in (joined(folder, "src/bin"), joined(folder, "tests")):
                return importer
            if name in _ROOTS and folder_of(importer) == joined(folder, "src"):
                return importer
            return tree.first([joined(folder, "src", one) for one in _ROOTS])
    return tree.first([joined("src", one) for one in _ROOTS])


def _members(tree: TreePaths) -> dict[str, str]:
    """Crate name -> the root of each library of this repository."""
    known = tree.kept.get("crates")
    if isinstance(known, dict):
        return known
    found: dict[str, str] = {}
    for path in tree.named("Cargo.toml"):
        text = tree.manifests[path]
        named = _NAME.search(text, max(text.find("[package]"), 0)) if "[package]" in text else None
        root = tree.first([joined(folder_of(path), "src", one) for one in _ROOTS])
        if named and root:
            found.setdefault(named[1].replace("-", "_"), root)
    tree.kept["crates"] = found
    return found
