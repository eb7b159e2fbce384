"""Names taken apart, in agreement with the tokenizer of SQLite's FTS5."""

from __future__ import annotations

import apsw
from hypothesis import given
from hypothesis import strategies as st

from gitmem.text.identifiers import (
    is_in_unspaced_script,
    split_identifiers,
    words_and_identifier_parts,
)
from tests.support.tables import table

TEXTS = st.text("aBcD_1 .-/éÉñ́ßДж漢", max_size=40) | st.text(max_size=40)


@table(
    ("text", "parts"),
    [
        ("HTTPServer", "http server"),
        ("getHTTPResponseCode2", "get http response code 2"),
        ("snake_case__twice_", "snake case twice"),
        ("kebab-case and.dotted.path", "kebab case and dotted path"),
        ("src/gitmem/textFence.py", "src gitmem text fence py"),
        ("MAX_SIZE = 10", "max size 10"),
        ("utf8Decoder", "utf 8 decoder"),
        ("ÜberGrößeX", "über größe x"),
        ("ДомСервер", "дом сервер"),
        ("XMLДокумент", "xml документ"),
        ("我们用中文写", "我们 们用 用中 中文 文写"),
        ("redis缓存_写X", "redis 缓存 写 x"),
        ("한국어", "한국 국어"),
        ("...", ""),
    ],
)
def test_an_identifier_is_cut_into_lower_case_parts(text: str, parts: str) -> None:
    assert " ".join(split_identifiers(text)) == parts


@table(
    ("text", "words"),
    [
        ("HTTPServer", "httpserver http server"),
        ("plain words plain", "plain words"),
        ("Plain HTTP", "plain http"),
        ("max_size2 max", "max_size2 max size 2"),
        ("_ __", ""),
    ],
)
def test_terms_are_whole_words_and_parts_each_once(text: str, words: str) -> None:
    assert " ".join(words_and_identifier_parts(text)) == words


def fts5_words(text: str) -> set[str]:
    db = apsw.Connection(":memory:")
    db.execute(
        "CREATE VIRTUAL TABLE t USING fts5(x,"
        " tokenize=\"unicode61 remove_diacritics 0 tokenchars '_'\");"
        "CREATE VIRTUAL TABLE v USING fts5vocab(t, row)"
    )
    db.execute("INSERT INTO t VALUES (?)", (text,))
    return {row[0] for row in db.execute("SELECT term FROM v")}


@given(st.text("aBcD_1 .-/éÉñДж漢字\n()\"'", max_size=60))
def test_the_whole_words_are_those_of_fts5(text: str) -> None:
    words = {word for word in fts5_words(text) if word.strip("_")}
    assert words <= set(words_and_identifier_parts(text))
    assert set(words_and_identifier_parts(text)) <= words | set(split_identifiers(text))


CJK = st.text("我们用中文写かな한글𠀀", min_size=2, max_size=12)


@given(CJK, CJK, CJK)
def test_any_two_letters_and_more_of_a_run_without_spaces_are_found(
    before: str, word: str, after: str
) -> None:
    """Question and text are cut alike: the pairs of a part stand side by side in the whole."""
    whole, part = split_identifiers(before + word + after), split_identifiers(word)
    assert any(whole[at : at + len(part)] == part for at in range(len(whole)))
    assert set(part) <= set(words_and_identifier_parts(before + word + after))


@given(TEXTS.filter(lambda text: not any(map(is_in_unspaced_script, text))))
def test_parts_contain_every_letter_and_digit_once(text: str) -> None:
    letters = [c for c in text if c.isalnum()]
    assert "".join(c for c in "".join(split_identifiers(text)) if c.isalnum()) == "".join(
        letters
    ).lower() or (
        not text.isascii()  # lower() of some letters depends on their neighbours
    )


@given(TEXTS)
def test_all_terms_are_lower_case_and_not_empty(text: str) -> None:
    for term in [*words_and_identifier_parts(text), *split_identifiers(text)]:
        assert term == term.lower() or not term.isascii()
        assert term.strip("_")
