"""Imports of JavaScript and TypeScript that name nothing: relative ones, and packages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gitmem.indexing.syntax.values import Use
from gitmem.languages import javascript
from gitmem.languages.tree_paths import folder_of, folders_above, join_path
from gitmem.review.known_modules import NODE, NODE_BELOW
from gitmem.review.reviewed_diff import ReviewedFile
from gitmem.review.verify_imports import (
    MISSING,
    NAME,
    UNLISTED,
    UnresolvedImport,
    contains_word,
    did_you_mean,
    identifiers_in_text,
    line_of_imported_name,
    module_names_in_folder,
)
from gitmem.review.verify_tree import TreeAfterDiff

_OUTPUT = re.compile(
    r"(?:^|/)(?:dist|build|out|output|esm|cjs|generated|__generated__|gen|coverage|node_modules|"
    r"bower_components|\.[\w-]+)(?:/|$)"
)
_PLAIN = re.compile(r"(?:\w+:)?[\w@./+-]+")
_ASIDE = re.compile(r"(?:^|/)(?:docs?|examples?|demos?|website)/")
_PACKAGE = re.compile(r"(?:@[\w.~-]+/)?[a-zA-Z][\w.-]*")
_VIRTUAL = ("/", "#", "~", "@/", "@theme", "@site", "@generated")
# Below a folder of tests only what is called a test is code; the rest is what they read.
_DATA = re.compile(
    r"(?:^|/)(?:__tests__|tests?|specs?)/[^/]+/[^/]+/.*$|(?:^|/)(?:static|public|assets)/"
)
_TEST = re.compile(r"[.-](?:test|spec|e2e)\.\w+$")
# Many modules in one file, which ask for each other.
_BUNDLE = re.compile(r"typeof require\b|__webpack_require__|__commonJS|System\.register")
_CONFIGS = re.compile(
    r"(?:^|/)(?:[\w.-]*\.config(?:\.[\w-]+)?\.[cm]?[jt]s|[tj]sconfig[\w.-]*\.json|Gruntfile\.js|"
    r"gulpfile\.[cm]?js|\.babelrc[\w.]*|babel\.config\.json|deno\.jsonc?|import_map\.json|"
    r"bower\.json|[\w.-]*importmap[\w.-]*|webpack[\w.-]*\.js|rollup[\w.-]*\.js|pnpm-workspace\.yaml)$"
)
_SCRIPTS = re.compile(r"\.[cm]?[jt]sx?$")
# All that a file exports may come from elsewhere.
_OPEN = re.compile(
    r"export\s+(?:type\s+)?\*|exports\s*\[|module\.exports\s*=\s*(?![{\w$]+\s*[;\n]?\s*$)"
    r"(?:require|Object|_|\w+\()|__exportStar|defineProperty|Object\.assign|"
    r"\.exports\s*=\s*require|\bdeclare module\b|exports,"
)
_DEFAULT = re.compile(r"\bdefault\b|\bexports\b|export\s*=|\bdefine\s*\(")
_DEPENDENCIES = (
    *("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"),
    *("bundledDependencies", "bundleDependencies", "resolutions", "overrides", "imports"),
)


def unresolved_javascript_imports(
    tree: TreeAfterDiff, file: ReviewedFile, uses: Sequence[Use]
) -> Iterator[UnresolvedImport]:
    """Yield those of ``uses`` (the imports of a file) that lead to no file or package."""
    if _DATA.search(file.path) and not _TEST.search(file.path):
        return
    if _BUNDLE.search("\n".join(file.new_lines)):
        return
    checked: set[tuple[int, str]] = set()
    for use in uses:
        module, name = use[2], use[3]
        if not _PLAIN.fullmatch(module) or (use[0], module) in checked:
            continue
        targets = javascript.resolve_javascript_import(tree, file.path, module, "")
        if targets:
            yield from _name(tree, file, use, targets[0].path, name)
            continue
        checked.add((use[0], module))  # several names of one module are one doubt
        if module.startswith("."):
            yield from _relative(tree, file, use, module)
        elif not module.startswith(_VIRTUAL):
            yield from _package(tree, file, use, module)


def _relative(
    tree: TreeAfterDiff, file: ReviewedFile, use: Use, module: str
) -> Iterator[UnresolvedImport]:
    place = join_path(folder_of(file.path), module)
    if tree.is_outside_index(place) or _OUTPUT.search(place):
        return
    manifest = tree.json_manifest(join_path(place, "package.json"))
    if any(key in manifest for key in ("main", "module", "exports", "browser", "types")):
        return  # it names what it is built from
    folder, name = folder_of(place), place.rpartition("/")[2]
    stem = re.sub(r"\.(?:[cm]?jsx?|[cm]?tsx?)$", "", name)
    inside = tree.folders.get(folder, ())
    if name and any(
        path.rpartition("/")[2].startswith((f"{stem}.", f"{name}.")) for path in inside
    ):
        return  # of another kind, such as wasm, or what is made of a template
    places = [f"{folder}/{stem}{ending}".lstrip("/") for ending in (".js", ".ts", ".mjs", ".json")]
    places += [f"{place}/index.js".lstrip("/"), f"{place}/index.ts".lstrip("/"), place]
    module_names = module_names_in_folder(tree, folder)
    hint = did_you_mean(stem, module_names)
    if not hint and (far := _elsewhere(tree, stem)):
        hint = f" (there is {far})"
    line = line_of_imported_name(file, use, module)
    there = f"{place}/index" if place in tree.folders else place
    yield UnresolvedImport(
        MISSING, line, module, f"There is no {there}{hint}", tuple(filter(None, places))
    )


def _elsewhere(tree: TreeAfterDiff, stem: str) -> str:
    paths = [path for path in tree.paths_with_stem(stem) if _SCRIPTS.search(path)]
    return paths[0] if len(paths) == 1 and stem != "index" else ""


def _name(
    tree: TreeAfterDiff, file: ReviewedFile, use: Use, path: str, name: str
) -> Iterator[UnresolvedImport]:
    """A name that does not stand anywhere in the file that is to export it."""
    if name in ("", "*", "=") or not _SCRIPTS.search(path) or path == file.path:
        return
    text = tree.file_text(path)
    if not text.strip() or _OPEN.search(text) or _OUTPUT.search(path):
        return
    if name == "default":
        if not _DEFAULT.search(text) and re.search(r"^export\b", text, re.MULTILINE):
            yield UnresolvedImport(NAME, line_of_imported_name(file, use, use[4] or name), use[2],
                                 f"{path} has no default export")  # fmt: skip
    elif re.fullmatch(r"[\w$]+", name) and not contains_word(text, name):
        hint = did_you_mean(name, identifiers_in_text(text))
        yield UnresolvedImport(NAME, line_of_imported_name(file, use, name), use[2],
                    f"{path} has no {name}{hint}")  # fmt: skip


def _package(
    tree: TreeAfterDiff, file: ReviewedFile, use: Use, module: str
) -> Iterator[UnresolvedImport]:
    scheme, colon, bare = module.rpartition(":")
    if colon or bare.split("/")[0] in NODE:
        yield from _of_node(line_of_imported_name(file, use, module), module, scheme, bare)
        return
    match = _PACKAGE.match(module)
    if match is None:
        return
    name = match[0] if module.startswith("@") else module.split("/")[0]
    if not _PACKAGE.fullmatch(name) or (name.startswith("@") and "/" not in name):
        return
    manifests = [
        path
        for folder in folders_above(folder_of(file.path))
        if (path := join_path(folder, "package.json")) in tree.manifests
    ]
    listed = {package for path in manifests for package in _listed(tree, path)}
    bare = f"@types/{name.removeprefix('@').replace('/', '__')}"
    if not manifests or not {name, bare}.isdisjoint(listed) or not listed:
        return
    top = name.split("/")[0]
    if top in tree.folders or any(
        path.endswith((f"/{name}.d.ts",)) for path in tree.paths_with_stem(name)
    ):
        return  # by a baseUrl that a tool knows
    configs = tree.paths_matching(_CONFIGS)
    tree.load_texts(configs)
    alias = re.compile(rf"(?<![\w@/-]){re.escape(top)}(?![\w-])")
    if any(alias.search(tree.file_text(path)) for path in configs):
        return
    close = did_you_mean(name, {*listed, *NODE}, 0.8)
    misspelt = bool(close)
    if not misspelt and _ASIDE.search(file.path):
        return
    message = (
        f"No package of this repository is called {name}, and {manifests[0]} lists no such package"
        f"{close}"
    )
    escaped = re.sub(r"([.+])", r"[\1]", name)
    pattern = rf"[\"']{escaped}(/[^\"']*)?[\"']"
    line = line_of_imported_name(file, use, name)
    yield UnresolvedImport(MISSING if misspelt else UNLISTED, line, module, message, (), pattern)


def _of_node(line: int, module: str, scheme: str, bare: str) -> Iterator[UnresolvedImport]:
    """A module of Node that it does not have; of other schemes nothing is known."""
    known, close = NODE | NODE_BELOW, ""
    if scheme in ("", "node") and bare not in known and ("/" in bare or scheme):
        close = did_you_mean(bare, known)
    elif scheme and scheme != "node" and bare in known:
        close = did_you_mean(scheme, ("node",))
    if close:
        yield UnresolvedImport(MISSING, line, module, f"Node has no module {module}{close}")


def _listed(tree: TreeAfterDiff, path: str) -> set[str]:
    read = tree.json_manifest(path)
    names = {str(read.get("name", ""))}
    for key in _DEPENDENCIES:
        value = read.get(key)
        if isinstance(value, dict | list):
            names |= {str(item) for item in value}
    return names - {""}
