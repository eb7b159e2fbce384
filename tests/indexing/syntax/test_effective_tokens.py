"""The tokens that do something when code runs, in several languages."""

from __future__ import annotations

import pytest

from gitmem.indexing.syntax import effective_tokens


def same(grammar: str, before: str, after: str) -> bool:
    sides = [
        effective_tokens.read_runtime_tokens(grammar, text.encode(), 1, text.count("\n") + 1)
        for text in (before, after)
    ]
    assert None not in sides
    return sides[0] == sides[1]


@pytest.mark.parametrize(
    ("grammar", "before", "after"),
    [
        ("python", "x: int = 1  # one\n", "x: float = 1\n"),
        ("python", "def f(a: int) -> int:\n    return a\n", "def f(a):\n    return a\n"),
        ("python", 'def f():\n    """Old."""\n    return 1\n', "def f():\n    return 1\n"),
        ("python", "from a import b\nimport c\nx = b\n", "from a import d as b\nx = b\n"),
        ("typescript", "const a: string = b // x\n", "const a: unknown = b\n"),
        ("typescript", "import a from 'a'\ninterface B { c: 1 }\nf()\n", "f()\n"),
        ("javascript", "/* old */ f(1)\n", "f(1)\n"),
        ("go", "package a\nimport \"b\"\n// c\nvar d = 1\n", "package a\nvar d = 1\n"),
        ("rust", "use a::b;\nfn c() {} // d\n", "fn c() {}\n"),
    ],
)  # fmt: skip
def test_what_does_nothing_is_left_out(grammar: str, before: str, after: str) -> None:
    assert same(grammar, before, after)


@pytest.mark.parametrize(
    ("grammar", "before", "after"),
    [
        ("python", "x = 1\n", "x = 2\n"),
        ("python", "f('old text')\n", "f('new text')\n"),
        ("python", "x = {1: 2}\n", "x = {1: 3}\n"),
        ("typescript", "const a: A = b\n", "const a: A = c\n"),
        ("go", "package a\nvar d int32 = 1\n", "package a\nvar d int64 = 1\n"),
        ("rust", "type A = u8;\n", "type A = u16;\n"),
    ],
)  # fmt: skip
def test_what_does_something_counts(grammar: str, before: str, after: str) -> None:
    assert not same(grammar, before, after)


def test_only_the_lines_asked_for_are_read() -> None:
    data = b"a = 1\nb = 2\nc = 3\n"
    assert effective_tokens.read_runtime_tokens("python", data, 2, 2) == [b"b", b"=", b"2"]
    assert effective_tokens.read_runtime_tokens("python", data, 3, 2) == []
    assert effective_tokens.read_runtime_tokens("no such grammar", data, 1, 3) is None
