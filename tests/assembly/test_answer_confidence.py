"""How sure an answer is (ML-32)."""

from __future__ import annotations

from gitmem.assembly.answer_confidence import (
    MEASURED,
    confidence_of_command,
    confidence_of_context,
    confidence_of_sentences,
)


def test_the_word_follows_the_score_and_the_score_the_shares() -> None:
    for best, score, level in (
        ({"codebase": 1.0, "decisions": 1.0, "patterns": 1.0}, 100, "high"),
        ({"codebase": 1.0, "decisions": 1.0, "patterns": 0.0}, 80, "high"),
        ({"codebase": 1.0, "decisions": 0.0, "patterns": 0.0}, 50, "medium"),
        ({"codebase": 0.0, "decisions": 0.5, "patterns": 0.25}, 20, "low"),
        ({"codebase": 0.0, "decisions": 0.0, "patterns": 0.5}, 10, "guess"),
        ({"codebase": 1.7}, 100, "high"),  # boosted, and nothing else to go by
        ({"codebase": 0.6, "patterns": -1.0}, 43, "low"),
        ({}, 0, "guess"),
    ):
        assert (confidence_of_context(best).score, confidence_of_context(best).level) == (
            score,
            level,
        ), best


def test_code_that_is_only_the_nearest_makes_nobody_sure() -> None:
    for best, level in (
        ({"codebase": 0.9}, "guess"),
        ({"codebase": 0.9, "patterns": 0.1}, "guess"),
        ({"codebase": 0.9, "decisions": 0.9}, "low"),
        ({"codebase": 0.1}, "guess"),
    ):
        assert confidence_of_context(best, code_is_relevant=False).level == level, best
        assert (
            confidence_of_context(best, code_is_relevant=False).score
            <= confidence_of_context(best).score
        )
    assert confidence_of_context(
        {"decisions": 0.9}, code_is_relevant=False
    ) == confidence_of_context({"decisions": 0.9})


def test_the_parts_are_reported() -> None:
    assert confidence_of_context({"codebase": 0.12345, "decisions": 2.0}).parts == {
        "codebase": 0.123,
        "decisions": 1.0,
    }


def test_the_word_of_an_answer_follows_what_its_best_place_is_worth() -> None:
    for worth, level in ((9.0, "high"), (1.4, "high"), (1.39, "medium"), (1.0, "medium"),
                         (0.99, "low"), (0.0, "low"), (-0.2, "low")):  # fmt: skip
        assert confidence_of_sentences("", worth, {}).level == level, worth
    assert confidence_of_sentences("x", 1.0, {"codebase": 2.0, "other": 1.0}).parts == {
        "codebase": 1.0
    }


def test_the_score_of_an_answer_is_the_share_of_its_word_that_is_right() -> None:
    shares = {level: right for level, _, right in MEASURED}
    assert list(shares.values()) == sorted(shares.values(), reverse=True)
    assert all(
        confidence_of_sentences("", least, {}).score == shares[level]
        for level, least, _ in MEASURED
    )
    whole, part = (
        confidence_of_command(complete=True),
        confidence_of_command(complete=False),
    )
    assert (whole.level, part.level) == ("high", "medium")
    # A verb that knows is right more often than sentences that seem to answer.
    assert whole.score > confidence_of_sentences("", 9.0, {}).score > part.score


def test_questions_as_none_was_judged_get_a_guess() -> None:
    for text, level in (
        ("How do I run the tests?", "high"),
        ("where are fixtures resolved", "high"),
        ("Is the cache tested anywhere?", "high"),
        ("How many retries are made by default?", "high"),
        ("fixture resolution", "high"),
        ("how many tests are there?", "guess"),
        ("what is the number of commands", "guess"),
        ("does it support websockets?", "guess"),
        ("Why is the cache slow?", "guess"),
    ):
        found = confidence_of_sentences(text, 9.0, {"codebase": 1.0})
        assert (found.level, found.score > 0) == (level, level == "high"), text
        assert found.parts == {"codebase": 1.0}
