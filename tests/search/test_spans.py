"""The lines of a piece that answer, chosen when it is asked (CE-4)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.search.spans import (
    GATE,
    MERGED,
    MOST_OF_ONE,
    OPENING,
    LineSpan,
    ScoredChunk,
    choose_line_spans,
    extend_short_span,
    widen_span_to_symbol,
)

FILLER = "\n".join(f"    step_{number} = prepare(value, {number})" for number in range(30))
TEXT = f"def load():\n{FILLER}\n    retry = backoff(redis)\n{FILLER}\n    return redis\n"


def lines(found: list[LineSpan]) -> list[tuple[int, int]]:
    return [(item.first, item.last) for item in found]


def test_the_lines_that_hold_most_of_the_question_come_first() -> None:
    (found,) = choose_line_spans([ScoredChunk(1.0, 10, TEXT)], {"redis": 2.0, "backoff": 3.0})
    first, second = found
    assert first.first <= 41 <= first.last and first.last - first.first < 8
    assert second.first <= 72 <= second.last
    assert first.weight == 5.0 and second.weight == 2.0


def test_inflected_words_and_parts_of_names_count_and_lookalikes_do_not() -> None:
    for text, held in (
        ("x\n\n\n\n\n\n\n\nretryPolicy", True),
        ("x\n\n\n\n\n\n\n\nretries", True),
        ("x\n\n\n\n\n\n\n\nsentry_path", False),
    ):
        (found,) = choose_line_spans([ScoredChunk(1.0, 1, text)], {"retry": 1.0})
        assert (found[0].weight > 0) is held, text


def test_windows_close_together_become_one_span_with_its_best_place() -> None:
    far = "\n" * (MERGED + 40)
    text = f"redis\n\nredis backoff\n{far}redis"
    (found,) = choose_line_spans([ScoredChunk(1.0, 1, text)], {"redis": 1.0, "backoff": 1.0})
    assert found[0].first == 1 and found[0].weight == 2.0
    many = "\n".join(["redis " + "filler " * 16, *["filler " * 16] * 6] * 9)
    (several,) = choose_line_spans([ScoredChunk(1.0, 1, many)], {"redis": 1.0})
    assert len(several) == MOST_OF_ONE


def test_what_answers_without_a_word_shows_its_beginning() -> None:
    (found,) = choose_line_spans([ScoredChunk(0.4, 7, TEXT)], {"nothing": 1.0})
    assert lines(found) == [(7, 7 + OPENING - 1)]
    assert choose_line_spans([ScoredChunk(0.4, 7, " \n\n")], {"x": 1.0}) == [[]]


def test_the_gate_lets_through_what_is_heaviest_of_all_pieces() -> None:
    much = "\n".join(["redis " + "filler " * 40] * (GATE + 50))
    loud, quiet = choose_line_spans(
        [ScoredChunk(1.0, 1, much), ScoredChunk(0.1, 1, TEXT)], {"redis": 1.0}
    )
    assert loud[0].weight == 1.0
    assert quiet[0].weight == 0.0  # only its beginning: no window of it passed


def test_a_span_grows_to_the_smallest_symbol_around_it_that_is_not_too_long() -> None:
    span = LineSpan(0, 20, 22, 1.0, 20)
    for around, within, most, expected in (
        ([(1, 200), (15, 30)], (1, 300), 80, (15, 30)),
        ([(1, 200)], (1, 300), 80, (20, 22)),
        ([(1, 200)], (10, 60), 80, (10, 60)),  # no further than the piece
        ([(21, 40)], (1, 300), 80, (20, 22)),  # it does not hold all of it
        ([(11, 90)], (1, 300), 80, (11, 90)),
        ([(11, 91)], (1, 300), 80, (20, 22)),
        ([], (1, 300), 80, (20, 22)),
    ):
        assert widen_span_to_symbol(span, around, within, most) == expected, around


def test_a_line_alone_is_shown_with_what_follows_else_with_what_leads_to_it() -> None:
    for lines_, within, expected in (
        ((42, 42), (42, 70), (42, 45)),
        ((42, 42), (40, 43), (40, 43)),
        ((42, 42), (1, 42), (39, 42)),
        ((42, 42), (42, 42), (42, 42)),
        ((42, 44), (1, 90), (42, 45)),
        ((42, 60), (1, 90), (42, 60)),
    ):
        assert extend_short_span(lines_, within) == expected


@given(st.text(max_size=400), st.text(min_size=1, max_size=6), st.integers(1, 50))
def test_every_span_lies_in_its_piece(text: str, word: str, start: int) -> None:
    (found,) = choose_line_spans([ScoredChunk(1.0, start, text)], {word: 1.0})
    last = start + text.count("\n")
    for item in found:
        assert start <= item.first <= item.peak <= item.last <= last
