"""Finds the tests of a name or a file: test files that use it, or are named after it."""

from collections.abc import Iterator

from gitmem.app import App
from gitmem.code_relations import file_links, graph_target
from gitmem.retrieval.hit_view import HitItem
from gitmem.retrieval.question import FileScope
from gitmem.retrieval.symbols.symbol_mentions import (
    find_mentions,
    make_hit_of_lines,
    make_mention_hits,
)
from gitmem.search import file_kinds
from gitmem.store.code import chunks, symbols
from gitmem.text import identifiers

MOST = 20  # test files of a file
# The fewest letters of a distinctive word.
_TELLS = 4
# How the files of tests are named after what they test.
_ENDINGS = ("_test", ".test", ".spec", "_spec", "Test", "Tests", "Spec")


def find_tests_of_symbol(app: App, symbol_name: str, scope: FileScope) -> list[HitItem]:
    """The tests of a name of code as hits, the best first, from files in ``scope``."""
    kinds = ("call", "type", "name", "inherit", "decorator")
    found = find_mentions(app, symbol_name, kinds)
    hits = [
        hit
        for hit in make_mention_hits(app, found, scope, "uses it")
        if "test" in file_kinds.kinds_of_file(hit.path, "")
    ]
    shown_paths = {hit.path for hit in hits}
    for path, why in _named_after(app, symbol_name, used=bool(hits)):
        if path in shown_paths:
            continue
        shown_paths.add(path)
        shown = chunks.indexed_files_by_path(app.store, app.worktree, {path})[path]
        if scope.contains_file(path, shown.language):
            hits.append(
                make_hit_of_lines(
                    app, path, _relevant_lines(app, path, symbol_name), shown.language, why
                )
            )
    return sorted(hits, key=lambda hit: (-hit.score, -len(hit.also), hit.path))


def _named_after(app: App, name: str, *, used: bool) -> Iterator[tuple[str, str]]:
    """Files of tests named after the file of a definition; after a word of it, unless ``used``."""
    defined = symbols.definitions_of_names(
        app.store, app.worktree, symbols.javascript_name_spellings(name), 20
    )
    for symbol in defined:
        for path in test_files_by_name(app, symbol.path):
            yield path, f"tests {symbol.path} by its name"
    if used or not defined:
        return
    ending = defined[0].path.rpartition(".")[2]
    for word in identifiers.split_identifiers(name):
        if _is_distinctive(word):
            for stem in (word, f"{word}s"):
                for path in test_files_by_name(app, f"{stem}.{ending}"):
                    yield path, f"is named after {word!r}"


def _relevant_lines(app: App, path: str, name: str) -> tuple[int, ...]:
    """Lines of test definitions with a word of the name: test_gzip for GZipDecoder."""
    low = symbols.normalise_name(name)
    lines = tuple(
        symbol.start_line
        for symbol in symbols.symbols_of_path(app.store, app.worktree, path)
        if any(
            _is_distinctive(word) and word in low
            for word in identifiers.split_identifiers(symbol.name)
        )
    )
    return lines or (1,)


def _is_distinctive(word: str) -> bool:
    return len(word) >= _TELLS and word not in ("test", "tests")


def likely_test_files(app: App, path: str) -> list[str]:
    """The paths of a file's tests, at most 20: those named after it, then those that import it."""
    named = [file for file in test_files_by_name(app, path) if file != path]
    meant = (
        graph_target.find_graph_target(app, path)
        if graph_target.find_indexed_file(app, path)
        else None
    )
    users = file_links.importers_of_file(app, meant) if meant is not None and meant.path else []
    using = [
        link
        for link in users
        if link.path != path and "test" in file_kinds.kinds_of_file(link.path, "")
    ]
    using.sort(key=lambda link: (-len(link.names), link.path))
    return list(dict.fromkeys([*named, *(link.path for link in using)]))[:MOST]


def test_files_by_name(app: App, path: str) -> list[str]:
    """The paths of the worktree's test files that are named after a source file."""
    name = path.rpartition("/")[2]
    stem, _, ending = name.rpartition(".")
    stems = dict.fromkeys((stem, stem.strip("_") or stem))  # `_decoders.py`: test_decoders.py
    before = [f"test_{stem}" for stem in stems]
    after = [stem + form for stem in stems for form in _ENDINGS]
    names = [f"{name}.{ending}" for name in before + after]
    found = chunks.paths_with_file_names(app.store, app.worktree, names)
    # In a folder of tests the file may have the same name.
    alike = chunks.paths_with_file_names(
        app.store, app.worktree, [f"{stem}.{ending}" for stem in stems]
    )
    return found + [file for file in alike if file != path and file_kinds.is_test_path(file)]
