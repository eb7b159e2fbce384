"""Where imports lead, language by language: tables of (importer, module, name) -> path."""

from __future__ import annotations

import json

from gitmem.languages import registry
from gitmem.languages.tree_paths import TreePaths

Table = dict[tuple[str, str, str], str]


def check(language: str, paths: list[str], table: Table, **manifests: str) -> None:
    """Each row of a table leads where it says; "" is nowhere in the repository."""
    tree = TreePaths([*paths, *manifests], manifests)
    found = {
        row: "|".join(item.path for item in registry.resolve_import(tree, language, *row))
        for row in table
    }
    assert found == table


def test_python_relative_package_namespace_and_standard_library() -> None:
    check(
        "python",
        [
            *("src/shop/__init__.py", "src/shop/cart.py", "src/shop/web/__init__.py"),
            *(
                "src/shop/web/view.py",
                "src/shop/types.py",
                "tests/test_cart.py",
                "tests/conftest.py",
            ),
            *("spaces/plugins/pdf.py", "json.py"),
        ],
        {
            ("src/shop/web/view.py", ".", "forms"): "src/shop/web/__init__.py",
            ("src/shop/web/view.py", "..cart", "Cart"): "src/shop/cart.py",
            ("src/shop/web/view.py", "..", "cart"): "src/shop/cart.py",
            ("src/shop/web/view.py", ".....far", "x"): "",
            ("src/shop/cart.py", "shop.web.view", ""): "src/shop/web/view.py",
            ("src/shop/cart.py", "shop.web", "view"): "src/shop/web/view.py",
            ("src/shop/cart.py", "types", "T"): "",
            ("tests/test_cart.py", "shop.cart", "Cart"): "src/shop/cart.py",
            ("tests/test_cart.py", "conftest", "desk"): "tests/conftest.py",
            ("tests/test_cart.py", "json", ""): "",
            ("spaces/main.py", "plugins", "pdf"): "spaces/plugins/pdf.py",
            ("spaces/main.py", "plugins", ""): "spaces/plugins/",
            ("src/shop/cart.py", "requests", "get"): "",
        },
    )


def test_a_folder_is_no_module_of_the_standard_library() -> None:
    tree = TreePaths(["tests/test_a.py", "tests/typing/case.py", "tests/code.py"])
    assert registry.resolve_import(tree, "python", "tests/test_a.py", "typing", "Any") == []
    assert registry.resolve_import(tree, "python", "tests/test_a.py", "typing", "case") == []
    assert registry.resolve_import(tree, "python", "tests/test_a.py", "code", "") != []


def test_scripts_relative_tsconfig_and_packages() -> None:
    check(
        "typescript",
        [
            *("web/src/app.ts", "web/src/ui/index.tsx", "web/src/old.js", "web/src/old.d.ts"),
            *("packages/core/src/index.ts", "packages/core/src/http.ts", "web/src/env.ts"),
        ],
        {
            ("web/src/app.ts", "./ui", "Button"): "web/src/ui/index.tsx",
            ("web/src/ui/index.tsx", "../app.js", "run"): "web/src/app.ts",
            ("web/src/app.ts", "./old", ""): "web/src/old.js",
            ("web/src/app.ts", "@/ui", "Button"): "web/src/ui/index.tsx",
            ("web/src/app.ts", "@acme/core", "get"): "packages/core/src/index.ts",
            ("web/src/app.ts", "@acme/core/http", "get"): "packages/core/src/http.ts",
            ("web/src/app.ts", "#env", "env"): "web/src/env.ts",
            ("web/src/app.ts", "react", "useState"): "",
            ("web/src/app.ts", "../../../out", ""): "",
        },
        **{
            "web/tsconfig.json": '{"extends": "./tsconfig.base.json", // shared\n}',
            "web/package.json": json.dumps({"imports": {"#env": "./src/env.ts"}}),
            "packages/core/package.json": json.dumps(
                {
                    "name": "@acme/core",
                    "exports": {
                        ".": {"import": "./dist/index.mjs"},
                        "./*": {"types": "./dist/*.d.ts"},
                    },
                }
            ),
            "web/tsconfig.base.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
        },
    )


def test_a_manifest_that_cannot_be_read_is_as_if_it_were_not_there() -> None:
    for text in ("{", "[]", '{"exports": [[]]}', '{"name": 3}', "[" * 5_000):
        manifests = {"package.json": text, "tsconfig.json": text}
        check("typescript", ["a.ts", "b.ts"], {("a.ts", "./b", "x"): "b.ts"}, **manifests)
        check("typescript", ["a.ts"], {("a.ts", "b", "x"): ""}, **manifests)
        check("php", ["a.php"], {("a.php", "A", "B"): ""}, **{"composer.json": text})


def test_go_modules() -> None:
    check(
        "go",
        ["main.go", "store/db.go", "tools/gen/gen.go"],
        {
            ("main.go", "example.org/shop/store", ""): "store/",
            ("store/db.go", "example.org/shop", ""): "/",
            ("main.go", "example.org/shop/tools/gen", ""): "tools/gen/",
            ("main.go", "example.org/shopping", ""): "",
            ("main.go", "fmt", ""): "",
        },
        **{
            "go.mod": "module example.org/shop\n\ngo 1.22\n",
            "tools/go.mod": "module example.org/shop/tools",
        },
    )


def test_rust_paths_and_crates() -> None:
    check(
        "rust",
        [
            *("core/src/lib.rs", "core/src/store/mod.rs", "core/src/store/db.rs"),
            *("core/src/text.rs", "cli/src/main.rs"),
        ],
        {
            ("core/src/text.rs", "crate::store::db", "Db"): "core/src/store/db.rs",
            ("core/src/store/db.rs", "super", "Row"): "core/src/store/mod.rs",
            ("core/src/store/db.rs", "super::super::text", "cut"): "core/src/text.rs",
            ("core/src/store/mod.rs", "self::db", "Db"): "core/src/store/db.rs",
            ("cli/src/main.rs", "shop_core::text", "cut"): "core/src/text.rs",
            ("cli/src/main.rs", "std::fmt", "Display"): "",
        },
        **{
            "core/Cargo.toml": '[package]\nname = "shop-core"\n',
            "cli/Cargo.toml": '[package]\nname = "cli"\n',
        },
    )


def test_packages_of_java_kotlin_and_php_headers_and_requires() -> None:
    jvm = ["app/src/main/java/org/shop/Cart.java", "app/src/main/java/org/shop/Main.java"]
    main = jvm[1]
    check(
        "java",
        jvm,
        {
            (main, "org.shop", "Cart"): jvm[0],
            (main, "org.shop.Cart", "of"): jvm[0],
            (main, "org.shop", "*"): "app/src/main/java/org/shop/",
            (main, "java.util", "List"): "",
        },
    )
    check(
        "php",
        ["src/Http/Client.php", "lib/old.php"],
        {
            ("lib/old.php", "Shop\\Http", "Client"): "src/Http/Client.php",
            ("lib/old.php", "Psr\\Log", "Logger"): "",
            ("src/Http/Client.php", "../../lib/old.php", "*"): "lib/old.php",
        },
        **{"composer.json": '{"autoload": {"psr-4": {"Shop\\\\": "src/"}}}'},
    )
    check(
        "c",
        ["src/main.c", "src/util.h", "include/shop/api.h", "a/log.h", "b/log.h", "c/deep/one.h"],
        {
            ("src/main.c", "util.h", "*"): "src/util.h",
            ("src/main.c", "shop/api.h", "*"): "include/shop/api.h",
            ("src/main.c", "one.h", "*"): "c/deep/one.h",
            ("src/main.c", "stdio.h", "*"): "",
        },
    )
    check(
        "ruby",
        ["lib/shop/cart.rb", "lib/shop.rb", "test/cart_test.rb"],
        {
            ("lib/shop.rb", "shop/cart", "*"): "lib/shop/cart.rb",
            ("test/cart_test.rb", "../lib/shop", "*"): "lib/shop.rb",
            ("lib/shop.rb", "json", "*"): "",
        },
    )


def test_which_of_several_headers_is_meant_is_a_guess_and_says_so() -> None:
    (found,) = registry.resolve_import(
        TreePaths(["a/log.h", "b/log.h", "m.c"]), "c", "m.c", "log.h", "*"
    )
    assert (found.path, found.evidence) == ("a/log.h", "one of several of that name")
    assert found.confidence < 0.8
