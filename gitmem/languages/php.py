"""PHP: classes by the PSR-4 of composer.json, and files that are included."""

from __future__ import annotations

from gitmem.languages.binding_patterns import TYPE_FIRST
from gitmem.languages.import_nodes import AS
from gitmem.languages.record import ALL, ImportedName, Language
from gitmem.languages.tree_paths import ImportTarget, TreePaths, folder_of, join_path


def resolve_php_import(
    tree: TreePaths, importer: str, module: str, name: str
) -> list[ImportTarget]:
    """Find the file of the class ``name`` in the namespace ``module``, or the included ``module``.

    Returns a list of at most one target. A class is looked for in the PSR-4 folders of
    composer.json, then by its namespace.
    """
    if module.endswith(".php") or (not name and "/" in module):
        path = join_path(folder_of(importer), module.lstrip("/"))
        path = path if path in tree.paths else module.lstrip("/")
        return [ImportTarget(path, name, 0.95, "included")] if path in tree.paths else []
    whole = "\\".join(filter(None, (module, name)))
    for prefix, folder in _psr4(tree):
        if whole.startswith(prefix):
            path = join_path(folder, whole[len(prefix) :].replace("\\", "/") + ".php")
            if path in tree.paths:
                return [ImportTarget(path, name, 0.98, "class by PSR-4")]
    for path in tree.paths_ending_in(whole.replace("\\", "/") + ".php"):
        return [ImportTarget(path, name, 0.9, "class in the folder of its namespace")]
    return []


def _psr4(tree: TreePaths) -> list[tuple[str, str]]:
    cached = tree.cache.get("psr4")
    if isinstance(cached, list):
        return cached
    folders: list[tuple[str, str]] = []
    for path in tree.manifests_named("composer.json"):
        read = tree.json_manifest(path)
        for field in ("autoload", "autoload-dev"):
            part = read.get(field)
            rules = part.get("psr-4") if isinstance(part, dict) else None
            for prefix, places in rules.items() if isinstance(rules, dict) else ():
                for place in places if isinstance(places, list) else [places]:
                    if isinstance(place, str):
                        folders.append((prefix, join_path(folder_of(path), place)))
    folders.sort(key=lambda pair: -len(pair[0]))
    tree.cache["psr4"] = folders
    return folders


def _read_import(words: str, module: str, _before: str) -> list[ImportedName]:
    if not words.lstrip().startswith("use"):
        return [(module, ALL, "")]
    body = words.partition("use")[2].strip().rstrip(";").strip()
    body = body.removeprefix("function ").removeprefix("const ").strip()
    prefix, brace, rest = body.partition("{")
    found: list[ImportedName] = []
    for part in (rest.rpartition("}")[0] if brace else body).split(","):
        path, *alias = AS.split(part.strip())
        whole = (prefix.strip() if brace else "") + path.strip()
        space, _, name = whole.lstrip("\\").rpartition("\\")
        if name:
            found.append((space, name, alias[0].strip() if alias else name))
    return found


LANGUAGE = Language(
    name="php",
    written="PHP",
    files="php phtml",
    programs="php",
    wheel="tree_sitter_php",
    function="language_php",
    comment=r"///*!?|\#",
    exports="open",
    calls={
        "function_call_expression": ("function",),
        "member_call_expression": ("object", "name"),
        "scoped_call_expression": ("scope", "name"),
    },
    members=frozenset({"member_access_expression", "class_constant_access_expression"}),
    resolve=resolve_php_import,
    read_import=_read_import,
    manifests="composer.json",
    functions=frozenset(
        {
            "anonymous_function",
            "anonymous_function_creation_expression",
            "arrow_function",
            "function_definition",
            "method_declaration",
        }
    ),
    bindings=(
        TYPE_FIRST,
        rb"(?P<name>\$this->NAME|\$NAME)[ \t]*=[ \t]*(?:new )?"
        rb"(?P<value>\$?PATH(?:->NAME)*)(?P<call>\(?)",
    ),
    shared="folder",
    qualified=True,
)
