"""A small shop with tests and a past, and ways to ask what a review of its changes finds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gitmem.review.review import ReviewResult
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder

SHOP = {
    "pyproject.toml": (
        '[project]\nname = "shop"\ndependencies = ["click", "redis"]\n[tool.pytest]\n'
    ),
    "shop/__init__.py": "",
    "shop/cart.py": (
        "import os\n\n\n"
        "def total(prices):\n"
        "    return sum(prices)\n\n\n"
        "def is_debug():\n"
        '    """Whether the shop runs for its developers."""\n'
        '    value = os.environ.get("SHOP_DEBUG")\n'
        "    if not value:\n"
        "        return False\n"
        '    return value.lower() not in {"0", "false", "no"}\n'
    ),
    "shop/till.py": "from shop.cart import total\n\n\ndef pay(prices):\n    return total(prices)\n",
    "tests/test_cart.py": (
        "from shop.cart import total\n\n\ndef test_total():\n    assert total([1]) == 1\n"
    ),
}


@pytest.fixture
def shop(repo: RepoBuilder, desk: Desk) -> RepoBuilder:
    """The shop, committed and indexed."""
    repo.commit("The shop", SHOP)
    desk.run("index")
    return repo


Ask = Callable[..., ReviewResult]


@pytest.fixture
def ask(desk: Desk) -> Ask:
    """The review of the local changes, or of what is asked for."""

    def review(**values: object) -> ReviewResult:
        result = desk.run("review", **values)
        assert isinstance(result, ReviewResult)
        return result

    return review


def rules(result: ReviewResult) -> list[tuple[str, str, int]]:
    """(rule, path, line) of each finding."""
    return [(each.rule, each.path, each.line) for each in result.findings]


def known(result: ReviewResult, rule: str) -> list[str]:
    """The messages of notes of one rule."""
    return [each.message for each in result.context if each.rule == rule]


def edit(repo: RepoBuilder, path: str, old: str, new: str) -> None:
    """Replace a text in a file of the worktree."""
    file = repo.path / path
    before = file.read_text()
    assert old in before
    file.write_text(before.replace(old, new))
