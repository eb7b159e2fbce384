"""Memories as JSON Lines under the names of several systems."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.errors import GitmemError, InvalidInput
from gitmem.memory import jsonl_input
from gitmem.memory.jsonl_input import DraftDefaults
from tests.support.tables import table

NONE = DraftDefaults()


def read(**record: object) -> object:
    return jsonl_input.parse_draft(json.dumps(record), NONE)


@table(
    ("text", "batch"),
    [
        ('{"content": "a"}', True),
        ('\ufeff\n  {"text": "a"}\n{"text": "b"}', True),
        ('{"broken\n{"content": "b"}', True),
        ('{"broken', False),
        ('{"port": 6380}', False),
        ("Plain text", False),
        ('["content"]', False),
        ("", False),
    ],
)
def test_what_is_a_batch_and_what_a_memory_of_json(text: str, batch: bool) -> None:
    assert jsonl_input.is_json_lines_batch(text) is batch


@pytest.mark.parametrize("key", ["content", "text", "information"])
def test_every_name_of_the_content_is_taken(key: str) -> None:
    """CF-8, CT-1, CE-8."""
    assert read(**{key: "a"}).content == "a"  # type: ignore[attr-defined]


def test_one_word_or_a_list_of_words() -> None:
    assert read(content="a", tag="x", path=["p", "q"]).tags == ("x",)  # type: ignore[attr-defined]
    assert read(content="a", tag="x", path=["p", "q"]).paths == ("p", "q")  # type: ignore[attr-defined]


def test_a_line_goes_before_the_defaults() -> None:
    defaults = DraftDefaults(kind="fix", tags=("all",), weight=2, ttl="7d", pinned=True)
    found = jsonl_input.parse_draft('{"content": "a", "kind": "note", "pin": false}', defaults)
    assert (found.kind, found.pinned, found.tags, found.weight) == ("note", False, ("all",), 2)
    assert found.ttl_ms == 7 * 86_400_000


@table(
    "line",
    [
        "{",
        "[]",
        "7",
        "null",
        '{"content": 7}',
        '{"content": "a", "unknown": 1}',
        '{"content": "a", "tags": 7}',
        '{"content": "a", "tags": [7]}',
        '{"content": "a", "weight": "3"}',
        '{"content": "a", "weight": true}',
        '{"content": "a", "weight": 2.5}',
        '{"content": "a", "weight": Infinity}',
        '{"content": "a", "weight": NaN}',
        '{"content": "a", "importance": NaN}',
        '{"content": "a", "importance": 1e999}',
        '{"content": "a", "importance": 1' + "0" * 400 + "}",
        '{"content": "a", "pinned": "yes"}',
        '{"content": "a", "metadata": [1]}',
        '{"content": "a", "ttl": "soon"}',
        '{"content": ' + "[" * 100_000,
    ],
    ids=range(20),
)
def test_a_wrong_line_is_refused(line: str) -> None:
    with pytest.raises(InvalidInput):
        jsonl_input.parse_draft(line, NONE)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from([*jsonl_input.LINE_KEYS]), json_values))
def test_any_json_is_a_draft_or_a_sentence(record: dict[str, object]) -> None:
    try:
        assert isinstance(jsonl_input.parse_draft(json.dumps(record), NONE).content, str)
    except GitmemError as error:
        assert error.message


def test_empty_text_is_an_empty_object() -> None:
    assert jsonl_input.parse_json_object("  ") == {}
