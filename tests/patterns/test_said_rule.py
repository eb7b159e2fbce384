"""The rule that a sentence states, and sentences that state none."""

from __future__ import annotations

from gitmem.patterns import pattern as patterns
from gitmem.patterns import rule, said_rule

STATED: tuple[tuple[str, dict[str, object]], ...] = (
    ("Use `logger` instead of `print`.",
     {"check": "use", "names": ["print"], "instead": "logger"}),
    ("In Python, use `logger`, not `print`.",
     {"check": "use", "names": ["print"], "instead": "logger", "languages": ["python"]}),
    ("Prefer pathlib.Path over os.path.",
     {"check": "use", "names": ["os.path"], "instead": "pathlib.Path", "severity": "warning"}),
    ("Never call `eval()` or `exec()`.", {"check": "call", "names": ["eval()", "exec()"]}),
    ("Don't import `requests`.", {"check": "import", "names": ["requests"]}),
    ("`shop/core` must not import from `shop/ui`.",
     {"check": "layer", "from": "shop/core", "to": "shop/ui"}),
    ("Classes are named in PascalCase.",
     {"check": "naming", "style": "PascalCase", "of": ["class"]}),
    ("Instead of `.unwrap()` use `?`.",
     {"check": "call", "names": [".unwrap()"], "instead": "?"}),
    ("Errors go through `AppError`, never `panic!`.",
     {"check": "call", "names": ["panic!"], "instead": "AppError"}),
    ("Replace `new Date` with `Instant.now`.",
     {"check": "use", "names": ["new Date"], "instead": "Instant.now"}),
    ("Never use the `any` type.", {"check": "type", "names": ["any"]}),
)  # fmt: skip
PROSE = (
    "Prefer composition over inheritance.",
    "Use tabs instead of spaces.",
    "Don't catch exceptions silently.",
    "Never deploy on a Friday.",
    "Always write a test first.",
    "core must not import ui",
    "",
)


def test_sentences_that_name_code_state_a_rule() -> None:
    for text, expected in STATED:
        result = said_rule.find_stated_rule(f"Some words before. {text}\nMore words.")
        assert result is not None and result.sure, text
        assert rule.rule_as_json(result.rule) == expected, text
        assert result.quote == text
        rule.rule_from_json(rule.rule_as_json(result.rule))


def test_prose_states_none() -> None:
    for text in PROSE:
        assert said_rule.find_stated_rule(text) is None, text


def test_plain_words_count_where_the_code_uses_them_but_are_not_sure() -> None:
    result = said_rule.find_stated_rule(
        "Use logger instead of print.", lambda name: name == "print"
    )
    assert result is not None and not result.sure
    assert result.rule.names == ("print",)


def test_functions_follow_a_style_where_languages_write_them_so() -> None:
    result = said_rule.find_stated_rule("Functions are named in snake_case.")
    assert result is not None and "python" in result.rule.languages
    assert "java" not in result.rule.languages


def test_names_of_patterns_say_what_they_are_about() -> None:
    for message, name in (
        ({"check": "call", "names": ["print"]}, "no-print"),
        ({"check": "layer", "from": "a/core", "to": "a/ui"}, "a-core-without-a-ui"),
        ({"check": "naming", "of": ["function"], "style": "snake_case"},
         "function-names-snake-case"),
        ({"check": "handler"}, "no-empty-handler"),
        ({"check": "await", "outside": ["try"]}, "no-await-outside-try"),
        ({"check": "companion", "names": [".lock"], "needs": [".unlock"]}, "lock-with-unlock"),
    ):  # fmt: skip
        made = patterns.pattern_name_from_rule(rule.rule_from_json(message))
        assert made == name and patterns.is_valid_pattern_name(made)
