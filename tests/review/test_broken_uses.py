"""Names that a diff removes although another file imports them, and those it only moves."""

from __future__ import annotations

import pytest

from gitmem.review import broken_uses
from tests.review.conftest import Ask, edit, rules
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder


def test_a_removed_name_that_others_import_is_an_error(shop: RepoBuilder, ask: Ask) -> None:
    edit(shop, "shop/cart.py", "def total(", "def sum_of(")
    result = ask()
    assert rules(result) == [("removed/still-imported", "shop/cart.py", 0)] * 2
    assert result.findings[0].level == "error"
    assert {each.message for each in result.findings} == {
        f"{path}:1 still imports total, which the diff removes from this file"
        for path in ("shop/till.py", "tests/test_cart.py")
    }


def test_a_file_that_is_deleted_removes_its_names(shop: RepoBuilder, ask: Ask) -> None:
    (shop.path / "shop/cart.py").unlink()
    assert rules(ask()) == [("removed/still-imported", "shop/cart.py", 0)] * 2


SUMS = "def total(prices):\n    return 0\n\n\ndef mean(prices):\n    return 0\n"


@pytest.mark.parametrize(
    "rest",
    [
        "from shop.sums import total\n",
        "from shop.sums import (\n    mean,\n    total,\n)\n",
        "total = sum\n",
        "from shop.sums import *\n",
        "def __getattr__(name):\n    return getattr(sums, name)\n",
    ],
)
def test_a_name_that_is_still_offered_is_not_missed(shop: RepoBuilder, ask: Ask, rest: str) -> None:
    shop.write({"shop/cart.py": rest, "shop/sums.py": SUMS})
    assert not ask().findings


def test_importers_that_the_diff_changes_as_well_are_read_as_they_will_be(
    shop: RepoBuilder, ask: Ask
) -> None:
    edit(shop, "shop/cart.py", "def total(", "def sum_of(")
    edit(shop, "shop/till.py", "import total", "import sum_of as total")
    edit(shop, "tests/test_cart.py", "import total", "import sum_of as total")
    assert not ask().findings


def test_what_may_be_missing_is_not_missed(shop: RepoBuilder, desk: Desk, ask: Ask) -> None:
    optional = (
        "try:\n    from shop.cart import is_debug\nexcept ImportError:\n    is_debug = None\n"
    )
    shop.commit("Optional", {"shop/optional.py": optional})
    desk.run("index")
    edit(shop, "shop/cart.py", "def is_debug(", "def debugs(")
    assert not ask().findings


def test_a_default_import_has_a_name_of_its_own(shop: RepoBuilder, desk: Desk, ask: Ask) -> None:
    files = {
        "web/one.js": "export default function first() {}\nexport function second() {}\n",
        "web/two.js": "import first from './one.js'\nimport { second } from './one'\nfirst()\n",
    }
    shop.commit("Pages", files)
    desk.run("index")
    shop.write({"web/one.js": "export default function () {}\nexport function second() {}\n"})
    assert not ask().findings
    shop.write({"web/one.js": "export default function first() {}\n"})
    assert [each.message for each in ask().findings] == [
        "web/two.js:2 still imports second, which the diff removes from this file"
    ]


@pytest.mark.parametrize(
    ("path", "module", "target", "leads"),
    [
        ("shop/till.py", "shop.cart", "src/shop/cart.py", True),
        ("shop/till.py", ".cart", "shop/cart.py", True),
        ("shop/a/till.py", "..cart", "shop/cart.py", True),
        ("shop/till.py", "cart", "shop/cart.py", False),
        ("shop/till.py", "other.cart", "shop/cart.py", False),
        ("shop/till.py", ".", "shop/__init__.py", True),
        ("web/a.ts", "./b", "web/b.ts", True),
        ("web/a.ts", "../lib/b.js", "lib/b.js", True),
        ("web/a.ts", "./b", "web/b/index.ts", True),
        ("web/a.ts", "b", "web/b.ts", False),
    ],
)
def test_a_module_leads_to_one_file(path: str, module: str, target: str, leads: bool) -> None:
    assert broken_uses.import_resolves_to_file(path, module, target) is leads


STUB = "def total(prices: list[int]) -> int: ...\n"


def test_a_stub_or_a_module_may_go_where_the_other_has_the_name(
    shop: RepoBuilder, desk: Desk, ask: Ask
) -> None:
    shop.commit("A stub", {"shop/cart.pyi": STUB})
    desk.run("index")
    (shop.path / "shop/cart.pyi").unlink()
    assert rules(ask()) == []
    edit(shop, "shop/cart.py", "def total(", "def sum_of(")
    assert {path for _, path, _ in rules(ask())} == {"shop/cart.py", "shop/cart.pyi"}


def test_a_module_may_become_a_package(shop: RepoBuilder, ask: Ask) -> None:
    (shop.path / "shop/cart.py").unlink()
    shop.write({"shop/cart/__init__.py": "from shop.cart.sums import total\n",
                "shop/cart/sums.py": SUMS})  # fmt: skip
    assert rules(ask()) == []
