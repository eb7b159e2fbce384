"""From a question to FTS5 expressions: pure, and never syntax."""

from __future__ import annotations

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.errors import InvalidInput
from gitmem.search.limits import LONGEST
from gitmem.search.query import (
    MOST_TERMS,
    inverse_document_frequency,
    parse_terms,
    phrase_fts_expression,
    selective_fts_expression,
)
from gitmem.text.stop_words import PASSED_OVER
from tests.support.tables import table

TABLE = apsw.Connection(":memory:")
TABLE.execute("CREATE VIRTUAL TABLE t USING fts5(body, tokenize='unicode61')")
TABLE.execute("INSERT INTO t VALUES ('redis AND port OR parse user name')")


@given(st.text(max_size=80))
def test_every_question_is_valid_for_the_full_text_engine(text: str) -> None:
    try:
        terms = parse_terms(text.encode("utf-8", "replace").decode())
    except InvalidInput:
        return
    assert 0 < len(terms) <= MOST_TERMS
    for common in (0, 10):
        expression = selective_fts_expression(terms, {term.expression: 5 for term in terms}, common)
        TABLE.execute("SELECT count(*) FROM t WHERE t MATCH ?", (expression,)).fetchall()


@given(st.lists(st.sampled_from(["redis", "port", "AND", "NOT", "cache"]), min_size=1, max_size=8))
def test_words_are_terms_once_and_stop_words_none(words: list[str]) -> None:
    labels = [term.label.lower() for term in parse_terms(" ".join(words))]
    assert len(labels) == len(set(labels))
    telling = {word.lower() for word in words} - PASSED_OVER
    assert set(labels) == (telling or {word.lower() for word in words})


def test_a_question_of_stop_words_alone_is_asked_as_it_is() -> None:
    assert [term.label for term in parse_terms("what is it to be or to do")] == [
        *("what", "is", "it", "to", "be", "or", "do"),
    ]


def test_a_word_that_denies_or_counts_is_looked_for() -> None:
    assert [term.label for term in parse_terms("why is it not in all of them")] == ["not", "all"]


def test_a_quoted_phrase_is_a_term_beside_its_words() -> None:
    terms = parse_terms('where is "redis port" set')
    assert terms[0].expression == '"redis port"'
    assert {term.label for term in terms} == {"redis port", "redis", "port", "set"}


def test_a_phrase_of_a_script_without_spaces_is_looked_for_by_its_pairs() -> None:
    """The index holds the pairs; the run they stand in is one word to the full-text engine."""
    assert phrase_fts_expression("redis port") == '"redis port"'
    assert phrase_fts_expression("中文写") == '("中文写" OR "中文 文写")'


def test_a_sentence_without_spaces_is_as_many_words_as_it_has_pairs() -> None:
    labels = [term.label for term in parse_terms("我们用中文写 redis")]
    assert labels == ["我们", "们用", "用中", "中文", "文写", "redis"]


def test_of_something_pasted_errors_names_and_paths_come_first() -> None:
    text = "some words of no weight " * 200 + "KeyError in loadConfig of src/app.py"
    labels = [term.label for term in parse_terms(text)]
    assert labels[:3] == ["KeyError", "loadConfig", "src"]
    assert len(labels) <= MOST_TERMS


def test_an_identifier_is_looked_for_whole_and_in_parts() -> None:
    for word, parts in (
        ("parseUserName", "parse user name"),
        ("HTTPServer2", "http server 2"),
        ("snake_case_name", "snake case name"),
    ):
        (term,) = parse_terms(word)
        assert (term.label, term.expression) == (word, f'("{word}" OR "{parts}")')
    assert phrase_fts_expression("word") == '"word"'


@table("text", ["", " ", "?!", "\x00", '""', "--", "x" * (LONGEST + 1)])
def test_a_question_without_words_or_without_end_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_terms(text)
    assert refused.value.hint


def test_rare_words_select_alone_and_common_ones_only_together() -> None:
    terms = parse_terms("alpha beta gamma")
    a, b, c = (term.expression for term in terms)
    assert selective_fts_expression(terms, {a: 1, b: 2, c: 3}, 10) == f"{a} OR {b} OR {c}"
    assert selective_fts_expression(terms, {a: 1, b: 20, c: 30}, 10) == f"{a} OR ({b} AND {c})"
    assert selective_fts_expression(terms, {a: 1, b: 20, c: 0}, 10) == a
    assert selective_fts_expression(terms, {a: 10, b: 20, c: 30}, 10) == f"{a} AND {b} AND {c}"
    assert selective_fts_expression(terms, {a: 0, b: 0, c: 0}, 10) == ""


def test_a_word_is_the_rarer_the_fewer_hold_it() -> None:
    found = [inverse_document_frequency(count, 4_000) for count in (0, 1, 50, 2_000, 4_000)]
    assert found == sorted(found, reverse=True) and found[-1] > 0
    assert inverse_document_frequency(5, 3) > 0  # counted in another moment than the total
