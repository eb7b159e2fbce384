"""The shape of the program: no circles, no attics, no long files, no two modules of one name.

``tests/test_layers.py`` holds that imports go down only; this holds what no import contract can
say. A list of exceptions here only shrinks: one that no longer needs to be there fails too.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from docs.pages.program import PACKAGE, ROOT, docstring, layers, lines, modules, packages
from gitmem import operations
from tests.support.imports import circles, graph
from tests.support.tables import table

MOST_MODULES = 40  # in one folder
MOST_LINES_OF_A_FOLDER = 6_000  # of its own, without its rooms
MOST_LINES = 500  # of one module

# Modules over the line, to be split or shortened by whoever is at them next. Nothing comes in.
LONG: set[str] = set()
# Verbs that use another verb: what they share belongs in a room below. Nothing comes in.
BORROWED: set[tuple[str, str]] = set()


def test_no_module_imports_itself_through_others_not_even_in_a_function() -> None:
    assert circles(graph()) == []


def test_a_circle_is_found_whatever_its_length() -> None:
    imports = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set(), "e": {"e"}, "f": {"a"}}
    assert circles({name: frozenset(to) for name, to in imports.items()}) == [
        ["a", "b", "c"],
        ["e"],
    ]


def test_imports_inside_functions_and_of_whole_modules_are_in_the_graph() -> None:
    assert "gitmem.store.file.create" in graph()["gitmem.app"]  # in a function
    assert "gitmem.store.db.projects" in graph()["gitmem.app"]  # from a package
    assert "gitmem.store.db" not in graph()["gitmem.app"]


def test_no_folder_is_an_attic() -> None:
    folders: dict[Path, list[str]] = defaultdict(list)
    for name, path in modules().items():
        folders[path.parent].append(name)
    crowded = {
        str(folder.relative_to(ROOT)): (len(names), sum(map(lines, names)))
        for folder, names in folders.items()
        if len(names) > MOST_MODULES or sum(map(lines, names)) > MOST_LINES_OF_A_FOLDER
    }
    assert crowded == {}


def test_no_module_is_long_but_those_that_were() -> None:
    long = {name for name in modules() if lines(name) > MOST_LINES}
    assert sorted(long - LONG) == [], f"over {MOST_LINES} lines: split it by what it knows"
    assert sorted(LONG - long) == [], "no longer long: take it off the list"


def test_no_file_name_is_used_twice_on_one_floor() -> None:
    twice: dict[tuple[tuple[str, ...], str], list[str]] = defaultdict(list)
    for name, path in modules().items():
        parts = name.split(".")
        for floor in layers():
            if path.name != "__init__.py" and len(parts) > 1 and parts[1] in floor:
                twice[floor, path.name].append(name)
    assert [names for names in twice.values() if len(names) > 1] == []


def test_every_top_level_package_has_a_floor() -> None:
    top = {name.split(".")[1] for name in modules() if "." in name} - {"__main__"}
    assert {item for floor in layers() for item in floor} == top


def test_no_verb_imports_another_verb() -> None:
    places = [*operations.PLACES.values(), *operations.HIDDEN.values()]
    verbs = {f"{PACKAGE}.operations.{place.partition(':')[0]}" for place in places}
    borrowed = {(verb, other) for verb in verbs for other in graph()[verb] & verbs if other != verb}
    assert sorted(borrowed - BORROWED) == [], "move what both need to a room below operations"
    assert sorted(BORROWED - borrowed) == [], "no longer borrowed: take it off the list"


@table("name", list(packages()))
def test_every_package_says_in_one_sentence_what_it_is_for(name: str) -> None:
    message = docstring(name)
    first = message.split("\n\n")[0].strip()
    assert first.endswith("."), first
    assert "\n" not in first, "the first sentence fits on one line"


@table("name", list(modules()))
def test_every_module_begins_with_what_it_is(name: str) -> None:
    assert docstring(name), name
