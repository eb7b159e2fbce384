"""Regular expressions in rules cannot run away."""

from __future__ import annotations

import time
import warnings

import pytest

from gitmem.errors import InvalidInput
from gitmem.patterns import safe_regex

SOUND = (r"TODO|FIXME", r"^api_[a-z]+$", r"[^\]]*x", r"\(\w+\)", r"a{3}(?:b|c)?", r"\[(?:x)\]*?")
SLOW = (
    r"(a+)+$",
    r"(a*)*b",
    r"(a|aa)+$",
    r"(?:a|b)*c",
    r"(a?){30}",
    r".*.*.*x",
    r"a{1,500}a{1,500}a{1,500}b",
    r"(a)\1",
    r"(?=a)b",
    r"(?!a)b",
    r"(?<=a)b",
    r"(?i)a",
    r"(?P<n>a)(?P=n)",
    "a?" * 9,
    r"((a+))+",
    r"(?:(?:a+))*",
)


def test_what_could_take_long_is_refused() -> None:
    for text in SLOW:
        with pytest.raises(InvalidInput, match="take too long"):
            safe_regex.compile_safe_regex(text)


def test_what_is_no_expression_is_refused() -> None:
    for text in ("(", "[a", "a{5,1}", "*"):
        with pytest.raises(InvalidInput, match="not a regular expression"):
            safe_regex.compile_safe_regex(text)
    with pytest.raises(InvalidInput, match="200"):
        safe_regex.compile_safe_regex("a" * 201)


def test_what_is_sound_is_taken_and_ends_soon() -> None:
    begin = time.process_time()
    for text in SOUND:
        safe_regex.compile_safe_regex(text)
    worst = safe_regex.compile_safe_regex(r"a*a*b")
    assert worst.search("a" * 400) is None
    assert time.process_time() - begin < 5


def test_an_expression_that_python_warns_of_is_taken_in_silence() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert safe_regex.compile_safe_regex("[+--]")
