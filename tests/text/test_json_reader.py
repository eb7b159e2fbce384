"""What is read is what ``json.loads`` reads, errors included."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.text import json_reader

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def read(loads: Any, text: str) -> tuple[str, Any]:
    """The value that was read, or the error."""
    try:
        return "read", loads(text)
    except Exception as error:
        return type(error).__name__, str(error)


@given(VALUES)
def test_what_is_written_is_read(value: object) -> None:
    for options in ({}, {"ensure_ascii": False}, {"indent": 1}, {"separators": (",", ":")}):
        assert json_reader.loads(json.dumps(value, **options)) == value


@given(st.text(alphabet='[]{}",:\\u0123eE.-+ \n\ttrufalsn\x01\ud800'))
def test_any_text_gives_the_value_or_the_error_of_json(text: str) -> None:
    assert read(json_reader.loads, text) == read(json.loads, text)


def test_odd_texts_are_read_as_json_reads_them() -> None:
    odd = ("", " ", ' ["a"]', '["a"] ', '["a"] b', '["a"', "[1,]", '{"a": 1, "a": 2}', "\ufeff[]")
    for text in (*odd, '"\\ud800"', '"\x01"', "1e999", "-0", "-0.0", "01", "Infinity", "-Infinity"):
        assert read(json_reader.loads, text) == read(json.loads, text), text
    assert math.isnan(json_reader.loads("NaN"))


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000])
def test_levels_without_end_are_an_error(text: str) -> None:
    assert read(json_reader.loads, text) == read(json.loads, text)


def test_without_the_scanner_json_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_reader, "_scan", None)
    assert json_reader.loads('["a", 1]') == ["a", 1]
