"""What goes against a rule is found by the syntax tree, and nothing else is."""

from __future__ import annotations

from typing import Any

from gitmem.patterns import checker, rule
from tests.bench import patterns as bench

ENDS = {"python": "py", "typescript": "ts", "go": "go", "rust": "rs", "java": "java"}


def lines(language: str, text: str, path: str = "", name: str = "it", **said: Any) -> list[int]:
    """The lines that go against a rule; ``literal``, ``origin`` and ``target`` are in, from, to."""
    keys = {"literal": "in", "origin": "from", "target": "to", "excepted": "except"}
    item = rule.rule_from_json({keys.get(key, key): value for key, value in said.items()})
    place = path or f"a.{ENDS[language]}"
    source = checker.prepare_source_file(place, language, text.encode(), [item])
    assert source is not None
    return [breach.line for breach in checker.find_rule_violations(item, name, source)]


def test_planted_violations_are_found_and_decoys_are_not() -> None:
    rules, plants = bench.read()
    assert sum(plant.rule != "-" for plant in plants) == 100
    for file in bench.generate(plants, 1):
        own = rules[file.language]
        found = set(bench._findings(file.path, file.language, file.text.encode(), own))
        assert found == file.planted, file.path


def test_the_file_s_own_function_of_a_name_is_no_breach() -> None:
    text = "def print(x): return x\nprint(1)\n"
    assert lines("python", text, check="call", names=["print"]) == []
    assert lines("python", "print(1)\n", check="call", names=["print"]) == [1]
    # A method of that name is called by way of its object.
    text = "class A:\n    def print(self): return 1\n\nA().print()\nself.print()\n"
    assert lines("python", text, check="call", names=["print"]) == []
    assert lines("python", text, check="call", names=[".print"]) == [4, 5]


def test_names_are_taken_back_to_what_they_were_imported_as() -> None:
    for language, text, name, expected in (
        ("python", "import os as o\no.system('a')\n", "os.system", [2]),
        ("python", "from os import system\nsystem('a')\n", "os.system", [2]),
        ("python", "from mine import system\nsystem('a')\n", "os.system", []),
        ("typescript", "import * as f from 'fs'\nf.open(1)\n", "fs.open", [2]),
        ("typescript", "const { open: o } = require('fs')\nopen(1)\n", "fs.open", []),
        ("typescript", "const { open } = require('node:fs')\nopen(1)\n", "fs.open", [2]),
        ("go", 'package a\nimport f "fmt"\nfunc b() { f.Println() }\n', "fmt.Println", [3]),
        ("rust", "use std::env as e;\nfn b() { e::var(1); }\n", "std::env::var", [2]),
        ("rust", "use std::{env, fs::{self, File}};\nfn b() { File::open(1); }\n",
         "std::fs::File::open", [2]),
        ("java", "import a.b.C;\nclass D { void e() { C.go(); } }\n", "a.b.C.go", [2]),
    ):  # fmt: skip
        assert lines(language, text, check="call", names=[name]) == expected, text


def test_a_module_is_no_receiver() -> None:
    text = "from files import append\nappend(1)\nrows.append(2)\n"
    assert lines("python", text, check="call", names=[".append"]) == [3]
    assert lines("python", text, check="name", names=[".append"]) == [3]


def test_use_tells_the_import_alone_where_there_is_one() -> None:
    text = "import requests\nrequests.get('a')\nrequests.get('b')\n"
    assert lines("python", text, check="use", names=["requests"]) == [1]
    assert lines("python", "os.environ['a']\n", check="use", names=["os.environ"]) == [1]


def test_where_a_rule_counts() -> None:
    text = (
        "async function a() {\n  await b()\n  try {\n    await c()\n  } catch (e) {\n"
        "    await d()\n    const f = () => { load() }\n  }\n}\n"
    )
    assert lines("typescript", text, check="await", outside=["try"]) == [2, 6]
    assert lines("typescript", text, check="await", inside=["handler"]) == [6]
    assert lines("typescript", text, check="call", names=["load"], inside=["handler"]) == []
    assert lines("typescript", text, check="call", names=["load"], inside=["async"]) == []
    loops = "for a in b:\n    go()\n    def c(): go()\ngo()\n"
    assert lines("python", loops, check="call", names=["go"], inside=["loop"]) == [2]
    assert lines("python", loops, check="call", names=["go"], outside=["function"]) == [2, 4]
    # One of several places is enough.
    assert lines("python", loops, check="call", names=["go"], inside=["loop", "try"]) == [2]


def test_the_right_form_within_three_lines_excuses() -> None:
    message: dict[str, Any] = {"check": "call", "names": ["fetch"], "unless": [".catch"]}
    for gap, expected in ((3, []), (4, [1])):
        for first, second in (("fetch(a)", "promise.catch(b)"), ("promise.catch(b)", "fetch(a)")):
            text = first + "\n" * gap + second + "\n"
            found = [
                line if first == "fetch(a)" else line - gap
                for line in lines("typescript", text, **message)
            ]
            assert found == expected, (gap, first)


def test_a_comment_allows_a_line() -> None:
    for text, expected in (
        ("print(1)  # gitmem:allow it\n", []),
        ("# gitmem:allow it\nprint(1)\nprint(2)\n", [3]),
        ("# gitmem:allow\nprint(1)\n", []),
        ("# gitmem:allow other\nprint(1)\n", [2]),
        ("text = 'gitmem:allow it'; print(1)\n", [1]),
    ):
        assert lines("python", text, check="call", names=["print"]) == expected, text


def test_folders_must_not_import_folders() -> None:
    message: dict[str, Any] = {"check": "layer", "origin": "src/shop/core", "target": "src/shop/ui"}
    for path, text, expected in (
        ("src/shop/core/a.py", "from shop.ui import b\n", [1]),
        ("src/shop/core/a.py", "from shop import ui\n", [1]),
        ("src/shop/core/a.py", "import shop.ui.b\n", [1]),
        ("src/shop/core/a.py", "from ..ui.b import c\n", [1]),
        ("src/shop/core/a.py", "from .. import ui\n", [1]),
        ("src/shop/core/deep/a.py", "from ...ui import c\n", [1]),
        ("src/shop/core/a.py", "from .ui import c\n", []),
        ("src/shop/core/a.py", "from other.ui import c\n", []),
        ("src/shop/core/a.py", "import uid\nfrom shop.uid import x\n", []),
        ("src/shop/api/a.py", "from shop.ui import b\n", []),
        ("src/shop/core_api/a.py", "from shop.ui import b\n", []),
        ("src/shop/core/a.ts", "import { b } from '../ui/b'\n", [1]),
        ("src/shop/core/a.ts", "import { b } from './ui/b'\n", []),
        ("src/shop/core/a.ts", "import { b } from '@/shop/ui/b'\n", [1]),
        ("src/shop/core/a.go", 'package a\nimport "x.org/y/src/shop/ui"\n', [2]),
        ("src/shop/core/a.go", 'package a\nimport "x.org/y/src/shop/api"\n', []),
    ):
        language = {"py": "python", "ts": "typescript", "go": "go"}[path.rpartition(".")[2]]
        assert lines(language, text, path, **message) == expected, (path, text)


def test_names_follow_a_style() -> None:
    text = "def load_it(): 1\ndef loadIt(): 1\ndef _x(): 1\nclass A:\n    def __init__(self): 1\n"
    message: dict[str, Any] = {"check": "naming", "of": ["function"], "style": "snake_case"}
    assert lines("python", text, **message) == [2]
    assert lines("python", text, allowed=["load*"], **message) == []
    file: dict[str, Any] = {"check": "naming", "of": ["file"], "style": "kebab-case"}
    assert lines("typescript", "", "src/ThatOne.test.ts", **file) == [1]
    assert lines("typescript", "", "src/that-one.test.ts", **file) == []


def test_a_text_of_several_lines_is_named_at_the_line_that_holds_it() -> None:
    text = 'x = """one\ntwo\nsecret\n"""\n'
    message = {"check": "text", "literal": "string", "regex": "secret"}
    assert lines("python", text, **message) == [3]


def test_a_handler_that_does_nothing() -> None:
    for language, text, expected in (
        ("python", "try:\n    a()\nexcept E:\n    pass\n", [3]),
        ("python", "try:\n    a()\nexcept E:\n    ...\n", [3]),
        ("python", "try:\n    a()\nexcept E:\n    b()\n", []),
        ("python", "try:\n    a()\nexcept E:\n    pass  # gone\n", []),
        ("go", "package a\nfunc b() {\n\tif err := c(); err != nil {\n\t}\n}\n", [3]),
        ("go", "package a\nfunc b() {\n\tif err == nil {\n\t}\n}\n", []),
        ("rust", "fn a() { if let Err(e) = b() {} }\n", [1]),
        ("rust", "fn a() { match b() { Err(_) => (), _ => {} } }\n", [1]),
        ("rust", "fn a() { match b() { Ok(_) => (), Err(e) => c(e) } }\n", []),
    ):
        assert lines(language, text, check="handler") == expected, text


def test_a_file_that_makes_no_sense_gives_nothing() -> None:
    item = rule.rule_from_json({"check": "call", "names": ["print"]})
    for data in (b"\xff\xfe\x00", b"print(" * 3000, b""):
        source = checker.prepare_source_file("a.py", "python", data, [item])
        assert source is None or isinstance(checker.find_rule_violations(item, "it", source), list)
    assert checker.prepare_source_file("a.toml", "toml", b"a = 1", [item]) is None
