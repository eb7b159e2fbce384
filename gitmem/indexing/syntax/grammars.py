"""Which grammar reads a file, and its query. Each comes from a wheel of its own, loaded when asked.

A wheel that is absent or does not fit is no error: its language has no syntax here. Grammars and
compiled queries are kept for the life of the process: compiling one takes 1 ms (CSS) to 430 (C++).
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib.machinery import ExtensionFileLoader, PathFinder
from re import MULTILINE, Pattern, compile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from tree_sitter import Language, Query

QUERIES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "queries")

# Grammar -> the module of its wheel, and the function there that returns it.
_WHEELS: dict[str, tuple[str, str]] = {
    "bash": ("tree_sitter_bash", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "csharp": ("tree_sitter_c_sharp", "language"),
    "css": ("tree_sitter_css", "language"),
    "elixir": ("tree_sitter_elixir", "language"),
    "go": ("tree_sitter_go", "language"),
    "haskell": ("tree_sitter_haskell", "language"),
    "html": ("tree_sitter_html", "language"),
    "java": ("tree_sitter_java", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "kotlin": ("tree_sitter_kotlin", "language"),
    "lua": ("tree_sitter_lua", "language"),
    "php": ("tree_sitter_php", "language_php"),
    "powershell": ("tree_sitter_powershell", "language"),
    "python": ("tree_sitter_python", "language"),
    "ruby": ("tree_sitter_ruby", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "scala": ("tree_sitter_scala", "language"),
    "sql": ("tree_sitter_sql", "language"),
    "swift": ("tree_sitter_swift", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "zig": ("tree_sitter_zig", "language"),
}
# Grammar -> the query files it reads, in this order. Without an entry: its own alone.
_QUERIES: dict[str, tuple[str, ...]] = {
    "c": ("c_family", "c"),
    "cpp": ("cpp", "c_family"),
    "javascript": ("ecma", "jsx", "javascript"),
    "tsx": ("ecma", "jsx", "typescript"),
    "typescript": ("ecma", "typescript"),
}
# Quotes around names, where they are not the usual ones: in Haskell `foldl'` is a name.
QUOTES: dict[str, str] = {"haskell": ""}
# What surrounds a name in a grammar's nodes without being of it: symbols, atoms, an alias's "=".
SIGILS: dict[str, str] = {"bash": "=", "elixir": ": ", "powershell": "${}", "ruby": ":"}
# The scope that may stand before a name, inside of what surrounds it.
SCOPES: dict[str, Pattern[str]] = {
    "powershell": compile("(?i)(?:global|local|private|script):"),
}
# Extensions that a language's usual grammar reads wrongly.
_BY_EXTENSION: dict[tuple[str, str], str] = {
    ("typescript", "tsx"): "tsx",
    ("css", "sass"): "",
    ("css", "styl"): "",
    ("python", "pyx"): "",
    ("python", "pxd"): "",
    ("bash", "fish"): "",
    ("elixir", "eex"): "",
    ("elixir", "heex"): "",
}
_CPP = compile(
    rb"^[ \t]*(?:namespace\b[ \w:]*\{|template[ \t]*<|class \w+[^;(]*$|using \w|"
    rb"(?:public|private|protected):)",
    MULTILINE,
)


def available(language: str) -> bool:
    """Whether files of this language can be read here: wheel and query are both installed."""
    wheel = _WHEELS.get(language)
    if wheel is None or not all(os.path.exists(path) for path in _query_files(language)):
        return False
    return all(PathFinder.find_spec(module) is not None for module in ("tree_sitter", wheel[0]))


def name(path: str, language: str, data: bytes = b"") -> str:
    """The grammar for a file of this language, "" where none reads it.

    A header may be C or C++: only its contents (``data``) tell.
    """
    extension = path.rpartition(".")[2].lower()
    grammar = _BY_EXTENSION.get((language, extension), language)
    if grammar == "c" and extension == "h" and _CPP.search(data):
        grammar = "cpp"
    return grammar if grammar in _WHEELS else ""


def grammar(path: str, language: str) -> Language | None:
    """The grammar itself, None where there is none or its wheel is absent."""
    return load(name(path, language))


@cache
def load(grammar: str) -> Language | None:
    """The grammar of this name; None where its wheel is absent or too new or old."""
    if grammar not in _WHEELS:
        return None
    module, function = _WHEELS[grammar]
    try:
        from tree_sitter import Language  # noqa: PLC0415 - 16 ms, only where files are parsed

        return Language(getattr(_binding(module), function)())
    except (ImportError, AttributeError, ValueError):
        return None


def _binding(wheel: str) -> ModuleType:
    """The compiled part of a wheel. Raises ImportError.

    Not by way of the wheel's own package, which loads what it needs for its queries: 20 ms more,
    in each process that parses.
    """
    package = PathFinder.find_spec(wheel)
    places = package.submodule_search_locations if package else None
    name = f"{wheel}._binding"
    spec = PathFinder.find_spec(name, places)
    if spec is None or not isinstance(spec.loader, ExtensionFileLoader):
        raise ImportError(f"{wheel} has no compiled part that fits")
    if name not in sys.modules:
        module = spec.loader.create_module(spec)
        spec.loader.exec_module(module)
        sys.modules[name] = module
    return sys.modules[name]


@cache
def query(grammar: str) -> Query | None:
    """The compiled query of a grammar, None where there is no grammar or no query for it."""
    language = load(grammar)
    if language is None:
        return None
    from tree_sitter import Query  # noqa: PLC0415 - 16 ms, only where files are parsed

    files = [path for path in _query_files(grammar) if os.path.exists(path)]
    if not files:
        return None
    return Query(language, "\n".join([_text(path) for path in files]))


def _query_files(grammar: str) -> list[str]:
    return [os.path.join(QUERIES, f"{each}.scm") for each in _QUERIES.get(grammar, (grammar,))]


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()
