"""Files that usually change with those of a diff, and are missing from it."""

from __future__ import annotations

import pytest

from tests.review.conftest import Ask, known, rules
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder


def changed(repo: RepoBuilder, times: int, *paths: str) -> None:
    for number in range(times):
        repo.commit(f"Change {number}", dict.fromkeys(paths, f"x = {number}\n"))


@pytest.mark.parametrize(("times", "level"), [(14, "warning"), (5, "note")])
def test_what_always_changed_together_is_missed(
    shop: RepoBuilder, desk: Desk, ask: Ask, times: int, level: str
) -> None:
    changed(shop, times, "shop/schema.py", "shop/forms.py")
    desk.run("index")
    shop.write({"shop/schema.py": "x = 'new'\n"})
    result = ask()
    found = [each for each in (*result.findings, *result.context) if each.rule[:6] == "change"]
    assert [(each.level, each.path) for each in found] == [(level, "shop/schema.py")]
    assert found[0].message == (
        f"shop/forms.py changed in {times} of the {times} commits that changed this file, and is "
        "not in the diff"
    )


def test_what_is_in_the_diff_or_gone_is_not_missing(
    shop: RepoBuilder, desk: Desk, ask: Ask
) -> None:
    changed(shop, 14, "shop/schema.py", "shop/forms.py", "shop/gone.py")
    shop.git("rm", "-q", "shop/gone.py")
    shop.commit("Without it")
    desk.run("index")
    shop.write({"shop/schema.py": "x = 'new'\n", "shop/forms.py": "x = 'new'\n"})
    assert rules(ask()) == [] == known(ask(), "change/incomplete")


def test_the_future_of_a_past_diff_is_not_asked(shop: RepoBuilder, desk: Desk, ask: Ask) -> None:
    changed(shop, 1, "shop/schema.py")
    past = shop.commit("Alone", {"shop/schema.py": "x = 'alone'\n"})
    changed(shop, 14, "shop/schema.py", "shop/forms.py")
    desk.run("index")
    assert rules(ask(revisions=f"{past}~1..{past}")) == []
