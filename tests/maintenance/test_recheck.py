"""Memories whose code is gone, or another for long, become a question, and only once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gitmem.app import App
from gitmem.maintenance import recheck
from gitmem.model.anchor import Freshness
from gitmem.model.suggestion import Suggestion
from tests.support.apps import DAY, Desk
from tests.support.repos import RepoBuilder

CODE = "def total(items):\n    return sum(item.price * item.count for item in items)\n"
OTHER = "import decimal\n\nRATES = {'de': 19, 'at': 20}\n\n\nclass Rates:\n    pass\n"


@pytest.fixture
def app(desk: Desk) -> Iterator[App]:
    """An App of a person in a repository with a store."""
    made = desk.app()
    yield made
    made.close()


def stale(desk: Desk) -> list[Suggestion]:
    return [item for item in desk.run("inbox").items if item.kind == "stale"]


def cited(desk: Desk, repo: RepoBuilder, path: str = "src/price.py") -> str:
    repo.commit("Add prices", {path: CODE})
    result = desk.run("remember", text="Prices are summed without tax", path=(f"{path}:1-2",))
    return str(result.id)


def days(desk: Desk, *ages: int) -> list[int]:
    """What each look finds, so many days after the one before."""
    found = []
    for age in ages:
        desk.clock.advance(age * DAY)
        found.append(desk.run("upkeep").stale)
    return found


def test_what_is_gone_for_a_day_is_asked_about_once(desk: Desk, repo: RepoBuilder) -> None:
    """CT-26. Rejected, it is not asked again; accepted, the memory is archived, and comes back."""
    id = cited(desk, repo)
    assert days(desk, 1) == [0]
    repo.git("rm", "-q", "src/price.py")
    repo.commit("Drop prices")
    # The first look only notes it.
    assert days(desk, 1, 1, 1) == [0, 1, 0]
    (result,) = stale(desk)
    assert (result.memory, result.title) == (id, "Prices are summed without tax")
    assert "src/price.py" in result.reason
    desk.run("inbox", action="accept", id=(result.id,))
    assert desk.run("show", id=id).memory.state == "archived"
    desk.run("inbox", action="undo", id=(result.id,))
    assert desk.run("show", id=id).memory.state == "active"
    desk.run("inbox", action="reject", id=(result.id,))
    assert days(desk, 1, 1, 40) == [0, 0, 0]
    assert stale(desk) == []


def test_what_is_another_is_asked_about_after_a_month_and_not_once_it_holds_again(
    desk: Desk, repo: RepoBuilder
) -> None:
    desk.env["GITMEM_DECAY_ENABLED"] = "0"
    id = cited(desk, repo)
    repo.commit("Rewrite", {"src/price.py": OTHER})
    assert days(desk, 1, 1, 27) == [0, 0, 0]
    assert days(desk, 2) == [1]
    assert [item.memory for item in stale(desk)] == [id]
    repo.commit("Back", {"src/price.py": CODE})
    assert days(desk, 1) == [0]
    assert stale(desk) == []


def test_it_is_off_where_the_setting_says_so(desk: Desk, repo: RepoBuilder) -> None:
    cited(desk, repo)
    (Path(repo.path) / "src/price.py").unlink()
    desk.env["GITMEM_DUPLICATES_SCAN_HOURS"] = "0"
    assert days(desk, 1, 1) == [0, 0]


def test_how_long_it_is_seen_so_begins_anew_where_it_was_otherwise(app: App) -> None:
    gone, changed, fresh = (Freshness(word) for word in ("gone", "changed", "fresh"))
    unknown = Freshness("unknown")
    for before, now_is, then in (
        ({}, gone, {"m": ("gone", 9)}),
        ({"m": ("gone", 5)}, gone, {"m": ("gone", 5)}),
        ({"m": ("gone", 5)}, changed, {"m": ("changed", 9)}),
        ({"m": ("gone", 5)}, unknown, {"m": ("gone", 5)}),
        ({}, unknown, {}),
        ({"m": ("gone", 5)}, fresh, {}),
        # A clock that went back.
        ({"m": ("gone", 50)}, gone, {"m": ("gone", 9)}),
    ):
        assert recheck.update_stale_memories(before, {"m": now_is}, 9) == then, (before, now_is)
    # What somebody wrote over the note is no reason to stop.
    with app.store.write():
        app.store.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('stale_since', '[1')")
    assert recheck._read_note(app.store) == {}
