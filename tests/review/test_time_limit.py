"""A review that takes too long says what it left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitmem.errors import Unavailable
from gitmem.review import review, reviewed_diff
from gitmem.review.time_limit import TimeLimit, merge_notes
from tests.review.conftest import edit
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder


class Clock:
    """Seconds that a test decides."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_check_has_half_of_what_is_left() -> None:
    clock = Clock()
    limit = TimeLimit(8.0, clock)

    def walk() -> list[int]:
        done = []
        for item in limit.items_while_time_left(range(9), "names"):
            done.append(item)
            clock.now += 1
        return done

    assert limit.run_if_time_left("first", walk) == [0, 1, 2, 3, 4]
    assert limit.notes == ["For lack of time 4 files were not searched for names."]
    assert limit.run_if_time_left("second", walk) == [0, 1]
    clock.now = 9.0
    assert limit.run_if_time_left("third", walk) is None
    assert limit.notes[-1] == "Not checked, for lack of time: third."


def test_a_check_that_fails_leaves_the_others() -> None:
    limit = TimeLimit(8.0, Clock())

    def fails() -> None:
        raise Unavailable("Git does not answer.", "Try again.")

    assert limit.run_if_time_left("history", fails) is None
    assert limit.notes == ["Not checked: history. Git does not answer. Try again."]


def test_an_unexpected_exception_goes_to_the_log_and_leaves_the_others(
    shop: RepoBuilder, desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "gitmem" / "errors.log"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    edit(shop, "shop/cart.py", "import os\n", "import os\nimport shop.crat\n")
    app = desk.app()
    broken: Any = [None]  # no name of a file: reading the reports raises a TypeError
    result = review.review_diff(app, reviewed_diff.read_git_diff(app), sarif_paths=broken)
    app.close()
    assert [each.rule for each in result.findings] == ["import/missing"]
    (note,) = [each for each in result.notes if "reports" in each]
    assert note.startswith("Not checked: reports. Something went wrong inside gitmem (TypeError).")
    assert str(log) in note and "command: gitmem review" in log.read_text()


def test_checks_that_fail_for_one_reason_are_one_note() -> None:
    limit = TimeLimit(8.0, Clock())

    def fails() -> None:
        raise Unavailable("Git does not answer.", "Try again.")

    for name in ("history", "its reach"):
        limit.run_always(name, fails)
    expected = ("Cut short.", "Not checked: history, its reach. Git does not answer. Try again.")
    assert merge_notes(["Cut short.", *limit.notes]) == expected
    limit.run_always("tests", fails)
    assert merge_notes([*expected, limit.notes[-1], "Cut short."])[1].startswith(
        "Not checked: history, its reach, tests. Git"
    )
