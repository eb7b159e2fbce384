"""The engine: containers, documentation, signatures, and files that are strange."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitmem.indexing.syntax import extract, grammars
from gitmem.indexing.syntax.values import ParsedFile
from gitmem.languages import LANGUAGES
from tests.support.amounts import examples
from tests.support.syntax import define, lines, outline, read, uses
from tests.support.tables import table

# Every kind a definition may have; queries capture them as ``@definition.<kind>``.
KINDS = {
    *("annotation", "class", "constant", "constructor", "element", "enum", "extension"),
    *("field", "function", "impl", "index", "instance", "interface", "key"),
    *("macro", "member", "method", "mixin", "module", "namespace", "object"),
    *("property", "protocol", "record", "section", "selector", "struct", "table"),
    *("test", "trait", "trigger", "type", "union", "variable", "view"),
}
REFERENCE_KINDS = {"call", "decorator", "inherit", "type"}

READ = [language for language in LANGUAGES if grammars.is_grammar_available(language)]
SEEDS = [
    b"class A { def f(x): return g(x) }",
    b"fn a() -> B { c::d(); }\n/* x */ struct S { int a; };",
    b"export const x = (a) => { b() };\n// y\nimport { z } from 'q';",
    b"<div id='a'>\n.b { color: red }\n@media x { #c {} }",
    b"local function f() end\nmodule M where\nimport A.B\nCREATE TABLE t (a INT);",
]


def test_containers_are_the_dotted_names_around() -> None:
    message = read(
        "python", "a.py", "class A:\n    class B:\n        def f(self):\n            def g(): ...\n"
    )
    assert outline(message) == ["class A", "class A.B", "method A.B.f", "function A.B.f.g"]


def test_what_is_local_to_a_function_is_not_exported_at_any_depth() -> None:
    result = read("python", "a.py", "def f():\n    class A:\n        def g(self): ...\n")
    assert [definition.exported for definition in result.definitions] == [True, False, False]


def test_two_definitions_of_one_name_are_both_reported() -> None:
    result = read("python", "a.py", "def f(): ...\ndef f(a): ...\n")
    assert [(definition.name, definition.line) for definition in result.definitions] == [
        ("f", 1),
        ("f", 2),
    ]


def test_a_comment_counts_only_right_above_and_alone_in_its_line() -> None:
    source = (
        "# far\n\ndef a(): ...\nx = 1  # beside\ndef b(): ...\n# near\n# and more\ndef c(): ...\n"
    )
    message = read("python", "a.py", source)
    assert [define(message, name).doc for name in "abc"] == ["", "", "near and more"]


def test_documentation_and_signature_are_cut() -> None:
    source = f'def f({", ".join(f"argument_{i}" for i in range(99))}):\n    """{"word " * 200}"""\n'
    result = define(read("python", "a.py", source), "f")
    assert len(result.doc) == 300 and result.doc.endswith("…")
    assert len(result.signature) == 200 and result.signature.startswith(
        "def f(argument_0, argument_1"
    )


def test_a_signature_over_several_lines_is_one_line() -> None:
    result = define(
        read("python", "a.py", "def f(\n    a: int,\n    b: str,\n) -> None:\n    pass\n"), "f"
    )
    assert result.signature == "def f(a: int, b: str) -> None"


def test_decorators_belong_to_the_lines_and_not_to_the_signature() -> None:
    message = read("java", "A.java", '@One\n@Two(\n  "x"\n)\npublic class A { }\n')
    assert lines(message, "A") == (1, 5)
    assert define(message, "A").signature == "public class A"
    assert define(message, "A").line == 5


def test_each_use_is_reported_once_a_line() -> None:
    result = read("python", "a.py", "f(f(1), f(2))\nf(3)\n")
    assert [
        (reference.name, reference.kind, reference.line) for reference in result.references
    ] == [
        ("f", "call", 1),
        ("f", "call", 2),
    ]


def test_a_broken_file_still_tells_what_can_be_read() -> None:
    result = read(
        "python",
        "a.py",
        "def before(): ...\n\ndef broken(a):\n    x = = 1\n\nclass After:\n    pass\n",
    )
    assert result.errors
    assert {"function before", "class After"} <= set(outline(result))


@pytest.mark.parametrize("start", [b"\xef\xbb\xbf", b""])
@pytest.mark.parametrize("end", [b"\r\n", b"\n"])
def test_byte_order_marks_and_line_ends_change_nothing(start: bytes, end: bytes) -> None:
    source = b"# Says it.\n# Twice.\ndef f(\n    a,\n):\n    g()\n".replace(b"\n", end)
    result = extract.parse_source_file("python", "a.py", start + source)
    assert result is not None and not result.errors
    answer = define(result, "f")
    assert (answer.doc, answer.signature) == ("Says it. Twice.", "def f(a)")
    assert (answer.start_line, answer.end_line) == (3, 6)
    assert uses(result, "call") == {"g"}


def test_names_are_reported_as_they_are_written_in_any_script() -> None:
    message = read("python", "a.py", "class Größe:\n    def 長さ(self): ...\n")
    assert outline(message) == ["class Größe", "method Größe.長さ"]


def test_a_language_without_grammar_and_a_file_over_400_kb_are_not_read() -> None:
    assert extract.parse_source_file("markdown", "a.md", b"# a\n") is None
    assert extract.parse_source_file("", "a", b"x") is None
    assert extract.parse_source_file("python", "a.py", b"x = 1\n" * 70_000) is None
    assert extract.parse_source_file("python", "a.py", b"x = 1\n" * 100) is not None


@pytest.mark.timeout(100)
@table("language", READ)
@table("bomb", [b"(", b"[", b"{", b"f(", b"<a>"])
def test_fifty_thousand_brackets_end_in_time(language: str, bomb: bytes) -> None:
    """The clock here ticks a quarter of a second each time it is asked: all take two seconds.

    Nobody asking it, tags in Lua alone would take three minutes.
    """
    ticks = count()
    extract.parse_source_file(language, "a.x", bomb * 50_000, lambda: next(ticks) / 4)


def test_deep_nesting_is_read_down_to_a_bound() -> None:
    message = extract.parse_source_file("javascript", "a.js", b"f(" * 50_000 + b")" * 50_000)
    assert message is not None
    assert uses(message, "call") == {"f"}


def test_parsing_that_takes_too_long_is_given_up() -> None:
    late = iter([0.0, *[extract.SECONDS + 1] * 10_000])
    assert (
        extract.parse_source_file("python", "a.py", b"x = f(1)\n" * 9_000, lambda: next(late))
        is None
    )


@settings(max_examples=examples(10))
@given(data=st.binary(max_size=300), seed=st.sampled_from(SEEDS), at=st.integers(0, 60))
@pytest.mark.parametrize("language", READ)
def test_any_bytes_are_read_without_an_error(
    language: str, data: bytes, seed: bytes, at: int
) -> None:
    for source in (data, seed[:at] + data + seed[at:]):
        message = extract.parse_source_file(language, "a.x", source)
        assert message is not None
        _is_sound(message, source.count(b"\n") + 1)


def _is_sound(parsed: ParsedFile, last: int) -> None:
    for definition in parsed.definitions:
        assert definition.name and definition.kind in KINDS
        assert 1 <= definition.start_line <= definition.line <= last
        assert definition.start_line <= definition.end_line <= last
        assert "\n" not in definition.signature + definition.doc + definition.name
    for use in parsed.references:
        assert use.name and use.kind in REFERENCE_KINDS and 1 <= use.line <= last
    assert all(1 <= item.line <= last for item in parsed.imports)
