"""The code graph of a worktree follows its files: an edit touches only what it has to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.indexing import code_graph
from gitmem.indexing.stored_tree import IndexedPaths, IndexedTree
from gitmem.languages.tree_paths import TreePaths
from gitmem.store.code import code_uses, graph_reads, graph_rows
from gitmem.store.db import schema
from tests.support import code_graph as code_graph_of
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder

FILES = {
    "shop/__init__.py": "",
    "shop/cart.py": "from shop.store import put\n\ndef add(item):\n    put(item)\n",
    "shop/store.py": "def put(item):\n    return item\n",
    "main.py": "from shop.cart import add\n\nadd(1)\n",
    "notes.md": "# Notes\n",
}


class Shop:
    """A small repository, indexed; what its edges are, and which files were resolved again."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.repo = RepoBuilder(folder / "repo")
        self.repo.commit("Start", FILES)
        self.desk = Desk(self.repo.path, self.repo.home, GITMEM_MODEL="hashed")
        self.made: list[str] = []
        write = graph_rows.replace_file_edges

        def watched(database, number, path, *rest):  # type: ignore[no-untyped-def]
            self.made.append(path)
            write(database, number, path, *rest)

        monkeypatch.setattr(graph_rows, "replace_file_edges", watched)
        self.desk.run("init", no_hooks=True)
        self.index()

    def index(self, files: dict[str, str] | None = None, gone: str = "") -> list[str]:
        """Write files, index, and the paths whose edges were made again."""
        self.repo.write(files or {})
        if gone:
            (self.repo.path / gone).unlink()
        self.made.clear()
        self.desk.run("index")
        return sorted(self.made)

    def edges(self) -> set[str]:
        """Each call in short: ``main.py -> shop/cart.py:add``."""
        app = self.desk.app()
        nodes = {
            item.id: item
            for path in (*FILES, "shop/shelf.py", "shop/new.py")
            for item in graph_reads.nodes_of_file(app.store, app.worktree, path)
        }
        links = graph_reads.outgoing_edges(app.store, nodes, ("call",))
        return {
            f"{nodes[link.source].path} -> {nodes[link.target].path}:{nodes[link.target].name}"
            for link in links
        }


def test_a_tree_read_path_by_path_answers_as_a_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = Shop(tmp_path, monkeypatch).desk.app()
    whole = TreePaths(graph_rows.blob_row_numbers_and_languages_by_path(app.store, app.worktree))
    for tree in (whole, IndexedTree(IndexedPaths(app.store, app.worktree), dict)):
        assert tree.paths_with_stem("__init__") == ["shop/__init__.py"]
        assert tree.paths_ending_in("shop/cart.py") == ["shop/cart.py"]
        assert tree.first_existing(("cart.py", "shop/cart.py")) == "shop/cart.py"


def test_edges_follow_edits_names_paths_and_manifests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path, monkeypatch)
    whole = {"main.py -> shop/cart.py:add", "shop/cart.py -> shop/store.py:put"}
    assert shop.edges() == whole
    # Inside of a function: its own file and no other.
    body = "def put(item):\n    print(item)\n    return item\n"
    assert shop.index({"shop/store.py": body}) == ["shop/store.py"]
    assert shop.edges() == whole
    # Nothing changed: nothing is made.
    assert shop.index() == []
    # A name goes: who called it is looked at again, and calls nothing; so is who may have had it
    # from there.
    assert shop.index({"shop/store.py": "def keep(item): pass\n"}) == [
        "main.py",
        "shop/cart.py",
        "shop/store.py",
    ]
    assert shop.edges() == {"main.py -> shop/cart.py:add"}
    # It comes back.
    shop.index({"shop/store.py": FILES["shop/store.py"]})
    assert shop.edges() == whole
    # A file goes, and another that is asked for comes.
    assert shop.index(gone="shop/store.py") == ["main.py", "shop/cart.py"]
    assert shop.edges() == {"main.py -> shop/cart.py:add"}
    assert "shop/cart.py" in shop.index({"shop/store.py": "def put(item): pass\n"})
    assert shop.edges() == whole
    # A manifest decides where imports lead: all is made again.
    shop.index({"go.mod": "module example.org/shop\n", "main.py": FILES["main.py"] + "\n"})
    assert shop.index({"go.mod": "module example.org/other\n", "main.py": "add = 1\n"}) == [
        "main.py",
        "shop/__init__.py",
        "shop/cart.py",
        "shop/store.py",
    ]
    assert shop.edges() == {"shop/cart.py -> shop/store.py:put"}


def test_edges_by_other_rules_are_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path, monkeypatch)
    whole = shop.edges()
    assert shop.index() == []
    monkeypatch.setattr(code_graph, "RULES", b"\xff")
    assert shop.index(gone="shop/store.py") == ["main.py", "shop/__init__.py", "shop/cart.py"]
    assert shop.edges() == {"main.py -> shop/cart.py:add"}
    shop.index({"shop/store.py": FILES["shop/store.py"]})
    assert shop.edges() == whole
    # What was read of the files of an older gitmem is read again: it knew one kind of import.
    store = shop.desk.app().store
    shop.index({"main.py": "def run():\n    from shop.cart import add\n\n    add(1)\n"})
    with store.write():
        blob = store.value("SELECT blob FROM graph_files WHERE path = 'main.py'")
        uses = [
            (line, kind.replace("late-", ""), *rest)
            for line, kind, *rest in code_uses.name_uses_of_blob(store, blob)
        ]
        code_uses.add_name_uses(store, blob, uses)
        store.run("UPDATE graph_edges SET kind = 'import' WHERE kind = 'late-import'")
    store.connection.pragma("user_version", schema.VERSION * 1000 + 6)
    store.close()
    shop.index()
    (found,) = {item.kind for item in shop.desk.run("deps", path="main.py").imports}
    assert found == "late-import"


def test_no_secret_of_a_file_reaches_the_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path, monkeypatch)
    secret = "AK" + "IA" + "IOSFODNN7EXAMPLQ"
    shop.index({"shop/new.py": f"import shop\nkey = {secret}()\n{secret}.run()\n"})
    store = shop.desk.app().store
    packed = b"".join(row[0] for row in store.rows("SELECT uses FROM code_uses"))
    assert packed
    blobs = [row[0] for row in store.rows("SELECT blob FROM code_uses")]
    output = "\n".join(str(code_uses.name_uses_of_blob(store, blob)) for blob in blobs)
    assert "shop" in output
    assert secret not in output


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders")
def test_a_manifest_that_became_a_link_or_a_pipe_is_not_read(tmp_path: Path) -> None:
    """Between the listing and the graph anybody may change a file."""
    paths = ("go.mod", "package.json", "Cargo.toml")
    outside = tmp_path / "outside"
    outside.write_text("module example.org/secret\n")
    (tmp_path / "go.mod").symlink_to(outside)
    os.mkfifo(tmp_path / "package.json")
    (tmp_path / "Cargo.toml").write_bytes(b"[project]\r\nname = 'x'\n")
    found = code_graph._manifests(str(tmp_path), paths)
    assert found == {"Cargo.toml": "[project]\nname = 'x'\n"}


MAKE = "export function make(): Tool { return new Tool() }\n"
BARRELS = {
    "web/one.ts": "export class Tool { run() {} }\n" + MAKE,
    "web/two.ts": "export class Tool { run() {} }\n" + MAKE,
    "web/inner.ts": "export { Tool, make } from './one';\n",
    "web/outer.ts": "export * from './inner';\n",
    "web/value.ts": "import { make } from './outer';\nexport const tool = make();\n",
    "web/again.ts": "import { tool } from './value';\nexport const same = tool.part;\n",
    "web/child.ts": "import { Tool } from './outer';\nexport class Child extends Tool {}\n",
    "web/app.ts": "import { Tool } from './outer';\nimport { tool } from './value';\n"
    "import { Child } from './child';\nnew Tool().run();\ntool.run();\nnew Child().run();\n",
    "py/a.py": "class Base:\n    def go(self): pass\n",
    "py/b.py": "class Base:\n    def go(self): pass\n",
    "py/pick.py": "from py.a import Base\n",
    "py/mid.py": "from py.pick import *\n",
    "py/heir.py": "from py.mid import Base\nclass Heir(Base): pass\nheir = Heir()\n",
    "py/main.py": "from py.heir import Heir, heir\nfrom py import mid\nHeir().go()\nheir.go()\n"
    "mid.Base().go()\n",
    "py/__init__.py": "",
}
STEPS = (
    {"web/inner.ts": "export { Tool, make } from './two';\n"},
    {"py/pick.py": "from py.b import Base\n"},
    {"web/outer.ts": "export * from './one';\n"},
    {"web/outer.ts": "export * from './three';\n"},
    {"web/three.ts": "export * from './two';\n"},
    {"py/heir.py": "from py.mid import Base\nclass Heir: pass\nheir = Base()\n"},
    {"py/a.py": "class Base:\n    def halt(self): pass\n", "py/pick.py": "from py.a import *\n"},
    {"web/one.ts": "export class Tool { run() {} }\nexport function make(): any {}\n"},
    {"web/two.ts": "class Tool { run() {} }\n" + MAKE},
)


def test_edges_behind_what_is_exported_again_are_those_of_a_whole_run(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", BARRELS)
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    files = dict(BARRELS)
    assert _stored(desk) == _whole(files)
    for step in STEPS:
        files |= step
        repo.write(step)
        desk.run("index")
        assert _stored(desk) == _whole(files), step
    repo.git("checkout", "-q", "--", ".")
    desk.run("index")
    saved = BARRELS | {path: files[path] for path in files.keys() - BARRELS.keys()}
    assert _stored(desk) == _whole(saved)


SPACES = {
    "a/Cart.cs": "namespace Shop;\npublic class Cart { public void Add() { } }\n",
    "b/Use.cs": "using Shop;\nnamespace App;\nclass Use { void Go(Cart c) { c.Add(); } }\n",
    "Sources/Shop/Till.swift": "public struct Till {\n  public func pay() {}\n}\n",
    "Tests/T/Tills.swift": "import Shop\nfunc check() {\n  let till = Till()\n  till.pay()\n}\n",
    "lua/cart.lua": "local M = {}\nfunction M.add() end\nreturn M\n",
    "lua/main.lua": 'local cart = require("cart")\ncart.add()\n',
    "s/Cart.scala": "package shop\n\nclass Basket {\n  def add(x: Int): Int = x\n}\n",
    "s/Main.scala": "package app\n\nimport shop._\n\nobject Main {\n"
    "  def run(b: Basket): Int = b.add(2)\n}\n",
}
SPACE_STEPS = (
    {"c/Money.cs": "namespace Shop;\npublic class Money { }\n"},
    {"a/Cart.cs": "namespace Store;\npublic class Cart { public void Add() { } }\n"},
    {"d/Cart.cs": "namespace Shop;\npublic class Cart { public void Add() { } }\n"},
    {"e/Cart.cs": "namespace Shop;\npublic class Cart { }\n"},
    {"e/Cart.cs": ""},
    {"Sources/Shop/More.swift": "struct Till {\n}\n"},
    {"Sources/Shop/More.swift": "extension Till {\n  func give() {}\n}\n"},
    {"lua/cart.lua": "local M = {}\nfunction M.put() end\nreturn M\n"},
    {"lua/cart.lua": "local N = {}\nfunction N.add() end\nreturn N\n"},
    {"s/Cart.scala": "package store\n\nclass Basket {\n  def add(x: Int): Int = x\n}\n"},
    {"s/More.scala": "package shop\n\nclass Basket {\n  def add(x: Int): Int = x\n}\n"},
)


def test_edges_by_namespaces_are_those_of_a_whole_run(tmp_path: Path) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", SPACES)
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    files = dict(SPACES)
    assert _stored(desk) == _whole(files)
    for step in SPACE_STEPS:
        files |= step
        repo.write(step)
        desk.run("index")
        assert _stored(desk) == _whole(files), step
    for path in ("d/Cart.cs", "Sources/Shop/More.swift", "s/More.scala"):
        (repo.path / path).unlink()
        del files[path]
        desk.run("index")
        assert _stored(desk) == _whole(files), path


def test_after_a_run_that_ended_early_no_edge_is_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = RepoBuilder(tmp_path / "repo")
    repo.commit("Start", BARRELS)
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    repo.write(STEPS[0])
    with monkeypatch.context() as patch:
        patch.setattr(code_graph._EdgeUpdate, "update_dependants", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            desk.run("index")
    desk.run("index")
    assert _stored(desk) == _whole(BARRELS | STEPS[0])


def _stored(desk: Desk) -> set[tuple[object, ...]]:
    app = desk.app()
    rows = app.store.rows(
        "SELECT s.path, s.name, g.path, g.name, e.kind, e.line FROM graph_edges e "
        "JOIN graph_nodes s ON s.id = e.source JOIN graph_nodes g ON g.id = e.target"
    )
    app.close()
    return set(rows)


def _whole(files: dict[str, str]) -> set[tuple[object, ...]]:
    return {
        (edge.source_path, edge.source, edge.target_path, edge.target, edge.kind, edge.line)
        for edge in code_graph_of.edges(files)
    }
