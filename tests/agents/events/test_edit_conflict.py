"""What is said of an edit that added what a rule turns down: that rule, once, and nothing else."""

from __future__ import annotations

import pytest

from gitmem.agents.events import dispatch
from tests.support.apps import Desk
from tests.support.hooked import Agent
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder
from tests.support.tables import table

FILE = "src/store.py"


@pytest.fixture
def desk(bare_desk: Desk, ready: SetUp) -> Desk:
    ready(bare_desk, no_hooks=True, no_index=True)
    return bare_desk


@pytest.fixture
def agent(desk: Desk) -> Agent:
    return Agent(desk)


def test_an_edit_that_added_what_a_decision_turned_down_is_warned_of_once(
    desk: Desk, agent: Agent
) -> None:
    desk.run("decide", title="Use apsw, not sqlite3", why="It loads extensions")
    message = agent.edit(FILE, added_text="import sqlite3\nstore = sqlite3.connect(path)")
    assert "may conflict with" in message and "Use apsw, not sqlite3" in message
    assert 'it says "not sqlite3", and this edit adds sqlite3' in message
    assert agent.edit("src/other.py", added_text="import sqlite3") == ""
    assert Agent(desk, "another-session-0001").edit(FILE, added_text="import sqlite3") != ""


def test_a_reason_that_names_what_the_title_rejects_does_not_want_it(
    desk: Desk, agent: Agent
) -> None:
    why = "We use sqlite3 today, and it loads no extensions."
    desk.run("decide", title="Do not use sqlite3", why=why)
    assert "Do not use sqlite3" in agent.edit(FILE, added_text="import sqlite3")


def test_the_subject_may_be_the_file(desk: Desk, agent: Agent) -> None:
    desk.run("decide", title="Stores must not use pickle")
    assert agent.edit("src/mail.py", added_text="import pickle") == ""
    assert "must not use pickle" in agent.edit(FILE, added_text="import pickle")


def test_parts_of_a_name_are_read(desk: Desk, agent: Agent) -> None:
    desk.run("decide", title="Do not use pickle for settings")
    assert agent.edit(FILE, added_text="fromPickledFile(path)") == ""
    assert "not use pickle" in agent.edit(FILE, added_text="settings = fromPickleFile(path)")


def test_what_was_there_before_is_no_news(desk: Desk, agent: Agent, repo: RepoBuilder) -> None:
    desk.run("decide", title="Use apsw, not sqlite3")
    desk.run("decide", title="Never use pickles")
    assert agent.edit(FILE, added_text="import os, sqlite3", removed_text="import sqlite3") == ""
    assert agent.edit(FILE, added_text="pickles = 2", removed_text="pickle = 2") == ""
    repo.commit("A store", {FILE: "import sqlite3\n", "src/first.py": "# no sqlite here\n"})
    other = Agent(desk, "another-session-0001")
    assert other.edit("src/first.py", added_text="import sqlite3") != ""
    repo.write({FILE: "import sqlite3\nsqlite3.connect(path)\n"})
    assert agent.edit(FILE, added_text="sqlite3.connect(path)") == ""
    assert agent.edit("src/new.py", added_text="sqlite3.connect(path)") != ""


def test_what_a_rule_wants_or_only_mentions_is_no_warning(desk: Desk, agent: Agent) -> None:
    desk.run("decide", title="Use apsw, not sqlite3")
    desk.run("remember", text="Never import sqlite3 in a note")
    desk.run("remember", text="The cache is not shared between workers", kind="convention")
    for adds in ("import apsw", "x = 2", "", "workers.shared = 1", "# the file and the word not"):
        assert agent.edit(FILE, added_text=adds) == "", adds


def test_of_a_long_edit_the_first_forty_new_words_are_looked_up(desk: Desk, agent: Agent) -> None:
    desk.run("decide", title="Use apsw, not sqlite3")
    words = [letter * times for times in (5, 6) for letter in "abcdefghijklmnopqrst"]
    saved = " ".join(words)
    assert agent.edit(FILE, added_text=f"{saved} sqlite3") == ""
    assert agent.edit(FILE, added_text=f"{saved} sqlite3", removed_text=saved) != ""


def test_it_is_reported_before_all_else_and_takes_one_of_the_three_places(
    desk: Desk, agent: Agent
) -> None:
    for number in range(4):
        desk.run("remember", text=f"Fact {number}", path=(FILE,), weight=5)
    desk.run("decide", title="Use apsw, not sqlite3", path=(FILE,), weight=1)
    lines = agent.edit(FILE, added_text="import sqlite3").split("\n")[1:-1]
    assert lines[0].startswith("- may conflict with")
    assert [line.partition(":")[0] for line in lines[1:]] == ["- about this file"] * 2


def test_of_many_rules_two_are_reported(desk: Desk, agent: Agent) -> None:
    for name in ("sqlite3", "yaml", "pickle"):
        desk.run("decide", title=f"Do not use {name}", duplicates="allow")
    adds = "import pickle\nimport sqlite3\nimport yaml"
    assert agent.edit(FILE, added_text=adds).count("may conflict with") == 2
    assert agent.edit(FILE, added_text=adds).count("may conflict with") == 1


def test_a_file_outside_or_hidden_by_git_is_not_spoken_of(
    desk: Desk, agent: Agent, repo: RepoBuilder
) -> None:
    desk.run("decide", title="Use apsw, not sqlite3")
    repo.write({".gitignore": "out/\n"})
    for place in ("/etc/store.py", "out/store.py", ".git/store.py", ".env"):
        assert agent.edit(place, added_text="import sqlite3") == "", place


def test_what_a_stranger_wrote_is_not_reported(desk: Desk, agent: Agent) -> None:
    id = desk.run("decide", title="Use apsw, not sqlite3").id
    desk.run("trust", id=(id,), tier="foreign")
    assert agent.edit(FILE, added_text="import sqlite3") == ""


def test_a_decision_that_a_prompt_was_warned_of_is_not_repeated(desk: Desk, agent: Agent) -> None:
    desk.run("decide", title="Use apsw, not sqlite3")
    assert "may conflict" in agent.prompt("let us use sqlite3 here")
    assert agent.edit(FILE, added_text="import sqlite3") == ""


@table("name", ["codex", "gemini", "opencode", "copilot"])
def test_hosts_that_hear_of_an_edit_are_informed(desk: Desk, name: str) -> None:
    desk.run("decide", title="Use apsw, not sqlite3")
    agent = Agent(desk, f"a-session-of-{name}", agent=name)
    event = "post-tool" if name == "copilot" else "post-edit"
    output = {"tool": "edit", "files": (FILE,), "added_text": "import sqlite3", "dialect": "camel"}
    assert "may conflict with" in agent.fire(dispatch.answer_event, event, **output)


def test_kimi_is_informed_with_the_next_prompt(desk: Desk) -> None:
    desk.run("decide", title="Use apsw, not sqlite3")
    agent = Agent(desk, agent="kimi")
    agent.fire(dispatch.answer_event, "prompt", prompt="Begin")
    output = {"tool": "edit", "files": (FILE,), "added_text": "import sqlite3"}
    assert agent.fire(dispatch.answer_event, "post-edit", **output) == ""
    assert "may conflict with" in agent.fire(dispatch.answer_event, "prompt", prompt="Go on")


def test_an_unborn_branch_and_a_path_beyond_ascii_are_no_hindrance(
    desk: Desk, agent: Agent, repo: RepoBuilder
) -> None:
    desk.run("decide", title="Use apsw, not sqlite3")
    repo.commit("A store", {"src/läden\u00a0x.py": "import sqlite3\n"})
    assert agent.edit("src/läden\u00a0x.py", added_text="sqlite3.connect(path)") == ""
    repo.git("symbolic-ref", "HEAD", "refs/heads/unborn")
    assert "may conflict" in agent.edit("src/läden\u00a0x.py", added_text="sqlite3.connect(path)")
