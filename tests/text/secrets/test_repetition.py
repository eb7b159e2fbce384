"""Repeated stretches: what is left out, where, and that nothing else changes."""

from __future__ import annotations

import random

from gitmem.text import redact as redact_module
from gitmem.text.redact import redact
from gitmem.text.secrets import repetition
from tests.text.secret_samples import draw
from tests.text.secret_table import token

UNITS = ("a", "ab", "ghp_", "password = ", "-----BEGIN RSA PRIVATE KEY-----\n", "x" * 99 + "y")


def test_a_long_repeat_is_shortened_by_whole_repeats() -> None:
    for unit in UNITS:
        text = "begin " + unit * (40_000 // len(unit)) + " end"
        cuts = repetition.find_repeated_stretches(text)
        short = repetition.remove_stretches(text, cuts)
        assert len(cuts) == 1, unit
        assert len(short) < 3000
        assert short.startswith("begin " + unit)
        assert short.endswith(unit + " end")
        body = short.removeprefix("begin ").removesuffix(" end")
        assert body == unit * (len(body) // len(unit)), "no seam"


def test_two_repeats_are_two_cuts_and_places_go_back() -> None:
    text = "a" * 9000 + "FIRST" + "xyz" * 3000 + "SECOND"
    cuts = repetition.find_repeated_stretches(text)
    short = repetition.remove_stretches(text, cuts)
    assert len(cuts) == 2
    for word in ("FIRST", "SECOND"):
        at, end = short.index(word), short.index(word) + len(word)
        whole = repetition.restore_spans([(at, end, "x")], cuts)
        assert whole == [(text.index(word), text.index(word) + len(word), "x")]


def test_what_does_not_repeat_stays_whole() -> None:
    rng = random.Random(1)
    for alphabet in ("01", "abcdefgh", "0123456789abcdef"):
        text = draw(rng, alphabet, 20_000)
        assert repetition.find_repeated_stretches(text) == []


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


SECRET_UNITS = (
    "password=a1b2c3 ",
    "login a password ",
    "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0B" + "\n",
    "curl -u bob:h0pk1ns~21s x ",
    "Cookie: sessionid=9f8e7d6c5b4a39281706f5e4d3c2b1a0; ",
    "password=a1b2c3 token: none, then login bob / h0pk1ns~21s and ",
)


def test_secrets_that_repeat_go_as_if_nothing_were_left_out() -> None:
    for unit in SECRET_UNITS:
        for text in (unit * (12_000 // len(unit)), f"so {unit * 700}{unit[:7]} end {unit * 600}"):
            assert repetition.find_repeated_stretches(text), unit
            whole = redact_module._all_spans(text)
            assert redact_module._spans(text) == whole, unit


def test_repeats_that_are_one_secret_or_differ_are_read_whole() -> None:
    long = "".join(draw(random.Random(4), "abcdefghijklmnopqrstuvwxyz0123456789", 40))
    for text in ("token=" + long * 300, "AKIA" + "Q" * 16 + "a1" * 6000):
        assert redact_module._spans(text) == redact_module._all_spans(text)
    cuts = repetition.find_repeated_stretches("ab" * 6000)
    seam = cuts[0][0]
    assert repetition.restore_spans([(seam - 1, seam + 1, "x")], cuts) is None
    assert repetition.restore_spans([(0, 2 * seam, "x")], cuts) is None
