"""What code does, as plain facts: calls and what they are known as, imports, literals, handlers."""

from __future__ import annotations

from gitmem.indexing.syntax import code_facts
from gitmem.indexing.syntax.code_facts import CodeFact


def read(language: str, text: str, nodes: frozenset[str] = frozenset()) -> list[CodeFact]:
    result = code_facts.read_code_facts(language, f"a.{language}", text.encode(), nodes)
    assert result is not None
    return list(result.facts)


def of(kind: str, language: str, text: str) -> list[tuple[str, ...]]:
    return [fact.full for fact in read(language, text) if fact.kind == kind]


def test_chains_of_names_are_taken_apart() -> None:
    for text, expected in (
        ("a", ("a",)),
        ("a.b::c->d?.e", ("a", "b", "c", "d", "e")),
        ("a!.b", ("a", "b")),
        ("collect::<Vec<_>>", ("collect",)),
        ("a()\n  .b", ("", "b")),
        ("a[0]", ("",)),
        ("println!", ("println!",)),
        ("", ("",)),
    ):
        assert code_facts.split_name_chain(text) == expected, text


def test_imports_are_read_in_each_language() -> None:
    for language, text, expected in (
        ("python", "import a.b, c as d\n", [("a.b", ""), ("c", "")]),
        ("python", "from . import a\nfrom b import *\n", [(".", "a"), ("b", "")]),
        ("typescript", "import a, { b as c } from './m'\nimport 'n'\nexport { d } from 'o'\n",
         [("./m", ""), ("./m", "default"), ("./m", "b"), ("n", ""), ("o", "")]),
        ("javascript", "const a = require('m'); require(name); load(require('n'))\n",
         [("m", ""), ("n", "")]),
        ("go", 'package a\nimport (\n\t. "fmt"\n\tb "x/y"\n)\n', [("fmt", ""), ("x/y", "")]),
        ("rust", "use a::{self, b::C as D, e::*};\n", [("a", ""), ("a::b", "C"), ("a::e", "")]),
        ("java", "import a.B;\nimport a.c.*;\n", [("a", "B"), ("a.c", "")]),
    ):  # fmt: skip
        assert of("import", language, text) == expected, text


def test_calls_in_a_macro_of_rust() -> None:
    text = 'fn a() { told!("{}", b.c().d(), e::f(1), g!(h())); }\n'
    assert of("call", "rust", text) == [
        ("told!",), ("b", "c"), ("", "d"), ("e", "f"), ("g!",), ("h",),
    ]  # fmt: skip


def test_literals_hold_their_text_and_nodes_that_are_asked_for() -> None:
    found = read("python", "# one\na = 'two' + 3\nassert a\n", frozenset({"assert_statement"}))
    messages = [(fact.kind, fact.text, fact.line) for fact in found if fact.text]
    assert messages == [
        ("comment", "# one", 1),
        ("string", "'two'", 2),
        ("number", "3", 2),
        ("assert_statement", "assert a", 3),
    ]
    (long,) = [fact for fact in read("python", "'" + "x" * 999 + "'\n") if fact.kind == "string"]
    assert len(long.text) == code_facts.LONGEST


def test_what_cannot_be_read_gives_no_facts() -> None:
    assert code_facts.read_code_facts("toml", "a.toml", b"a = 1") is None
    assert code_facts.read_code_facts("python", "a.py", b"x" * (401 * 1024)) is None
    late = iter(range(0, 1000, 100))
    assert (
        code_facts.read_code_facts("python", "a.py", b"a(1)\n" * 9000, cpu_clock=lambda: next(late))
        is None
    )
    result = code_facts.read_code_facts("python", "a.py", b"def (:\n  print(\xff)\n")
    assert result is None or result.errors


def test_nodes_are_those_of_the_grammar() -> None:
    assert code_facts.node_type_exists("rust", "unsafe_block")
    assert not code_facts.node_type_exists("rust", "lambda_of_python")
    assert not code_facts.node_type_exists("nonsense", "call")
