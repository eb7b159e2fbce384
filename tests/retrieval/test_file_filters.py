"""Filters over files that are wrong, and those that leave nothing to search."""

from __future__ import annotations

import pytest

from gitmem.errors import InvalidInput
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder
from tests.support.tables import table


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    repo = RepoBuilder(tmp_path_factory.mktemp("filters") / "repo")
    files = {"src/cart.py": "def cart():\n    return 1\n", "docs/cart.md": "# Cart\n"}
    repo.commit("All", files | {"src/odd[.py": "cart = 2\n"})
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    made.run("init", no_hooks=True)
    return made


@table(("filters", "text", "hint"), [
    ({"lang": ("pyton",)}, "'pyton'", "python"),
    ({"lang": ("python", "jvascript")}, "'jvascript'", "javascript"),
    ({"lang": ("qqq",)}, "'qqq'", "Such as python"),
    ({"path": "[["}, "bracket", "Close"),
    ({"path": "src/[a"}, "bracket", "Close"),
    ({"path": "src/*\\"}, "escapes", "Close"),
])  # fmt: skip
def test_what_is_no_filter_is_refused(
    desk: Desk, filters: dict[str, object], text: str, hint: str
) -> None:
    for mode in ("hybrid", "symbol"):
        with pytest.raises(InvalidInput) as caught:
            desk.run("search", query="cart", mode=mode, **filters)
        assert text in caught.value.message and hint in caught.value.hint


@table(("filters", "notes"), [
    ({"path": "nosuch/"}, ("No indexed file matches --path nosuch/.",)),
    ({"lang": ("rust",)}, ("No indexed file is in rust.",)),
    ({"only": "test"}, ("No indexed file is of the kind --only test.",)),
    (
        {"path": "src/", "lang": ("markdown",)},
        ("No indexed file fits all of these filters together.",),
    ),
    ({"path": "src/", "lang": ("python",)}, ()),
])  # fmt: skip
def test_a_filter_that_leaves_nothing_is_reported(
    desk: Desk, filters: dict[str, object], notes: tuple[str, ...]
) -> None:
    for mode in ("keyword", "symbol"):
        found = desk.run("search", query="zebra", mode=mode, **filters)
        assert (found.hits, found.notes) == ((), notes)
    shown = desk.text("search", query="zebra", mode="keyword", **filters)
    assert shown.split("\n")[1:] == list(notes)


def test_a_language_is_known_by_its_endings_and_its_other_names(desk: Desk) -> None:
    for word in ("python", "Python", "py", ".py", "js,py"):
        found = desk.run("search", query="cart", lang=(word,))
        assert {hit.path for hit in found.hits} == {"src/cart.py", "src/odd[.py"}, word
    assert desk.run("search", query="cart", lang=("c++", "golang")).notes == (
        "No indexed file is in cpp.",
        "No indexed file is in go.",
    )


def test_a_name_with_a_bracket_is_no_broken_pattern(desk: Desk) -> None:
    found = desk.run("search", query="cart", path="src/odd[.py")
    assert [hit.path for hit in found.hits] == ["src/odd[.py"]
