"""Our lines in other people's scripts and texts: every byte comes back (S-12)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.agents.wiring import edit_text
from gitmem.agents.wiring.edit_text import MARKS as TEXT
from gitmem.agents.wiring.templates import BLOCK, ConfigFragment
from gitmem.errors import InvalidInput
from gitmem.githooks.shims import MARKS as SCRIPT
from gitmem.text import marked_block
from tests.support.tables import table

LINES = SCRIPT.begin + b" note\nfirst\nlast " + SCRIPT.end + b"\n"
NEWER = SCRIPT.begin + b" note\nother " + SCRIPT.end + b"\n"
BODY = st.binary(max_size=200).filter(lambda b: b"gitmem" not in b)
RULES = b"<!-- " + TEXT.begin + b" -->\nread this\n<!-- " + TEXT.end + b" -->\n"


@given(BODY)
def test_putting_in_and_taking_out_gives_back_every_byte(body: bytes) -> None:
    script = b"#!/bin/sh" + body
    assert (
        marked_block.remove_block(marked_block.put_block(script, LINES, SCRIPT), SCRIPT) == script
    )


@given(BODY)
def test_putting_in_twice_is_the_same_as_once_and_a_newer_block_replaces(body: bytes) -> None:
    script = b"#!/bin/sh" + body
    once = marked_block.put_block(script, LINES, SCRIPT)
    assert marked_block.put_block(once, LINES, SCRIPT) == once
    assert marked_block.put_block(once, NEWER, SCRIPT) == marked_block.put_block(
        script, NEWER, SCRIPT
    )
    assert marked_block.extract_block(once, SCRIPT) == LINES


def test_the_lines_stand_right_below_the_first() -> None:
    assert (
        marked_block.put_block(b"#!/bin/sh\nexec x\n", LINES, SCRIPT)
        == b"#!/bin/sh\n" + LINES + b"exec x\n"
    )


def test_what_a_user_wrote_around_our_lines_stays() -> None:
    script = marked_block.put_block(b"#!/bin/sh\none\n", LINES, SCRIPT) + b"two\n"
    assert marked_block.remove_block(script, SCRIPT) == b"#!/bin/sh\none\ntwo\n"


@table("text", [b"# Mine\n", b"# Mine", b"a\r\nb\r\n", b"\n", b"x\n\n", b"a\r\nb"])
def test_lines_come_and_go(text: bytes) -> None:
    made = marked_block.put_block(text, RULES, TEXT)
    assert marked_block.has_block(made, TEXT) and made.startswith(text)
    assert marked_block.put_block(made, RULES, TEXT) == made
    assert marked_block.remove_block(made, TEXT) == text


def test_an_older_block_is_exchanged_where_it_stands() -> None:
    old = b"a\n\n" + RULES.replace(b"this", b"that") + b"\nb\n"
    assert marked_block.put_block(old, RULES, TEXT) == b"a\n\n" + RULES + b"\nb\n"


@given(BODY.filter(bool))
def test_any_text_comes_back_byte_for_byte(text: bytes) -> None:
    assert marked_block.remove_block(marked_block.put_block(text, RULES, TEXT), TEXT) == text


def test_a_file_of_our_own_goes_as_a_whole() -> None:
    head = b"---\nx: 1\n---\n"
    made = marked_block.put_block(b"", RULES, TEXT, head)
    assert made == head + RULES
    assert marked_block.remove_block(made, TEXT, head) == b""


@pytest.mark.parametrize("text", [TEXT.begin, TEXT.end, RULES * 2, TEXT.end + b" " + TEXT.begin])
def test_marks_that_stand_around_no_lines_are_damaged(text: bytes) -> None:
    assert marked_block.is_block_damaged(text, TEXT)
    assert not marked_block.is_block_damaged(b"a\n" + RULES, TEXT)
    with pytest.raises(InvalidInput, match="damaged"):
        edit_text.parse(text.decode())


def test_anothers_text_in_the_place_of_a_file_of_our_own_is_left() -> None:
    piece = ConfigFragment("cursor", "rules", BLOCK, (), RULES.decode(), "---\n")
    with pytest.raises(InvalidInput, match="did not write"):
        edit_text.insert_fragments("anothers", [piece])
