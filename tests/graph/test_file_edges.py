"""Edges of small projects in each language: what calls what, how sure, and why (ML-13)."""

from __future__ import annotations

from tests.support.code_graph import calls, edges

PYTHON = {
    "shop/__init__.py": "from .cart import Cart\n",
    "shop/cart.py": (
        "from shop.store import Store as Shelf\n"
        "\n"
        "class Base:\n"
        "    def save(self): pass\n"
        "\n"
        "class Cart(Base):\n"
        "    def __init__(self, store: Shelf):\n"
        "        self.store = store\n"
        "\n"
        "    def add(self, item):\n"
        "        self.store.put(item)\n"
        "        self.save()\n"
        "        helper()\n"
        "\n"
        "def helper(): pass\n"
        "def fresh() -> Cart: pass\n"
    ),
    "shop/store.py": (
        "class Store:\n    def put(self, item): pass\n\nclass Log:\n    def put(self, item): pass\n"
    ),
    "main.py": (
        "import shop.store\n"
        "import json\n"
        "from shop import Cart\n"
        "from shop.cart import fresh\n"
        "\n"
        "def run(helper, other):\n"
        "    cart = Cart(shop.store.Store())\n"
        "    cart.add(1)\n"
        "    fresh().add(2)\n"
        "    helper()\n"
        "    other.add(3)\n"
        "    json.dumps(4)\n"
        "    with shop.store.Log() as log:\n"
        "        log.put(5)\n"
    ),
}


def test_python_calls_are_resolved_by_imports_types_and_inheritance() -> None:
    assert calls(PYTHON) == {
        "shop/cart.py:11": "shop/store.py:Store.put",
        "shop/cart.py:12": "shop/cart.py:Base.save",
        "shop/cart.py:13": "shop/cart.py:helper",
        "main.py:7": "shop/store.py:Store",
        "main.py:8": "shop/cart.py:Cart.add",
        "main.py:9": "shop/cart.py:Cart.add",
        "main.py:13": "shop/store.py:Log",
        "main.py:14": "shop/store.py:Log.put",
    }


def test_every_edge_says_from_where_how_sure_and_why() -> None:
    found = {(edge.kind, edge.line, edge.target): edge for edge in edges(PYTHON)}
    made = found["call", 11, "Store.put"]
    assert (made.source_path, made.source) == ("shop/cart.py", "Cart.add")
    assert made.evidence == "import by package, by its type, by what it was set to"
    assert 0.8 <= made.confidence < found["import", 1, "Store"].confidence <= 0.99
    assert found["inherit", 6, "Base"].source == "Cart"
    assert found["call", 9, "fresh"].evidence == "import by package"
    through = found["import", 3, "Cart"]
    assert (through.target_path, "exported again" in through.evidence) == ("shop/cart.py", True)


def test_what_is_not_known_is_no_edge() -> None:
    # A parameter that holds a function, an object of unknown type, a module of somebody else.
    assert {"main.py:10", "main.py:11", "main.py:12"}.isdisjoint(calls(PYTHON))


def test_two_classes_with_a_method_of_one_name_are_distinguished() -> None:
    targets = {edge.target for edge in edges(PYTHON, "call") if edge.line == 14}
    assert targets == {"Log.put"}


def test_typescript_modules_classes_and_fields() -> None:
    assert calls(
        {
            "src/store.ts": "export class Store {\n  put(x: number): Row { return new Row() }\n}\n"
            "export class Row { save() {} }\nexport default function open(): Store { }\n",
            "src/again.ts": "export * from './store'\nexport { Row as Line } from './store'\n",
            "src/app.ts": "import open, { Store } from './store'\nimport * as all from './again'\n"
            "class App {\n  constructor(private store: Store) {}\n  run() {\n"
            "    this.store.put(1).save()\n    this.stop()\n    open().put(2)\n"
            "    new all.Line().save()\n  }\n  stop() {}\n}\n",
        }
    ) == {
        "src/store.ts:2": "src/store.ts:Row",
        "src/app.ts:6": "src/store.ts:Row.save",
        "src/app.ts:7": "src/app.ts:App.stop",
        "src/app.ts:8": "src/store.ts:Store.put",
        "src/app.ts:9": "src/store.ts:Row.save",
    }


BUILDERS = {
    "init.ts": (
        "import type { Builder } from './builder';\n"
        "export interface Root<T> {\n  procedure: Builder<\n    T\n  >;\n}\n"
        "class Init<C> {\n  context<N>() {\n    return new Init<N>();\n  }\n"
        "  mixed(x: any) {\n    if (x) return new Init();\n    return new Other();\n  }\n"
        "  create<T>(\n    opts?: T,\n  ): Root<{ a: T }> {\n    return {} as any;\n  }\n}\n"
        "class Other {\n  same() {\n    return this;\n  }\n  create() {}\n}\n"
        "export const init = new Init();\nexport const other = new Other();\n"
    ),
    "builder.ts": (
        "export interface Builder<T> {\n  input<P>(schema: P): Builder<P>;\n"
        "  query(run: (opts: T) => void): Query;\n}\n"
    ),
    "t.ts": (
        "import { init, other } from './init';\n"
        "export const t = init.context<Ctx>().create();\n"
        "export const procedure = t.procedure;\n"
        "other.same().create();\ninit.mixed(1).create();\n"
    ),
    "app.ts": (
        "import { t, procedure } from './t';\nt.procedure.input(1);\n"
        "procedure\n  .input(1)\n  .query(run);\n"
        "const p = procedure.input(2).input(3);\np.query(run);\n"
    ),
}


def test_values_of_other_files_and_what_functions_return_lead_on() -> None:
    found = [edge for edge in edges(BUILDERS, "call") if edge.source_path in ("t.ts", "app.ts")]
    assert {
        (item.source_path, item.line, item.target) for item in found if item.confidence >= 0.8
    } == {
        ("t.ts", 2, "Init.context"),
        ("t.ts", 2, "Init.create"),
        ("t.ts", 4, "Other.same"),
        ("t.ts", 4, "Other.create"),
        ("t.ts", 5, "Init.mixed"),
        ("app.ts", 2, "Builder.input"),
        ("app.ts", 4, "Builder.input"),
        ("app.ts", 5, "Builder.query"),
        ("app.ts", 6, "Builder.input"),
        ("app.ts", 7, "Builder.query"),
    }


def test_commonjs_whole_modules_and_names_taken_apart() -> None:
    assert calls(
        {
            "lib/app.js": "module.exports = create\nfunction create() {}\n",
            "lib/log.js": "exports.warn = function warn() {}\n",
            "index.js": "module.exports = require('./lib/app')\n",
            "test.js": "const make = require('./index')\n"
            "const { warn: say } = require('./lib/log')\n"
            "const log = require('./lib/log')\nmake()\nsay()\nlog.warn()\n",
        }
    ) == {
        "test.js:4": "lib/app.js:create",
        "test.js:5": "lib/log.js:warn",
        "test.js:6": "lib/log.js:warn",
    }


def test_go_packages_receivers_embedding_and_several_results() -> None:
    assert calls(
        {
            "go.mod": "module example.org/shop\n",
            "store/db.go": "package store\n\ntype Base struct{}\n\nfunc (b *Base) Close() {}\n\n"
            "type DB struct {\n\tBase\n\tlog Log\n}\n\n"
            "func Open() (*DB, error) { return nil, nil }\n",
            "store/log.go": "package store\n\ntype Log struct{}\n\n"
            "func (l Log) Say() { hidden() }\n\n"
            "func hidden() {}\n",
            "main.go": 'package main\n\nimport "example.org/shop/store"\n\nfunc main() {\n'
            "\tdb, _ := store.Open()\n\tdb.Close()\n\tuse(db)\n}\n\nfunc use(db *store.DB) {\n"
            "\tdb.Close()\n}\n",
        }
    ) == {
        "store/log.go:5": "store/log.go:hidden",
        "main.go:6": "store/db.go:Open",
        "main.go:7": "store/db.go:Base.Close",
        "main.go:8": "main.go:use",
        "main.go:12": "store/db.go:Base.Close",
    }


def test_java_members_fields_and_bases() -> None:
    assert calls(
        {
            "org/shop/Cart.java": "package org.shop;\nimport org.shop.db.Store;\n"
            "class Cart extends Base {\n  private final Store store = Store.open();\n"
            "  void add() {\n    store.put();\n    save();\n    new Row();\n  }\n}\n",
            "org/shop/Base.java": "package org.shop;\nclass Base { void save() {} }\n",
            "org/shop/Row.java": "package org.shop;\nclass Row { }\n",
            "org/shop/db/Store.java": "package org.shop.db;\npublic class Store {\n"
            "  public static Store open() { return new Store(); }\n  public void put() {}\n}\n",
        }
    ) == {
        "org/shop/Cart.java:4": "org/shop/db/Store.java:Store.open",
        "org/shop/Cart.java:6": "org/shop/db/Store.java:Store.put",
        "org/shop/Cart.java:7": "org/shop/Base.java:Base.save",
        "org/shop/Cart.java:8": "org/shop/Row.java:Row",
        "org/shop/db/Store.java:3": "org/shop/db/Store.java:Store",
    }


def test_super_in_an_inline_module_of_rust_is_the_file_itself() -> None:
    files = {
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/main.rs": "mod walk;\n\nfn scan() {}\n\nfn main() {\n    walk::scan();\n}\n\n"
        "mod superb;\n\nmod inner {\n    fn go() {\n        superb::fly();\n    }\n}\n",
        "src/superb.rs": "pub fn fly() {}\n",
        "src/walk.rs": "pub fn scan() {}\n\n#[cfg(test)]\nmod tests {\n    use super::scan;\n\n"
        "    fn near() {\n        scan();\n        super::scan();\n    }\n\n"
        "    mod deep {\n        use super::super::super::scan as above;\n\n"
        "        fn far() {\n            above();\n            super::super::scan();\n"
        "        }\n    }\n}\n",
    }
    assert calls(files) == {
        "src/main.rs:6": "src/walk.rs:scan",
        "src/main.rs:13": "src/superb.rs:fly",
        "src/walk.rs:8": "src/walk.rs:scan",
        "src/walk.rs:9": "src/walk.rs:scan",
        "src/walk.rs:16": "src/main.rs:scan",
        "src/walk.rs:17": "src/walk.rs:scan",
    }


def test_rust_c_php_and_ruby() -> None:
    rust = {
        "Cargo.toml": '[package]\nname = "shop"\n',
        "src/lib.rs": "mod store;\nuse crate::store::Store;\n\npub fn run() {\n"
        "    let store = Store::open();\n    store.put();\n    crate::store::help();\n}\n",
        "src/store.rs": "pub struct Store;\n\nimpl Store {\n    pub fn open() -> Store { Store }\n"
        "    pub fn put(&self) { self.flush() }\n    fn flush(&self) {}\n}\n\npub fn help() {}\n",
    }
    assert calls(rust) == {
        "src/lib.rs:5": "src/store.rs:Store.open",
        "src/lib.rs:6": "src/store.rs:Store.put",
        "src/lib.rs:7": "src/store.rs:help",
        "src/store.rs:5": "src/store.rs:Store.flush",
    }
    c = {
        "util.h": "int add(int a, int b);\n",
        "util.c": '#include "util.h"\nstatic int twice(int a) { return a; }\n'
        "int add(int a, int b) { return twice(a); }\n",
        "main.c": '#include "util.h"\nint main(void) {\n  return add(1, 2);\n}\n',
    }
    assert calls(c) == {"util.c:3": "util.c:twice", "main.c:3": "util.c:add"}
    php = {
        "src/Client.php": "<?php\nnamespace Shop;\nuse Shop\\Db\\Store;\nclass Client {\n"
        "  public function __construct(private Store $store) {}\n"
        "  public function run() {\n    $this->store->put();\n    $this->stop();\n  }\n"
        "  private function stop() {}\n}\n",
        "src/Db/Store.php": "<?php\nnamespace Shop\\Db;\nclass Store {\n"
        "  public function put() {}\n}\n",
        "composer.json": '{"autoload": {"psr-4": {"Shop\\\\": "src/"}}}',
    }
    assert calls(php)["src/Client.php:8"] == "src/Client.php:Shop.Client.stop"
    ruby = {
        "lib/store.rb": "class Store\n  def self.open(path)\n    build(path)\n  end\n"
        "  def self.build(path)\n  end\nend\n",
        "main.rb": "require_relative 'lib/store'\nStore.open(1)\n",
    }
    assert calls(ruby) == {
        "lib/store.rb:3": "lib/store.rb:Store.build",
        "main.rb:2": "lib/store.rb:Store.open",
    }


def test_imports_in_circles_recursion_and_broken_files_end() -> None:
    files = {
        "a.py": "from b import *\nfrom a import f\n\ndef f():\n    f()\n    g()\n",
        "b.py": "from a import *\nfrom c import g\n",
        "c.py": "from b import g\n\nclass A(B): pass\nclass B(A):\n    def m(self): self.none()\n",
        "d.py": "def broken(:\n    f(\n" + "(" * 500,
    }
    assert calls(files) == {"a.py:5": "a.py:f"}
    deep = {f"m{n}.py": f"from m{n + 1} import f\n" for n in range(60)}
    assert calls({**deep, "m60.py": "def f(): pass\n", "top.py": "from m0 import f\nf()\n"}) == {}


def test_of_a_barrel_only_what_its_files_export_is_taken() -> None:
    files = {
        "src/error.ts": "export class Failure {}\nfunction pick() {}\nexport { pick as choose };\n",
        "src/first.ts": "import { Failure } from 'elsewhere';\nexport const a = new Failure();\n"
        "function late() {}\nfunction pick() {}\n",
        "src/again.ts": "import { Failure as F, late } from './last';\n"
        "export { F, late as later };\n",
        "src/last.ts": "export { Failure } from './error';\nexport function late() {}\n",
        "src/index.ts": "export * from './first';\nexport * from './error';\n"
        "export * from './again';\nexport * from './last';\nexport * as all from './last';\n",
        "src/app.ts": "import { Failure, F, late, later, choose, pick, all } from '.';\n"
        "new Failure();\nnew F();\nlate();\nlater();\nchoose();\npick();\nall.late();\n",
    }
    result = calls(files)
    assert {place: target for place, target in result.items() if "app.ts" in place} == {
        "src/app.ts:2": "src/error.ts:Failure",
        "src/app.ts:3": "src/error.ts:Failure",
        "src/app.ts:4": "src/last.ts:late",
        "src/app.ts:5": "src/last.ts:late",
        "src/app.ts:6": "src/error.ts:pick",
        "src/app.ts:8": "src/last.ts:late",
    }


def test_what_a_function_of_python_gives_back_is_of_the_class_that_it_makes() -> None:
    files = {
        "a.py": "class Bar:\n    def show(self): pass\n\n\ndef make():\n    return Bar(1)\n\n\n"
        "def either(x):\n    if x:\n        return Bar()\n    return Other()\n",
        "b.py": "from a import either, make\nbar = make()\nbar.show()\neither(1).show()\n",
    }
    output = calls(files)
    assert output["b.py:3"] == "a.py:Bar.show"
    assert output["b.py:4"] == "a.py:either"
