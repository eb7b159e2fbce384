"""`gitmem similar-bugs`: how bugs like one were fixed before (ML-33)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitmem.errors import InvalidInput, NotARepository
from gitmem.history import past_fixes
from gitmem.operations.registry import as_json_values
from tests.support.apps import Desk, indexed_copy
from tests.support.repos import RepoBuilder

CART = "def total_price(cart):\n    return sum(one.price for one in cart.items)\n"
TRACE = (
    "Traceback (most recent call last):\n"
    '  File "/srv/src/cart.py", line 2, in total_price\n'
    "ZeroDivisionError: division by zero"
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """Two fixes of the cart, one of the view, a feature and documents."""
    repo = RepoBuilder(tmp_path_factory.mktemp("bugs") / "repo")
    repo.commit("Add the cart", {"src/cart.py": CART, "src/view.py": "def show():\n    pass\n"})
    repo.commit("fix: no division by zero in the cart (#3)", {"src/cart.py": CART + "# zero\n"})
    repo.commit("Fix the colour of the view", {"src/view.py": "def show():\n    return 1\n"})
    repo.commit("feat: division of prices", {"src/prices.py": "def divide():\n    pass\n"})
    repo.commit("Fix an overflow", {"src/cart.py": CART + "# zero\n# overflow\n"})
    repo.commit("Fix typo about division", {"README.md": "# division by zero\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    return desk


def subjects(desk: Desk, text: str, **how: int) -> list[str]:
    return [item.subject for item in desk.run("similar-bugs", text=text, **how).items]


def test_fixes_are_found_by_their_words_and_by_the_files_of_the_trace(model: Desk) -> None:
    found = model.run("similar-bugs", text=TRACE)
    first, second = found.items[:2]
    assert first.subject == "fix: no division by zero in the cart (#3)"
    assert first.why == ("its message is alike", "changed a file that the text names")
    assert (first.paths, first.issues, first.id) == (("src/cart.py",), ("#3",), "")
    # Without a word in common: what it changed is what the trace names.
    assert (second.subject, second.why) == (
        "Fix an overflow", ("changed a file that the text names",),
    )  # fmt: skip
    assert first.score > second.score
    assert (found.error, found.note) == ("ZeroDivisionError: division by zero", "")
    # As it stands, not with placeholders for what changes from run to run.
    text = "ValueError: bad price 1234 at 0x7f11"
    assert model.run("similar-bugs", text=text).error == text


def test_only_what_mended_something_is_reported(model: Desk) -> None:
    output = subjects(model, "division by zero", limit=50)
    assert output[0] == "fix: no division by zero in the cart (#3)"
    # A feature and a corrected document are no fixes of a bug.
    assert not {"feat: division of prices", "Fix typo about division"} & set(output)
    assert len(subjects(model, TRACE, limit=1)) == 1


def test_the_diff_of_each_is_reported_where_it_is_asked_for(model: Desk) -> None:
    assert not any(item.patch for item in model.run("similar-bugs", text=TRACE).items)
    first = model.run("similar-bugs", text=TRACE, diff=True).items[0]
    assert first.patch.startswith("src/cart.py:\n@@ ") and "+# zero" in first.patch
    assert "      +# zero" in model.text("similar-bugs", text=TRACE, diff=True)


def test_a_remembered_fix_of_the_same_error_comes_first_and_once(
    model: Desk, tmp_path: Path
) -> None:
    desk = indexed_copy(model, tmp_path / "copy")
    sha = desk.run("similar-bugs", text=TRACE).items[0].commit
    payload = {"error": TRACE, "fix": "Check the rate first", "commit": sha}
    desk.run("event", type="error_occurred", payload=json.dumps(payload))
    items = desk.run("similar-bugs", text=TRACE).items
    assert (items[0].commit, items[0].score) == (sha, 1.0)
    assert items[0].id and "Check the rate first" in items[0].subject
    assert items[0].why == ("fixed the same error at the same place",)
    assert sha not in [item.commit for item in items[1:]]


@pytest.mark.parametrize("cited", ["src/cart.py:2", "src/cart.py::total_price", "src/cart.py"])
def test_a_fix_that_was_remembered_for_a_place_comes_before_the_commits(
    model: Desk, tmp_path: Path, cited: str
) -> None:
    """Wherever the lines are by now; of a whole file it is one of those that fit best."""
    desk = indexed_copy(model, tmp_path / "copy")
    id = desk.run("remember", text="Round after the sum", kind="fix", path=(cited,)).id
    desk.run("remember", text="The cart is a list", path=(cited,))
    cart = desk.place / "src/cart.py"
    cart.write_text("# moved\n" + cart.read_text())
    for text in ("src/cart.py:3", "wrong sum at src/cart.py:3"):
        items = desk.run("similar-bugs", text=text).items
        if cited == "src/cart.py":
            why, score = "fixed a bug in this file", 0.5
        else:
            why, score = "fixed a bug at this place", 1.0
            assert items[0].id == id
        assert [(item.score, item.why) for item in items if item.id] == [(score, (why,))]
        assert [item.score for item in items] == sorted((i.score for i in items), reverse=True)
    far = desk.run("similar-bugs", text="division by zero at src/cart.py:4").items
    assert far[0].score > 0.5 and id in [item.id for item in far]


def test_what_only_corrects_spelling_or_types_is_no_fix_of_a_bug(tmp_path: Path) -> None:
    """Unless that is what is asked about."""
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Add the cart", {"src/cart.py": CART, "src/view.py": "def show():\n    pass\n"})
    repo.commit("Fixed #37 typo in src/view.py", {"src/view.py": "def show():\n    return 1\n"})
    repo.commit("fix mypy findings of the cart", {"src/cart.py": CART + "# typed\n"})
    repo.commit("Fix an overflow", {"src/cart.py": CART + "# zero\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    assert subjects(desk, "src/cart.py:1") == ["Fix an overflow"]
    assert "fix mypy findings of the cart" in subjects(desk, "mypy: bad type in src/cart.py:1")


def test_what_is_not_known_is_reported(model: Desk, tmp_path: Path) -> None:
    foreign = model.run("similar-bugs", text="zebra quagga okapi")
    assert (foreign.items, foreign.note) == ((), "No commit fixed something similar.")
    words = model.run("similar-bugs", text="a wrong colour")
    assert words.note.startswith("The text names no file")
    for text in ("", "  ", "!!! ???"):
        with pytest.raises(InvalidInput):
            model.run("similar-bugs", text=text)
    folder = Desk(tmp_path / "plain", model.home)
    folder.place.mkdir()
    with pytest.raises(NotARepository):
        folder.run("similar-bugs", text="x")
    repo = RepoBuilder(tmp_path / "repo")
    empty = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    assert "gitmem init" in empty.run("similar-bugs", text="broken").note
    empty.run("init", no_hooks=True)
    assert "No commits are indexed" in empty.run("similar-bugs", text="broken").note


def test_text_and_plain_values(model: Desk) -> None:
    lines = model.text("similar-bugs", text=TRACE).splitlines()
    assert lines[0] == "Error: ZeroDivisionError: division by zero"
    assert lines[1].startswith("1. ") and "fix: no division by zero" in lines[1]
    assert "its message is alike; changed a file that the text names; #3" in lines[2]
    assert set(as_json_values(model.run("similar-bugs", text=TRACE))["items"][0]) == {
        *("id", "commit", "author", "at", "subject", "score", "paths", "issues", "why", "patch"),
    }
    assert sum(past_fixes.WEIGHTS.values()) == 1.0  # so that a score is at most 1


def test_a_fix_that_swept_over_everything_is_about_no_file(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    many = {f"src/part{number}.py": "x = 1\n" for number in range(41)}
    repo.commit("Start", {"src/cart.py": CART, **many})
    repo.commit("Fix the header", dict.fromkeys(many, "x = 2\n") | {"src/cart.py": CART + "# 2\n"})
    repo.commit("Fix an overflow", {"src/cart.py": CART + "# 3\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    assert subjects(desk, TRACE) == ["Fix an overflow"]
