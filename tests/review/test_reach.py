"""What a diff reaches: definitions, dependents, tests with the command that runs them."""

from __future__ import annotations

import pytest

from tests.review.conftest import Ask, edit, known
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder


def test_the_users_and_the_tests_of_what_changes_are_named(shop: RepoBuilder, ask: Ask) -> None:
    edit(shop, "shop/cart.py", "return sum(prices)", "return sum(prices) or 0")
    result = ask()
    assert result.changed == ("shop/cart.py:total",)
    assert [(each.path, each.depth) for each in result.dependents if not each.test] == [
        ("shop/till.py", 1)
    ]
    assert result.tests.frameworks[0] == "pytest"
    assert result.tests.related == ("tests/test_cart.py",)
    assert result.tests.command == "pytest tests/test_cart.py"
    assert result.tests.changed == ()


def test_a_test_in_the_diff_counts(shop: RepoBuilder, ask: Ask) -> None:
    edit(shop, "shop/cart.py", "return sum(prices)", "return sum(prices) or 0")
    edit(shop, "tests/test_cart.py", "== 1", "== 1.0")
    tests = ask().tests
    assert (tests.changed, tests.related) == (("tests/test_cart.py",), ())


def test_a_command_holds_no_name_that_a_shell_would_obey(
    shop: RepoBuilder, desk: Desk, ask: Ask
) -> None:
    test = "from shop.cart import total\n\n\ndef test_it():\n    assert total([1])\n"
    shop.commit("Odd", {"tests/test_a;touch b.py": test, "tests/test_$(id).py": test})
    desk.run("index")
    edit(shop, "shop/cart.py", "return sum(prices)", "return sum(prices) or 0")
    tests = ask().tests
    assert len(tests.related) == 3
    assert tests.command == "pytest tests/test_cart.py"


def test_the_command_runs_tests_and_not_what_only_helps_them(
    shop: RepoBuilder, desk: Desk, ask: Ask
) -> None:
    shop.commit(
        "Helpers",
        {
            "tests/conftest.py": "from shop.cart import total\n\nTOTAL = total([1])\n",
            "tests/apps/cart.py": "from shop.cart import total\n\nTOTAL = total([2])\n",
        },
    )
    desk.run("index")
    edit(shop, "shop/cart.py", "return sum(prices)", "return sum(prices) or 0")
    tests = ask().tests
    assert tests.related[0] == "tests/test_cart.py" and len(tests.related) == 3
    assert tests.command == "pytest tests/test_cart.py"


def test_frameworks_are_those_of_the_languages_that_change(
    shop: RepoBuilder, desk: Desk, ask: Ask
) -> None:
    web = {
        "web/package.json": '{"devDependencies": {"vitest": "1"}}',
        "web/bill.ts": "export function bill() {\n  return 1\n}\n",
        "web/bill.test.ts": "import { bill } from './bill'\ntest('bill', () => bill())\n",
    }
    shop.commit("A page", web)
    desk.run("index")
    edit(shop, "shop/cart.py", "return sum(prices)", "return sum(prices) or 0")
    assert ask().tests.frameworks == ("pytest",)
    edit(shop, "web/bill.ts", "return 1", "return 2")
    assert ask().tests.frameworks == ("pytest", "vitest")


def test_an_added_function_without_a_test_is_noted(shop: RepoBuilder, ask: Ask) -> None:
    edit(shop, "shop/till.py", "def pay(", "def refund(prices):\n    return 0\n\n\ndef pay(")
    result = ask()
    assert result.tests.untested == ("shop/till.py:refund",)
    assert known(result, "test/missing") == ["No test names what it adds: refund"]
    shop.write({"tests/test_till.py": "from shop.till import refund\n\nassert refund([]) == 0\n"})
    assert ask().tests.untested == ()


def test_a_test_that_imports_what_goes_breaks(shop: RepoBuilder, ask: Ask) -> None:
    edit(shop, "shop/cart.py", "def total(", "def sum_of(")
    assert ask().tests.broken == ("tests/test_cart.py:1",)


@pytest.mark.parametrize(
    ("files", "framework", "command"),
    [
        ({"go.mod": "module x\n", "a/a.go": "package a\n\nfunc A() int {\n\treturn 1\n}\n",
          "a/a_test.go": 'package a\n\nimport "testing"\n\nfunc TestA(t *testing.T) { A() }\n'},
         "go test", "go test ./a"),
        ({"package.json": '{"devDependencies": {"vitest": "1"}}',
          "src/a.ts": "export function a() {\n  return 1\n}\n",
          "src/a.test.ts": "import { a } from './a'\ntest('a', () => a())\n"},
         "vitest", "npx vitest run src/a.test.ts"),
        ({"Cargo.toml": '[package]\nname = "x"\n',
          "src/lib.rs": "pub fn a() -> i32 {\n    1\n}\n",
          "tests/lib_test.rs": "use x::a;\n\n#[test]\nfn t() {\n    a();\n}\n"},
         "cargo test", "cargo test"),
    ],
)  # fmt: skip
def test_the_framework_is_that_of_the_project(
    repo: RepoBuilder, desk: Desk, ask: Ask, files: dict[str, str], framework: str, command: str
) -> None:
    repo.commit("Code", files)
    desk.run("index")
    path = next(path for path in files if path.endswith((".go", "/a.ts", ".rs")))
    edit(repo, path, "1\n", "2\n")
    tests = ask().tests
    assert (tests.frameworks[0], tests.command) == (framework, command)
