"""A diff that does what a decision or a pattern rejects, and those that only mention it."""

from __future__ import annotations

import pytest

from tests.review.conftest import Ask, edit, known, rules
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder


def test_a_pattern_counts_on_added_lines_alone(shop: RepoBuilder, desk: Desk, ask: Ask) -> None:
    shop.commit("Old", {"shop/old.py": "eval('1')\n"})
    id = desk.run("remember", text="Never call `eval()`.", kind="convention").id
    edit(shop, "shop/cart.py", "import os\n", "import os\n\neval('2')\n")
    (finding,) = ask().findings
    assert (finding.rule, finding.level) == ("pattern/no-eval", "error")
    assert (finding.path, finding.line, finding.memory) == ("shop/cart.py", 3, id)
    assert finding.message.startswith('eval is called, says the convention "Never call `eval()`."')


def test_a_line_that_only_moved_breaks_nothing_anew(
    shop: RepoBuilder, desk: Desk, ask: Ask
) -> None:
    shop.commit("Old", {"shop/old.py": "eval('1')\n\n\ndef a():\n    pass\n"})
    desk.run("remember", text="Never call `eval()`.", kind="convention")
    shop.write({"shop/old.py": "def a():\n    pass\n\n\neval('1')\n"})
    assert not ask().findings


def test_what_a_decision_rejects_by_name_is_not_to_be_imported(
    shop: RepoBuilder, desk: Desk, ask: Ask
) -> None:
    id = desk.run("decide", title="Use click, not argparse, for command lines", why="One way").id
    edit(shop, "shop/till.py", "from shop", "import argparse\nfrom shop")
    (finding,) = ask().findings
    assert (finding.rule, finding.level) == ("decision/contradicted", "warning")
    assert (finding.path, finding.line, finding.memory) == ("shop/till.py", 1, id)
    assert finding.message.startswith("it imports argparse, against the decision")


def test_what_others_import_already_is_only_noted(shop: RepoBuilder, desk: Desk, ask: Ask) -> None:
    shop.commit("Script", {"shop/script.py": "import argparse\n"})
    desk.run("index")
    desk.run("decide", title="Use click, not argparse, for command lines", why="One way")
    edit(shop, "shop/till.py", "from shop", "import argparse\nfrom shop")
    result = ask()
    assert not result.findings
    assert len(known(result, "decision/contradicted")) == 1


@pytest.mark.parametrize(
    "title", ["We decided against Redis for sessions", "Do not use Redis for sessions"]
)
def test_prose_is_compared_only_where_the_subject_is_the_same(
    shop: RepoBuilder, desk: Desk, ask: Ask, title: str
) -> None:
    desk.run("decide", title=title, why="One more server")
    edit(shop, "shop/till.py", "from shop", "import redis\nfrom shop")
    assert not ask().findings
    shop.write({"shop/sessions.py": "import redis\n\nsessions = redis.Redis()\n"})
    assert rules(ask()) == [("decision/contradicted", "shop/sessions.py", 1)]


@pytest.mark.parametrize("path", ["shop/sessions.py", "shop/session_store.py", "userSession.py"])
def test_the_path_alone_may_say_what_a_diff_is_about(
    shop: RepoBuilder, desk: Desk, ask: Ask, path: str
) -> None:
    desk.run("decide", title="We decided against Redis for sessions", why="One more server")
    code = "import redis\n\nstore = redis.Redis()\n"
    shop.write({path: "x = 1\n", "shop/carts.py": code})
    assert not ask().findings
    shop.write({path: code, "shop/carts.py": "x = 1\n"})
    assert rules(ask()) == [("decision/contradicted", path, 1)]


def test_a_reason_that_names_what_is_rejected_does_not_want_it(
    shop: RepoBuilder, desk: Desk, ask: Ask
) -> None:
    why = "Cookies need no server; Redis is one more thing to run"
    desk.run("decide", title="We decided against Redis for sessions", why=why)
    shop.write({"shop/sessions.py": "import redis\n\nsessions = redis.Redis()\n"})
    assert rules(ask()) == [("decision/contradicted", "shop/sessions.py", 1)]


def test_a_decision_is_about_the_files_that_it_cites(
    shop: RepoBuilder, desk: Desk, ask: Ask
) -> None:
    desk.run("decide", title="We decided against Redis for bills", path=("shop/till.py",), why="-")
    edit(shop, "shop/till.py", "from shop", "import redis\nfrom shop")
    assert rules(ask()) == [("decision/contradicted", "shop/till.py", 1)]


def test_a_new_dependency_counts_as_well(shop: RepoBuilder, desk: Desk, ask: Ask) -> None:
    desk.run("decide", title="Do not use celery", why="A queue in SQLite is enough")
    edit(shop, "pyproject.toml", '"click"', '"click", "celery>=5"')
    assert rules(ask()) == [("decision/contradicted", "pyproject.toml", 3)]


def test_a_diff_that_removes_what_was_rejected_contradicts_nothing(
    shop: RepoBuilder, desk: Desk, ask: Ask
) -> None:
    shop.commit("Parser", {"shop/parser.py": "import argparse\nimport sys\n\nprint(sys)\n"})
    desk.run("decide", title="Use click, not argparse", why="One way")
    shop.write({"shop/parser.py": "import sys\n\nprint(sys, sys)\n"})
    assert not ask().findings


def test_a_decision_that_was_replaced_counts_no_more(
    shop: RepoBuilder, desk: Desk, ask: Ask
) -> None:
    old = desk.run("decide", title="Do not use argparse", why="One way").id
    desk.run("decide", title="Command lines are read with argparse", why="None", supersedes=old)
    edit(shop, "shop/till.py", "from shop", "import argparse\nfrom shop")
    assert not ask().findings
