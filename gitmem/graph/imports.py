"""Where an import leads, by the language of the file that says it."""

from __future__ import annotations

from gitmem.graph import package_imports, python_imports, rust_imports, script_imports
from gitmem.graph.tree_paths import TreePaths
from gitmem.graph.values import Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Resolve = Callable[[TreePaths, str, str, str], list[Found]]

_BY_LANGUAGE: dict[str, Resolve] = {
    "python": python_imports.resolve,
    "javascript": script_imports.resolve,
    "typescript": script_imports.resolve,
    "rust": rust_imports.resolve,
    "go": package_imports.go,
    "java": package_imports.jvm,
    "kotlin": package_imports.jvm,
    "c": package_imports.c,
    "cpp": package_imports.c,
    "ruby": package_imports.ruby,
    "php": package_imports.php,
}
LANGUAGES = frozenset(_BY_LANGUAGE)
# Languages of code of which nothing is resolved, and how they are written.
UNRESOLVED = {
    name: written
    for name, written in {
        "bash": "Bash",
        "clojure": "Clojure",
        "csharp": "C#",
        "dart": "Dart",
        "elixir": "Elixir",
        "erlang": "Erlang",
        "fsharp": "F#",
        "groovy": "Groovy",
        "haskell": "Haskell",
        "julia": "Julia",
        "lua": "Lua",
        "nim": "Nim",
        "objc": "Objective-C",
        "ocaml": "OCaml",
        "perl": "Perl",
        "powershell": "PowerShell",
        "r": "R",
        "scala": "Scala",
        "solidity": "Solidity",
        "sql": "SQL",
        "swift": "Swift",
        "vim": "Vim script",
        "zig": "Zig",
    }.items()
    if name not in LANGUAGES
}
# What decides where imports lead; a change of one may lead any of them elsewhere.
MANIFESTS = frozenset(
    {"package.json", "tsconfig.json", "jsconfig.json", "go.mod", "Cargo.toml", "composer.json"}
)


def resolve(tree: TreePaths, language: str, importer: str, module: str, name: str) -> list[Found]:
    """The files or packages an import leads to; none where it leads out of the repository.

    ``name`` is "" for the module itself, ``*`` for all of its names.
    """
    found = _BY_LANGUAGE.get(language)
    wanted = "" if name in ("*", "=", "static *") else name
    return found(tree, importer, module, wanted) if found else []
