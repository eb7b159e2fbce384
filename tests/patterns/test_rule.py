"""Rules are data: read, refused with a sentence, and written again."""

from __future__ import annotations

import json

import pytest

from gitmem.errors import InvalidInput
from gitmem.patterns import rule

SOUND: tuple[dict[str, object], ...] = (
    {"check": "call", "names": ["print"]},
    {"check": "call", "names": ["run"], "arguments": "shell ?= ?True", "languages": ["python"]},
    {"check": "use", "names": ["os.path"], "instead": "pathlib", "severity": "warning"},
    {"check": "import", "names": ["lodash/fp", "@scope/name"]},
    {"check": "type", "names": ["any"], "except": ["tests/**"], "paths": ["src/**"]},
    {"check": "await", "outside": ["try"], "unless": [".catch"]},
    {"check": "handler"},
    {"check": "layer", "from": "core", "to": "ui"},
    {"check": "naming", "of": ["function"], "style": "snake_case", "allowed": ["visit_*"]},
    {"check": "naming", "of": ["file"], "regex": "[a-z]+"},
    {"check": "text", "in": "comment", "regex": "TODO"},
    {"check": "text", "in": "unsafe_block", "regex": "unsafe", "languages": ["rust"]},
    {"check": "companion", "names": [".lock"], "needs": [".unlock"], "scope": "file"},
)
# What is wrong -> a word of the sentence that says so.
WRONG: tuple[tuple[str, str], ...] = (
    ("[]", "JSON object"),
    ("{", "not JSON"),
    ("[" * 5000, "not JSON"),
    ("1" * 9000, "characters"),
    ('{"check": "exec"}', "no check 'exec'"),
    ('{"check": "call"}', "needs 'names'"),
    ('{"check": "call", "names": []}', "needs 'names'"),
    ('{"check": "call", "names": [1]}', "list of strings"),
    ('{"check": "call", "names": ["a b"]}', "not a name in code"),
    ('{"check": "call", "names": ["a"], "code": "x"}', "no 'code'"),
    (
        '{"check": "call", "names": ["a"], "inside": ["room"]}',
        "`inside` of a rule cannot be 'room'",
    ),
    ('{"check": "call", "names": ["a"], "severity": "loud"}', "`severity` of a rule cannot be"),
    ('{"check": "call", "names": ["a"], "languages": ["klingon"]}', "no language"),
    ('{"check": "call", "names": ["a"], "languages": ["toml"]}', "cannot parse files of toml"),
    ('{"check": "call", "names": ["a"], "paths": ["a[b"]}', "matches nothing"),
    ('{"check": "call", "names": ["a"], "arguments": "(a+)+"}', "take too long"),
    ('{"check": "naming", "of": ["function"]}', "either 'style' or 'regex'"),
    ('{"check": "naming", "of": ["function"], "style": "Loud"}', "`style` of a rule cannot be"),
    (
        '{"check": "naming", "of": ["planet"], "style": "camelCase"}',
        "`of` of a rule cannot be 'planet'",
    ),
    ('{"check": "text", "in": "unsafe_block", "regex": "a"}', "needs exactly one language"),
    ('{"check": "text", "in": "nonsense", "regex": "a", "languages": ["go"]}', "no node"),
    (
        '{"check": "companion", "names": ["a"], "needs": ["b"], "scope": "town"}',
        "`scope` of a rule cannot be",
    ),
    ('{"check": "call", "names": "a,b"}', "not a name in code"),
    (json.dumps({"check": "call", "names": [f"a{n}" for n in range(51)]}), "at most 50"),
)


def test_a_rule_is_written_as_it_was_read() -> None:
    for message in SOUND:
        read = rule.rule_from_json(message)
        assert rule.rule_as_json(read) == message, message
        assert rule.parse_rule_json(json.dumps(message)) == read
        assert rule.rule_as_sentence(read), message


def test_what_a_rule_on_text_looks_into_is_reported_in_words() -> None:
    for literal, words in (
        ("comparison_operator", "never a comparison operator that matches x in python"),
        ("string", "never a string that matches x in python"),
        ("import_statement", "never an import statement that matches x in python"),
    ):
        message = {"check": "text", "in": literal, "regex": "x", "languages": ["python"]}
        assert rule.rule_as_sentence(rule.rule_from_json(message)) == words


def test_a_wrong_rule_is_refused_with_a_sentence() -> None:
    for text, word in WRONG:
        with pytest.raises(InvalidInput, match=word) as refused:
            rule.parse_rule_json(text)
        assert refused.value.hint, text


def test_a_rule_concerns_files_of_its_languages_and_paths() -> None:
    read = rule.rule_from_json(
        {"check": "handler", "languages": ["go"], "paths": ["src/**"], "except": ["*_test.go"]}
    )
    for path, language, expected in (
        ("src/a.go", "go", True),
        ("src/deep/a.go", "go", True),
        ("src/a.rs", "rust", False),
        ("lib/a.go", "go", False),
        ("src/a_test.go", "go", False),
    ):
        assert read.applies_to_file(path, language) is expected, path


def test_words_say_what_where_and_what_instead() -> None:
    for message, words in (
        (SOUND[1], "never call run with shell ?= ?True in python"),
        (SOUND[2], "never use os.path; use pathlib"),
        (SOUND[5], "never await outside of try"),
        (SOUND[8], "functions are named in snake_case"),
        (SOUND[12], "who calls .lock calls .unlock in the same file"),
    ):
        assert rule.rule_as_sentence(rule.rule_from_json(message)) == words
