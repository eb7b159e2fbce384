"""Questions that a number answers, and the lines that tell it."""

from __future__ import annotations

from gitmem.search import asked_value
from gitmem.search.asked_value import best_line_with_number

RARITY = {"kotlin": 2.0, "version": 1.0, "built": 1.0}


def test_which_questions_ask_for_a_number() -> None:
    for text, expected in (
        ("Which Kotlin version is it built with?", True),
        ("What is the oldest compiler that it builds with?", True),
        ("How many old queries are kept?", True),
        ("How long does a request wait?", True),
        ("What exit code does it give?", True),
        ("What is the default port?", True),
        ("Which code sorts short slices?", False),
        ("Where is the number of threads set?", False),
        ("How do I limit the number of threads?", False),
        ("Which test checks the exit code?", False),
        ("Who calls load_config?", False),
    ):
        assert asked_value.asks_for_number(text) == expected, text


def test_the_line_that_tells_it_says_little_else() -> None:
    lines = {
        1: "[versions]",
        2: 'kotlin = "2.2.21"',
        3: 'kotlin-test-common = { module = "kotlin-test-common", since = "1.9" }',
        4: 'kotlin-gradle = { version.ref = "kotlin" }',
        5: "version of Kotlin it is built with: 2 " + 240 * "x",
    }
    found = best_line_with_number("gradle/libs.versions.toml", lines, RARITY, {})
    assert found is not None and found[0] == 2
    assert best_line_with_number("a.toml", {1: "jlink = 0.9", 2: "kotlin"}, RARITY, {}) is None
    assert best_line_with_number("a.toml", {}, RARITY, {}) is None


def test_every_manifest_has_a_version_of_its_own() -> None:
    assert asked_value.idf_for_number_question({"version": 1.0, "node": 2.0}) == {
        "version": 0.5,
        "node": 2.0,
    }


def test_a_digit_of_a_name_is_no_number() -> None:
    for text, tells in (
        ("pip3 install it", False),
        ("utf8", False),
        ("uses: actions/setup-go@v5", True),
        ("go 1.23", True),
        ('"node": ">=22"', True),
        ("GOLANGCI_VERSION=1.53.3", True),
        ("-Dorg.gradle.jvmargs=-Xmx4g", True),
    ):
        assert asked_value.has_number(text) == tells, text


def test_a_file_that_holds_nothing_but_a_version_is_reported_by_its_name() -> None:
    rarity = {"node": 2.0, "need": 1.0}
    own = best_line_with_number(".node-version", {1: "22.14.0"}, rarity, {})
    other = best_line_with_number(".ruby-version", {1: "3.4"}, rarity, {})
    assert own is not None and other is not None and own[1] > other[1]


def test_words_that_code_uses_count_too() -> None:
    assert best_line_with_number("Cargo.toml", {4: 'rust = "1.85"'}, {"compiler": 3.0}, {}) is None
    found = best_line_with_number(
        "Cargo.toml", {4: 'rust = "1.85"'}, {"compiler": 3.0}, {"rust": 3.0}
    )
    assert found is not None and found[0] == 4
