"""Our tokenizer against Hugging Face's, over the vocabulary that is shipped."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.embedding.builtin import TABLE
from gitmem.embedding.table import ModelTable
from gitmem.embedding.wordpiece import split_words, word_piece_ids

SAMPLES = [
    "The quick brown fox doesn't jump over 3.14 lazy dogs!",
    "def getHTTPResponse(self, max_size=10): return self._x[0] != None",
    "Überraschung, naïve café, résumé; ÀÉÎÕÜ Å",
    "Straße İstanbul ΣΊΣΥΦΟΣ ΟΔΟΣ",
    "汉字 and 日本語のテキスト with한국어",
    "Привет, мир! Дом-сервер",
    "\u0915\u094d\u0937 \u0e20\u0e32\u0e29\u0e32 שלום مرحبا",
    "emoji 🙂 and 👨‍👩‍👧 joined, fullwidth ＡＢＣ１２３",
    "tabs\tnew\nlines\r\nno\u00a0break\u2003space\u3000wide",
    "null\x00bell\x07vertical\x0btab\x0cfeed\x1funit\x7fdelete\ufffdlost\u200bzero\u00adsoft",
    "«quotes» “curly” — dash … ellipsis ¿qué? $5 €6 a+b=c ^ ` ~ |",
    "a" * 100 + " " + "a" * 101,
    "unaffable preprocessing tokenization antidisestablishmentarianism",
    "ﬁ ligature ½ ² ① Ⅳ ǅ",
    "e\u0301 combining, \u0301alone",
    "",
    "   \n ",
]


@pytest.fixture(scope="module")
def table() -> Iterator[ModelTable]:
    opened = ModelTable(TABLE)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def reference(table: ModelTable) -> Any:
    tokenizers = pytest.importorskip("tokenizers", reason="only compared where it is installed")
    vocabulary = {table.piece_text(number).decode(): number for number in range(table.pieces)}
    vocabulary["[UNK]"] = table.pieces
    model = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]"))
    model.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    model.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    return model


def expected(reference: Any, text: str) -> list[str]:
    """What Hugging Face says, less the words that it cannot spell."""
    return [token for token in reference.encode(text).tokens if token != "[UNK]"]


def ours(table: ModelTable, text: str) -> list[str]:
    numbers = [
        number
        for word in split_words(text)
        for number in word_piece_ids(word, table.find_piece_number)
    ]
    return [table.piece_text(number).decode() for number in numbers]


@pytest.mark.parametrize("text", SAMPLES, ids=range(len(SAMPLES)))
def test_varied_text_is_cut_as_hugging_face_cuts_it(
    reference: Any, table: ModelTable, text: str
) -> None:
    assert ours(table, text) == expected(reference, text)


def is_settled(char: str) -> bool:
    """Whether a character is what it was in Unicode 3.2: the two sides' tables differ in age."""
    kind = unicodedata.ucd_3_2_0.category(char)
    return kind not in {"Cn", "Co", "Cs"} and kind == unicodedata.category(char)


LETTERS = st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]).filter(is_settled)


@given(st.text(LETTERS | st.sampled_from("abc .,-_'AZ09\n"), max_size=60))
def test_random_text_is_cut_as_hugging_face_cuts_it(
    reference: Any, table: ModelTable, text: str
) -> None:
    assert ours(table, text) == expected(reference, text)


@pytest.mark.parametrize("number", [0, 1, 500, -1])
def test_source_files_are_cut_as_hugging_face_cuts_them(
    reference: Any, table: ModelTable, number: int
) -> None:
    with open(__file__, encoding="utf-8") as file:
        lines = file.read().splitlines()
    text = "\n".join(lines[number % len(lines) :])
    assert ours(table, text) == expected(reference, text)


def test_a_word_that_cannot_be_spelt_has_no_pieces() -> None:
    known = {b"ab": 0, b"##c": 1}
    assert word_piece_ids("abc", lambda piece: known.get(piece, -1)) == [0, 1]
    assert word_piece_ids("abd", lambda piece: known.get(piece, -1)) == []


@given(st.text(max_size=80))
def test_no_text_breaks_the_tokenizer(text: str) -> None:
    assert all(word and not word.isspace() for word in split_words(text))
