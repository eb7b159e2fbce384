"""Languages by name; prose and code."""

from __future__ import annotations

import pytest

from gitmem.indexing import languages


@pytest.mark.parametrize(
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


def test_prose_is_told_from_code() -> None:
    assert [languages.is_prose(one) for one in ("a.md", "LICENSE", "a.adoc", "a.py", "x")] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_every_prose_language_is_a_language() -> None:
    assert set(languages.LANGUAGES) >= languages.PROSE
