"""Two questions in one: where they are cut, and what is never cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.search import query, question_parts
from gitmem.search.question_parts import LONGEST, MOST

CUT = {
    "who may publish a release and where is the token kept": (
        "who may publish a release",
        "where is the token kept",
    ),
    "Who may publish a release? Where is the token kept?": (
        "Who may publish a release?",
        "Where is the token kept?",
    ),
    "where is the retry limit set; which errors are tried again": (
        "where is the retry limit set",
        "which errors are tried again",
    ),
    "Please tell me how sessions are signed, and also why cookies are encrypted": (
        "Please tell me how sessions are signed",
        "why cookies are encrypted",
    ),
    "Is the queue drained at night? Does anybody watch the workers?": (
        "Is the queue drained at night?",
        "Does anybody watch the workers?",
    ),
    "what calls `a and where` in parse_config and how is the cache cleared": (
        "what calls `a and where` in parse_config",
        "how is the cache cleared",
    ),
    "where is the retry limit set and in which file are errors listed": (
        "where is the retry limit set",
        "in which file are errors listed",
    ),
    "what reads the settings or who writes the defaults; how are secrets masked": (
        "what reads the settings",
        "who writes the defaults",
        "how are secrets masked",
    ),
}
WHOLE = (
    # One of the halves says nothing by itself.
    "when and where are backups made",
    "who wrote the parser and why",
    "what is the retry limit and what is it",
    # The second refers back to the first.
    "where is the release token and who may read it",
    "which tests are slow and why are they skipped here",
    # Both stand below one question.
    "where is it decided what is kept here and what is dropped there",
    "how do we know which tests failed here and which tests passed there",
    # What is no question is no half of one.
    "fix the parser; add a test for the cache",
    "redis port and where clause builder",
    "Can you check the config? I think the port is wrong",
    # Quotes, code and brackets.
    'find "who may publish a release and where is the token kept"',
    "what does `who am i; where am i now` print in the shell",
    "where is the loop (for each part; which part is last)",
    "for (i = 0; i < n; i++) where is this loop written",
    # A name, a path, nothing.
    "RedisPool",
    "src/and/where/is.py",
    "",
    " ? ; and where ",
)


def test_whole_questions_are_cut() -> None:
    for text, parts in CUT.items():
        assert query.split_text_into_questions(text) == parts, text


def test_what_is_one_question_stays_whole() -> None:
    for text in WHOLE:
        assert query.split_text_into_questions(text) == (text,), text


def test_what_is_pasted_stays_whole() -> None:
    text = next(iter(CUT))
    assert query.split_text_into_questions(f"{text}\n") == (f"{text}\n",)
    long = f"{text} {'again ' * LONGEST}"
    assert query.split_text_into_questions(long) == (long,)
    many = "? ".join(["where is the token kept"] * (MOST + 1))
    assert query.split_text_into_questions(many) == (many,)


@given(st.lists(st.sampled_from(["who may ", "where is ", "and ", "? ", "; ", '"', "`", "a key "])))
def test_nothing_that_tells_is_lost(some: list[str]) -> None:
    text = "".join(some)
    parts = query.split_text_into_questions(text)
    assert parts == question_parts.split_questions(text)
    assert all(part in text for part in parts)
    assert sum(part.count("key") for part in parts) == text.count("key")
