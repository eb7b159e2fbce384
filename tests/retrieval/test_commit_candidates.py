"""Commits as answers: by their message, and by the issue that a commit that answers names."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.retrieval.hit_view import HitItem
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    repo = RepoBuilder(tmp_path_factory.mktemp("gather") / "repo")
    repo.commit("Round prices of the cart (#7)", {"a.py": "1\n"})
    repo.commit("Tidy up after review, #7", {"b.py": "1\n"}, author="Grace <g@example.org>")
    repo.commit("Cart: a word on taxes", {f"cart/prices{n}.py": "1\n" for n in range(30)})
    repo.commit("Say hello", {"cart_prices.py": "1\n"})
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    made.run("init", no_index=True, no_hooks=True)
    made.run("index")
    return made


def found(desk: Desk, query: str, **values: object) -> list[HitItem]:
    requested = {"mode": "keyword", "sources": ("commits",), **values}
    return list(desk.run("search", query=query, **requested).hits)


def titles(desk: Desk, query: str, **values: object) -> list[str]:
    return [hit.title for hit in found(desk, query, **values)]


def test_a_commit_of_the_same_issue_comes_right_behind_the_one_that_answers(desk: Desk) -> None:
    first, second, *_ = found(desk, "rounding cart prices")
    assert first.title == "Round prices of the cart (#7)"
    assert second.title == "Tidy up after review, #7"
    assert "names #7, like a matching memory" in second.why
    assert first.score > second.score


def test_issues_are_not_followed_where_that_is_left_out(desk: Desk) -> None:
    other = desk.at(desk.place)
    other.env = {**desk.env, "GITMEM_SEARCH_WITHOUT": "issues"}
    assert "Tidy up after review, #7" not in titles(other, "rounding cart prices")


def test_an_issue_that_is_asked_for_brings_its_commits(desk: Desk) -> None:
    assert set(titles(desk, "what was done for #7")[:2]) == {
        "Round prices of the cart (#7)",
        "Tidy up after review, #7",
    }


def test_what_an_issue_brings_keeps_to_the_author_asked_for(desk: Desk) -> None:
    assert titles(desk, "#7", author="grace") == ["Tidy up after review, #7"]
    assert "Tidy up after review, #7" not in titles(desk, "cart prices", author="nobody")


def test_a_commit_is_found_by_what_it_says_and_not_by_what_it_touched(desk: Desk) -> None:
    assert titles(desk, "taxes") == ["Cart: a word on taxes"]
    assert "Say hello" not in titles(desk, "cart prices")


def test_the_subject_of_a_commit_as_a_question_brings_that_commit_first(desk: Desk) -> None:
    """Before code that holds the same words as well."""
    for query in ("Round prices of the cart", "round  prices of the CART (#7)"):
        first = found(desk, query, sources=())[0]
        assert first.title == "Round prices of the cart (#7)", query
        assert "named in the question" in first.why, query
    for query in ("round prices of a cart", "Say hello"):
        assert "named in the question" not in found(desk, query)[0].why, query


def test_a_memory_says_what_to_know_before_it_is_believed(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """ML-1: what was said of code that changed is not shown as if it still held."""
    repo = RepoBuilder(tmp_path_factory.mktemp("believed") / "repo")
    repo.commit("Cart", {"cart.py": "def total(prices):\n    return sum(prices)\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_index=True, no_hooks=True)
    desk.run("remember", text="A total has no taxes", path=("cart.py::total",), by="codex")
    desk.run("remember", text="Taxes differ by country")
    query = {"query": "taxes", "mode": "keyword", "sources": ("memories",)}
    notes = {hit.snippet: hit.note for hit in desk.run("search", **query).hits}
    assert notes == {"A total has no taxes": "unreviewed", "Taxes differ by country": ""}
    repo.write({"cart.py": "def total(prices):\n    return 1.2 * max(prices)\n"})
    text = desk.text("search", **query)
    assert "[unreviewed, check first: changed]: A total has no taxes" in text


def test_a_commit_is_found_by_its_id_whole_or_shortened(desk: Desk) -> None:
    (hit, *_) = found(desk, "say hello")
    for id in (hit.commit, hit.commit[:7], f"what did {hit.commit[:10].upper()} do to cart prices"):
        first, *_ = found(desk, id, sources=())
        assert (first.commit, first.why[0]) == (hit.commit, "named in the question"), id
    assert not any("named in the question" in item.why for item in found(desk, "0123456 cart"))


def test_who_asks_when_a_thing_went_means_the_commit_that_took_it_away(
    tmp_path: Path,
) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Add the flamingo parser with its flamingo tables", {"a.py": "1\n"})
    repo.commit("Drop the flamingo parser", {"a.py": "2\n"})
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    made.run("init", no_index=True, no_hooks=True)
    made.run("index")
    assert titles(made, "when was the flamingo parser dropped")[0] == "Drop the flamingo parser"
    first, *_ = titles(made, "which commit added the flamingo parser")
    assert first.startswith("Add the flamingo parser")


def test_a_commit_that_went_with_its_branch_is_no_answer_until_the_index_follows(
    tmp_path: Path,
) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", {"a.py": "1\n"})
    repo.branch("side", "HEAD")
    repo.commit("Feed the flamingo", {"b.py": "1\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    assert titles(desk, "flamingo") == ["Feed the flamingo"]
    repo.switch("main")
    repo.git("branch", "-q", "-D", "side")
    assert titles(desk, "flamingo") == []
