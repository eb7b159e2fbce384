"""What was asked, solved or mended before comes back, with its commit (ML-27)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gitmem.errors import InvalidInput
from gitmem.timeline import seen_before
from gitmem.timeline.seen_before import SimilarPastItem
from tests.support.apps import DAY, Desk
from tests.support.repos import RepoBuilder


def observed(desk: Desk, text: str) -> list[Any]:
    return list(desk.run("similar-bugs", text=text).before)


def test_an_error_brings_its_fix_with_the_commit(desk: Desk, repo: RepoBuilder) -> None:
    sha = repo.commit("Default the price")
    output = {"error": "KeyError: 'price'", "fix": "Prices are optional", "commit": sha}
    desk.run("event", type="error_occurred", payload=json.dumps(output))
    desk.clock.advance(45 * DAY)
    (result,) = observed(desk, "KeyError: 'price'")
    assert (result.type, result.similarity, result.commit) == ("fix", 1.0, sha)
    assert result.score == pytest.approx(0.7 + 0.3 / 2, abs=0.001)
    assert result.subject == "Default the price"
    assert result.sure
    text = desk.text("similar-bugs", text="KeyError: 'price'")
    assert f"fixed by {sha[:10]} Default the price" in text
    desk.clock.advance(46 * DAY)
    assert observed(desk, "KeyError: 'price'") == []


def test_head_is_not_called_the_fix_that_may_not_be_committed_yet(
    desk: Desk, repo: RepoBuilder
) -> None:
    output = {"error": "KeyError: 'price'", "fix": "Prices are optional"}
    desk.run("event", type="error_occurred", payload=json.dumps(output))
    (result,) = observed(desk, "KeyError: 'price'")
    assert (result.type, result.commit, result.sure) == ("fix", repo.head(), False)
    assert f"  at {repo.head()[:10]} " in desk.text("similar-bugs", text="KeyError: 'price'")
    text = desk.text("event", type="error_occurred", payload="KeyError: 'price'")
    assert f"(commit {repo.head()[:10]} or later)" in text
    assert f"recorded at {repo.head()[:10]} " in text
    broke = desk.text("why-broke", text="KeyError: 'price'")
    assert f"recorded at {repo.head()[:10]} " in broke
    assert "was mended by" not in desk.text("why", target="src/cart/cart.py")


def test_what_is_no_commit_is_not_shown_as_one(desk: Desk, repo: RepoBuilder) -> None:
    facts = json.dumps({"fixed_by": "; rm -rf ~"})
    text = "Wait for the price before you show it"
    desk.run("remember", text=text, kind="fix", metadata=facts)
    (result,) = observed(desk, text)
    assert (result.commit, result.sure) == (repo.head(), False)


def test_a_question_brings_what_solved_it_and_the_question_of_before(desk: Desk) -> None:
    desk.run("decide", title="Cache prices in Redis", why="Prices change once an hour")
    desk.run("session start", goal="Speed")
    desk.run("context", query="cache prices in Redis")
    desk.run("session note", file=("README.md",))
    desk.run("session end", summary="Done")
    found = observed(desk, "cache prices in Redis")
    assert {item.type for item in found} == {"solution", "query"}
    assert all(item.similarity >= seen_before.MIN_SIMILARITY for item in found)
    assert observed(desk, "the weather in spring") == []
    assert "Seen before" not in desk.text("similar-bugs", text="the weather in spring")
    with pytest.raises(InvalidInput):
        observed(desk, " ")


def test_the_bounds_are_those_of_the_table() -> None:
    now = 1000 * DAY
    good = SimilarPastItem("fix", "x", now, 0.7, 0.3, "a")
    assert seen_before.choose_past_items([good], now, is_about_error=False) == [
        (pytest.approx(0.79), good)
    ]
    for fields in ((0.69, 0.3, now), (0.7, 0.29, now), (0.7, 0.3, now - 90 * DAY - 1)):
        less = SimilarPastItem("fix", "x", fields[2], fields[0], fields[1], "a")
        assert seen_before.choose_past_items([less], now, is_about_error=False) == []
    error = SimilarPastItem("fix", "x", now, 0.56, 0.3, "a")
    assert len(seen_before.choose_past_items([error], now, is_about_error=True)) == 1
    # A clock that went back makes nothing newer than new.
    assert seen_before.score_past_item(
        SimilarPastItem("fix", "x", now + DAY, 1.0, 1.0), now
    ) == pytest.approx(1.0)
    many = [SimilarPastItem("fix", f"x{number}", now, 0.9, 0.9, str(number)) for number in range(5)]
    assert [
        item.id for _, item in seen_before.choose_past_items(many, now, is_about_error=False)
    ] == [
        "0",
        "1",
        "2",
    ]
    twice = [
        SimilarPastItem("query", "same", now - DAY, 0.9, 0.9),
        SimilarPastItem("query", "same", now, 0.9, 0.9),
    ]
    assert [
        item.at for _, item in seen_before.choose_past_items(twice, now, is_about_error=False)
    ] == [now]
