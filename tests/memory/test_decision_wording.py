"""Decisions known by their wording, and titles taken from a text."""

from __future__ import annotations

from gitmem.memory import decision_wording as wording


def test_a_decision_is_known_by_its_words() -> None:
    """ML-23."""
    for text, sure in (
        ("We decided to keep SQLite because one file beats a server.", 0.8),
        ("The cache stays.\n\nWe have decided against Redis since nobody runs it.", 0.8),
        ("Use tabs instead of spaces", 0.9),
        ("Switch from Flask to FastAPI", 0.88),
        ("Decision: sessions are signed", 0.95),
    ):
        found = wording.recognise_decision(text)
        assert found is not None, text
        assert found.confidence >= sure, text
        assert "gitmem decide" in wording.hint_to_record_decision(text)
    for text in (
        "Redis listens on port 6380",
        "The decider class reads votes",  # a sign is no wording
        "Fix the decision table of the parser",
        "Nobody knows how to switch it off",
        "",
        "decid",
    ):
        assert wording.recognise_decision(text) is None, text
        assert wording.hint_to_record_decision(text) == ""


def test_a_title_is_the_beginning_of_the_text_in_whole_words() -> None:
    for text, title in (
        ("Keep SQLite", "Keep SQLite"),
        ("  Keep\n SQLite  ", "Keep SQLite"),
        ("a" * 50, "a" * 50),
        ("a" * 51, "a" * 49 + "…"),
        (
            "Keep the sessions of all workers in SQLite, because one file beats a server",
            "Keep the sessions of all workers in SQLite…",
        ),
        ("", ""),
    ):
        assert wording.decision_title(text) == title
        assert len(wording.decision_title(text)) <= 50
