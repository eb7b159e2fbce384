"""Names that a stranger can read: nouns of the field, no private words and no ids of features.

CONTRIBUTING, "Before a commit", says what to write instead. The table of what is left only shrinks:
a count that is too high fails as well.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from docs.pages.program import PACKAGE, modules
from tests.support.tables import table

# Words that say nothing of what a value is; `hit`, `memory`, `row`, `message`, `draft` do.
PRIVATE = frozenset({"told", "said", "kept", "wanted", "asked", "seen"})
# Classes of these names stood in four to eight packages each, for another thing in each.
RIDDLES = frozenset({"Found", "Kept", "Listed", "Meant", "Seen", "Shown", "Told", "Wanted"})
# Names that are published: fields of JSON results and answers of other systems.
PUBLISHED: frozenset[str] = frozenset()
# How many such names a package still has.
LEFT: dict[str, int] = {
    "indexing": 2,
    "maintenance": 2,
    "model": 1,
    "operations": 4,
    "store": 1,
}

# The same in the folders of the tests, and names of tests that say "told" or "said".
LEFT_IN_TESTS: dict[str, int] = {
    "agents": 11,
    "bench": 19,
    "branches": 2,
    "capture": 2,
    "conftest.py": 1,
    "git": 1,
    "githooks": 4,
    "hosts": 1,
    "http": 13,
    "indexing": 1,
    "journeys": 2,
    "maintenance": 5,
    "mcp": 24,
    "memory": 11,
    "model": 5,
    "operations": 23,
    "patterns": 1,
    "reliability": 22,
    "retrieval": 1,
    "search": 6,
    "store": 5,
    "support": 7,
    "test_setting_effects.py": 1,
    "test_startup.py": 2,
    "text": 1,
    "timeline": 2,
}
NAMES_LEFT: frozenset[str] = frozenset(
    [
        "test_a_damaged_store_is_said_and_the_server_stays",
        "test_a_folder_without_its_store_and_one_that_is_gone_are_told_apart",
        "test_a_memory_added_just_after_a_first_visit_is_told",
        "test_a_newer_store_is_said_and_the_server_stays",
        "test_a_port_that_is_taken_is_said",
        "test_a_project_that_moved_is_said_and_answers_where_it_returns",
        "test_a_sample_is_told_as_it_stands_beside_it",
        "test_a_store_that_vanishes_is_said_and_the_server_stays",
        "test_every_project_is_told_with_its_place_the_last_written_to_first",
        "test_freshness_of_other_projects_is_not_told_as_known",
        "test_roots_that_changed_while_they_were_told_are_asked_for_again",
        "test_two_clones_of_a_project_are_told_apart_by_their_folders",
        "test_what_is_wrong_is_said_with_its_status",
    ]
)
_TESTS = Path(__file__).parent

_FEATURE = re.compile(r"\b(?:CF|CC|ML|CT|CE|S)-\d+\b")


def private_words(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name of each definition, parameter, variable and field with a private word in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            name, private = node.name, node.name.lstrip("_") in RIDDLES
        else:
            name = _bound(node)
            words = name.lower().strip("_").split("_")
            private = words == ["one"] or not PRIVATE.isdisjoint(words)
        if private and name not in PUBLISHED:
            yield node.lineno, name  # type: ignore[attr-defined]


def _bound(node: ast.AST) -> str:
    """The name that a node binds, or nothing."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id
    if isinstance(node, ast.arg):
        return node.arg
    return node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else ""


def test_each_kind_of_binding_is_read() -> None:
    source = (
        "class _Kept:\n    seen: int\n"
        "def f(one, *, told_before):\n    for said in one: wanted = said\n"
        "async def _told(): return [asked for asked in ()]\n"
        "def g(): return told.one(kept=1)\n"  # only read: whoever bound it is named
    )
    names = [name for _, name in sorted(private_words(ast.parse(source)))]
    assert sorted(names) == sorted(
        ["_Kept", "seen", "one", "told_before", "said", "wanted", "_told", "asked"]
    )


def test_no_package_gains_a_private_word() -> None:
    places = [
        (name.split(".")[1] if "." in name else PACKAGE, f"{path.name}:{line} {word}")
        for name, path in modules().items()
        for line, word in private_words(ast.parse(path.read_bytes()))
    ]
    counts = dict(Counter(package for package, _ in places))
    new = [place for package, place in places if counts[package] > LEFT.get(package, 0)]
    assert new == [], "say what it is: hit, memory, row, path, message, draft"
    assert counts == LEFT, "fewer than the table says: lower its count"


def test_no_folder_of_tests_gains_a_private_word() -> None:
    counts: Counter[str] = Counter()
    tests = set()
    for path in _TESTS.rglob("*.py"):
        if "samples" in path.parts:
            continue
        folder = path.relative_to(_TESTS).parts[0]
        for _, name in private_words(ast.parse(path.read_bytes())):
            if not name.startswith("test_"):
                counts[folder] += 1
            elif not {"told", "said"}.isdisjoint(name.split("_")):
                tests.add(name)
    more = {folder: n for folder, n in counts.items() if n > LEFT_IN_TESTS.get(folder, 0)}
    assert more == {}, "say what it is: expected, text, result, memory, path, row"
    assert counts == LEFT_IN_TESTS, "fewer than the table says: lower its count"
    assert tests == NAMES_LEFT, "reported, shown, stated or informed, not told or said"


@table("name", list(modules()))
def test_no_code_names_a_feature_by_its_id(name: str) -> None:
    assert _FEATURE.findall(modules()[name].read_text()) == []
