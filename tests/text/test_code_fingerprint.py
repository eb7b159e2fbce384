"""A block is known again in its text however that is indented, and nowhere else (ML-1)."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from gitmem.text import code_fingerprint, redact
from gitmem.text.code_fingerprint import SearchableText
from tests.support.secrets import SECRET
from tests.support.timing import assert_linear, seconds

LINES = st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=20),
    min_size=1,
    max_size=12,
)
BLANK = st.text(st.sampled_from(" \t\r\n"), max_size=3)
CODE = """import os


def connect(host, port=6380):
    socket = open_socket(host, port)
    return socket.ready(timeout=30)


def close(socket):
    socket.shutdown()
"""


def block(first: int, last: int, text: str = CODE) -> code_fingerprint.Fingerprint:
    return code_fingerprint.fingerprint_of_block(text.split("\n")[first - 1 : last], text)


def test_a_block_stands_where_it_was_taken() -> None:
    assert code_fingerprint.find_block(block(4, 6), CODE) == [(4, 6)]


def test_a_block_is_found_where_lines_were_put_before_it() -> None:
    assert code_fingerprint.find_block(block(4, 6), "# new\n\n" + CODE) == [(6, 8)]


def test_an_edited_block_does_not_stand() -> None:
    assert code_fingerprint.find_block(block(4, 6), CODE.replace("timeout=30", "timeout=31")) == []


def test_a_block_whose_first_line_was_wrapped_onto_another_still_stands() -> None:
    wrapped = CODE.replace("\n\n\ndef connect(host, port", "; def connect(\n  host,\n  port")
    assert code_fingerprint.find_block(block(4, 6), wrapped) == [(1, 5)]


def test_every_place_of_a_repeated_block_is_found_and_the_nearest_is_reported() -> None:
    text = CODE + CODE
    places = code_fingerprint.find_block(block(4, 6), text)
    assert places == [(4, 6), (14, 16)]
    assert code_fingerprint.nearest_occurrence(places, 13) == (14, 16)


def test_a_block_of_blank_lines_has_no_size_and_stands_nowhere() -> None:
    print = block(2, 3)
    assert print.size == 0
    assert code_fingerprint.find_block(print, CODE) == []


@given(LINES, st.data())
def test_a_block_stands_in_its_text_whatever_white_space_is_put_in(
    lines: list[str], data: st.DataObject
) -> None:
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first, len(lines) - 1))
    print = code_fingerprint.fingerprint_of_block(lines[first : last + 1], "\n".join(lines))
    ends = data.draw(st.sampled_from(["\n", "\r\n", "\n\n"]))
    text = ends.join(data.draw(BLANK) + line + data.draw(BLANK) for line in lines)
    assert bool(code_fingerprint.find_block(print, text)) == bool(print.size)


@given(LINES, LINES)
def test_what_is_found_is_the_block_and_what_is_not_found_is_not_there(
    lines: list[str], others: list[str]
) -> None:
    print, text = code_fingerprint.fingerprint_of_block(lines), "\n".join(others)
    expected = code_fingerprint.without_white_space("\n".join(lines))
    found = code_fingerprint.find_block(print, text)
    assert bool(found) == (
        bool(expected) and expected in code_fingerprint.without_white_space(text)
    )
    for first, last in found:
        assert expected in code_fingerprint.without_white_space("\n".join(others[first - 1 : last]))


@given(LINES)
def test_a_fingerprint_is_read_back_as_it_was_written(lines: list[str]) -> None:
    for print in (
        code_fingerprint.fingerprint_of_block(lines),
        code_fingerprint.fingerprint_of_file("\n".join(lines)),
    ):
        assert code_fingerprint.from_json(code_fingerprint.to_json(print)) == print


@given(st.one_of(st.text(max_size=30), st.sampled_from(['{"size": -1}', '{"probes": 3}', "[]"])))
def test_what_is_no_fingerprint_is_read_as_an_empty_one(text: str) -> None:
    print = code_fingerprint.from_json(text)
    assert code_fingerprint.find_block(print, CODE) == []
    assert code_fingerprint.fraction_retained(print, CODE) == 0


@given(LINES)
def test_all_of_a_file_is_retained_in_itself_in_another_order(lines: list[str]) -> None:
    print = code_fingerprint.fingerprint_of_file("\n".join(lines))
    assert code_fingerprint.fraction_retained(print, "\n".join(reversed(lines))) == (
        1.0 if print.sketch else 0.0
    )


def test_half_of_a_file_is_retained_where_half_of_its_lines_are_gone() -> None:
    text = "\n".join(f"line number {number}" for number in range(40))
    assert (
        code_fingerprint.fraction_retained(
            code_fingerprint.fingerprint_of_file(text), text[: len(text) // 2]
        )
        < 0.7
    )
    assert (
        code_fingerprint.fraction_retained(
            code_fingerprint.fingerprint_of_file(text), "nothing of it"
        )
        == 0
    )


def test_the_probes_are_lines_as_written_with_the_most_names() -> None:
    print = block(1, 10)
    assert print.probes[0] == "socket = open_socket(host, port)"
    assert len(print.probes) == code_fingerprint.MOST_PROBES


def test_a_long_probe_ends_with_a_whole_word() -> None:
    line = "call(" + ", ".join(f"argument_{number}" for number in range(40)) + ")"
    (probe,) = code_fingerprint.fingerprint_of_block([line]).probes
    assert len(probe) <= code_fingerprint.LONGEST_PROBE
    assert line.startswith(probe)
    assert probe.endswith(",")


def test_nothing_of_a_secret_is_in_a_fingerprint() -> None:
    text = f"token = '{SECRET}'\nurl = open_connection(host)\n"
    assert redact.redact(text).found, "else nothing is shown here"
    print = code_fingerprint.fingerprint_of_block(text.split("\n"), text)
    assert SECRET[4:20] not in code_fingerprint.to_json(print)
    assert print.start == ""
    assert code_fingerprint.find_block(print, "\n  " + text) == [(2, 3)]


def test_lines_inside_a_key_leave_no_trace_though_alone_they_look_harmless() -> None:
    body = ["MIIEpAIBAAKCAQEA7bq1" + "abcdXYZ0" * 5 for _ in range(4)]
    kind = "RSA PRIVATE" + " KEY"
    text = "\n".join([f"-----BEGIN {kind}-----", *body, f"-----END {kind}-----"])
    print = code_fingerprint.fingerprint_of_block(body, text)
    assert body[0][:20] not in code_fingerprint.to_json(print)
    assert code_fingerprint.find_block(print, text) == [(2, 5)]


def test_the_rest_of_a_changed_block_is_found_by_its_lines() -> None:
    changed = "# one\n# two\n" + CODE.replace("timeout=30", "timeout=60")
    assert code_fingerprint.find_remaining_lines(block(4, 6), changed) == (6, 7)
    assert code_fingerprint.find_remaining_lines(block(4, 6), "nothing\nof\nit\n") is None


def test_the_names_that_are_gone_are_reported() -> None:
    changed = CODE.replace("open_socket", "dial")
    assert code_fingerprint.missing_names(block(4, 6), changed) == ("open_socket",)


def test_a_file_is_searched_in_a_time_that_grows_as_it_does() -> None:
    """Two milliseconds for 3,000 lines on a quiet machine."""
    lines = [f"    value_{number} = compute(name, {number})" for number in range(60_000)]
    print = code_fingerprint.fingerprint_of_block(lines[2000:2020], "\n".join(lines[:3000]))

    def search(count: int) -> None:
        assert code_fingerprint.find_block(print, SearchableText("\n".join(lines[:count]))) == [
            (2001, 2020)
        ]

    assert_linear(search, 60_000)
    assert seconds(lambda: search(3_000)) < 0.2


def test_a_text_that_begins_alike_everywhere_is_searched_in_bounded_time() -> None:
    text = "0 " * 100_000
    print = code_fingerprint.fingerprint_of_block(["0" * 5_000 + "1"])
    begin = time.process_time()
    assert code_fingerprint.find_block(print, text) == []
    assert time.process_time() - begin < 2
