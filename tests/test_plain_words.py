"""Names that a stranger can read: nouns of the field, no private words and no ids of features.

CONTRIBUTING, "Before a commit", says what to write instead. The table of what is left only shrinks:
a count that is too high fails as well.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

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


@table("name", list(modules()))
def test_no_code_names_a_feature_by_its_id(name: str) -> None:
    assert _FEATURE.findall(modules()[name].read_text()) == []
