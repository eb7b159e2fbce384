"""Lines that a fix had removed and a diff brings back."""

from __future__ import annotations

import pytest

from tests.review.conftest import Ask, edit, known, rules
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder

WRONG = (
    "    for price in prices:\n"
    "        if price is None or price < 0:\n"
    "            raise ValueError('no price at all')\n"
    "        rounded.append(round(price))\n"
)
RIGHT = "    rounded.extend(map(in_cents, prices))\n"
HEAD, TAIL = "def bill(prices):\n    rounded = []\n", "    return rounded\n"


def fixed(shop: RepoBuilder, desk: Desk) -> str:
    shop.commit("Add the bill", {"shop/bill.py": HEAD + WRONG + TAIL})
    fix = shop.commit("Fix the rounding of bills", {"shop/bill.py": HEAD + RIGHT + TAIL})
    desk.run("index")
    return fix


def test_a_block_that_a_fix_removed_is_named_with_the_fix(
    shop: RepoBuilder, desk: Desk, ask: Ask
) -> None:
    fix = fixed(shop, desk)
    edit(shop, "shop/bill.py", RIGHT, WRONG)
    result = ask()
    assert rules(result) == [("fix/undone", "shop/bill.py", 3)]
    expected = f'It turns back what {fix[:10]} "Fix the rounding of bills" changed'
    assert result.findings[0].message == expected


def test_code_that_only_a_fix_added_is_not_to_go(shop: RepoBuilder, desk: Desk, ask: Ask) -> None:
    check = "    if not prices:\n        raise ValueError('nothing was bought')\n"
    shop.commit("Add the bill", {"shop/bill.py": HEAD + TAIL})
    fix = shop.commit("Fix empty bills", {"shop/bill.py": HEAD + check + TAIL})
    desk.run("index")
    edit(shop, "shop/bill.py", check, "")
    (finding,) = ask().findings
    assert finding.message == f'It takes away what {fix[:10]} "Fix empty bills" added'
    edit(shop, "shop/bill.py", HEAD, HEAD + check.split("\n")[0] + "\n        pass\n")
    assert not ask().findings


def test_a_single_line_or_a_commit_that_is_no_fix_says_nothing(
    shop: RepoBuilder, desk: Desk, ask: Ask
) -> None:
    fixed(shop, desk)
    edit(shop, "shop/bill.py", RIGHT, RIGHT + WRONG.split("\n")[-2] + "\n")
    assert not ask().findings
    shop.commit("Add a tax", {"shop/tax.py": HEAD + WRONG + TAIL})
    shop.commit("Tidy the tax up", {"shop/tax.py": HEAD + RIGHT + TAIL})
    desk.run("index")
    edit(shop, "shop/tax.py", RIGHT, WRONG)
    assert not ask().findings


def test_a_file_that_was_fixed_often_is_noted(shop: RepoBuilder, desk: Desk, ask: Ask) -> None:
    for number in range(4):
        shop.commit(
            f"Fix bug {number}", {"shop/cart.py": f"x = {number}\n"}, when="2026-11-01T00:00:00Z"
        )
    desk.run("index")
    shop.write({"shop/cart.py": "x = 'new'\n"})
    (message,) = known(ask(), "fix/often")
    assert message.startswith("This file was fixed 4 times within a year, last by ")


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("    rounded = []  # prices without their cents\n", "    rounded = []  # in cents\n"),
        ("    rounded: list[int] = []\n", "    rounded: list[int | None] = []\n"),
        (
            '    """Return the prices with a `None` for none."""\n',
            '    """Return the prices with ``None`` for none."""\n',
        ),
        ("    from math import ceil, floor\n", "    from math import floor\n"),
    ],
    ids=["comment", "types", "docstring", "import"],
)
def test_a_fix_of_what_does_not_run_may_be_undone(
    shop: RepoBuilder, desk: Desk, ask: Ask, wrong: str, right: str
) -> None:
    head, tail = "def bill(prices):\n", "    return list(prices)\n"
    shop.commit("Add the bill", {"shop/bill.py": head + wrong + tail})
    shop.commit("Fix the bill", {"shop/bill.py": head + right + tail})
    desk.run("index")
    edit(shop, "shop/bill.py", right, wrong)
    assert not ask().findings


@pytest.mark.parametrize(
    "subject", ["Fix some type errors", "fix flake8 finding", "fix(typing): narrow it", "Fix typo"]
)
def test_a_fix_for_a_checker_or_a_reader_may_be_undone(
    shop: RepoBuilder, desk: Desk, ask: Ask, subject: str
) -> None:
    shop.commit("Add the bill", {"shop/bill.py": HEAD + WRONG + TAIL})
    shop.commit(subject, {"shop/bill.py": HEAD + RIGHT + TAIL})
    desk.run("index")
    edit(shop, "shop/bill.py", RIGHT, WRONG)
    assert not ask().findings
