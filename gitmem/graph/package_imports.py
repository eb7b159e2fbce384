"""Which files an import means in Go, Java, Kotlin, C, Ruby and PHP."""

from __future__ import annotations

from re import MULTILINE, compile

from gitmem.graph.tree_paths import TreePaths, above, folder_of, joined, nearest
from gitmem.graph.values import Found

_GO_MODULE = compile(r"^\s*module\s+\"?([^\s\"]+)", MULTILINE)
_JVM = (".java", ".kt", ".kts")
_SOURCE_ROOT = compile(r"^(?:.*/)?src/[^/]+/(?:java|kotlin)\d*(?:/|$)")
_INCLUDED = ("", "include", "src", "lib")


def go(tree: TreePaths, importer: str, module: str, name: str) -> list[Found]:
    """The folder of a package below a module of this repository."""
    del importer
    for prefix, folder in _go_modules(tree):
        if module == prefix or module.startswith(prefix + "/"):
            place = joined(folder, module[len(prefix) :])
            if any(one.endswith(".go") for one in tree.folders.get(place, ())):
                return [Found(place + "/", name, 0.99, "package of this module")]
            return []
    return []


def _go_modules(tree: TreePaths) -> list[tuple[str, str]]:
    known = tree.kept.get("go")
    if isinstance(known, list):
        return known
    found = []
    for path in tree.named("go.mod"):
        if said := _GO_MODULE.search(tree.manifests[path]):
            found.append((said[1], folder_of(path)))
    found.sort(key=lambda pair: -len(pair[0]))
    tree.kept["go"] = found
    return found


def jvm(tree: TreePaths, importer: str, module: str, name: str) -> list[Found]:
    """The file of a class in the folder of its package, or the package where all is taken."""
    place = module.replace(".", "/")
    if name and (found := _jvm_file(tree, f"{place}/{name}", importer)):
        return [Found(found, name, 0.99, "class in the folder of its package")]
    if module.rpartition(".")[2][:1].isupper():  # nested classes or a static member
        names = [name] if name else []
        while (inner := module.rpartition(".")[2])[:1].isupper():
            names.insert(0, inner)
            if found := _jvm_file(tree, module.replace(".", "/"), importer):
                rest = ".".join(names)
                return [Found(found, rest, 0.97, "member of a class in its package")]
            module = module.rpartition(".")[0]
        return []
    evidence = "folder of the package"
    return [Found(one + "/", name, 0.95, evidence) for one in _jvm_folders(tree, place)]


def package_of(folder: str) -> str:
    """The package of a folder of Java below a source root, the folder itself elsewhere."""
    return _SOURCE_ROOT.sub("", folder)


def _jvm_folders(tree: TreePaths, place: str) -> list[str]:
    # Kept: each file of a package asks for the same few, and all folders are looked at for each.
    known = tree.kept.get(("jvm", place))
    if isinstance(known, list):
        return known
    folders = [
        one
        for one, files in tree.folders.items()
        if (one == place or one.endswith("/" + place)) and any(f.endswith(_JVM) for f in files)
    ]
    tree.kept["jvm", place] = found = sorted(folders)[:4]
    return found


def _jvm_file(tree: TreePaths, place: str, importer: str) -> str:
    found = [one for ending in _JVM for one in tree.ending(place + ending)]
    return nearest(found, importer) if found else ""


def c(tree: TreePaths, importer: str, module: str, name: str) -> list[Found]:
    """The header that an include means: beside the file, in a usual folder, or the only one."""
    path = joined(folder_of(importer), module)
    if path in tree.paths:
        return [Found(path, name, 0.99, "include beside the file")]
    for folder in above(folder_of(importer)):
        for usual in _INCLUDED:
            if (path := joined(folder, usual, module)) in tree.paths:
                return [Found(path, name, 0.95, f"include in {usual or folder or '.'}")]
    found = tree.ending(module)
    if len(found) == 1 and "/" in module:
        return [Found(found[0], name, 0.9, "the only file of that path")]
    if len(found) == 1:
        return [Found(found[0], name, 0.85, "the only file of that name")]
    return (
        [Found(nearest(found, importer), name, 0.6, "one of several of that name")] if found else []
    )


def ruby(tree: TreePaths, importer: str, module: str, name: str) -> list[Found]:
    """The file that is required: relative, or below a folder of libraries."""
    wanted = module if module.endswith(".rb") else module + ".rb"
    relative = joined(folder_of(importer), wanted)
    if relative in tree.paths:
        return [Found(relative, name, 0.97, "required relative to the file")]
    for folder in ("lib", "", "app", "test", "spec"):
        if (path := joined(folder, wanted)) in tree.paths:
            return [Found(path, name, 0.97, f"required below {folder or '.'}")]
    found = tree.ending("lib/" + wanted)
    return [Found(nearest(found, importer), name, 0.93, "required below a lib")] if found else []


def php(tree: TreePaths, importer: str, module: str, name: str) -> list[Found]:
    """The file of a class by PSR-4 of composer.json, or of an include."""
    if module.endswith(".php") or (not name and "/" in module):
        path = joined(folder_of(importer), module.lstrip("/"))
        path = path if path in tree.paths else module.lstrip("/")
        return [Found(path, name, 0.95, "included")] if path in tree.paths else []
    whole = "\\".join(filter(None, (module, name)))
    for prefix, folder in _psr4(tree):
        if whole.startswith(prefix):
            path = joined(folder, whole[len(prefix) :].replace("\\", "/") + ".php")
            if path in tree.paths:
                return [Found(path, name, 0.98, "class by PSR-4")]
    for path in tree.ending(whole.replace("\\", "/") + ".php"):
        return [Found(path, name, 0.9, "class in the folder of its namespace")]
    return []


def _psr4(tree: TreePaths) -> list[tuple[str, str]]:
    known = tree.kept.get("psr4")
    if isinstance(known, list):
        return known
    from gitmem.errors import InvalidInput  # noqa: PLC0415 - only where a repository has one
    from gitmem.text import jsonc  # noqa: PLC0415 - as above

    found: list[tuple[str, str]] = []
    for path in tree.named("composer.json"):
        try:
            read = jsonc.parse(tree.manifests[path])
        except InvalidInput:
            continue
        for field in ("autoload", "autoload-dev"):
            part = read.get(field) if isinstance(read, dict) else None
            rules = part.get("psr-4") if isinstance(part, dict) else None
            for prefix, places in rules.items() if isinstance(rules, dict) else ():
                for place in places if isinstance(places, list) else [places]:
                    if isinstance(place, str):
                        found.append((prefix, joined(folder_of(path), place)))
    found.sort(key=lambda pair: -len(pair[0]))
    tree.kept["psr4"] = found
    return found
