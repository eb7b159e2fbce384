"""Functions that a diff adds although they exist."""

from __future__ import annotations

from tests.review.conftest import SHOP, Ask, edit, known, rules
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder

SAME = SHOP["shop/cart.py"].partition("def is_debug")[2]
LONG = (
    "def write_receipt(path, prices):\n    lines = []\n    for price in prices:\n"
    "        lines.append(format_price(price))\n    lines.append('thanks')\n"
    "    lines.append('thank you, and come again soon')\n    return lines\n"
)


def test_a_function_under_another_name_is_found_by_its_lines(shop: RepoBuilder, ask: Ask) -> None:
    shop.write({"shop/flags.py": f"import os\n\n\ndef debug_is_on{SAME}"})
    result = ask()
    assert rules(result) == [("function/exists", "shop/flags.py", 4)]
    expected = "debug_is_on has the same lines as is_debug in shop/cart.py:8"
    assert result.findings[0].message == expected


def test_a_function_that_the_diff_moves_is_not_there_twice(shop: RepoBuilder, ask: Ask) -> None:
    edit(shop, "shop/cart.py", f"def is_debug{SAME}", "")
    shop.write({"shop/flags.py": f"import os\n\n\ndef is_debug{SAME}"})
    assert not ask().findings


def test_the_same_name_with_another_body_is_no_finding(
    shop: RepoBuilder, desk: Desk, ask: Ask
) -> None:
    shop.commit("Receipt", {"shop/receipt.py": LONG})
    desk.run("index")
    other = LONG.replace("lines.append('thanks')", "print(lines)\n    return path")
    shop.write({"shop/other.py": other})
    result = ask()
    assert not result.findings
    (message,) = known(result, "function/exists")
    assert message.startswith("write_receipt has the name and parameters of write_receipt in")


def test_short_functions_and_tests_are_not_compared(shop: RepoBuilder, ask: Ask) -> None:
    shop.write(
        {
            "shop/sums.py": "def total(prices):\n    return sum(prices)\n",
            "tests/test_flags.py": f"import os\n\n\ndef is_debug{SAME}",
        }
    )
    assert not ask().findings
