"""`gitmem why-broke`: from an error, a trace or failing tests to the commits that are suspected."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gitmem.errors import InvalidInput, NotARepository
from gitmem.operations.registry import as_json_values
from tests.support.apps import Desk, indexed_copy
from tests.support.repos import RepoBuilder

CART = (
    "def add_item(cart, item):\n    cart.items.append(item)\n    return cart\n\n\n"
    "def total_price(cart):\n    return sum(one.price for one in cart.items)\n"
)
BROKEN = CART.replace("one.price for", "one.cents / cart.rate for")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A commit that broke the cart, with seven others since; tests read it."""
    repo = RepoBuilder(tmp_path_factory.mktemp("broke") / "repo")
    repo.commit("Add the cart", {"src/cart.py": CART, "src/view.py": "def show():\n    pass\n"})
    repo.commit("Divide by the rate", {"src/cart.py": BROKEN, "CHANGES.md": "rate\n"})
    for number in range(6):
        repo.commit(f"Work on the view {number}", {"src/view.py": f"def show():\n    {number}\n"})
    repo.commit("Tell of the rate and the cart", {"README.md": "cart total_price rate\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    return desk


@pytest.fixture
def desk(model: Desk, tmp_path: Path) -> Desk:
    """A copy to write to."""
    return indexed_copy(model, tmp_path / "copy")


def trace(root: Path | str) -> str:
    return (
        "Traceback (most recent call last):\n"
        f'  File "{root}/src/view.py", line 2, in show\n'
        f'  File "{root}/src/cart.py", line 7, in total_price\n'
        "ZeroDivisionError: division by zero"
    )


def test_a_file_and_a_line_given_apart_count_as_a_trace(model: Desk) -> None:
    plain = "ZeroDivisionError: division by zero"
    assert model.run("why-broke", text=plain).suspects[0].confidence != "high"
    for line in (7, 0):
        found = model.run("why-broke", text=plain, file="src/cart.py", line=line)
        assert found.places == ("src/cart.py",)
        assert "src/cart.py" in found.suspects[0].paths
        assert (found.suspects[0].confidence == "high") == bool(line)
    assert model.run("why-broke", text=plain, file="src/cart.py", line=7).suspects[0].subject == (
        "Divide by the rate"
    )


def test_an_error_of_nothing_here_has_no_sure_suspects(model: Desk) -> None:
    found = model.run("why-broke", text="KeyError: the view of price 12 in lib/else.rb:40")
    assert {suspect.confidence for suspect in found.suspects} == {"low"}
    assert found.error == "KeyError: the view of price 12 in lib/else.rb:40"


def test_who_wrote_the_line_of_the_trace_is_suspected_first_and_surely(model: Desk) -> None:
    for root in (model.place, "/somebody/elses/checkout"):
        found = model.run("why-broke", text=trace(root))
        first = found.suspects[0]
        # The commit that added both files wrote most of them, and the line above it.
        assert (first.subject, first.confidence) == ("Divide by the rate", "high"), root
        assert "wrote a line that the trace names" in first.why
        assert first.paths == ("src/cart.py", "CHANGES.md")  # what the trace names comes first
        assert found.places == ("src/cart.py", "src/view.py")
    assert found.error == "ZeroDivisionError: division by zero"
    assert (found.looked_at, len(found.suspects), found.note) == (9, 5, "")


def test_a_name_or_words_alone_lead_there_too(model: Desk) -> None:
    for text in (
        "total_price is wrong",
        "FAILED tests/test_cart.py::test_total_price",
        "the cart has a wrong rate, cents are divided",
    ):
        found = model.run("why-broke", text=text)
        assert "Divide by the rate" in [suspect.subject for suspect in found.suspects[:2]], text


def test_limits_hold(model: Desk) -> None:
    assert len(model.run("why-broke", text="total_price is wrong", limit=2).suspects) == 2
    found = model.run("why-broke", text="total_price is wrong", commits=3)
    assert (found.looked_at, len(found.suspects)) == (3, 3)


def test_a_foreign_trace_says_that_it_knows_nothing(model: Desk) -> None:
    found = model.run(
        "why-broke",
        text="Traceback (most recent call last):\n"
        '  File "/usr/lib/python3.11/site-packages/x/cart.py", line 3, in go\nOSError: disk',
    )
    assert found.places == ()
    assert "names no file or definition of this repository" in found.note
    assert "high" not in {suspect.confidence for suspect in found.suspects}


def test_an_installed_copy_of_the_repository_is_the_repository(model: Desk) -> None:
    found = model.run("why-broke", text=trace("/venv/lib/python3.11/site-packages"))
    assert found.suspects[0].subject == "Divide by the rate"


def test_how_it_was_mended_before_comes_first(desk: Desk) -> None:
    sha = desk.run("why", target="src/cart.py").commits[0].commit
    payload = {"error": trace(desk.place), "fix": "Check the rate first", "commit": sha}
    desk.run("event", type="error_occurred", payload=json.dumps(payload))
    (fix,) = desk.run("why-broke", text=trace("/elsewhere")).fixes
    assert "Check the rate first" in fix.text
    assert (fix.commit, fix.subject, fix.same_place) == (sha, "Divide by the rate", True)
    assert "Fixed before: " in desk.text("why-broke", text=trace("/elsewhere"))


def test_nothing_to_look_for_is_reported(model: Desk, tmp_path: Path) -> None:
    for text in ("", "   ", "\n"):
        with pytest.raises(InvalidInput, match="no error to look for"):
            model.run("why-broke", text=text)
    with pytest.raises(InvalidInput):
        model.run("why-broke", text="!!! ???")
    folder = Desk(tmp_path / "plain", model.home)
    folder.place.mkdir()
    with pytest.raises(NotARepository):
        folder.run("why-broke", text="x")


def test_no_store_no_commits_and_long_texts_are_answered(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    assert desk.run("why-broke", text="total_price").note == "There are no commits yet."
    repo.commit("Start", {"a.py": "total_price = 1\n"})
    found = desk.run("why-broke", text="total_price is wrong " * 20_000)
    assert found.note == "Without `gitmem init` only the commits themselves are compared."
    assert [suspect.subject for suspect in found.suspects] == ["Start"]


def test_text_and_plain_values(model: Desk) -> None:
    text = model.text("why-broke", text=trace(model.place))
    assert text.startswith("Error: ZeroDivisionError: division by zero\n1. ")
    assert " high: wrote a line that the trace names; " in text
    found = as_json_values(model.run("why-broke", text="total_price", limit=1))
    assert set(found["suspects"][0]) == {
        *("commit", "author", "at", "subject", "score", "confidence", "paths", "why"),
    }


def test_who_wrote_the_line_of_a_failing_test_is_not_surely_to_blame(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Add the cart", {"src/cart.py": CART})
    repo.commit("Divide by the rate", {"src/cart.py": BROKEN})
    test = "def test_total():\n    assert total_price(cart) == 3\n"
    repo.commit("Test the cart", {"tests/test_cart.py": test, "src/view.py": "v = 1\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    frames = "".join(
        f'  File "/v/site-packages/pluggy/m{number}.py", line 9, in call_test\n    hook_test()\n'
        for number in range(60)
    )
    text = (
        f"Traceback (most recent call last):\n{frames}"
        '  File "/srv/tests/test_cart.py", line 2, in test_total\n'
        "    assert total_price(cart) == 3\nZeroDivisionError: cents by rate"
    )
    found = desk.run("why-broke", text=text)
    assert {suspect.subject for suspect in found.suspects[:2]} == {
        "Test the cart",
        "Divide by the rate",
    }
    assert "high" not in {suspect.confidence for suspect in found.suspects}
    assert not any("wrote a line" in why for suspect in found.suspects for why in suspect.why)
    # A commit of tests alone stands behind one that changed the program.
    repo.commit("Try the rate", {"tests/test_rate.py": "def test_rate(): pass\n"})
    desk.run("index")
    subjects = [
        suspect.subject for suspect in desk.run("why-broke", text="test_rate fails").suspects
    ]
    assert subjects.index("Divide by the rate") < subjects.index("Try the rate")
    # Who merges wrote nothing.
    repo.branch("side", "HEAD~1")
    repo.commit("Show the rate", {"src/view.py": "v = 2\n"})
    repo.switch("main")
    repo.merge("side")
    desk.run("index")
    suspects = desk.run("why-broke", text="ZeroDivisionError: cents by rate", limit=9).suspects
    assert len(suspects) == 5 and not [
        suspect for suspect in suspects if "Merge" in suspect.subject
    ]


def test_a_file_that_is_not_there_is_named(model: Desk) -> None:
    found = model.run("why-broke", text="it is slow", file="src/nowhere.py", line=3)
    assert found.note.startswith("git tracks no file src/nowhere.py.")
    assert "git tracks no file" not in model.run("why-broke", text="slow", file="src/cart.py").note
    past = model.run("why-broke", text="slow", file="src/cart.py", line=99_999)
    assert re.search(r"src/cart.py has only \d+ lines now\.", past.note)
    assert "only" not in model.run("why-broke", text="slow", file="src/cart.py", line=1).note
