"""Every row is shown by files that exist, or says what it waits for; nothing passes for nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.reliability import page, scoreboard, scoring
from tests.reliability.scoreboard import FOLDER, ROOT, ROWS
from tests.reliability.scoring import Score

ROW = ROWS[0]


def test_every_row_is_shown_by_files_or_says_what_it_waits_for() -> None:
    for row in ROWS:
        assert bool(row.files) != bool(row.waits), row.id
        assert all((ROOT / file).is_file() for file in row.files), row.id
    assert len({row.id for row in ROWS}) == len(ROWS)


def test_every_numbered_file_belongs_to_a_row() -> None:
    numbered = list(FOLDER.glob("test_s[0-9]*.py"))
    assert len(numbered) > 10
    assert [file.name for file in numbered if scoreboard.row_of(file) is None] == []
    assert scoreboard.row_of(Path("test_s01_kill.py")) == ROW
    assert scoreboard.row_of(Path("test_branches.py")) is None


def test_every_bug_names_a_test_that_exists() -> None:
    for row in ROWS:
        for bug in row.found:
            file, _, name = bug.test.partition("::")
            assert name.rpartition("::")[2] in (ROOT / file).read_text(), bug


def test_a_fault_that_never_happened_fails() -> None:
    score = Score(ROW, "quick")
    with pytest.raises(AssertionError, match="no fault happened in 7 cases"):
        score.report("kills", cases=7, fired=0)
    with pytest.raises(AssertionError, match="nothing was tried"):
        score.report("kills", cases=0, fired=0)
    assert score.reports == []


def test_limits_are_judged_in_the_full_tier_of_a_quiet_machine_only() -> None:
    for tier, quiet, judged in (
        ("quick", True, False),
        ("full", False, False),
        ("full", True, True),
        ("nightly", True, True),
    ):
        score = Score(ROW, tier)
        score.quiet = quiet
        score.limit("reopen ms", 999, at_most=1000)
        if judged:
            with pytest.raises(AssertionError, match="1001 > 1000"):
                score.limit("reopen ms", 1001, at_most=1000)
        else:
            score.limit("reopen ms", 1001, at_most=1000)
        assert [limit.judged for limit in score.limits] == [judged] * 2


def test_what_is_no_time_is_judged_on_a_busy_machine_too() -> None:
    for tier, judged in (("quick", False), ("full", True)):
        score = Score(ROW, tier)
        score.quiet = False
        score.limit("megabytes", 9, at_most=10, timed=False)
        assert [limit.judged for limit in score.limits] == [judged]


def test_sizes_follow_the_tier() -> None:
    sizes = [Score(ROW, tier).size(quick=1, full=2) for tier in scoring.TIERS]
    assert sizes == [1, 2, 2]
    assert Score(ROW, "nightly").size(quick=1, full=2, nightly=3) == 3


def test_a_line_holds_what_was_reported(tmp_path: Path) -> None:
    score = Score(ROW, "quick")
    score.report("kills", cases=12, fired=11, acknowledged=340)
    score.limit("reopen ms", 8.25, at_most=1000)
    scoring.append(tmp_path / "scores", score.line("a test"))
    data = json.loads((tmp_path / "scores").read_text())
    assert (data["row"], data["test"]) == ("S-01", "a test")
    assert data["reports"][0]["numbers"] == {"acknowledged": 340}
    assert data["limits"][0]["value"] == 8.2


def test_a_row_that_failed_in_any_tier_is_not_reported_as_passed() -> None:
    quick, full, nightly = ({"tier": tier, "result": "passed"} for tier in scoring.TIERS)
    saved = {"quick": quick, "full": full, "nightly": nightly}
    assert page.told_first({}) == {}
    assert page.told_first(saved) == nightly
    assert page.told_first({"quick": quick}) == quick
    full["result"] = "failed"
    assert page.told_first(saved) == full


def test_the_page_says_what_the_kept_results_say() -> None:
    assert page.PAGE.read_text() == page.page(), "run `python -m tests.reliability --page`"
