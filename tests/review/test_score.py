"""The risk: the sum of parts that are shown, and no warning without a finding."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.model.review_finding import LEVELS
from gitmem.review import score
from gitmem.review.score import DiffFacts

COUNTS = st.integers(0, 1_000_000)
FACTS = st.builds(
    DiffFacts, COUNTS, COUNTS, COUNTS, COUNTS, st.booleans(), st.none() | st.floats(0, 1)
)


@given(st.lists(st.sampled_from(LEVELS)), FACTS)
def test_the_risk_is_the_sum_of_its_parts(levels: list[str], facts: DiffFacts) -> None:
    parts = score.risk_parts(levels, facts)
    risk = score.total_risk(parts)
    assert 0 <= risk <= 100
    assert risk == min(100, sum(part.points for part in parts))
    assert all(part.points > 0 and part.why for part in parts)
    expected = "reject" if risk >= 70 else "warn" if risk >= 30 else "approve"
    assert score.risk_verdict(risk) == expected


@given(FACTS)
def test_without_a_finding_nothing_is_warned_of(facts: DiffFacts) -> None:
    assert score.total_risk(score.risk_parts(["note"] * 50, facts)) < score.WARN


@given(st.lists(st.sampled_from(LEVELS)), FACTS)
def test_one_more_finding_never_lowers_the_risk(levels: list[str], facts: DiffFacts) -> None:
    before = score.total_risk(score.risk_parts(levels, facts))
    assert score.total_risk(score.risk_parts([*levels, "error"], facts)) >= before
    assert score.total_risk(score.risk_parts([*levels, "warning"], facts)) >= before


def test_two_errors_reject_and_a_warning_warns() -> None:
    assert (
        score.risk_verdict(score.total_risk(score.risk_parts(["error", "error"], DiffFacts())))
        == "reject"
    )
    assert (
        score.risk_verdict(score.total_risk(score.risk_parts(["warning"], DiffFacts()))) == "warn"
    )
