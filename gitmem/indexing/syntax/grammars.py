"""Loading the grammar for a file, and its query; each is in a wheel of its own.

A wheel that is absent or does not fit is no error: its language has no syntax here. Grammars and
compiled queries are kept for the life of the process: compiling one takes 1 ms (CSS) to 430 (C++).
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib.machinery import ExtensionFileLoader, PathFinder
from re import compile

from gitmem import languages
from gitmem.languages import registry
from gitmem.languages.index import WHEELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from tree_sitter import Language, Query

QUERIES = os.path.dirname(os.path.abspath(languages.__file__))


def is_grammar_available(language: str) -> bool:
    """Whether the wheel for this language is installed, so that its syntax can be read."""
    wheel = WHEELS.get(language)
    if wheel is None:
        return False
    return all(PathFinder.find_spec(module) is not None for module in ("tree_sitter", wheel))


def grammar_name(path: str, language: str, data: bytes = b"") -> str:
    """The name of the grammar to read a file with, "" if there is none.

    Whether a header is C or C++ only its content tells, given as ``data``.
    """
    extension = path.rpartition(".")[2].lower()
    found = registry.language_properties(language)
    grammar = found.grammars.get(extension, language)
    if found.if_inside and extension == found.if_inside[0]:
        _, pattern, other = found.if_inside
        grammar = other if compile(pattern).search(data) else grammar
    return grammar if grammar in WHEELS else ""


@cache
def load_grammar(grammar: str) -> Language | None:
    """The tree-sitter grammar of this name; None if its wheel is absent or of a wrong version."""
    found = registry.language_properties(grammar)
    if not found.wheel:
        return None
    try:
        from tree_sitter import Language  # noqa: PLC0415 - 16 ms, only where files are parsed

        return Language(getattr(_binding(found.wheel), found.function)())
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
        raise ImportError(f"the package {wheel} has no compiled part for this Python")
    if name not in sys.modules:
        module = spec.loader.create_module(spec)
        spec.loader.exec_module(module)
        sys.modules[name] = module
    return sys.modules[name]


@cache
def load_grammar_query(grammar: str) -> Query | None:
    """The tree-sitter query (patterns for syntax trees) of a grammar; None if there is none."""
    language = load_grammar(grammar)
    if language is None:
        return None
    from tree_sitter import Query  # noqa: PLC0415 - 16 ms, only where files are parsed

    files = [path for path in _query_files(grammar) if os.path.exists(path)]
    if not files:
        return None
    return Query(language, "\n".join([_text(path) for path in files]))


def _query_files(grammar: str) -> list[str]:
    names = registry.language_properties(grammar).queries or grammar
    return [os.path.join(QUERIES, f"{name}.scm") for name in names.split()]


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()
