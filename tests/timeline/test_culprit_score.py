"""What speaks against a commit, weighed."""

from __future__ import annotations

from gitmem.timeline import culprit_score
from gitmem.timeline.culprit_score import SuspectCommitEvidence


def evidence(sha: str, rank: int, *, source: bool = True, **parts: float) -> SuspectCommitEvidence:
    return SuspectCommitEvidence(sha, rank, source, parts)


def order(*found: SuspectCommitEvidence) -> list[str]:
    return [item.sha for item in culprit_score.rank_suspect_commits(found)]


def test_more_evidence_comes_first_and_of_equals_the_newest() -> None:
    assert order(
        evidence("new", 0, recent=1.0),
        evidence("wrote", 90, wrote=1.0, place=1.0),
        evidence("nothing", 1),
        evidence("nor this", 2),
    ) == ["wrote", "new", "nothing", "nor this"]


def test_a_commit_without_source_is_suspected_less() -> None:
    docs = evidence("docs", 0, source=False, words=1.0)
    assert order(docs, evidence("code", 1, words=0.5)) == ["code", "docs"]


def test_confidence_says_what_is_known() -> None:
    for parts, confidence in (
        ({"line": 0.6}, "high"),
        ({"line": 0.4, "words": 0.5}, "medium"),
        ({"wrote": 0.6}, "medium"),
        ({"words": 1.0}, "low"),
        ({"words": 1.0, "message": 1.0, "files": 1.0}, "medium"),
        ({"recent": 1.0}, "low"),
    ):
        (found,) = culprit_score.rank_suspect_commits([evidence("a", 0, **parts)])
        assert found.confidence == confidence, parts
    (unknown,) = culprit_score.rank_suspect_commits(
        [evidence("a", 0, wrote=1.0, line=1.0)], error_names_known_code=False
    )
    assert unknown.confidence == "low"
    (docs,) = culprit_score.rank_suspect_commits([evidence("a", 0, source=False, words=1.0)])
    assert docs.confidence == "low"


def test_the_strongest_reasons_are_reported() -> None:
    (found,) = culprit_score.rank_suspect_commits([evidence("a", 0, wrote=1.0, message=0.01)])
    assert found.why == ("wrote lines that the error leads to",)
    assert culprit_score.rank_suspect_commits([evidence("a", 0)])[0].why == ()


def test_the_parts_stay_between_nought_and_one() -> None:
    assert (culprit_score.recency_score(0), culprit_score.recency_score(40)) == (1.0, 0.5)
    assert (culprit_score.suspicion_by_size(0), culprit_score.suspicion_by_size(10**6)) == (
        0.0,
        1.0,
    )
    assert (
        0.0 == culprit_score.map_to_unit_interval(0) < culprit_score.map_to_unit_interval(5) < 1.0
    )
    everything = dict.fromkeys(culprit_score.WEIGHTS, 1.0)
    assert culprit_score.rank_suspect_commits([evidence("a", 0, **everything)])[0].score == 1.0
