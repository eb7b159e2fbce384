"""The token estimate and the cut that keeps to it."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from gitmem.text.tokens import clip_to_tokens, estimate_tokens
from tests.support.tables import table

TEXTS = st.text(max_size=200) | st.text("aB1_ .,\n()漢é", max_size=200)


@table(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("hello world", 2),
        ("implementation", 3),
        ("2026-11-21", 6),
        ("漢字かな交じり文", 8),
        ("Привет", 3),
        ("🎉", 2),
        ("\n\n        return x", 4),
        ("x" * 60, 12),
    ],
)
def test_the_kind_of_character_decides(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_prose_and_code_cost_a_little_more_than_real_tokenizers_count() -> None:
    # 10 and 15 tokens in widely used vocabularies; the estimate leans to the high side.
    assert 10 <= estimate_tokens("The quick brown fox jumps over the lazy dog.") <= 13
    assert 12 <= estimate_tokens("def add(first: int, second: int) -> int:") <= 24


@given(TEXTS)
def test_an_estimate_is_never_below_a_sixth_of_the_length(text: str) -> None:
    assert estimate_tokens(text) >= len(text) / 6


@given(TEXTS, TEXTS)
def test_splitting_a_text_changes_the_sum_by_at_most_one(a: str, b: str) -> None:
    assert estimate_tokens(a + b) <= estimate_tokens(a) + estimate_tokens(b) + 1


@given(TEXTS, TEXTS)
def test_a_longer_text_never_costs_less(a: str, b: str) -> None:
    assert estimate_tokens(a) <= estimate_tokens(a + b)


@given(TEXTS, st.integers(-1, 80))
def test_clipped_text_fits_and_is_a_beginning(text: str, budget: int) -> None:
    cut = clip_to_tokens(text, budget)
    assert estimate_tokens(cut) <= max(budget, 0)
    assert cut == text or cut == "" or (cut[-4:] == " ..." and text.startswith(cut[:-4]))


@given(TEXTS)
def test_text_within_the_budget_is_left_alone(text: str) -> None:
    assert clip_to_tokens(text, estimate_tokens(text)) == text


def test_the_cut_is_at_a_word_boundary() -> None:
    assert clip_to_tokens("alpha beta gamma delta epsilon", 5) == "alpha beta gamma ..."


def test_a_text_without_blanks_is_cut_inside() -> None:
    assert clip_to_tokens("漢" * 50, 10) == "漢" * 8 + " ..."


def test_a_large_text_is_estimated_fast() -> None:
    text = "def load(path): return json.loads(path.read_text())\n" * 20_000
    begin = time.process_time()
    assert estimate_tokens(text) > len(text) / 6
    assert len(clip_to_tokens(text, 500)) < 3000
    assert time.process_time() - begin < 2.0
