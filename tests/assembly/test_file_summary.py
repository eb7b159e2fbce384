"""A file in a tenth of its tokens (ML-16)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.assembly.file_context import MIN_TOKENS, first_sentence_of_file, summarise_source
from gitmem.store.code.symbols import ImportStatement, Symbol
from gitmem.text.token_ceiling import max_token_count


def symbol(name: str, line: int, **other: object) -> Symbol:
    values = {
        "id": line, "path": "a.py", "language": "python", "kind": "function", "doc": "",
        "signature": f"def {name}()", "container": "", "end_line": line + 1, "exported": True,
    } | other  # fmt: skip
    return Symbol(name=name, start_line=line, **values)  # type: ignore[arg-type]


def test_a_file_says_what_it_is_for_in_its_first_words() -> None:
    for opening, expected in (
        ('"""Reads the settings."""\nimport os', "Reads the settings."),
        ('"""\nHandlers for encodings.\n\nMore."""', "Handlers for encodings."),
        ("#!/usr/bin/env bash\n# Runs the tests twice\nset -e", "Runs the tests twice"),
        ("/**\n * Express application.\n */", "Express application."),
        ("package main\n\n// Serves the API\nfunc main", "Serves the API"),
        ("# Guide to caching\n\nText", "Guide to caching"),
        ("/*\n * Copyright (C) 2014 A, Inc.\n *\n * Licensed under B\n */\npackage a.b", ""),
        ("/*\n * Copyright 2014 A\n */\npackage a.b\n\n/** Pools things. */", "Pools things."),
        (
            "// Copyright 2014 A\n// Use of it is free.\n\n// Package a pools things.",
            "Package a pools things.",
        ),
        ("# SPDX-License-Identifier: MIT\n# Pools things.\nimport os", ""),
        ("# Keeps the licence keys of users\nimport os", "Keeps the licence keys of users"),
        ("import os\n# not the purpose of it", ""),
        ("", ""),
        ("x = 1", ""),
    ):
        assert first_sentence_of_file(opening) == expected, opening


def test_a_notice_of_copyright_is_no_documentation_of_what_stands_below_it() -> None:
    messages = [
        symbol("a.b", 9, kind="module", signature="package a.b", doc="Copyright (C) 2014 A")
    ]
    assert (
        summarise_source("", messages, [], file_tokens=500, count_tokens=max_token_count)
        == "9 package a.b"
    )


def test_what_others_see_at_the_top_comes_first_and_the_rest_is_counted() -> None:
    messages = [
        symbol("Pool", 10, kind="class", signature="class Pool", doc="Keeps connections. More."),
        symbol("acquire", 12, container="class Pool"),
        symbol("_hidden", 20, exported=False),
        symbol("port", 11, container="class Pool", kind="field"),
    ]
    imports = [
        ImportStatement("a.py", "os", (), 1),
        ImportStatement("a.py", "re", (), 2),
        ImportStatement("a.py", "os", (), 3),
    ]
    whole = summarise_source(
        '"""Pools of things."""', messages, imports, file_tokens=5000, count_tokens=max_token_count
    )
    assert whole == (
        "Pools of things.\nimports os, re\n10 class Pool: Keeps connections\n"
        "  12 def acquire()\n20 def _hidden()"
    )
    many = [symbol(f"name_{n}", n, container="class Pool") for n in range(1, 80)]
    short = summarise_source(
        "", [*many, symbol("last", 90)], [], file_tokens=0, count_tokens=max_token_count
    )
    assert "90 def last()" in short and short.endswith(" more")


@given(st.integers(0, 60), st.integers(0, 20_000), st.text(max_size=60))
def test_a_summary_costs_a_tenth_at_most(many: int, tokens: int, doc: str) -> None:
    messages = [symbol(f"some_name_{n}", n + 1, doc=doc) for n in range(many)]
    text = summarise_source(
        "# What it is for", messages, [], file_tokens=tokens, count_tokens=max_token_count
    )
    assert max_token_count(text) <= max(MIN_TOKENS, tokens // 10)
