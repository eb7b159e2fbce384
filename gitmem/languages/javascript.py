"""JavaScript, and what it shares with TypeScript: resolving and reading imports.

Relative paths with the endings that may be left out; ``paths`` and ``baseUrl`` of the nearest
tsconfig.json; packages of the same repository by the name in their package.json, through its
``exports``; ``#names`` of its ``imports``.
"""

from __future__ import annotations

from re import DOTALL, compile

from gitmem.languages.binding_patterns import COLON
from gitmem.languages.import_nodes import imported_and_local_name, node_text, unquoted_text
from gitmem.languages.record import ALL, WHOLE, ImportedName, Language
from gitmem.languages.tree_paths import ImportTarget, TreePaths, folder_of, folders_above, join_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

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
_NAMED = r"([\w$]+|\{[^{}]*\})\s*(?::[^=\n]+)?=\s*(?:await\s+)?"
_BEFORE = compile(_NAMED + "$")
_REQUIRED = compile(_NAMED + r"(?:import|require)\s*\(")
_EXPORTED = compile(r"module\.exports\s*=\s*$")
_BRACES = compile(r"\{(.*?)\}", DOTALL)
_FROM = compile(r"\bfrom\s*[\"'`]")
_STAR = compile(r"\*\s*as\s+([\w$]+)")
_WORDS = compile(r"[\w$]+")
_TYPE = compile(r"^type\s+(?!as\s)")


def resolve_javascript_import(
    tree: TreePaths, importer: str, module: str, name: str
) -> list[ImportTarget]:
    """Find the file that a module specifier (``./a``, ``@org/lib``) in ``importer`` refers to.

    Returns a list of at most one target, in which ``name`` is still to be looked up.
    """
    if module.startswith("."):
        path = _file(tree, join_path(folder_of(importer), module))
        return [ImportTarget(path, name, _RELATIVE, "relative import")] if path else []
    if module.startswith("/"):
        return []
    for path, evidence in (
        (_mapped(tree, importer, module), "paths of tsconfig.json"),
        (_own_name(tree, importer, module), "imports of package.json"),
        (_package(tree, module), "package of this repository"),
    ):
        if path:
            certain = _PACKAGE if evidence.startswith("package") else _MAPPED
            return [ImportTarget(path, name, certain, evidence)]
    return []


def _file(tree: TreePaths, place: str) -> str:
    if place in tree.paths and place:
        return place
    stem, dot, ending = place.rpartition(".")
    written = _WRITTEN.get("." + ending, ()) if dot else ()
    if path := tree.first_existing([stem + other for other in written]):
        return path
    found = tree.first_existing([place + ending for ending in _ENDINGS])
    found = found or tree.first_existing(
        [join_path(place, "index" + ending) for ending in _ENDINGS]
    )
    if found or f"{place}/package.json" not in tree.manifests:
        return found
    main = tree.json_manifest(f"{place}/package.json").get("main")
    return _source(tree, place, main) if isinstance(main, str) else ""


def _source(tree: TreePaths, folder: str, target: str) -> str:
    """A file that a package.json names, or the source that it is built from."""
    place = join_path(folder, target)
    if found := _file(tree, place):
        return found
    parts = join_path(target).split("/")
    while parts and parts[0] in _BUILT:
        parts.pop(0)
    if not parts:
        return ""
    bare = "/".join(parts)
    for ending in (".d.ts", ".d.mts", ".d.cts", ".mjs", ".cjs", ".js", ".ts"):
        if bare.endswith(ending):
            bare = bare.removesuffix(ending)
            break
    return _file(tree, join_path(folder, "src", bare)) or _file(tree, join_path(folder, bare))


# --- tsconfig.json ------------------------------------------------------------------------------


def _mapped(tree: TreePaths, importer: str, module: str) -> str:
    for folder in folders_above(folder_of(importer)):
        for name in ("tsconfig.json", "jsconfig.json"):
            path = join_path(folder, name)
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
            if found := _file(tree, join_path(base, target.replace("*", middle))):
                return found
    return _file(tree, join_path(base, module)) if declared else ""


def _paths(tree: TreePaths, config: str) -> tuple[str, dict[str, list[str]], bool]:
    """The folder from which ``paths`` are read, these, and whether a baseUrl was declared."""
    for _ in range(_DEEPEST):
        read = tree.json_manifest(config)
        options = read.get("compilerOptions")
        options = options if isinstance(options, dict) else {}
        paths, base = options.get("paths"), options.get("baseUrl")
        if isinstance(paths, dict) or isinstance(base, str):
            folder = join_path(folder_of(config), base if isinstance(base, str) else "")
            mapping = paths if isinstance(paths, dict) else {}
            listed = {key: value for key, value in mapping.items() if isinstance(value, list)}
            return folder, listed, isinstance(base, str)
        above_it = read.get("extends")
        if not isinstance(above_it, str) or not above_it.startswith("."):
            break
        config = join_path(folder_of(config), above_it)
        config = config if config in tree.manifests else f"{config}.json"
    return "", {}, False


# --- package.json -------------------------------------------------------------------------------


def _own_name(tree: TreePaths, importer: str, module: str) -> str:
    if not module.startswith("#"):
        return ""
    for folder in folders_above(folder_of(importer)):
        path = join_path(folder, "package.json")
        if path in tree.manifests:
            return _exported(tree, folder, tree.json_manifest(path).get("imports"), module)
    return ""


def _package(tree: TreePaths, module: str) -> str:
    parts = module.split("/")
    count = 2 if module.startswith("@") else 1
    name, rest = "/".join(parts[:count]), "/".join(parts[count:])
    path = _packages(tree).get(name)
    if path is None:
        return ""
    folder, read = folder_of(path), tree.json_manifest(path)
    found = _exported(tree, folder, read.get("exports"), f"./{rest}" if rest else ".")
    if found:
        return found
    if rest:
        return _file(tree, join_path(folder, rest)) or _file(tree, join_path(folder, "src", rest))
    for field in ("source", "types", "module", "main"):
        if isinstance(target := read.get(field), str) and (found := _source(tree, folder, target)):
            return found
    return _file(tree, join_path(folder, "src")) or _file(tree, join_path(folder, "index"))


def _packages(tree: TreePaths) -> dict[str, str]:
    known = tree.cache.get("packages")
    if isinstance(known, dict):
        return known
    found: dict[str, str] = {}
    for path in tree.manifests_named("package.json"):
        name = tree.json_manifest(path).get("name")
        if isinstance(name, str):
            found.setdefault(name, path)
    tree.cache["packages"] = found
    return found


def _exported(tree: TreePaths, folder: str, exports: object, subpath: str) -> str:
    """The file for a key of ``exports`` or ``imports``, a pattern with a star included."""
    if not isinstance(exports, dict) or not any(key.startswith((".", "#")) for key in exports):
        exports = {".": exports}
    for key, value in exports.items():
        before, star, after = key.partition("*")
        if key == subpath:
            middle = ""
        elif star and subpath.startswith(before) and subpath.endswith(after):
            middle = subpath[len(before) : len(subpath) - len(after)]
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
        ordered += [branch for key, branch in value.items() if key not in _CONDITIONS]
        return [target for branch in ordered for target in _targets(branch, depth + 1)]
    return []


# --- what a statement takes in ------------------------------------------------------------------


def _read_import(words: str, module: str, before: str) -> list[ImportedName]:
    head = words.lstrip()
    if head.startswith(("import", "export")) and not head.startswith(("import(", "import (")):
        return _clause(head, module)
    if _EXPORTED.search(before):
        return [(module, "=", "default")]
    required = _BEFORE.search(before) or _REQUIRED.match(words)
    if required is None:
        return [(module, WHOLE, "")]
    if not required[1].startswith("{"):
        return [(module, "=", required[1])]
    return _listed(required[1].strip("{}"), module, ":")


def _clause(words: str, module: str) -> list[ImportedName]:
    end = _FROM.search(words)
    clause = words[6 : end.start()] if end else ""
    exported = words.startswith("export")
    found: list[ImportedName] = []
    if star := _STAR.search(clause):
        found.append((module, WHOLE, star[1]))
    elif exported and "*" in clause:
        found.append((module, ALL, ""))
    if braces := _BRACES.search(clause):
        found += _listed(braces[1], module, " as ")
    first = _WORDS.match(clause.strip().removeprefix("type ").strip())
    if first and not exported and first[0] not in ("type", "typeof"):
        found.append((module, "default", first[0]))
    return found or [(module, WHOLE, "")]


def _listed(words: str, module: str, joint: str) -> list[ImportedName]:
    found: list[ImportedName] = []
    for part in words.split(","):
        bare = _TYPE.sub("", part.strip()).partition("=")[0]
        name, _, here = bare.partition(joint)
        if name.strip():
            found.append((module, name.strip(), here.strip() or name.strip()))
    return found


def _required(node: Node) -> list[ImportedName]:
    """What ``const fs = require('fs')`` takes in, given the node of the call."""
    arguments = node.child_by_field_name("arguments")
    texts = (
        [each for each in arguments.named_children if each.type == "string"] if arguments else []
    )
    if len(texts) != 1:
        return []
    module, target = unquoted_text(texts[0]), node.parent
    if target is None or target.type != "variable_declarator":
        return [(module, "", "")]
    name = target.child_by_field_name("name")
    if name is not None and name.type == "identifier":
        return [(module, "", node_text(name))]
    names = name.named_children if name is not None else []
    plain = [
        node_text(each) for each in names if each.type == "shorthand_property_identifier_pattern"
    ]
    return [(module, "", ""), *((module, each, each) for each in plain)]


def _imported(node: Node) -> Iterator[ImportedName]:
    if node.type == "call_expression":
        yield from _required(node)
        return
    source = node.child_by_field_name("source")
    if source is None:
        return
    module = unquoted_text(source)
    yield module, "", ""
    clause = next((each for each in node.named_children if each.type == "import_clause"), None)
    for each in clause.named_children if clause is not None else ():
        if each.type == "identifier":
            yield module, "default", node_text(each)
        elif each.type == "namespace_import":
            yield module, "", node_text(each.named_children[-1]) if each.named_children else ""
        elif each.type == "named_imports":
            for child in each.named_children:
                name, local = imported_and_local_name(child, "name")
                if name:
                    yield module, name, local or name


def _origin(module: str, name: str) -> tuple[str, ...]:
    return (module, *([name] if name not in ("", "default") else []))


LANGUAGE = Language(
    name="javascript",
    written="JavaScript",
    files="js mjs cjs jsx",
    also="javascriptreact",
    programs="node nodejs zx",
    wheel="tree_sitter_javascript",
    queries="ecma jsx javascript",
    exports="inherited",
    calls={"call_expression": ("function",), "new_expression": ("constructor",)},
    members=frozenset({"member_expression"}),
    imports=frozenset({"import_statement", "export_statement"}),
    imported=_imported,
    origin=_origin,
    resolve=resolve_javascript_import,
    read_import=_read_import,
    manifests="package.json tsconfig.json jsconfig.json",
    functions=frozenset(
        {
            "arrow_function",
            "function_declaration",
            "function_expression",
            "generator_function",
            "generator_function_declaration",
            "method_definition",
        }
    ),
    bindings=(
        COLON,
        rb"(?<![\w.])(?P<name>(?:this\.)?#?NAME)(?:[ \t]*:[^=\n;]+)?[ \t]*=[ \t]*(?:await )?"
        rb"(?:new )?(?P<value>PATH)[ \t]*(?P<call>[(<]?)",
    ),
    exports_alone=True,
    family="web",
)
