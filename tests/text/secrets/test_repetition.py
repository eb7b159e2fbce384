"""Repeated stretches: what is left out, where, and that nothing else changes."""

from __future__ import annotations

import random

from gitmem.text.redact import redact
from gitmem.text.secrets import repetition
from tests.text.secret_samples import draw
from tests.text.secret_table import token

UNITS = ("a", "ab", "ghp_", "password = ", "-----BEGIN RSA PRIVATE KEY-----\n", "x" * 99 + "y")


def test_a_long_repeat_is_shortened_by_whole_repeats() -> None:
    for unit in UNITS:
        text = "begin " + unit * (40_000 // len(unit)) + " end"
        cuts = repetition.middles(text)
        short = repetition.without(text, cuts)
        assert len(cuts) == 1, unit
        assert len(short) < 3000
        assert short.startswith("begin " + unit)
        assert short.endswith(unit + " end")
        body = short.removeprefix("begin ").removesuffix(" end")
        assert body == unit * (len(body) // len(unit)), "no seam"


def test_two_repeats_are_two_cuts_and_places_go_back() -> None:
    text = "a" * 9000 + "FIRST" + "xyz" * 3000 + "SECOND"
    cuts = repetition.middles(text)
    short = repetition.without(text, cuts)
    assert len(cuts) == 2
    for word in ("FIRST", "SECOND"):
        assert repetition.place(short.index(word), cuts) == text.index(word)


def test_what_does_not_repeat_stays_whole() -> None:
    rng = random.Random(1)
    for alphabet in ("01", "abcdefgh", "0123456789abcdef"):
        text = draw(rng, alphabet, 20_000)
        assert repetition.middles(text) == []


def test_a_secret_beside_a_repeat_is_found_at_its_place() -> None:
    secret = token(random.Random(2))
    for unit in ("=", "a-", "lorem ipsum, ", "\n"):
        filler = unit * (20_000 // len(unit))
        text = f"{filler}\nrotate {secret} now\n{filler}"
        assert redact(text).text == text.replace(secret, "[redacted:github-token]"), unit


def test_a_secret_that_is_itself_repeated_goes_everywhere() -> None:
    secret = token(random.Random(3))
    text = f"{secret} " * 1000
    assert secret not in redact(text).text
    assert redact(text).found.count("github-token") == 1000
