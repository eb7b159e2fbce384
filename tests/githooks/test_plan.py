"""Which scripts of other people get lines of ours: plain shell scripts, and no others (S-12)."""

from __future__ import annotations

import pytest

from gitmem.githooks.plan import reason_hook_lines_refused
from tests.githooks import foreign
from tests.support.tables import table


@table("name", foreign.WELCOMING)
def test_shell_scripts_are_welcoming(name: str) -> None:
    assert reason_hook_lines_refused(foreign.WELCOMING[name].encode()) == ""


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
    assert reason in reason_hook_lines_refused(foreign.REFUSING[name])


@pytest.mark.parametrize(
    "first", [b"#!/bin/sh -e", b"#! /usr/bin/zsh", b"#!/usr/bin/env -S A=1 dash", b"#!/bin/bash"]
)
def test_every_known_shell_is_recognised(first: bytes) -> None:
    assert reason_hook_lines_refused(first + b"\n") == ""


@pytest.mark.parametrize("first", [b"#!", b"#!/usr/bin/env", b"#!/usr/bin/fish", b"#!/bin/csh"])
def test_other_interpreters_are_not(first: bytes) -> None:
    assert "not by a shell" in reason_hook_lines_refused(first + b"\n")


def test_a_script_that_counts_its_own_lines_is_left_alone() -> None:
    assert "own source" in reason_hook_lines_refused(
        b'#!/bin/sh\ntail -n +4 "$0" | tar x\nexit\n...'
    )
