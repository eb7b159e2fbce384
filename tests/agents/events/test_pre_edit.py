"""What is said before an edit: a rule that it would go against, once, and nothing else."""

from __future__ import annotations

import pytest

from tests.support.apps import Desk
from tests.support.hooked import Agent
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder

FILE = "src/store.py"


@pytest.fixture
def desk(bare_desk: Desk, ready: SetUp) -> Desk:
    ready(bare_desk, no_hooks=True, no_index=True)
    return bare_desk


@pytest.fixture
def agent(desk: Desk) -> Agent:
    return Agent(desk)


def test_an_edit_that_adds_what_a_decision_turned_down_is_warned_of_once(
    desk: Desk, agent: Agent
) -> None:
    desk.run("decide", title="Use apsw, not sqlite3", why="It loads extensions")
    said = agent.about_to_edit(FILE, "import sqlite3\nstore = sqlite3.connect(path)")
    assert "may conflict with" in said and "Use apsw, not sqlite3" in said
    assert "this edit adds sqlite3" in said
    assert agent.about_to_edit("src/other.py", "import sqlite3") == ""
    assert Agent(desk, "another-session-0001").about_to_edit(FILE, "import sqlite3") != ""


def test_what_was_there_before_is_no_news(desk: Desk, agent: Agent, repo: RepoBuilder) -> None:
    desk.run("decide", title="Use apsw, not sqlite3")
    assert agent.about_to_edit(FILE, "import os, sqlite3", "import sqlite3") == ""
    repo.write({FILE: "import sqlite3\n"})
    assert agent.about_to_edit(FILE, "sqlite3.connect(path)") == ""


def test_what_a_rule_wants_or_only_mentions_is_no_warning(desk: Desk, agent: Agent) -> None:
    desk.run("decide", title="Use apsw, not sqlite3")
    desk.run("remember", text="Never import sqlite3 in a note")
    desk.run("remember", text="The cache is not shared between workers", kind="convention")
    for adds in ("import apsw", "x = 2", "", "shared = 1", "# the file and the word not"):
        assert agent.about_to_edit(FILE, adds) == "", adds


def test_a_file_outside_or_hidden_by_git_is_not_spoken_of(
    desk: Desk, agent: Agent, repo: RepoBuilder
) -> None:
    desk.run("decide", title="Use apsw, not sqlite3")
    repo.write({".gitignore": "out/\n"})
    for place in ("/etc/store.py", "out/store.py", ".git/store.py", ".env"):
        assert agent.about_to_edit(place, "import sqlite3") == "", place


def test_what_a_stranger_wrote_is_not_said(desk: Desk, agent: Agent) -> None:
    id = desk.run("decide", title="Use apsw, not sqlite3").id
    desk.run("trust", id=(id,), tier="foreign")
    assert agent.about_to_edit(FILE, "import sqlite3") == ""


def test_a_decision_that_a_prompt_was_warned_of_is_not_said_again(desk: Desk, agent: Agent) -> None:
    desk.run("decide", title="Use apsw, not sqlite3")
    assert "may conflict" in agent.prompt("let us use sqlite3 here")
    assert agent.about_to_edit(FILE, "import sqlite3") == ""
