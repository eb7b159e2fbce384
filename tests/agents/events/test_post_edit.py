"""What is said after an edit: what stands on the file, once, and nothing of what is not ours."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from gitmem.agents.events import post_edit
from gitmem.spool import git_events, lease
from tests.support.apps import SECOND, Desk, copy_of
from tests.support.hooked import Agent
from tests.support.moved import SetUp
from tests.support.repos import RepoBuilder
from tests.support.tables import table

CART = "src/cart/cart.py"
BODY = "def total(lines):\n    return sum(line.price * line.count for line in lines)\n"


@pytest.fixture(scope="module")
def model_repo(model_repo: RepoBuilder, tmp_path_factory: pytest.TempPathFactory) -> RepoBuilder:
    """With a cart worth citing in it; the tests copy it."""
    made = copy_of(model_repo, tmp_path_factory.mktemp("carts"))
    made.commit("A total", {CART: BODY, "src/other.py": "other = 1\n", ".gitignore": "out/\n"})
    return made


@pytest.fixture
def desk(bare_desk: Desk, ready: SetUp) -> Desk:
    ready(bare_desk, no_hooks=True, no_index=True)
    return bare_desk


@pytest.fixture
def agent(desk: Desk) -> Agent:
    return Agent(desk)


def test_what_cites_the_file_is_reported_once(desk: Desk, agent: Agent, repo: RepoBuilder) -> None:
    """CF-22 active_code_context."""
    desk.run("remember", text="The total counts every line", path=(f"{CART}:1-2",))
    desk.run("remember", text="About the other one", path=("src/other.py",))
    message = agent.edit(str(repo.path / CART))
    assert "about this file" in message
    assert "The total counts every line" in message
    assert "other one" not in message
    assert agent.edit(str(repo.path / CART)) == ""


def test_what_the_edit_took_away_is_reported_first(
    desk: Desk, agent: Agent, repo: RepoBuilder
) -> None:
    desk.run("remember", text="Weighty", path=(CART,), weight=5)
    desk.run("remember", text="The total counts every line", path=(f"{CART}:1-2",), weight=1)
    repo.write({CART: BODY.replace("count", "amount").replace("price", "cents")})
    first = agent.edit(CART).split("\n")[1]
    assert first.startswith("- check first")
    assert "The total counts every line" in first


def test_a_doubt_is_reported_also_of_what_was_shown_before(
    desk: Desk, agent: Agent, repo: RepoBuilder
) -> None:
    desk.run("remember", text="The total counts every line", path=(f"{CART}:1-2",))
    assert "about this file" in agent.edit(CART)
    repo.write({CART: "nothing = None\nleft = None\n"})
    assert "check first" in agent.edit(CART)
    assert agent.edit(CART) == ""


def test_the_rules_of_its_folder_are_reported(desk: Desk, agent: Agent) -> None:
    desk.run("remember", text="Carts are immutable", kind="convention", path=("src/cart",))
    desk.run("remember", text="Elsewhere it is not so", kind="convention", path=("src/other.py",))
    desk.run("remember", text="A note on the folder", path=("src/cart",))
    message = agent.edit(CART)
    assert "convention" in message
    assert "Carts are immutable" in message
    assert "Elsewhere" not in message
    assert "A note" not in message


def test_at_most_three_are_reported(desk: Desk, agent: Agent) -> None:
    for number in range(6):
        desk.run("remember", text=f"Fact {number}", path=(CART,))
    assert agent.edit(CART).count("\n- ") == 3
    assert agent.edit(CART).count("\n- ") == 3  # the others
    assert agent.edit(CART) == ""


def test_a_file_that_was_moved_is_known_by_what_stands_there(
    desk: Desk, agent: Agent, repo: RepoBuilder
) -> None:
    desk.run("index")
    desk.run("remember", text="The total counts every line", path=(f"{CART}:1-2",))
    repo.git("mv", CART, "src/till.py")
    desk.run("verify")
    assert "The total counts every line" in agent.edit("src/till.py")


@table(
    "file",
    [
        "../elsewhere.py",
        "/etc/passwd",
        ".git/config",
        ".gitmem/memory.db",
        ".env",
        "config/id_rsa",
        "",
        "a\0b",
        "~/x.py",
    ],
)
def test_what_is_none_of_ours_is_neither_kept_nor_spoken_of(agent: Agent, file: str) -> None:
    agent.start()
    assert agent.edit(file) == ""
    agent.work_off()
    assert agent.session().files == ()


def test_a_file_of_secrets_is_not_spoken_of_though_a_memory_cites_it(
    desk: Desk, agent: Agent, repo: RepoBuilder
) -> None:
    repo.write({".env": "MODE=test\n"})
    desk.run("remember", text="The mode is set there", path=(".env",))
    assert agent.edit(".env") == ""


def test_an_ignored_file_is_neither_spoken_of_nor_kept(
    desk: Desk, agent: Agent, repo: RepoBuilder
) -> None:
    repo.write({"out/page.py": "x = 1\n"})
    desk.run("remember", text="What is built", path=("out/page.py",))
    assert agent.edit("out/page.py") == ""
    agent.edit(CART)
    agent.work_off()
    assert agent.session().files == (CART,)


def test_files_are_reported_from_any_folder_and_by_any_name_of_it(
    desk: Desk, agent: Agent, repo: RepoBuilder, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(repo.path)
    agent.edit("cart.py", cwd=str(repo.path / "src" / "cart"))
    agent.edit(str(link / "src" / "other.py"))
    assert [item.files for item in agent.noted()] == [(CART,), ("src/other.py",)]


def test_what_was_edited_is_in_the_session(desk: Desk, agent: Agent, repo: RepoBuilder) -> None:
    """CF-22 session_context, ML-28: the files, the newest first."""
    agent.edit("src/other.py")
    agent.edit(CART, "README.md")
    agent.work_off()
    result = agent.session()
    assert result.files[-1] == "src/other.py"
    assert set(result.files) == {"src/other.py", CART, "README.md"}
    assert result.active_file == "README.md"
    assert (result.agent, result.branch, result.head_start) == ("claude-code", "main", repo.head())


def test_a_sub_agent_works_for_the_session_it_belongs_to(desk: Desk, agent: Agent) -> None:
    agent.edit(CART, subagent="reviewer")
    agent.work_off()
    assert agent.session().files == (CART,)


def test_where_a_host_takes_no_text_the_file_is_noted_all_the_same(desk: Desk) -> None:
    desk.run("remember", text="The total counts every line", path=(CART,))
    cursor = Agent(desk, agent="cursor")
    assert cursor.edit(CART) == ""
    assert [item.files for item in cursor.noted()] == [(CART,)]


def test_in_a_bare_repository_there_is_no_file_to_speak_of(
    repo: RepoBuilder, tmp_path: Path
) -> None:
    repo.git("clone", "-q", "--bare", str(repo.path), str(tmp_path / "bare.git"))
    desk = Desk(tmp_path / "bare.git", repo.home)
    desk.run("init", no_hooks=True, no_index=True)
    from gitmem.agents.events import post_edit

    app = desk.app(agent="codex")
    assert post_edit.answer_edit(app, Agent(desk).moment("post-edit", files=("x.py",))) == ""
    app.close()


# --- the index ----------------------------------------------------------------------------------


def started(agent: Agent, monkeypatch: pytest.MonkeyPatch, *files: str) -> int:
    """How many drains the system was asked to start by the hook; none is started."""
    count = 0
    spawn = os.posix_spawn

    def noting(program: str, words: list[str], *rest: Any, **more: Any) -> int:
        nonlocal count
        if program != sys.executable:
            return spawn(program, words, *rest, **more)  # git
        count += words[4] == "drain"
        return 0

    with monkeypatch.context() as patched:
        patched.setattr(os, "posix_spawn", noting)
        app = agent.desk.app(agent=agent.agent)
        post_edit.answer_edit(app, agent.moment("post-edit", tool="Edit", files=files))
        app.close()
    return count


def waiting(desk: Desk) -> list[git_events.Event]:
    folder = desk.store.parent / "spool"
    lines = b"".join(path.read_bytes() for path in sorted(folder.glob("events*")))
    return git_events.parse_git_events(lines, "k", desk.token)[0]


def test_an_edited_file_is_in_the_index_after_the_drain(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CF-28: also in a linked worktree, and named as a host names it."""
    linked = desk.at(repo.worktree(repo.path.parent / "linked", "side").path)
    desk.run("index")
    linked.run("index")
    for item in (desk, linked):
        (item.place / CART).write_text("def okapi():\n    return 1\n")
        item.clock.advance(SECOND)
        assert started(Agent(item), monkeypatch, str(item.place / CART)) == 1
    assert desk.run("drain").trees == 2
    for item in (desk, linked):
        result = item.run("search", query="okapi", mode="keyword", sources=("code",))
        assert [hit.path for hit in result.hits] == [CART]
        assert (result.index.state, result.index.reread) == ("current", 0)


def test_many_edits_start_one_drain(
    desk: Desk, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sum(started(agent, monkeypatch, CART) for _ in range(100)) == 1
    assert [type(item) for item in waiting(desk)] == [git_events.EditEvent] * 100
    folder = desk.store.parent / "spool"
    held = lease.try_take_spool_lease(str(folder), 1)
    assert held is not None
    desk.clock.advance(SECOND)
    assert started(agent, monkeypatch, CART) == 0  # it will look again
    held.release()
    assert started(agent, monkeypatch, CART) == 1


def test_an_edit_asks_for_nothing_where_nothing_works_in_the_background(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = desk.at(desk.place)
    other.env = desk.env | {"GITMEM_NO_BACKGROUND": "1"}
    assert started(Agent(other), monkeypatch, CART) == 0
    assert waiting(desk) == []


def test_a_spool_that_cannot_be_written_keeps_no_edit_waiting(
    desk: Desk, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    (desk.store.parent / "spool" / "events").mkdir(parents=True)
    desk.run("remember", text="The total counts every line", path=(CART,))
    assert "The total" in agent.edit(CART)
