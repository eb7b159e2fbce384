"""Code that resolves badly: a sensible edge, one that says it is unsure, or none (issue 20)."""

from __future__ import annotations

from gitmem.graph.source_file import DEEPEST
from gitmem.graph.values import SURE
from tests.support.code_graph import calls, edges, project

CONDITIONAL = {
    "fast.py": "def dump(x): pass\n",
    "slow.py": "def dump(x): pass\ndef load(x): pass\n",
    "late.py": "def turn(): pass\n",
    "app.py": (
        "import sys\n"
        "try:\n    from fast import dump\nexcept ImportError:\n    from slow import dump\n"
        "if sys.platform == 'win32':\n    import slow as codec\nelse:\n    import fast as codec\n"
        "def run(x):\n    from late import turn\n    dump(x)\n    codec.dump(x)\n    turn()\n"
    ),
}


def test_of_imports_under_conditions_each_is_an_edge_and_one_is_called() -> None:
    found = [edge for edge in edges(CONDITIONAL) if edge.source_path == "app.py"]
    imported = [(item.line, item.target_path, item.kind) for item in found if not item.target]
    assert [item for item in imported if item[2] != "call"] == [
        (3, "fast.py", "import"),
        (5, "slow.py", "import"),
        (7, "slow.py", "import"),
        (9, "fast.py", "import"),
        (11, "late.py", "late-import"),
    ]
    called = {item.line: item.target_path for item in found if item.kind == "call"}
    assert called.keys() == {12, 13, 14}
    assert called[14] == "late.py"


def test_what_is_only_known_when_it_runs_is_not_reported() -> None:
    files = {
        "python.py": (
            "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\n"
            "TABLE = {'a': A, 'b': B}\ndef run(name, thing):\n    TABLE[name]().go()\n"
            "    getattr(thing, name)()\n    thing.go()\n    (A if name else B)().go()\n"
            "    [one.go() for one in thing]\n    globals()[name]()\n    (lambda: thing)().go()\n"
        ),
        "script.js": "function go() {}\nfunction run(x, n) { x[n](); x.go(); window[n].go() }\n",
        "lib.rb": "def go; end\nclass A\n  def run(x) = x.send(:go)\nend\n",
        "part.php": "<?php function go() {}\nfunction run($x, $n) { $x->$n(); $n(); $x->go(); }\n",
    }
    assert [edge for edge in edges(files) if edge.kind == "call" and edge.confidence >= SURE] == []


def test_a_call_through_a_base_leads_to_the_base() -> None:
    files = {
        "a.py": (
            "class Base:\n    def go(self): pass\nclass A(Base):\n    def go(self): pass\n"
            "class B(Base):\n    def go(self): pass\ndef run(x: Base):\n    x.go()\n"
        )
    }
    assert calls(files) == {"a.py:8": "a.py:Base.go"}


def test_macros_are_called_by_name_and_hide_what_they_call() -> None:
    files = {
        "log.h": "#define LOG(x) write_log(x)\n#define TWICE(f) f(); f()\nvoid write_log(int x);\n",
        "log.c": '#include "log.h"\nvoid write_log(int x) {}\n',
        "main.c": (
            '#include "log.h"\n#define LOCAL(x) LOG(x)\nint main(void) {\n  LOG(1);\n'
            "  TWICE(go);\n  LOCAL(2);\n  UNKNOWN(3);\n  return 0;\n}\n"
        ),
        "lib.rs": (
            "macro_rules! each { ($x:expr) => { $x } }\n"
            "fn run() {\n    each!(1);\n    gone!(2);\n}\n"
        ),
    }
    output = calls(files)
    assert output == {
        "main.c:4": "log.h:LOG",
        "main.c:5": "log.h:TWICE",
        "main.c:6": "main.c:LOCAL",
        "lib.rs:3": "lib.rs:each",
    }


def test_generated_code_is_read_as_far_as_it_goes() -> None:
    files = {
        "out.js": ";".join(f"function f{number}(){{f{number + 1}()}}" for number in range(300)),
        "stub_pb2.py": "\n".join(f"def f{n}():\n    return f{n - 1}()" for n in range(300)),
        "deep.py": "x = " + "(" * 3_000 + ")" * 3_000 + "\ndef f(): f()\n",
    }
    output = calls(files)
    assert output["stub_pb2.py:4"] == "stub_pb2.py:f0"
    assert sum(place.startswith("stub_pb2") for place in output) == 299
    packed = project(files).source_file("out.js")
    assert packed is not None
    # Of thousands in one line it is not known which stands in which: not all are looked through.
    assert len(packed.enclosing_definitions(1)) == DEEPEST


def test_one_name_defined_everywhere_is_no_sure_edge_without_an_import() -> None:
    files = {f"m{number}.c": "void turn(void) {}\n" for number in range(40)}
    files["main.c"] = "int main(void) { turn(); }\n"
    files |= {f"k{number}.rb": "class Thing; def self.go; end; end\n" for number in range(40)}
    files["main.rb"] = "Thing.go\n"
    sure = [edge for edge in edges(files) if edge.kind == "call" and edge.confidence >= SURE]
    assert sure == []


def test_of_a_name_renamed_half_way_only_the_new_calls_lead_to_it() -> None:
    files = {
        "lib.py": "def stop(): pass\nclass Pool:\n    def drain(self): pass\n",
        "new.py": "from lib import Pool, stop\nstop()\npool = Pool()\npool.drain()\n",
        "old.py": "from lib import Pool, halt\nhalt()\npool = Pool()\npool.flush()\n",
        "both.py": "import lib\nlib.stop()\nlib.halt()\n",
    }
    assert calls(files) == {
        "new.py:2": "lib.py:stop",
        "new.py:3": "lib.py:Pool",
        "new.py:4": "lib.py:Pool.drain",
        "old.py:3": "lib.py:Pool",
        "both.py:2": "lib.py:stop",
    }
    found = {(edge.line, edge.target) for edge in edges(files) if edge.source_path == "old.py"}
    assert found == {(1, ""), (1, "Pool"), (3, "Pool")}  # that it imports from there is still so


def test_an_enum_that_takes_its_own_variants_ends_the_search_for_its_traits() -> None:
    files = {
        "Cargo.toml": '[package]\nname = "demo"\n',
        "src/lib.rs": (
            "use self::Kind::*;\npub enum Kind { One, Two }\n"
            "impl fmt::Debug for Kind {}\nimpl Clone for Kind {}\n"
            "impl Kind { pub fn go(&self) {} }\n"
            "pub fn make() -> Kind { One }\npub fn run(kind: Kind) {\n    make().go();\n"
            "    kind.missing();\n    kind.go();\n}\n"
        ),
    }
    assert calls(files) == {
        "src/lib.rs:8": "src/lib.rs:Kind.go",
        "src/lib.rs:10": "src/lib.rs:Kind.go",
    }


def test_tests_of_java_know_their_package_in_the_other_source_root() -> None:
    main, tests = "src/main/java/org/a/nodes", "src/test/java/org/a/nodes"
    files = {
        f"{main}/Page.java": "package org.a.nodes;\npublic class Page { public void turn() {} }\n",
        "other/org/a/nodes/Page.java": "package org.a.nodes;\npublic class Page {}\n",
        f"{tests}/PageTest.java": (
            "package org.a.nodes;\npublic class PageTest {\n  void t() {\n"
            "    Page page = new Page();\n    page.turn();\n  }\n}\n"
        ),
    }
    assert calls(files) == {
        f"{tests}/PageTest.java:4": f"{main}/Page.java:Page",
        f"{tests}/PageTest.java:5": f"{main}/Page.java:Page.turn",
    }


def test_what_is_nested_twice_in_a_class_is_imported_from_its_file() -> None:
    page = "package org.a;\npublic class Page { public static class Out { enum Way { ON } } }\n"
    files = {
        "src/main/java/org/a/Page.java": page,
        "src/main/java/org/b/Use.java": (
            "package org.b;\nimport org.a.Page.Out.Way;\nimport static org.a.Page.Out.*;\n"
            "class Use {}\n"
        ),
        "src/main/java/org/b/Own.java": (
            "package org.b;\nimport static org.b.Own.Part.all;\n"
            "class Own { static class Part { static void all() {} } }\n"
        ),
    }
    imported = [(edge.line, edge.target_path, edge.target) for edge in edges(files, "import")]
    page_path = "src/main/java/org/a/Page.java"
    assert (2, page_path, "Page.Out.Way") in imported
    assert (3, page_path, "") in imported
    assert "src/main/java/org/b/Own.java" not in [path for _, path, _ in imported]


def test_a_package_of_go_is_named_for_what_stands_before_its_version() -> None:
    files = {
        "go.mod": "module github.com/demo/mux/v5\n",
        "mux.go": "package mux\n\nfunc New() *Mux { return nil }\n\ntype Mux struct{}\n",
        "_examples/main.go": (
            'package main\n\nimport "github.com/demo/mux/v5"\n\nfunc main() {\n\tmux.New()\n}\n'
        ),
    }
    assert calls(files) == {"_examples/main.go:6": "mux.go:New"}


def test_a_name_bound_anew_in_a_line_is_what_it_was_before_for_that_line() -> None:
    files = {
        "go.mod": "module demo\n",
        "mux.go": (
            "package demo\n\ntype Router interface {\n\tRoute(f func(r Router))\n}\n\n"
            "type Mux struct{}\n\nfunc (m *Mux) Route(f func(r Router)) {}\n"
            "func (m *Mux) Next() *Node { return nil }\n\n"
            "type Node struct{}\n\nfunc (n *Node) Next() *Mux { return nil }\n\n"
            "func NewMux() *Mux { return nil }\n"
        ),
        "use.go": (
            "package demo\n\nfunc use() {\n\tr := NewMux()\n\tr.Route(func(r Router) {\n\t})\n}\n\n"
            "func step() {\n\tn := NewMux()\n\tn = n.Next()\n\tn.Next()\n}\n"
        ),
    }
    found = calls(files)
    assert found["use.go:5"] == "mux.go:Mux.Route"
    assert found["use.go:11"] == "mux.go:Mux.Next"
    assert found["use.go:12"] == "mux.go:Node.Next"


def test_a_private_field_of_a_script_is_what_it_is_declared_as_or_set_to() -> None:
    files = {
        "src/driver.ts": "export class Driver {\n  init() {}\n}\n",
        "src/runner.ts": (
            "import { Driver } from './driver.js'\nexport class Runner {\n"
            "  readonly #driver: Driver\n  #made = new Driver()\n  run() {\n"
            "    this.#driver.init()\n    this.#made.init()\n  }\n}\n"
        ),
    }
    found = calls(files)
    assert found["src/runner.ts:6"] == "src/driver.ts:Driver.init"
    assert found["src/runner.ts:7"] == "src/driver.ts:Driver.init"
