"""A block of code and its place in the metadata of a memory."""

from __future__ import annotations

import pytest

from gitmem.errors import InvalidInput
from gitmem.memory.jsonl_input import add_code_block, check_known_metadata_keys


def test_a_block_joins_what_is_there() -> None:
    """CF-8"""
    assert add_code_block({"a": 1}, "", "") == {"a": 1}
    assert add_code_block({"a": 1}, "x = 1\n", " python ") == {
        "a": 1,
        "codeBlock": {"code": "x = 1\n", "language": "python"},
    }
    assert add_code_block({}, "x", "") == {"codeBlock": {"code": "x"}}


def test_what_is_right_passes_and_other_keys_are_the_writers_own() -> None:
    for facts in (
        {},
        {"anything": [1, {"language": 3}]},
        {"codeBlock": {"code": "x", "language": "go", "filePath": "a.go"}},
        {"fileContext": {"path": "a.go", "lines": "3-9", "language": "go"}},
        {"fileContext": {"path": "a.go", "lines": [3, 9]}},
        {"fileContext": {"lines": 3}},
    ):
        assert check_known_metadata_keys(facts) == facts


def test_what_is_wrong_is_named() -> None:
    """CF-8: unknown keys and wrong kinds of values are refused."""
    for facts, expected in (
        ({"codeBlock": "x = 1"}, "codeBlock in the metadata is not an object"),
        ({"codeBlock": {"code": "x", "lang": "go"}}, "Unknown key 'lang' in codeBlock"),
        ({"codeBlock": {"code": 3}}, "codeBlock.code in the metadata has to be text"),
        ({"codeBlock": {"language": "go"}}, "codeBlock in the metadata has no code"),
        ({"codeBlock": {"code": " \n"}}, "codeBlock in the metadata has no code"),
        ({"codeBlock": {"code": "x", "language": "g" * 41}}, "codeBlock.language has to be"),
        ({"codeBlock": {"code": "x", "language": "a\nb"}}, "codeBlock.language has to be"),
        ({"fileContext": {"path": ["a"]}}, "fileContext.path in the metadata has to be text"),
        ({"fileContext": {"lines": True}}, "fileContext.lines in the metadata has to be a number"),
        ({"fileContext": {"file": "a"}}, "Unknown key 'file' in fileContext"),
    ):
        with pytest.raises(InvalidInput) as caught:
            check_known_metadata_keys(facts)
        assert expected in caught.value.message, facts
    for facts, code, language, expected in (
        ({}, "", "go", "--language needs --code"),
        ({}, " ", "go", "--language needs --code"),
        ({"codeBlock": {"code": "x"}}, "y", "", "has a codeBlock already"),
    ):
        with pytest.raises(InvalidInput, match=expected):
            add_code_block(facts, code, language)
