"""What uses a name and no edge tells of: every verb knows of it, and none calls it unused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitmem.errors import NotFound
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder

FILES = {
    "app/mod.py": (
        "def only(x):\n    def inner(y):\n        return y\n    return inner(x)\n\n\n"
        "def user():\n    return only(1)\n\n\n"
        "class Cart:\n    def pay(self):\n        return self.total()\n\n"
        "    def total(self):\n        return 3\n\n    def spare(self):\n        return 4\n\n\n"
        "def passed(x):\n    return x\n\n\nTABLE = [passed]\n\n\n"
        "def lonely(x):\n    # lonely is not used by its own comment\n    return lonely(x - 1)\n"
    ),
    "app/other.py": (
        "from app.mod import Cart\nfrom json import only\n\n\n"
        "def go(thing: Cart):\n    only(2)\n    total = spare(spare=1)\n"
        "    return thing.thaw().pay()\n"
    ),
    "app/base.py": (
        "class Base:\n    def run(self): pass\n\n\nclass Left(Base):\n    def run(self): pass\n\n\n"
        "def start(one: Base):\n    one.run()\n"
    ),
    "src/lib.rs": (
        "fn twice(x: u8) -> u8 { x * 2 }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n"
        "    fn helper() -> u8 { 3 }\n    #[test]\n"
        "    fn doubles() { assert_eq!(twice(1), helper()); }\n}\n"
    ),
    "web/cart.ts": "export class Basket { pay() { return 1; } }\nfunction hidden() { return 2; }\n",
    "web/page.ts": "export const hidden = 1;\nexport const list = [hidden];\n",
    "ex/cart.ex": "defmodule Trolley do\n  def push(x), do: x\nend\n",
    "ex/web.ex": "defmodule Web do\n  def go do\n    Trolley.push(3)\n  end\nend\n",
    "zig/main.zig": 'const u = @import("./util.zig");\npub fn main() void {\n    u.hello();\n}\n',
    "zig/util.zig": "pub fn hello() void {}\n",
    "docs/app/mod.rst": "only\n",
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A repository in six languages; tests read it."""
    repo = RepoBuilder(tmp_path_factory.mktemp("names") / "repo")
    repo.commit("Start", FILES)
    made = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    made.run("init", no_hooks=True)
    return made


def assessed(desk: Desk, target: str) -> Any:
    return desk.run("impact", target=target)


@pytest.mark.parametrize(
    ("target", "file"),
    [
        ("only", "app/mod.py"),
        ("only.inner", "app/mod.py"),
        ("Cart.total", "app/mod.py"),
        ("twice", "src/lib.rs"),
        ("tests.helper", "src/lib.rs"),
    ],
)
def test_users_in_the_same_file_are_users(desk: Desk, target: str, file: str) -> None:
    found = assessed(desk, target)
    assert [file.path for file in found.files] == [file]
    assert (found.risk.level, found.unknown.calls, found.unknown.mentions) == ("low", 0, 0)
    assert "1 file depends on it, 1 directly" in found.risk.reasons


def test_tests_inside_of_a_file_are_tests(desk: Desk) -> None:
    assert assessed(desk, "twice").tests == ("src/lib.rs",)
    assert "1 test file reaches it" in assessed(desk, "twice").risk.reasons


def test_a_method_called_on_something_unknown_is_not_called_unused(desk: Desk) -> None:
    found = assessed(desk, "Cart.pay")
    assert (found.risk.level, found.unknown.calls) == ("unknown", 1)
    assert found.unknown.first == ("app/other.py:8",)
    text = "unknown: calls of something of this name, 1 place, in 1 file: app/other.py:8"
    assert found.risk.reasons == (text,)
    output = desk.text("impact", target="Cart.pay").splitlines()
    assert output[:2] == ["Cart.pay: risk unknown", f"  {text}"]


def test_a_function_that_is_passed_on_is_not_called_unused(desk: Desk) -> None:
    found = assessed(desk, "passed")
    assert (found.risk.level, found.unknown.mentions) == ("unknown", 1)
    assert found.unknown.first == ("app/mod.py:26",)
    assert "unknown: the name otherwise" in desk.text("graph", name="passed")


def test_a_call_through_a_base_may_call_what_overrides_it(desk: Desk) -> None:
    found = desk.run("graph", name="Left.run")
    assert [(item.path, item.line, item.confidence) for item in found.items] == [
        ("app/base.py", 10, 0.5)
    ]
    assert found.items[0].evidence == "a call through a base or an interface"
    assert assessed(desk, "Left.run").risk.level == "unknown"
    assert desk.run("graph", name="Base.run").unknown.calls == 0


@pytest.mark.parametrize("target", ["lonely", "Cart.spare", "web/cart.ts:hidden"])
def test_what_nothing_names_is_reported_as_unused(desk: Desk, target: str) -> None:
    # Not by recursion, a comment, an argument's name, or another file's own definition.
    found = assessed(desk, target)
    assert (found.risk.level, found.total, found.risk.score) == ("low", 0, 0)
    assert found.risk.reasons == ("nothing in the repository uses its name",)


def test_a_name_taken_from_elsewhere_is_another(desk: Desk) -> None:
    assert [item.path for item in desk.run("graph", name="only").items] == ["app/mod.py"]
    assert assessed(desk, "only").unknown.calls == 0


def test_of_a_language_without_resolution_each_answer_says_so(desk: Desk) -> None:
    lack = "Imports and calls of {} are not resolved"
    for target, language in (("Trolley", "Elixir"), ("ex/cart.ex", "Elixir"), ("hello", "Zig")):
        found = assessed(desk, target)
        assert found.risk.level == "unknown", target
        assert found.note == f"{lack.format(language)}: by name alone."
        assert found.unknown.unresolved == (language,)
    assert desk.text("impact", target="ex/web.ex").count(lack.format("Elixir")) == 1
    assert desk.run("graph", name="push").note.startswith(lack.format("Elixir"))
    assert [item.name for item in desk.run("graph", name="push").items] == ["Web.go"]
    assert desk.run("cycles").note == f"{lack.format('Elixir and Zig')}: their files are left out."
    assert desk.run("graph", name="only").note == ""


def test_of_a_file_in_no_known_language_each_answer_says_so(repo: RepoBuilder) -> None:
    repo.commit("Start", {"parts.tl": "local a = 1\n", "mod.py": "def go():\n    return 1\n"})
    repo.commit("Teal alone", {"parts.tl": "local a = 2\n"})
    repo.commit("Both", {"parts.tl": "local a = 3\n", "mod.py": "def go():\n    return 2\n"})
    repo.commit("Prose", {"notes.md": "# Notes\n", "LICENCE": "None\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    for verb, named in (("impact", "target"), ("deps", "path"), ("graph", "name")):
        text = desk.text(verb, **{named: "parts.tl"})
        assert "Imports and calls of .tl files are not resolved: by name alone." in text, verb
    levels = {"parts.tl": "unknown", "notes.md": "low", "LICENCE": "low", "HEAD~1..HEAD": "low"}
    # Beside a definition that changed it hides nothing.
    levels |= {"HEAD~3..HEAD~2": "unknown", "HEAD~2..HEAD~1": "low"}
    for target, level in levels.items():
        assert assessed(desk, target).risk.level == level, target


def test_a_name_is_also_taken_as_anchors_are_written(desk: Desk) -> None:
    assert (
        assessed(desk, "app/mod.py::Cart.pay").names == assessed(desk, "app/mod.py:Cart.pay").names
    )
    with pytest.raises(NotFound):
        assessed(desk, "app/other.py::Cart.pay")


def test_imports_of_such_a_language_are_reported_by_their_words(desk: Desk) -> None:
    found = desk.run("deps", path="zig/main.zig")
    assert found.note == "Imports and calls of Zig are not resolved: by name alone."
    assert [(item.path, item.line, item.confidence) for item in found.imports] == [
        ("zig/util.zig", 1, 0.4)
    ]
    assert found.outside == ()
    users = desk.run("deps", path="zig/util.zig").imported_by
    assert [(user.path, user.line) for user in users] == [("zig/main.zig", 1)]
    output = {file.path: file.why for file in desk.run("predict", path="zig/main.zig").files}
    assert output["zig/util.zig"][0] == "imports"


def test_what_one_verb_knows_all_know(desk: Desk) -> None:
    for name in ("only", "pay", "twice", "push", "hello"):
        graph = {(item.path, item.line) for item in desk.run("graph", name=name).items}
        hits = desk.run("search", query=name, mode="callers").hits
        lines = {(hit.path, int(line)) for hit in hits for line in (hit.start_line, *hit.also)}
        assert lines == graph, name
        concerned = {file.path for file in assessed(desk, name).files}
        concerned |= {place.rpartition(":")[0] for place in assessed(desk, name).unknown.first}
        assert {path for path, _ in graph} <= concerned, name


def test_predict_takes_no_document_for_a_module(desk: Desk) -> None:
    found = desk.run("predict", path="app/other.py").files
    assert [item.path for item in found if "imports" in item.why] == ["app/mod.py"]


def test_what_is_used_is_reported_where_it_is_defined(desk: Desk) -> None:
    (found,) = desk.run("graph", name="user", callees=True).items
    assert (found.path, found.line, found.at) == ("app/mod.py", 1, "app/mod.py:8")
    (base,) = desk.run("graph", name="Left", bases=True).items
    assert (base.line, base.at) == (1, "app/base.py:5")
    (taken,) = desk.run("graph", name="app/other.py", imports=True).items
    assert (taken.path, taken.line, taken.at) == ("app/mod.py", 1, "app/other.py:1")
    text = desk.text("graph", name="user", callees=True)
    assert "app/mod.py:1 only (defined in the same file; at app/mod.py:8)" in text
    (inner,) = desk.run("graph", name="only", callees=True).items
    assert (inner.name, inner.line) == ("only.inner", 2)


def test_a_file_that_is_not_indexed_is_read_for_the_name(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    long = "export { " + "x, " * 4000 + "Odd };\n"
    repo.commit("Start", {"a.ts": "export class Odd {}\nexport class Even {}\n", "b.ts": long})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    found = desk.run("impact", target="Odd")
    assert (found.risk.level, found.unknown.first) == ("unknown", ("b.ts:1",))
    assert desk.run("impact", target="Even").risk.level == "low"


def test_a_cut_list_says_of_how_many(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    files = {f"use{number}.py": "import base\nimport os\n" for number in range(4)}
    repo.commit("Start", {"base.py": "A = 1\nB = 2\ndef f(): pass\ndef g(): pass\n", **files})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    found = desk.run("deps", path="base.py", limit=3)
    assert (len(found.imported_by), found.totals.imported_by) == (3, 4)
    assert (len(found.symbols), found.totals.symbols) == (3, 4)
    text = desk.text("deps", path="base.py", limit=3)
    assert "Imported by (4):" in text
    assert text.count("and 1 more; --limit shows them") == 2
    assert "Dependants (4):" in desk.text("impact", target="base.py", limit=1)
    assert "and 3 more; --limit shows them" in desk.text("impact", target="base.py", limit=1)


def test_one_of_very_many_definitions_of_a_name_is_named_by_its_place(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    many = {f"m{number:02}.py": "def run(): pass\n" for number in range(60)}
    repo.commit("Start", {**many, "z/last.py": "class Z:\n    def run(self): pass\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    for name in ("z/last.py:run", "Z.run", "last.run", "z/last.py:Z.run"):
        found = desk.run("graph", name=name, definition=True).definitions
        assert [item.path for item in found] == ["z/last.py"], name
