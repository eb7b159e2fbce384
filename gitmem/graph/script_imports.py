"""Which file an import of JavaScript or TypeScript means.

Relative paths with the endings that may be left out; ``paths`` and ``baseUrl`` of the nearest
tsconfig.json; packages of the same repository by the name in their package.json, through its
``exports``; ``#names`` of its ``imports``.
"""

from __future__ import annotations

from gitmem.graph.tree_paths import TreePaths, above, folder_of, joined
from gitmem.graph.values import Found

_ENDINGS = (
    ".ts",
    ".tsx",
    ".js",
    ".jsx",
    ".mjs",
    ".cjs",
    ".mts",
    ".cts",
    ".vue",
    ".svelte",
    ".d.ts",  # the declaration of what was not found itself
)
_WRITTEN = {".js": (".ts", ".tsx", ".jsx"), ".mjs": (".mts",), ".cjs": (".cts",), ".jsx": (".tsx",)}
# Where a package puts what it is built from: only the source is in the repository.
_BUILT = ("dist", "lib", "build", "out", "esm", "cjs", "es")
_CONDITIONS = ("source", "types", "import", "module", "default", "node", "require", "browser")
_RELATIVE, _MAPPED, _PACKAGE = 0.99, 0.95, 0.93
_DEEPEST = 8


def resolve(tree: TreePaths, importer: str, module: str, name: str) -> list[Found]:
    """Where a module specifier leads; the name is looked up in it."""
    if module.startswith("."):
        path = _file(tree, joined(folder_of(importer), module))
        return [Found(path, name, _RELATIVE, "relative import")] if path else []
    if module.startswith("/"):
        return []
    for path, evidence in (
        (_mapped(tree, importer, module), "paths of tsconfig.json"),
        (_own_name(tree, importer, module), "imports of package.json"),
        (_package(tree, module), "package of this repository"),
    ):
        if path:
            certain = _PACKAGE if evidence.startswith("package") else _MAPPED
            return [Found(path, name, certain, evidence)]
    return []


def _file(tree: TreePaths, place: str) -> str:
    if place in tree.paths and place:
        return place
    stem, dot, ending = place.rpartition(".")
    written = _WRITTEN.get("." + ending, ()) if dot else ()
    if path := tree.first([stem + other for other in written]):
        return path
    found = tree.first([place + ending for ending in _ENDINGS])
    found = found or tree.first([joined(place, "index" + ending) for ending in _ENDINGS])
    if found or f"{place}/package.json" not in tree.manifests:
        return found
    main = _json(tree, f"{place}/package.json").get("main")
    return _source(tree, place, main) if isinstance(main, str) else ""


def _source(tree: TreePaths, folder: str, target: str) -> str:
    """A file that a package.json names, or the source that it is built from."""
    place = joined(folder, target)
    if found := _file(tree, place):
        return found
    parts = joined(target).split("/")
    while parts and parts[0] in _BUILT:
        parts.pop(0)
    if not parts:
        return ""
    bare = "/".join(parts)
    for ending in (".d.ts", ".d.mts", ".d.cts", ".mjs", ".cjs", ".js", ".ts"):
        if bare.endswith(ending):
            bare = bare.removesuffix(ending)
            break
    return _file(tree, joined(folder, "src", bare)) or _file(tree, joined(folder, bare))


# --- tsconfig.json ------------------------------------------------------------------------------


def _mapped(tree: TreePaths, importer: str, module: str) -> str:
    for folder in above(folder_of(importer)):
        for name in ("tsconfig.json", "jsconfig.json"):
            path = joined(folder, name)
            if path in tree.manifests:
                return _by_config(tree, path, module)
    return ""


def _by_config(tree: TreePaths, config: str, module: str) -> str:
    base, paths, declared = _paths(tree, config)
    for pattern, targets in sorted(paths.items(), key=lambda pair: -len(pair[0])):
        before, star, after = pattern.partition("*")
        if not star and pattern == module:
            middle = ""
        elif star and module.startswith(before) and module.endswith(after):
            middle = module[len(before) : len(module) - len(after)]
        else:
            continue
        for target in targets:
            if found := _file(tree, joined(base, target.replace("*", middle))):
                return found
    return _file(tree, joined(base, module)) if declared else ""


def _paths(tree: TreePaths, config: str) -> tuple[str, dict[str, list[str]], bool]:
    """The folder from which ``paths`` are read, these, and whether a baseUrl was declared."""
    for _ in range(_DEEPEST):
        read = _json(tree, config)
        options = read.get("compilerOptions")
        options = options if isinstance(options, dict) else {}
        paths, base = options.get("paths"), options.get("baseUrl")
        if isinstance(paths, dict) or isinstance(base, str):
            folder = joined(folder_of(config), base if isinstance(base, str) else "")
            kept = paths if isinstance(paths, dict) else {}
            listed = {key: value for key, value in kept.items() if isinstance(value, list)}
            return folder, listed, isinstance(base, str)
        above_it = read.get("extends")
        if not isinstance(above_it, str) or not above_it.startswith("."):
            break
        config = joined(folder_of(config), above_it)
        config = config if config in tree.manifests else f"{config}.json"
    return "", {}, False


# --- package.json -------------------------------------------------------------------------------


def _own_name(tree: TreePaths, importer: str, module: str) -> str:
    if not module.startswith("#"):
        return ""
    for folder in above(folder_of(importer)):
        path = joined(folder, "package.json")
        if path in tree.manifests:
            return _exported(tree, folder, _json(tree, path).get("imports"), module)
    return ""


def _package(tree: TreePaths, module: str) -> str:
    parts = module.split("/")
    count = 2 if module.startswith("@") else 1
    name, rest = "/".join(parts[:count]), "/".join(parts[count:])
    path = _packages(tree).get(name)
    if path is None:
        return ""
    folder, read = folder_of(path), _json(tree, path)
    found = _exported(tree, folder, read.get("exports"), f"./{rest}" if rest else ".")
    if found:
        return found
    if rest:
        return _file(tree, joined(folder, rest)) or _file(tree, joined(folder, "src", rest))
    for field in ("source", "types", "module", "main"):
        if isinstance(target := read.get(field), str) and (found := _source(tree, folder, target)):
            return found
    return _file(tree, joined(folder, "src")) or _file(tree, joined(folder, "index"))


def _packages(tree: TreePaths) -> dict[str, str]:
    known = tree.kept.get("packages")
    if isinstance(known, dict):
        return known
    found: dict[str, str] = {}
    for path in tree.named("package.json"):
        name = _json(tree, path).get("name")
        if isinstance(name, str):
            found.setdefault(name, path)
    tree.kept["packages"] = found
    return found


def _exported(tree: TreePaths, folder: str, exports: object, wanted: str) -> str:
    """The file for a key of ``exports`` or ``imports``, a pattern with a star included."""
    if not isinstance(exports, dict) or not any(key.startswith((".", "#")) for key in exports):
        exports = {".": exports}
    for key, value in exports.items():
        before, star, after = key.partition("*")
        if key == wanted:
            middle = ""
        elif star and wanted.startswith(before) and wanted.endswith(after):
            middle = wanted[len(before) : len(wanted) - len(after)]
        else:
            continue
        for target in _targets(value, 0):
            if found := _source(tree, folder, target.replace("*", middle)):
                return found
    return ""


def _targets(value: object, depth: int) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict) and depth < _DEEPEST:
        ordered = [value[key] for key in _CONDITIONS if key in value]
        ordered += [one for key, one in value.items() if key not in _CONDITIONS]
        return [target for one in ordered for target in _targets(one, depth + 1)]
    return []


def _json(tree: TreePaths, path: str) -> dict[str, object]:
    """A manifest as read; empty where it cannot be."""
    from gitmem.errors import InvalidInput  # noqa: PLC0415 - only where a repository has one
    from gitmem.text import jsonc  # noqa: PLC0415 - as above

    known = tree.kept.get(path)
    if isinstance(known, dict):
        return known
    try:
        read = jsonc.parse(tree.manifests.get(path, "{}"))
    except InvalidInput:
        read = {}
    found = read if isinstance(read, dict) else {}
    tree.kept[path] = found
    return found
