"""Which files an import may mean by its words alone."""

from __future__ import annotations

from gitmem.graph.import_words import guess_imported_files


def test_imports_mean_files_where_only_one_fits() -> None:
    known = ["pkg/__init__.py", "pkg/a.py", "pkg/b.py", "x/b.py", "web/index.ts", "web/util.ts"]
    known.append("src/Http/Client.php")
    for path, module, names, expected in (
        ("pkg/a.py", ".b", (), ["pkg/b.py"]),
        ("pkg/a.py", "pkg.b", ("f",), ["pkg/b.py"]),
        ("pkg/a.py", "pkg", ("b",), ["pkg/__init__.py", "pkg/b.py"]),
        ("pkg/sub/c.py", "..b", (), ["pkg/b.py"]),
        ("t.py", "b", (), []),
        ("pkg/a.py", "os", ("path",), []),
        ("web/index.ts", "./util", (), ["web/util.ts"]),
        ("src/Pool.php", "Acme\\Http\\Client", (), ["src/Http/Client.php"]),
        ("web/util.ts", "./util", (), []),
    ):
        assert sorted(guess_imported_files(path, [(module, names)], known)) == expected, (
            path,
            module,
        )
