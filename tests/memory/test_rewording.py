"""What tells two texts of nearly the same words apart, and what only words them otherwise."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.memory import dedupe, rewording
from tests.support.tables import table

WORDS = st.sampled_from(["the", "cache", "not", "after", "deploys", "must", "be", "run", "6380"])
TEXTS = st.lists(WORDS, max_size=7).map(" ".join)


def replaced(first: str, other: str) -> tuple[set[str], set[str]]:
    left, right = rewording.replaced_words(
        dedupe.read_content_words(first).words, dedupe.read_content_words(other).words
    )
    return set(left), set(right)


def turned(first: str, other: str) -> bool:
    return rewording.differ_in_meaning(
        dedupe.read_content_words(first).words, dedupe.read_content_words(other).words
    )


@table(
    ("text", "other"),
    [
        ("The cache must be restarted", "The cache has to be restarted"),
        ("Alice owns billing", "The owner of billing is Alice"),
        ("Bob is responsible", "It is Bob's responsibility"),
        ("Passwords are logged", "Log passwords"),
        ("Use UTC for timestamps", "Timestamps should be in UTC"),
        ("Use flags to roll out risky changes", "Risky changes are rolled out with flags"),
        ("Turn off the lamp in hall 2", "In hall 2 the lamp is turned off"),
        ("Call the proxy", "The proxy is called"),
    ],
)
def test_function_words_and_forms_of_a_word_replace_nothing(text: str, other: str) -> None:
    assert not all(replaced(text, other))
    assert not turned(text, other)


@table(
    ("text", "other", "words"),
    [
        ("Alice owns billing", "Carol owns billing", ({"alice"}, {"carol"})),
        ("Enable gzip", "Disable gzip", ({"enable"}, {"disable"})),
        ("Reset it each night", "Reset it each week", ({"night"}, {"week"})),
        ("The server retries", "The service retries", ({"server"}, {"service"})),
    ],
)
def test_a_word_in_place_of_another_is_reported(
    text: str, other: str, words: tuple[set[str], set[str]]
) -> None:
    assert replaced(text, other) == words


@table(
    ("text", "other", "is_turned"),
    [
        ("Run the linter before you commit", "Before committing run the linter", False),
        ("Rows without an id are skipped", "Rows that have no id are skipped", False),
        ("It is not protected by a password", "There is no password on it", False),
        ("Drop Python 3.7", "Python 3.7 is not supported", False),
        ("It sleeps when the queue is empty", "It sleeps if the queue is empty", False),
        ("It cannot be parsed", "It could not be parsed", False),
        ("Rows without an id are skipped", "Rows with an id are skipped", True),
        ("Deploy web after api", "Deploy api after web", True),
        ("Use tabs instead of spaces", "Use spaces instead of tabs", True),
        ("Use tabs, not spaces", "Use spaces, not tabs", True),
        ("Copy it from left to right", "Copy it from right to left", True),
        ("Only admins delete it", "Admins delete it", True),
        ("Close it before the deploy", "Close it after the deploy", True),
    ],
)
def test_a_denial_or_a_bound_has_to_be_of_the_same(text: str, other: str, is_turned: bool) -> None:
    assert turned(text, other) == is_turned
    assert turned(other, text) == is_turned


@table(
    ("text", "other", "is_opposite"),
    [
        ("enable", "disable", True),
        ("enabled", "disabling", True),
        ("asynchronous", "synchronous", True),
        ("signed", "unsigned", True),
        ("lock", "unlock", True),
        ("cache", "queue", False),
        ("form", "inform", False),
        ("port", "import", False),
        ("play", "display", False),
        ("connect", "disconnect", True),
        ("it", "unit", False),
    ],
)
def test_opposites_stand_in_a_table_or_have_a_prefix(
    text: str, other: str, is_opposite: bool
) -> None:
    assert rewording.are_opposites(text, other) == is_opposite
    assert rewording.are_opposites(other, text) == is_opposite


@given(TEXTS, TEXTS)
def test_who_came_first_does_not_matter_and_no_text_is_apart_from_itself(
    one: str, other: str
) -> None:
    assert not turned(one, one)
    assert replaced(one, one) == (set(), set())
    assert turned(one, other) == turned(other, one)
    assert replaced(one, other) == replaced(other, one)[::-1]
