"""A conversation summarised by its own sentences."""

from __future__ import annotations

from gitmem.memory import conversation_digest
from gitmem.model.exchange import Exchange
from gitmem.text.tokens import estimate_tokens


def test_the_sentences_are_those_of_the_conversation_with_their_exchanges() -> None:
    exchanges = [
        Exchange(
            "c", 1, "The pool test is flaky on the build server.", "Looking.\n\nThe pool leaks."
        ),
        Exchange("c", 2, "ok", "```py\nx = 1\n```\n\nThe pool test passes with a higher limit."),
    ]
    text = conversation_digest.summarise_conversation(exchanges)
    assert "The pool test is flaky on the build server. [#1]" in text
    assert "The pool test passes with a higher limit. [#2]" in text
    assert "x = 1" not in text


def test_a_long_conversation_has_a_short_digest() -> None:
    exchanges = [
        Exchange(
            "c", at, f"Question {at} about part {at} of the parser.", f"Part {at} is done now."
        )
        for at in range(1, 500)
    ]
    text = conversation_digest.summarise_conversation(exchanges)
    assert 0 < estimate_tokens(text) < 2 * conversation_digest.MAX_TOKENS


def test_an_empty_exchange_has_an_empty_digest() -> None:
    assert conversation_digest.summarise_conversation([Exchange("c", 1, "", "")]) == ""
