"""Imports that are none while their file is loaded: for types alone, or in functions."""

from __future__ import annotations

from gitmem.indexing.syntax import extract

LOADED, LATER, TYPES = "import", "late-import", "type-import"
CASES = (
    ("python", "x.py", "import a", [("a", LOADED)]),
    ("python", "x.py", "def f():\n    import a", [("a", LATER)]),
    ("python", "x.py", "class C:\n    import a\n    def f(self): import b", [("a", LOADED)]),
    ("python", "x.py", "try:\n    import a\nexcept E:\n    import b", [("a", LOADED)]),
    ("python", "x.py", "if TYPE_CHECKING:\n    from a import b", [("b", TYPES)]),
    ("python", "x.py", "if (t.TYPE_CHECKING):\n    if x:\n        import a", [("a", TYPES)]),
    ("python", "x.py", "if TYPE_CHECKING:\n  pass\nelse:\n  import a", [("a", LOADED)]),
    ("python", "x.py", "if not TYPE_CHECKING:\n    import a", [("a", LOADED)]),
    ("python", "x.py", "if MY_TYPE_CHECKING_TOO:\n    import a", [("a", LOADED)]),
    ("python", "x.py", "def f():\n  if TYPE_CHECKING:\n    import a", [("a", TYPES)]),
    ("typescript", "x.ts", "import type { A } from './a'", [("A", TYPES)]),
    ("typescript", "x.ts", "import type A from './a'", [("A", TYPES)]),
    ("typescript", "x.ts", "import type from './a'", [("", LOADED)]),
    ("typescript", "x.ts", "export type { A } from './a'", [("A", TYPES)]),
    (
        "typescript",
        "x.ts",
        "import { type A, B, type C as D } from './a'",
        [("A", TYPES), ("B", LOADED), ("D", TYPES)],
    ),
    ("typescript", "x.ts", "import { type A,\n  type B } from './a'", [("A", TYPES), ("B", TYPES)]),
    ("typescript", "x.ts", "import D, { type A } from './a'", [("A", TYPES), ("D", LOADED)]),
    ("typescript", "x.ts", "import { type as T } from './a'", [("T", LOADED)]),
    ("typescript", "x.ts", "import { A } from './type'", [("A", LOADED)]),
    ("typescript", "x.ts", "const f = () => import('./a')", [("", LATER)]),
    ("javascript", "x.js", "const a = require('./a')", [("a", LOADED)]),
    ("javascript", "x.js", "function f() { const a = require('./a') }", [("a", LATER)]),
    ("javascript", "x.js", "use(function () { const a = require('./a') })", [("a", LATER)]),
    ("ruby", "x.rb", "def f\n  require 'a'\nend", [("", LATER)]),
    ("php", "x.php", "<?php function f() { require 'a.php'; }", [("", LATER)]),
    ("go", "x.go", 'package x\nimport "a"\n', [("a", LOADED)]),
    ("rust", "x.rs", "fn f() { use a::b; }", [("b", LOADED)]),
)


def test_each_import_says_when_it_takes_place() -> None:
    for language, path, text, expected in CASES:
        parsed = extract.parse_source_file(language, path, text.encode())
        assert parsed is not None, text
        result = {use[4]: use[1] for use in parsed.uses if use[1] in (LOADED, LATER, TYPES)}
        assert {name: result.get(name) for name, _ in expected} == dict(expected), text
