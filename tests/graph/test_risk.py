"""Risk: more dependants, fewer tests and more decisions raise it, and it says so."""

from __future__ import annotations

from gitmem.graph import impact_score, risk
from gitmem.graph.impact_score import FileDependencyLink
from gitmem.graph.risk import ChangeRiskCounts
from gitmem.model.frozen import replace

NOTHING = ChangeRiskCounts(0, 0, 0, 0, 0, 0, cyclic=False, folders=0)


def test_what_nobody_uses_is_no_risk() -> None:
    found = risk.score_change_risk(NOTHING)
    assert (found.score, found.level) == (0, "low")
    assert found.reasons == ("nothing in the repository uses its name",)


def test_what_may_be_hidden_is_never_a_low_risk() -> None:
    few = ChangeRiskCounts(1, 1, 0, 0, 0, 0, False, 1)
    many = ChangeRiskCounts(9, 9, 0, 3, 0, 9, False, 9)
    assert risk.score_change_risk(few).level == "low"
    hidden = risk.score_change_risk(replace(few, hidden="unknown: 3 places"))
    assert (hidden.level, hidden.score) == ("unknown", risk.score_change_risk(few).score)
    assert hidden.reasons[-2:] == ("no test is known to reach it", "unknown: 3 places")
    assert risk.score_change_risk(replace(many, hidden="unknown: 3 places")).level == "high"


def test_each_fact_raises_it_and_is_reported() -> None:
    used = replace(NOTHING, direct=2, dependants=7, tests=1)
    base = risk.score_change_risk(used)
    assert (base.score, base.level) == (24, "low")
    assert base.reasons == ("7 files depend on it, 2 directly", "1 test file reaches it")
    for changes, reason, more in (
        ({"tests": 0}, "no test reaches it", 20),
        ({"decisions": 2}, "2 decisions on the way", 10),
        ({"commits": 5}, "changed by 5 commits in half a year", 7),
        ({"commits": 16}, "changed by 16 commits in half a year", 12),
        ({"folders": 4}, "used in 4 folders", 5),
        ({"cyclic": True}, "part of an import cycle", 5),
        ({"memories": 1}, "1 memory cites it or what uses it", 0),
    ):
        found = risk.score_change_risk(replace(used, **changes))
        assert reason in found.reasons
        assert found.score == base.score + more
    most = risk.score_change_risk(
        ChangeRiskCounts(900, 5_000, 0, 40, 9, 5_000, cyclic=True, folders=90)
    )
    assert (most.score, most.level) == (100, "high")
    assert risk.score_change_risk(replace(used, dependants=30)).level == "medium"


def test_files_are_ranked_by_dependence_and_history_together() -> None:
    users = {
        "near.py": FileDependencyLink(1, 1.0, 9),
        "once.py": FileDependencyLink(1, 1.0, 1),
        "unsure.py": FileDependencyLink(1, 0.3, 9),
        "far.py": FileDependencyLink(3, 1.0),
    }
    ranked = impact_score.rank_affected_files(
        users,
        {"used.py": FileDependencyLink(1, 0.9, 2)},
        {"far.py": 0.5, "d.md": 0.01, "old.py": 0.13},
    )
    assert [path for path, _ in ranked] == [
        *("far.py", "near.py", "used.py"),
        *("old.py", "once.py", "unsure.py", "d.md"),
    ]
    assert all(0 <= score <= 1 for _, score in ranked)
    # A neighbour is worth less than half a commit; what is farther only fills up.
    ranked = impact_score.rank_affected_files(
        {"near.py": FileDependencyLink(1, 1.0), "far.py": FileDependencyLink(2, 1.0)},
        {},
        {"one.py": 0.5, "old.py": 0.005},
    )
    assert [path for path, _ in ranked] == ["one.py", "near.py", "old.py", "far.py"]
    assert impact_score.rank_affected_files({}, {}, {}) == []
