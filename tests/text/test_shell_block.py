"""Lines in other people's scripts: every byte comes back (S-12)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.text import shell_block
from tests.githooks import foreign
from tests.support.tables import table

LINES = shell_block.BEGIN + b" note\nfirst\nlast " + shell_block.END + b"\n"
NEWER = shell_block.BEGIN + b" note\nother " + shell_block.END + b"\n"
BODY = st.binary(max_size=200).filter(lambda b: b"gitmem hook" not in b)


@given(BODY)
def test_putting_in_and_taking_out_gives_back_every_byte(body: bytes) -> None:
    script = b"#!/bin/sh" + body
    assert shell_block.take_out(shell_block.put(script, LINES)) == script


@given(BODY)
def test_putting_in_twice_is_the_same_as_once_and_a_newer_block_replaces(body: bytes) -> None:
    script = b"#!/bin/sh" + body
    once = shell_block.put(script, LINES)
    assert shell_block.put(once, LINES) == once
    assert shell_block.put(once, NEWER) == shell_block.put(script, NEWER)
    assert shell_block.extract(once) == LINES


def test_the_lines_stand_right_below_the_first() -> None:
    assert shell_block.put(b"#!/bin/sh\nexec x\n", LINES) == b"#!/bin/sh\n" + LINES + b"exec x\n"


def test_what_a_user_wrote_around_our_lines_stays() -> None:
    script = shell_block.put(b"#!/bin/sh\none\n", LINES) + b"two\n"
    assert shell_block.take_out(script) == b"#!/bin/sh\none\ntwo\n"


@table("name", foreign.WELCOMING)
def test_shell_scripts_are_welcoming(name: str) -> None:
    assert shell_block.refusal(foreign.WELCOMING[name].encode()) == ""


@table(
    ("name", "reason"),
    [
        ("python", "run by python3"),
        ("polyglot", "another program"),
        ("binary", "not a script"),
        ("no first line", "first line does not name"),
        ("empty", "empty"),
        ("windows", "carriage return"),
        ("damaged", "damaged"),
    ],
)
def test_what_is_no_plain_shell_script_is_left_alone(name: str, reason: str) -> None:
    assert reason in shell_block.refusal(foreign.REFUSING[name])


@pytest.mark.parametrize(
    "first", [b"#!/bin/sh -e", b"#! /usr/bin/zsh", b"#!/usr/bin/env -S A=1 dash", b"#!/bin/bash"]
)
def test_every_known_shell_is_recognised(first: bytes) -> None:
    assert shell_block.refusal(first + b"\n") == ""


@pytest.mark.parametrize("first", [b"#!", b"#!/usr/bin/env", b"#!/usr/bin/fish", b"#!/bin/csh"])
def test_other_interpreters_are_not(first: bytes) -> None:
    assert "not by a shell" in shell_block.refusal(first + b"\n")


def test_a_script_that_counts_its_own_lines_is_left_alone() -> None:
    assert "own source" in shell_block.refusal(b'#!/bin/sh\ntail -n +4 "$0" | tar x\nexit\n...')
