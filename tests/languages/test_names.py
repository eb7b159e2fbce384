"""Languages by name; prose and code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem import languages
from gitmem.languages import index
from tests.support.tables import table


@table(
    ("path", "language"),
    [
        ("src/a.py", "python"),
        ("a.PY", "python"),
        ("Makefile", "make"),
        ("docker/Dockerfile", "dockerfile"),
        ("CMakeLists.txt", "cmake"),
        ("README", "text"),
        ("docs/a.tar.md", "markdown"),
        ("a.rst", "rst"),
        ("x.R", "r"),
        (".gitignore", ""),
        (".py", ""),
        ("noextension", ""),
        ("a.unheardof", ""),
    ],
)
def test_a_name_tells_its_language(path: str, language: str) -> None:
    assert languages.language(path) == language


def test_every_prose_language_is_a_language() -> None:
    assert set(languages.LANGUAGES) >= index.PROSE


@table(
    ("line", "language"),
    [
        ("#!/bin/sh", "bash"),
        ("#! /usr/bin/env bash\r", "bash"),
        ("#!/usr/bin/env python3", "python"),
        ("#!/usr/bin/python3.11 -I", "python"),
        ("#!/usr/bin/env -S LC_ALL=C python3 -u", "python"),
        ("#!/usr/bin/env node", "javascript"),
        ("#!/usr/bin/env -S deno run --allow-net", "typescript"),
        ("#!/usr/local/bin/ruby -w", "ruby"),
        ("#!/usr/bin/perl", "perl"),
        ("#!/usr/bin/env Rscript", "r"),
        ("#!/opt/tool/unheard-of", ""),
        ("#!/usr/bin/env", ""),
        ("#!", ""),
        ("# !/bin/sh", ""),
        ("", ""),
    ],
)
def test_the_first_line_of_a_script_tells_its_language(line: str, language: str) -> None:
    assert languages.language_of_shebang(f"{line}\n#!/usr/bin/perl\n".encode()) == language


@given(st.binary(max_size=80))
def test_any_content_tells_a_language_or_none(rest: bytes) -> None:
    assert languages.language_of_shebang(b"#!" + rest) in {"", *languages.SCRIPTS}
    assert languages.language_of_shebang(b" " + rest) == ""


def test_every_language_of_scripts_is_a_language() -> None:
    assert set(languages.LANGUAGES) >= set(languages.SCRIPTS)


@pytest.mark.parametrize(
    ("path", "may"), [("bin/tool", True), ("bin.d/tool", True), ("a.sh", False), (".env", False)]
)
def test_only_a_name_without_extension_and_language_may_be_a_script(path: str, may: bool) -> None:
    assert languages.may_be_script(path) == may
    assert not languages.may_be_script("README")
